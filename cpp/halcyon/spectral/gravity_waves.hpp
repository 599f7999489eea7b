#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "halcyon/spectral/basis.hpp"

namespace halcyon::spectral {

/// Linear gravity-wave terms L about an isothermal state at rest with temperature T_r and surface pressure
/// p_r (Hoskins and Simmons 1975; Simmons and Burridge 1981; T_r: Simmons, Hoskins and Burridge 1978):
///   d(delta)/dt = -del^2 (gamma T + R T_r ln ps),  dT/dt = -tau delta,  d(ln ps)/dt = -nu . delta
/// with the matrices gamma, tau and the vector nu of the vertical scheme. The factor R T_r is the same at all
/// levels of any coordinate: in isothermal air the scheme's pressure gradient force is R T_r grad(ln ps).
class GravityWaves {
 public:
  static constexpr double kTemperature = 300;  ///< T_r [K]
  /// T_r of semi-Lagrangian steps, which are stable only with a warmer reference state (Simmons and Temperton
  /// 1997, Mon. Weather Rev. 125, 600-615).
  static constexpr double kLagrangianTemperature = 350;
  static constexpr double kPressure = 1e5;  ///< p_r [Pa]

  /// Computes gamma, tau and nu of the scheme in `Columns` at ps = p_r, T = T_r.
  /// @param a, b coefficients of the interfaces, p = a + b ps
  GravityWaves(const std::vector<double>& a, const std::vector<double>& b, double gas_constant, double kappa,
               double temperature = kTemperature)
      : n_(a.size() - 1),
        gamma_(n_ * n_),
        tau_(n_ * n_),
        nu_(n_),
        ratio_(n_),
        alpha_(n_),
        thickness_(n_),
        temperature_(temperature),
        r_t_r_(gas_constant * temperature) {
    std::vector<double> p(n_ + 1);
    for (std::size_t k = 0; k <= n_; ++k) p[k] = a[k] + b[k] * kPressure;
    for (std::size_t k = 0; k < n_; ++k) {
      thickness_[k] = p[k + 1] - p[k];
      ratio_[k] = std::log(p[k + 1] / p[k]);
      alpha_[k] = 1 - p[k] * ratio_[k] / thickness_[k];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      nu_[k] = thickness_[k] / kPressure;
      gamma_[k * n_ + k] = gas_constant * alpha_[k];
      tau_[k * n_ + k] = kappa * temperature * alpha_[k];
      for (std::size_t j = k + 1; j < n_; ++j) gamma_[k * n_ + j] = gas_constant * ratio_[j];
      for (std::size_t j = 0; j < k; ++j)
        tau_[k * n_ + j] = kappa * temperature * ratio_[k] * thickness_[j] / thickness_[k];
    }
  }

  // r_k, alpha_k and Dp_k [Pa] of the reference state (level); T_r [K] and R T_r [m2 s-2].
  const std::vector<double>& ratios() const { return ratio_; }
  const std::vector<double>& alphas() const { return alpha_; }
  const std::vector<double>& thicknesses() const { return thickness_; }
  double temperature() const { return temperature_; }
  double r_t_r() const { return r_t_r_; }

  /// delta, T (level, coefficient) and ln ps (coefficient) of a state or tendency.
  template <class Real>
  struct Fields {
    Coefficient<Real>*delta, *temperature, *log_pressure;
  };
  /// y += L x
  template <class Real>
  void add(const Basis<Real>& basis, const Fields<Real>& x, const Fields<Real>& y) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
      const double lambda = basis.eigenvalues()[c];
      Complex outflow = 0;
      for (std::size_t k = 0; k < n_; ++k) {
        Complex geopotential = r_t_r_ * Complex(x.log_pressure[c]), cooling = 0;
        for (std::size_t j = k; j < n_; ++j)
          geopotential += gamma_[k * n_ + j] * Complex(x.temperature[j * n + c]);
        for (std::size_t j = 0; j <= k; ++j) cooling += tau_[k * n_ + j] * Complex(x.delta[j * n + c]);
        outflow += nu_[k] * Complex(x.delta[k * n + c]);
        add_to(y.delta[k * n + c], lambda * geopotential);
        add_to(y.temperature[k * n + c], -cooling);
      }
      add_to(y.log_pressure[c], -outflow);
    }
  }
  /// Replaces x by (1 - dt L)^-1 x, from
  ///   (1 + dt^2 lambda (gamma tau + R T_r nu)) delta = delta + dt lambda (gamma T + R T_r ln ps),
  ///   lambda = n (n + 1)/a^2
  template <class Real>
  void solve(const Basis<Real>& basis, double dt, const Fields<Real>& x) {
    const auto& matrices = inverses(basis, dt);
    const std::size_t n = basis.n_coefficients();
    std::vector<Complex> right_side(n_);
    add_geopotential(basis, dt, x);
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t k = 0; k < n_; ++k) right_side[k] = x.delta[k * n + c];
      const auto& matrix = matrices[basis.degrees()[c]];
      for (std::size_t k = 0; k < n_; ++k) {
        Complex delta = 0;
        for (std::size_t j = 0; j < n_; ++j) delta += matrix[k * n_ + j] * right_side[j];
        x.delta[k * n + c] = Coefficient<Real>(delta);
      }
    }
    subtract_divergence(basis, dt, x);
  }
  /// delta += dt lambda (gamma T + R T_r ln ps)
  template <class Real>
  void add_geopotential(const Basis<Real>& basis, double dt, const Fields<Real>& x) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
      const double factor = dt * basis.eigenvalues()[c];
      for (std::size_t k = 0; k < n_; ++k) {
        Complex geopotential = r_t_r_ * Complex(x.log_pressure[c]);
        for (std::size_t j = k; j < n_; ++j)
          geopotential += gamma_[k * n_ + j] * Complex(x.temperature[j * n + c]);
        add_to(x.delta[k * n + c], factor * geopotential);
      }
    }
  }
  /// T -= dt tau delta,  ln ps -= dt nu . delta
  template <class Real>
  void subtract_divergence(const Basis<Real>& basis, double dt, const Fields<Real>& x) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
      Complex outflow = 0;
      for (std::size_t k = 0; k < n_; ++k) {
        Complex cooling = 0;
        for (std::size_t j = 0; j <= k; ++j) cooling += tau_[k * n_ + j] * Complex(x.delta[j * n + c]);
        add_to(x.temperature[k * n + c], -dt * cooling);
        outflow += nu_[k] * Complex(x.delta[k * n + c]);
      }
      add_to(x.log_pressure[c], -dt * outflow);
    }
  }
  /// The matrix gamma tau + R T_r nu (level, level), which couples the divergence of the levels.
  std::vector<double> coupling() const {
    Matrix result(n_ * n_);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t j = 0; j < n_; ++j) {
        double sum = r_t_r_ * nu_[j];
        for (std::size_t i = 0; i < n_; ++i) sum += gamma_[k * n_ + i] * tau_[i * n_ + j];
        result[k * n_ + j] = sum;
      }
    return result;
  }

  std::size_t memory_bytes() const {
    std::size_t n = 2 * n_ * n_;
    for (const auto& inverses : cache_) n += inverses.matrices.size() * n_ * n_;
    return n * sizeof(double);
  }

 private:
  template <class Real>
  static void add_to(Coefficient<Real>& sum, Complex x) {
    sum = Coefficient<Real>(Complex(sum) + x);
  }
  using Matrix = std::vector<double>;  ///< (level, level), row-major
  /// Inverse of a matrix (n, n) by Gauss-Jordan elimination with partial pivoting.
  static Matrix inverse(Matrix matrix, std::size_t n) {
    Matrix result(n * n);
    for (std::size_t i = 0; i < n; ++i) result[i * n + i] = 1;
    for (std::size_t column = 0; column < n; ++column) {
      std::size_t pivot = column;
      for (std::size_t row = column + 1; row < n; ++row)
        if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
      for (std::size_t j = 0; j < n; ++j) {
        std::swap(matrix[pivot * n + j], matrix[column * n + j]);
        std::swap(result[pivot * n + j], result[column * n + j]);
      }
      const double scale = 1 / matrix[column * n + column];
      for (std::size_t j = 0; j < n; ++j) matrix[column * n + j] *= scale, result[column * n + j] *= scale;
      for (std::size_t row = 0; row < n; ++row) {
        const double factor = matrix[row * n + column];
        if (row == column || factor == 0) continue;
        for (std::size_t j = 0; j < n; ++j) {
          matrix[row * n + j] -= factor * matrix[column * n + j];
          result[row * n + j] -= factor * result[column * n + j];
        }
      }
    }
    return result;
  }
  struct Inverses {
    double dt = 0;
    std::vector<Matrix> matrices;  ///< (degree)
  };
  /// Returns the inverse matrices (degree) for a time step; cached for two: dt, and dt/2 of the first step.
  template <class Real>
  const std::vector<Matrix>& inverses(const Basis<Real>& basis, double dt) {
    for (const auto& inverses : cache_)
      if (inverses.dt == dt) return inverses.matrices;
    const auto coupling = this->coupling();
    if (cache_.size() > 1) cache_.erase(cache_.begin());
    auto& inverses_of_dt = cache_.emplace_back(Inverses{dt, {}});
    const double a = basis.planet().radius;
    for (int degree = 0; degree <= basis.truncation(); ++degree) {
      const double factor = dt * dt * degree * (degree + 1.0) / (a * a);
      Matrix matrix(n_ * n_);
      for (std::size_t i = 0; i < matrix.size(); ++i)
        matrix[i] = (i % (n_ + 1) == 0 ? 1 : 0) + factor * coupling[i];
      inverses_of_dt.matrices.push_back(inverse(std::move(matrix), n_));
    }
    return inverses_of_dt.matrices;
  }

  std::size_t n_;  ///< number of levels
  Matrix gamma_, tau_;
  std::vector<double> nu_, ratio_, alpha_, thickness_;  ///< (level)
  double temperature_, r_t_r_;                          ///< T_r, R T_r
  std::vector<Inverses> cache_;
};

}  // namespace halcyon::spectral
