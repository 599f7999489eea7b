#include "halcyon/spectral/implicit_waves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "halcyon/base/timer.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"

namespace halcyon::spectral {
namespace {

/// The eigenvalues and eigenvectors (row: component, column: vector) of a symmetric matrix, by cyclic Jacobi
/// rotations (Golub and Van Loan 2013, Matrix Computations, section 8.5).
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen eigen(std::vector<double> matrix, std::size_t n) {
  constexpr int kMaxSweeps = 60;
  std::vector<double> vectors(n * n);
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  const auto rotate = [](double& x, double& y, double c, double s) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  };
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double outside = 0, diagonal = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        (i == j ? diagonal : outside) += matrix[i * n + j] * matrix[i * n + j];
    if (outside <= 1e-32 * diagonal) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double entry = matrix[p * n + q];
        if (entry == 0) continue;
        const double ratio = (matrix[q * n + q] - matrix[p * n + p]) / (2 * entry);
        const double t = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[i * n + p], matrix[i * n + q], c, s);
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[p * n + i], matrix[q * n + i], c, s);
        for (std::size_t i = 0; i < n; ++i) rotate(vectors[i * n + p], vectors[i * n + q], c, s);
      }
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(matrix[i * n + i]);
  return {std::move(values), std::move(vectors)};
}

/// All-to-alls among the V sets of each W set w: from all modes at part v of the coefficients of w, to the
/// modes of v at all coefficients of w; or, if `back`, the other way.
class ModeBlocks final : public schedule::Blocks {
 public:
  ModeBlocks(const transform::Extents& extents, int n_modes, bool back)
      : modes_(n_modes, extents.counts().v), back_(back) {
    for (int w = 0; w < extents.counts().w; ++w) coefficients_.push_back(extents.coefficients(w));
  }
  schedule::ByteRange sent(Rank group, Rank from, Rank to) const override {
    return back_ ? at_modes(group, to, from) : at_coefficients(group, from, to);
  }
  schedule::ByteRange received(Rank group, Rank from, Rank to) const override {
    return back_ ? at_coefficients(group, to, from) : at_modes(group, from, to);
  }
  std::int64_t largest_bytes(Rank group) const override { return at_coefficients(group, 0, 0).size_bytes; }

 private:
  static constexpr std::int64_t kItemBytes = 2 * sizeof(Complex);  // zeta and delta
  /// The block of mode set `to` in the memory of the rank with coefficient part `from`, and the reverse.
  schedule::ByteRange at_coefficients(Rank w, Rank from, Rank to) const {
    const auto n = kItemBytes * coefficients_[w].size(from);
    return {n * modes_.begin(to), n * modes_.size(to)};
  }
  schedule::ByteRange at_modes(Rank w, Rank from, Rank to) const {
    const auto n = kItemBytes * modes_.size(to);
    return {n * coefficients_[w].begin(from), n * coefficients_[w].size(from)};
  }
  schedule::BlockDistribution modes_;
  std::vector<schedule::BlockDistribution> coefficients_;  ///< (w)
  bool back_;
};

}  // namespace

ImplicitWaves::ImplicitWaves(const Basis& basis, double squared_speed)
    : basis_(basis), squared_speeds_{squared_speed}, to_modes_{1}, to_levels_{1} {
  prepare();
}

/// With P = diag(thickness): P^1/2 G P^-1/2 = E Lambda E^T is symmetric, so that G = P^-1/2 E Lambda E^T
/// P^1/2.
ImplicitWaves::ImplicitWaves(const Basis& basis, const std::vector<double>& matrix,
                             const std::vector<double>& thickness)
    : basis_(basis) {
  const std::size_t n = thickness.size();
  std::vector<double> roots, symmetric(n * n);
  for (const double weight : thickness) roots.push_back(std::sqrt(weight));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      symmetric[k * n + j] =
          (roots[k] * matrix[k * n + j] / roots[j] + roots[j] * matrix[j * n + k] / roots[k]) / 2;
  const auto [values, vectors] = eigen(std::move(symmetric), n);
  squared_speeds_ = values;
  to_modes_.resize(n * n), to_levels_.resize(n * n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t mode = 0; mode < n; ++mode) {
      to_levels_[k * n + mode] = vectors[k * n + mode] / roots[k];
      to_modes_[mode * n + k] = vectors[k * n + mode] * roots[k];
    }
  prepare();
}

void ImplicitWaves::prepare() {
  const int n_modes = static_cast<int>(squared_speeds_.size());
  const auto& transform = basis_.transform();
  const auto& extents = transform.extents();
  own_coefficients_.resize(2 * squared_speeds_.size() * basis_.n_coefficients());
  if (!transform.shares_coefficients()) return;
  const auto [v, w] = extents.counts();
  const schedule::BlockDistribution modes(n_modes, v);
  own_modes_.resize(2 * modes.size(transform.v()) * extents.coefficients(transform.w()).n);
  const auto exchange = [&](bool back) {
    const auto schedule =
        schedule::alltoall(v * w, {v, w}, std::make_shared<ModeBlocks>(extents, n_modes, back),
                           {.algorithm = schedule::AlltoallAlgorithm::burst});
    return std::make_unique<comm::Exchange>(basis_.communicator(), *schedule,
                                            comm::method_named("isend_irecv"));
  };
  to_own_modes_ = exchange(false);
  to_own_coefficients_ = exchange(true);
}

void ImplicitWaves::solve(double alpha, double polar_rotation, Complex* zeta, Complex* delta,
                          SolverCosts& costs) {
  const std::size_t n_modes = squared_speeds_.size(), n = basis_.n_coefficients();
  for (std::size_t mode = 0; mode < n_modes; ++mode)
    for (const auto& [part, field] : {std::pair(0, zeta), std::pair(1, delta)}) {
      Complex* target = own_coefficients_.data() + (2 * mode + part) * n;
      std::fill_n(target, n, 0);
      for (std::size_t k = 0; k < n_modes; ++k)
        for (std::size_t c = 0; c < n; ++c) target[c] += to_modes_[mode * n_modes + k] * field[k * n + c];
    }
  const auto run = [&costs](comm::Exchange& exchange, std::vector<Complex>& from, std::vector<Complex>& to) {
    const ScopedTimer timer(costs.exchange_s);
    exchange.start(std::array{std::as_writable_bytes(std::span(from)), std::as_writable_bytes(std::span(to))})
        .wait();
  };
  if (to_own_modes_) run(*to_own_modes_, own_coefficients_, own_modes_);
  solve_modes(alpha, polar_rotation);
  if (to_own_modes_) run(*to_own_coefficients_, own_modes_, own_coefficients_);
  for (std::size_t k = 0; k < n_modes; ++k)
    for (const auto& [part, field] : {std::pair(0, zeta), std::pair(1, delta)}) {
      Complex* target = field + k * n;
      std::fill_n(target, n, 0);
      for (std::size_t mode = 0; mode < n_modes; ++mode)
        for (std::size_t c = 0; c < n; ++c)
          target[c] += to_levels_[k * n_modes + mode] * own_coefficients_[(2 * mode + part) * n + c];
    }
}

/// Solves this rank's modes for all its wavenumbers.
void ImplicitWaves::solve_modes(double alpha, double polar_rotation) {
  const auto& transform = basis_.transform();
  const auto& extents = transform.extents();
  const int T = basis_.truncation(), v = transform.shares_coefficients() ? extents.counts().v : 1;
  const schedule::BlockDistribution modes(static_cast<std::int64_t>(squared_speeds_.size()), v);
  const schedule::BlockDistribution parts(extents.coefficients(transform.w()).n, v);
  const auto first_mode =
      static_cast<std::size_t>(modes.begin(transform.shares_coefficients() ? transform.v() : 0));
  const auto n_modes =
      static_cast<std::size_t>(modes.size(transform.shares_coefficients() ? transform.v() : 0));
  auto& values = to_own_modes_ ? own_modes_ : own_coefficients_;
  const double factor = 2 * polar_rotation * alpha, radius = basis_.planet().radius;
  std::vector<Complex> zeta, delta;
  for (auto* coefficients : {&zeta, &delta, &inverse_s_, &s_, &ratios_}) coefficients->resize(T + 1);
  for (auto* coefficients : {&coupling_below_, &coupling_above_, &gravity_}) coefficients->resize(T + 1);
  std::int64_t first = 0;  // coefficient n = m among those of this W set
  for (const int m : extents.wavenumbers(transform.w())) {
    for (int n = m; n <= T; ++n) {
      const double squared = n * (n + 1.0);
      s_[n] = {1, n == 0 ? 0 : -factor * m / squared};
      inverse_s_[n] = 1.0 / s_[n];
      coupling_below_[n] = n == 0 ? 0 : factor * (n + 1.0) / n * transform::epsilon(n, m);
      coupling_above_[n] = n == T ? 0 : factor * n / (n + 1.0) * transform::epsilon(n + 1, m);
      gravity_[n] = alpha * alpha * squared / (radius * radius);
    }
    // The mode's values of n are contiguous within the part of a V set.
    const auto for_values = [&](std::size_t mode, const auto& work) {
      std::int64_t at = first;
      for (int n = m; n <= T; ++n, ++at) {
        const auto part = parts.part_of(at);
        const auto size = static_cast<std::size_t>(parts.size(part));
        auto* begin = &values[2 * n_modes * static_cast<std::size_t>(parts.begin(part)) + 2 * mode * size +
                              static_cast<std::size_t>(at - parts.begin(part))];
        work(n, begin[0], begin[size]);
      }
    };
    for (std::size_t mode = 0; mode < n_modes; ++mode) {
      for_values(mode, [&](int n, Complex z, Complex d) { zeta[n] = z, delta[n] = d; });
      solve_wavenumber(m, squared_speeds_[first_mode + mode], zeta.data(), delta.data());
      for_values(mode, [&](int n, Complex& z, Complex& d) { z = zeta[n], d = delta[n]; });
    }
    first += T + 1 - m;
  }
}

/// Elimination in the equations of even, and of odd n - m; values (n), from n = m.
void ImplicitWaves::solve_wavenumber(int m, double squared_speed, Complex* zeta, Complex* delta) const {
  const int T = basis_.truncation();
  // delta*_n + alpha F (a_n zeta*_{n-1}/s_{n-1} + b_n zeta*_{n+1}/s_{n+1})
  for (int n = m; n <= T; ++n) zeta[n] *= inverse_s_[n];
  for (int n = m; n <= T; ++n) {
    if (n > m) delta[n] += coupling_below_[n] * zeta[n - 1];
    if (n < T) delta[n] += coupling_above_[n] * zeta[n + 1];
  }
  for (int n = m; n <= T; ++n) {
    Complex diagonal = s_[n] + gravity_[n] * squared_speed;
    if (n > m) diagonal += coupling_below_[n] * coupling_above_[n - 1] * inverse_s_[n - 1];
    if (n < T) diagonal += coupling_above_[n] * coupling_below_[n + 1] * inverse_s_[n + 1];
    if (n > m + 1) {
      const Complex lower = coupling_below_[n] * coupling_below_[n - 1] * inverse_s_[n - 1];
      diagonal -= lower * ratios_[n - 2];
      delta[n] -= lower * delta[n - 2];
    }
    const Complex inverse = 1.0 / diagonal;
    delta[n] *= inverse;
    if (n + 1 < T) ratios_[n] = coupling_above_[n] * coupling_above_[n + 1] * inverse_s_[n + 1] * inverse;
  }
  for (int n = T - 2; n >= m; --n) delta[n] -= ratios_[n] * delta[n + 2];
  for (int n = m; n <= T; ++n) {
    Complex change = 0;
    if (n > m) change += coupling_below_[n] * delta[n - 1];
    if (n < T) change += coupling_above_[n] * delta[n + 1];
    zeta[n] -= inverse_s_[n] * change;
  }
}

std::size_t ImplicitWaves::memory_bytes() const {
  return (own_coefficients_.size() + own_modes_.size()) * sizeof(Complex) +
         (to_modes_.size() + to_levels_.size()) * sizeof(double);
}

}  // namespace halcyon::spectral
