#include "halcyon/spectral/implicit_waves.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "halcyon/base/timer.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"

namespace halcyon::spectral {
namespace {

/// All-to-alls among the V sets of each W set w: from all modes at part v of the coefficients of w, to the
/// modes of v at all coefficients of w; or, if `back`, the other way.
class ModeBlocks final : public schedule::Blocks {
 public:
  /// @param item_bytes size of a coefficient of zeta and of delta
  ModeBlocks(const transform::Extents& extents, int n_modes, std::int64_t item_bytes, bool back)
      : modes_(n_modes, extents.counts().v), item_bytes_(item_bytes), back_(back) {
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
  /// The block of mode set `to` in the memory of the rank with coefficient part `from`, and the reverse.
  schedule::ByteRange at_coefficients(Rank w, Rank from, Rank to) const {
    const auto n = item_bytes_ * coefficients_[w].size(from);
    return {n * modes_.begin(to), n * modes_.size(to)};
  }
  schedule::ByteRange at_modes(Rank w, Rank from, Rank to) const {
    const auto n = item_bytes_ * modes_.size(to);
    return {n * coefficients_[w].begin(from), n * coefficients_[w].size(from)};
  }
  schedule::BlockDistribution modes_;
  std::vector<schedule::BlockDistribution> coefficients_;  ///< (w)
  std::int64_t item_bytes_;
  bool back_;
};

/// With F = 2 Omega, s_n = 1 - alpha F i m/(n (n + 1)), a_n = (n + 1)/n epsilon_n and b_n = n/(n + 1)
/// epsilon_{n+1}:
///   s_n zeta_n + alpha F (a_n delta_{n-1} + b_n delta_{n+1}) = zeta*_n
///   (s_n + alpha^2 c^2 n (n + 1)/a^2) delta_n - alpha F (a_n zeta_{n-1} + b_n zeta_{n+1}) = delta*_n
/// The first equation eliminates zeta from the second, which becomes tridiagonal in n - 2, n, n + 2. If V
/// sets share the coefficients of a wavenumber, each solves some of the modes, between two all-to-alls.
template <class Real>
class DirectWaves final : public ImplicitWaves<Real> {
 public:
  DirectWaves(const Basis<Real>& basis, VerticalModes modes);

  void solve(double alpha, Coefficient<Real>* zeta, Coefficient<Real>* delta, SolverCosts& costs) override;
  const std::vector<double>& coriolis() const override { return basis_.polar_coriolis(); }
  std::size_t memory_bytes() const override {
    return (own_coefficients_.size() + own_modes_.size()) * sizeof(Coefficient<Real>) + modes_.memory_bytes();
  }

 private:
  void solve_modes(double alpha);
  void solve_wavenumber(int m, double squared_speed, Complex* zeta, Complex* delta) const;

  const Basis<Real>& basis_;
  VerticalModes modes_;
  /// Right-hand sides and solution: of all modes at this rank's coefficients (mode, zeta or delta,
  /// coefficient); of this rank's modes at all coefficients of its wavenumbers (V set, mode, zeta or delta,
  /// coefficient).
  Spectrum<Real> own_coefficients_, own_modes_;
  std::unique_ptr<comm::Exchange> to_own_modes_, to_own_coefficients_;  ///< null: one V set
  // Of a wavenumber, at n = m .. T: 1/s_n, alpha F a_n, alpha F b_n, s_n, alpha^2 n (n + 1)/a^2.
  std::vector<Complex> inverse_s_, s_;
  std::vector<double> coupling_below_, coupling_above_, gravity_;
  mutable std::vector<Complex> ratios_;
};

template <class Real>
DirectWaves<Real>::DirectWaves(const Basis<Real>& basis, VerticalModes modes)
    : basis_(basis), modes_(std::move(modes)) {
  const int n_modes = static_cast<int>(modes_.size());
  const auto& transform = basis_.transform();
  const auto& extents = transform.extents();
  own_coefficients_.resize(2 * modes_.size() * basis_.n_coefficients());
  if (!transform.shares_coefficients()) return;
  const auto [v, w] = extents.counts();
  const schedule::BlockDistribution own(n_modes, v);
  own_modes_.resize(2 * own.size(transform.v()) * extents.coefficients(transform.w()).n);
  const auto exchange = [&](bool back) {
    const auto schedule = schedule::alltoall(
        v * w, {v, w}, std::make_shared<ModeBlocks>(extents, n_modes, 2 * sizeof(Coefficient<Real>), back),
        {.algorithm = schedule::AlltoallAlgorithm::burst});
    return std::make_unique<comm::Exchange>(basis_.communicator(), *schedule,
                                            comm::method_named("isend_irecv"));
  };
  to_own_modes_ = exchange(false);
  to_own_coefficients_ = exchange(true);
}

template <class Real>
void DirectWaves<Real>::solve(double alpha, Coefficient<Real>* zeta, Coefficient<Real>* delta,
                              SolverCosts& costs) {
  using Fields = VerticalModes::Fields<Real>;
  const std::size_t n = basis_.n_coefficients();
  const auto own = [&](int part) { return Fields{own_coefficients_.data() + part * n, 2 * n}; };
  const auto run = [&costs](comm::Exchange& exchange, Spectrum<Real>& from, Spectrum<Real>& to) {
    const ScopedTimer timer(costs.exchange_s);
    exchange.start(std::array{std::as_writable_bytes(std::span(from)), std::as_writable_bytes(std::span(to))})
        .wait();
  };
  modes_.multiply(modes_.to_modes, Fields{zeta, n}, own(0), n);
  modes_.multiply(modes_.to_modes, Fields{delta, n}, own(1), n);
  if (to_own_modes_) run(*to_own_modes_, own_coefficients_, own_modes_);
  solve_modes(alpha);
  if (to_own_modes_) run(*to_own_coefficients_, own_modes_, own_coefficients_);
  modes_.multiply(modes_.to_levels, own(0), Fields{zeta, n}, n);
  modes_.multiply(modes_.to_levels, own(1), Fields{delta, n}, n);
}

/// Solves this rank's modes for all its wavenumbers.
template <class Real>
void DirectWaves<Real>::solve_modes(double alpha) {
  const auto& transform = basis_.transform();
  const auto& extents = transform.extents();
  const int T = basis_.truncation(), v = transform.shares_coefficients() ? extents.counts().v : 1;
  const schedule::BlockDistribution modes(static_cast<std::int64_t>(modes_.size()), v);
  const schedule::BlockDistribution parts(extents.coefficients(transform.w()).n, v);
  const auto first_mode =
      static_cast<std::size_t>(modes.begin(transform.shares_coefficients() ? transform.v() : 0));
  const auto n_modes =
      static_cast<std::size_t>(modes.size(transform.shares_coefficients() ? transform.v() : 0));
  auto& values = to_own_modes_ ? own_modes_ : own_coefficients_;
  const double factor = 2 * basis_.polar_rotation() * alpha, radius = basis_.planet().radius;
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
      for_values(mode, [&](int n, Coefficient<Real> z, Coefficient<Real> d) { zeta[n] = z, delta[n] = d; });
      solve_wavenumber(m, modes_.squared_speeds[first_mode + mode], zeta.data(), delta.data());
      for_values(mode, [&](int n, Coefficient<Real>& z, Coefficient<Real>& d) {
        z = Coefficient<Real>(zeta[n]), d = Coefficient<Real>(delta[n]);
      });
    }
    first += T + 1 - m;
  }
}

/// Elimination in the equations of even, and of odd n - m; values (n), from n = m.
template <class Real>
void DirectWaves<Real>::solve_wavenumber(int m, double squared_speed, Complex* zeta, Complex* delta) const {
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

}  // namespace

Solver solver_named(std::string_view name) {
  require<ConfigError>(name == "direct" || name == "gcr", "There is no solver '{}'. Use direct or gcr.",
                       name);
  return name == "gcr" ? Solver::gcr : Solver::direct;
}

template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_direct_waves(const Basis<Real>& basis, VerticalModes modes) {
  return std::make_unique<DirectWaves<Real>>(basis, std::move(modes));
}

template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_implicit_waves(Basis<Real>& basis, const SolverOptions& options,
                                                         VerticalModes modes) {
  return options.solver == Solver::gcr ? make_gcr_waves(basis, options.tolerance, std::move(modes))
                                       : make_direct_waves(basis, std::move(modes));
}

template std::unique_ptr<ImplicitWaves<double>> make_direct_waves(const Basis<double>&, VerticalModes);
template std::unique_ptr<ImplicitWaves<double>> make_implicit_waves(Basis<double>&, const SolverOptions&,
                                                                    VerticalModes);
template std::unique_ptr<ImplicitWaves<float>> make_implicit_waves(Basis<float>&, const SolverOptions&,
                                                                   VerticalModes);

}  // namespace halcyon::spectral
