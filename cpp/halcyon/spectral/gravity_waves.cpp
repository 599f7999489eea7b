#include "halcyon/spectral/gravity_waves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halcyon::spectral {

namespace {

/// The inverse of a matrix (n, n), by Gauss and Jordan with pivots of columns.
std::vector<double> inverse(std::vector<double> matrix, std::size_t n) {
  std::vector<double> found(n * n);
  for (std::size_t i = 0; i < n; ++i) found[i * n + i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(matrix[pivot * n + j], matrix[column * n + j]);
      std::swap(found[pivot * n + j], found[column * n + j]);
    }
    const double scale = 1 / matrix[column * n + column];
    for (std::size_t j = 0; j < n; ++j) matrix[column * n + j] *= scale, found[column * n + j] *= scale;
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = matrix[row * n + column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[row * n + j] -= factor * matrix[column * n + j];
        found[row * n + j] -= factor * found[column * n + j];
      }
    }
  }
  return found;
}

}  // namespace

/// gamma, tau and nu from the sums of `Columns` at ps = p_r, T = T_r.
GravityWaves::GravityWaves(const std::vector<double>& a, const std::vector<double>& b, double gas_constant,
                           double kappa)
    : n_(a.size() - 1), gamma_(n_ * n_), tau_(n_ * n_), nu_(n_), force_(gas_constant * kTemperature) {
  std::vector<double> p(n_ + 1), ratio(n_), alpha(n_);
  for (std::size_t k = 0; k <= n_; ++k) p[k] = a[k] + b[k] * kPressure;
  for (std::size_t k = 0; k < n_; ++k) {
    ratio[k] = std::log(p[k + 1] / p[k]);
    alpha[k] = 1 - p[k] * ratio[k] / (p[k + 1] - p[k]);
  }
  for (std::size_t k = 0; k < n_; ++k) {
    const double thick = p[k + 1] - p[k];
    nu_[k] = thick / kPressure;
    gamma_[k * n_ + k] = gas_constant * alpha[k];
    tau_[k * n_ + k] = kappa * kTemperature * alpha[k];
    for (std::size_t j = k + 1; j < n_; ++j) gamma_[k * n_ + j] = gas_constant * ratio[j];
    for (std::size_t j = 0; j < k; ++j)
      tau_[k * n_ + j] = kappa * kTemperature * ratio[k] * (p[j + 1] - p[j]) / thick;
  }
}

void GravityWaves::add(const Basis& basis, const Fields& x, const Fields& y) const {
  const std::size_t n = basis.n_coefficients();
  for (std::size_t c = 0; c < n; ++c) {
    const double lambda = basis.eigenvalues()[c];
    Complex outflow = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      Complex height = force_ * x.log_pressure[c], cooling = 0;
      for (std::size_t j = k; j < n_; ++j) height += gamma_[k * n_ + j] * x.temperature[j * n + c];
      for (std::size_t j = 0; j <= k; ++j) cooling += tau_[k * n_ + j] * x.delta[j * n + c];
      outflow += nu_[k] * x.delta[k * n + c];
      y.delta[k * n + c] += lambda * height;
      y.temperature[k * n + c] -= cooling;
    }
    y.log_pressure[c] -= outflow;
  }
}

void GravityWaves::solve(const Basis& basis, double dt, const Fields& x) {
  const auto& matrices = inverses(basis, dt);
  const std::size_t n = basis.n_coefficients();
  std::vector<Complex> right(n_);
  for (std::size_t c = 0; c < n; ++c) {
    const double factor = dt * basis.eigenvalues()[c];
    for (std::size_t k = 0; k < n_; ++k) {
      Complex height = force_ * x.log_pressure[c];
      for (std::size_t j = k; j < n_; ++j) height += gamma_[k * n_ + j] * x.temperature[j * n + c];
      right[k] = x.delta[k * n + c] + factor * height;
    }
    const auto& matrix = matrices[basis.degrees()[c]];
    for (std::size_t k = 0; k < n_; ++k) {
      Complex delta = 0;
      for (std::size_t j = 0; j < n_; ++j) delta += matrix[k * n_ + j] * right[j];
      x.delta[k * n + c] = delta;
    }
    Complex outflow = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      Complex cooling = 0;
      for (std::size_t j = 0; j <= k; ++j) cooling += tau_[k * n_ + j] * x.delta[j * n + c];
      x.temperature[k * n + c] -= dt * cooling;
      outflow += nu_[k] * x.delta[k * n + c];
    }
    x.log_pressure[c] -= dt * outflow;
  }
}

/// Those of the last steps of two lengths are kept: a run's, and its half for the first.
auto GravityWaves::inverses(const Basis& basis, double dt) -> const std::vector<Matrix>& {
  for (const auto& each : kept_)
    if (each.dt == dt) return each.by_degree;
  Matrix coupling(n_ * n_);
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t j = 0; j < n_; ++j) {
      double sum = force_ * nu_[j];
      for (std::size_t i = 0; i < n_; ++i) sum += gamma_[k * n_ + i] * tau_[i * n_ + j];
      coupling[k * n_ + j] = sum;
    }
  if (kept_.size() > 1) kept_.erase(kept_.begin());
  auto& made = kept_.emplace_back(Inverses{dt, {}});
  const double a = basis.planet().radius;
  for (int degree = 0; degree <= basis.truncation(); ++degree) {
    const double factor = dt * dt * degree * (degree + 1.0) / (a * a);
    Matrix matrix(n_ * n_);
    for (std::size_t i = 0; i < matrix.size(); ++i)
      matrix[i] = (i % (n_ + 1) == 0 ? 1 : 0) + factor * coupling[i];
    made.by_degree.push_back(inverse(std::move(matrix), n_));
  }
  return made.by_degree;
}

std::size_t GravityWaves::memory_bytes() const {
  std::size_t n = 2 * n_ * n_;
  for (const auto& each : kept_) n += each.by_degree.size() * n_ * n_;
  return n * sizeof(double);
}

}  // namespace halcyon::spectral
