#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>
#include <xsimd/xsimd.hpp>

#include "halcyon/base/lanes.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

class GravityWaves;

/// A block of air columns with the vertical scheme of Simmons and Burridge (1981, Mon. Weather Rev. 109,
/// 758-766), which conserves energy and angular momentum. Level k is between interfaces k and k + 1, counted
/// from the top. At interfaces p = a + b ps; Dp_k = p_{k+1} - p_k, r_k = ln(p_{k+1}/p_k),
/// alpha_k = 1 - p_k r_k / Dp_k. At levels ln p = ln p_{k+1} - alpha_k, consistent with the geopotential.
class Columns {
 public:
  static constexpr std::size_t kWidth = 64;  ///< maximum number of points in a block

  Columns(const Basis& basis, const AirOptions& air)
      : basis_(basis),
        air_(air),
        n_levels_(static_cast<int>(air.a.size()) - 1),
        kappa_(air.gas_constant / air.heat_capacity) {
    ps_.resize(kWidth);
    for (auto* values : {&p_, &log_p_, &outflow_above_, &vertical_flux_, &phi_at_interface_})
      values->resize((n_levels_ + 1) * kWidth);
    for (auto* values : {&ratio_, &alpha_, &c_, &outflow_, &omega_over_p_, &phi_})
      values->resize(n_levels_ * kWidth);
  }

  /// Fields at all points; x and y: eastward and northward derivatives.
  struct GridFields {
    const double *zeta, *delta, *temperature, *u, *v;                   ///< (level, point)
    const double *t_x, *t_y;                                            ///< of T [K m-1] (level, point)
    const double *log_ps, *log_ps_x, *log_ps_y, *surface_geopotential;  ///< (point)
    /// Gradient of the surface geopotential [m s-2] (point), for semi-Lagrangian steps.
    const double *surface_slope_x = nullptr, *surface_slope_y = nullptr;
  };
  /// Results of `compute_tendencies`.
  struct Tendencies {
    double *p, *q;        ///< P, Q: wind tendency without -grad(energy) [m s-2] (level, point)
    double* temperature;  ///< dT/dt [K s-1] (level, point)
    double* energy;       ///< phi + (u^2 + v^2)/2 [m2 s-2] (level, point)
    double* log_ps;       ///< d(ln ps)/dt [s-1] (point)
  };

  /// Loads a block: computes pressures, geopotential and mass fluxes at points first, .., first + n - 1,
  /// n <= kWidth. All other functions refer to the loaded block.
  void load(const GridFields& grid, std::size_t first, std::size_t n) {
    first_ = first, n_ = n;
    compute_pressures(grid);
    compute_fluxes(grid);
    compute_geopotential(grid);
  }
  /// Computes the tendencies:
  ///   P = (zeta + f) v - (M du)_k - R T c ln(ps)_x,  Q = -(zeta + f) u - (M dv)_k - R T c ln(ps)_y
  ///   dT/dt = -v . grad(T) - (M dT)_k + kappa T omega/p,  d(ln ps)/dt = -1/ps sum_k D_k
  /// where c_k = ps/Dp_k (b_k r_k + alpha_k Db_k),  D_k = Dp_k delta_k + ps v_k . grad(ln ps) Db_k,
  ///   (M dX)_k = (M_{k+1} (X_{k+1} - X_k) + M_k (X_k - X_{k-1})) / (2 Dp_k),
  ///   M_k = b_k sum_j D_j - sum_{j<k} D_j,
  ///   (omega/p)_k = c_k v_k . grad(ln ps) - (r_k sum_{j<k} D_j + alpha_k D_k) / Dp_k
  void compute_tendencies(const GridFields& grid, const Tendencies& tendencies) const {
    for (std::size_t i = 0; i < n_; ++i)
      tendencies.log_ps[first_ + i] = -outflow_above_[at(n_levels_, i)] / ps_[i];
    for (int k = 0; k < n_levels_; ++k) compute_level_tendencies(grid, tendencies, k);
  }

  /// Results of `compute_lagrangian_terms`, all (level, point).
  struct LagrangianTerms {
    double *u_nonlinear, *v_nonlinear, *t_nonlinear, *flat_nonlinear;
    double *u_linear, *v_linear, *t_linear, *flat_linear;
    double* eta_velocity;
  };
  /// Computes the terms of a semi-Lagrangian step (Ritchie et al. 1995, Mon. Weather Rev. 123, 489-514;
  /// Temperton, Hortal and Simmons 2001, Q. J. R. Meteorol. Soc. 127, 111-127): the linear terms L about the
  /// reference state of `waves`, and the remainder N of
  ///   dv/dt = -f k x v - grad(phi) - R T c grad(ln ps),  dT/dt = kappa T omega/p,
  ///   d(ln ps + phi_s/(R T_r))/dt = -1/ps sum_k Dp_k delta_k + v . grad(phi_s)/(R T_r) at each level,
  /// whose sum over the levels with weights Db_k is the mass equation; the second term on the right makes the
  /// flow over steep orography smooth (Ritchie and Tanguay 1996, Mon. Weather Rev. 124, 2008-2022). With
  /// ln p at the interfaces as functions of ln ps, the gradients of r_k and alpha_k are
  ///   r_k' = ps (b_{k+1}/p_{k+1} - b_k/p_k),  alpha_k' = (p_k r_k Db_k ps/Dp_k - b_k ps r_k - p_k r_k')/Dp_k
  /// times grad(ln ps). Vertical velocity: d(eta)/dt = (M_k + M_{k+1})/2 Deta_k/Dp_k.
  /// @param polar_rotation component of the planet's rotation along the axis of the grid [rad s-1]: L
  /// includes
  ///        its Coriolis force, N that of the other components
  void compute_lagrangian_terms(const GridFields& grid, const GravityWaves& waves, double polar_rotation,
                                const LagrangianTerms& terms);

  // Values at level k, counted from the top, and point i of the block.
  double surface_pressure(std::size_t i) const { return ps_[i]; }
  /// Pressure of a level [Pa].
  double pressure(int k, std::size_t i) const { return std::exp(log_pressure(k, i)); }
  double log_pressure(int k, std::size_t i) const { return log_p_[at(k + 1, i)] - alpha_[at(k, i)]; }
  /// Computes pressure [Pa] and (p / 10^5 Pa)^kappa of a level in all kWidth points.
  void compute_exner(int k, double* pressure, double* exner) const {
    static const double log_p0 = std::log(1e5);
    for (std::size_t i = 0; i < kWidth; i += kLanes<double>) {
      const auto log_p = halcyon::load(&log_p_[at(k + 1, i)]) - halcyon::load(&alpha_[at(k, i)]);
      store(pressure + i, exponential(log_p));
      store(exner + i, exponential(kappa_ * (log_p - log_p0)));
    }
  }
  double interface_pressure(int k, std::size_t i) const { return p_[at(k, i)]; }
  double interface_geopotential(int k, std::size_t i) const { return phi_at_interface_[at(k, i)]; }
  double mass(int k, std::size_t i) const { return p_[at(k + 1, i)] - p_[at(k, i)]; }  ///< Dp
  double geopotential(int k, std::size_t i) const { return phi_[at(k, i)]; }  ///< of a level [m2 s-2]
  double omega_over_p(int k, std::size_t i) const { return omega_over_p_[at(k, i)]; }
  /// max |M| / Dp [s-1]: the fraction of the mass of a level that crosses an interface per second.
  double vertical_flux_rate(int k, std::size_t i) const {
    return std::max(std::abs(vertical_flux_[at(k, i)]), std::abs(vertical_flux_[at(k + 1, i)])) / mass(k, i);
  }

 private:
  static std::size_t at(int k, std::size_t i) { return k * kWidth + i; }
  static Lanes<double> exponential(Lanes<double> x) {
    return xsimd::exp(xsimd::batch<double, xsimd::fma3<xsimd::avx2>>(x)).data;
  }
  void compute_pressures(const GridFields& grid) {
    for (std::size_t i = 0; i < n_; ++i) ps_[i] = std::exp(grid.log_ps[first_ + i]);
    for (int k = 0; k <= n_levels_; ++k)
      for (std::size_t i = 0; i < n_; ++i) {
        p_[at(k, i)] = air_.a[k] + air_.b[k] * ps_[i];
        log_p_[at(k, i)] = std::log(p_[at(k, i)]);
      }
    for (int k = 0; k < n_levels_; ++k) {
      const double b = air_.b[k], db = air_.b[k + 1] - b;
      for (std::size_t i = 0; i < n_; ++i) {
        const double thickness = mass(k, i), ratio = log_p_[at(k + 1, i)] - log_p_[at(k, i)];
        const double alpha = 1 - p_[at(k, i)] * ratio / thickness;
        ratio_[at(k, i)] = ratio;
        alpha_[at(k, i)] = alpha;
        c_[at(k, i)] = ps_[i] / thickness * (b * ratio + alpha * db);
      }
    }
  }
  void compute_fluxes(const GridFields& grid) {
    std::fill_n(outflow_above_.begin(), kWidth, 0.0);
    const std::size_t n_points = basis_.n_points();
    for (int k = 0; k < n_levels_; ++k) {
      const double db = air_.b[k + 1] - air_.b[k];
      const std::size_t row = k * n_points + first_;
      for (std::size_t i = 0; i < n_; ++i) {
        const double v_grad_log_ps =
            grid.u[row + i] * grid.log_ps_x[first_ + i] + grid.v[row + i] * grid.log_ps_y[first_ + i];
        const double thickness = mass(k, i),
                     outflow = thickness * grid.delta[row + i] + ps_[i] * v_grad_log_ps * db;
        outflow_[at(k, i)] = outflow;
        outflow_above_[at(k + 1, i)] = outflow_above_[at(k, i)] + outflow;
        omega_over_p_[at(k, i)] =
            c_[at(k, i)] * v_grad_log_ps -
            (ratio_[at(k, i)] * outflow_above_[at(k, i)] + alpha_[at(k, i)] * outflow) / thickness;
      }
    }
    for (int k = 0; k <= n_levels_; ++k)
      for (std::size_t i = 0; i < n_; ++i)
        vertical_flux_[at(k, i)] = air_.b[k] * outflow_above_[at(n_levels_, i)] - outflow_above_[at(k, i)];
  }
  /// phi_k = phi_{k+1/2} + alpha_k R T_k,  phi_{k-1/2} = phi_{k+1/2} + R T_k r_k
  void compute_geopotential(const GridFields& grid) {
    for (std::size_t i = 0; i < n_; ++i)
      phi_at_interface_[at(n_levels_, i)] = grid.surface_geopotential[first_ + i];
    for (int k = n_levels_ - 1; k >= 0; --k) {
      const double* temperature = grid.temperature + k * basis_.n_points() + first_;
      for (std::size_t i = 0; i < n_; ++i) {
        const double r_t = air_.gas_constant * temperature[i], below = phi_at_interface_[at(k + 1, i)];
        phi_[at(k, i)] = below + alpha_[at(k, i)] * r_t;
        phi_at_interface_[at(k, i)] = below + ratio_[at(k, i)] * r_t;
      }
    }
  }
  void compute_level_tendencies(const GridFields& grid, const Tendencies& tendencies, int k) const {
    const std::size_t n_points = basis_.n_points(), row = k * n_points + first_;
    const std::size_t to_above = k > 0 ? n_points : 0,  // 0: no flux through top and surface
        to_below = k + 1 < n_levels_ ? n_points : 0;
    const double* f = basis_.coriolis().data() + first_;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t here = row + i, index = at(k, i);
      const double half = 0.5 / mass(k, i), below = vertical_flux_[index + kWidth] * half,
                   above = vertical_flux_[index] * half;
      const auto vertical_advection = [&](const double* x) {
        return below * (x[here + to_below] - x[here]) + above * (x[here] - x[here - to_above]);
      };
      const double u = grid.u[here], v = grid.v[here], t = grid.temperature[here];
      const double absolute = grid.zeta[here] + f[i], slope = air_.gas_constant * t * c_[index];
      tendencies.p[here] = absolute * v - vertical_advection(grid.u) - slope * grid.log_ps_x[first_ + i];
      tendencies.q[here] = -absolute * u - vertical_advection(grid.v) - slope * grid.log_ps_y[first_ + i];
      tendencies.temperature[here] = kappa_ * t * omega_over_p_[index] -
                                     vertical_advection(grid.temperature) -
                                     (u * grid.t_x[here] + v * grid.t_y[here]);
      tendencies.energy[here] = phi_[index] + (u * u + v * v) / 2;
    }
  }

  const Basis& basis_;
  AirOptions air_;
  int n_levels_;
  double kappa_;
  std::size_t first_ = 0, n_ = 0;  ///< first point and number of points of the block
  // Fields of the block: ps (point); at interfaces p, ln p, sum of D above, M, phi (interface, point); at
  // levels r, alpha, c, D, omega/p, phi (level, point).
  std::vector<double> ps_, p_, log_p_, outflow_above_, vertical_flux_, phi_at_interface_;
  std::vector<double> ratio_, alpha_, c_, outflow_, omega_over_p_, phi_;
};

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
  struct Fields {
    Complex *delta, *temperature, *log_pressure;
  };
  /// y += L x
  void add(const Basis& basis, const Fields& x, const Fields& y) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
      const double lambda = basis.eigenvalues()[c];
      Complex outflow = 0;
      for (std::size_t k = 0; k < n_; ++k) {
        Complex geopotential = r_t_r_ * x.log_pressure[c], cooling = 0;
        for (std::size_t j = k; j < n_; ++j) geopotential += gamma_[k * n_ + j] * x.temperature[j * n + c];
        for (std::size_t j = 0; j <= k; ++j) cooling += tau_[k * n_ + j] * x.delta[j * n + c];
        outflow += nu_[k] * x.delta[k * n + c];
        y.delta[k * n + c] += lambda * geopotential;
        y.temperature[k * n + c] -= cooling;
      }
      y.log_pressure[c] -= outflow;
    }
  }
  /// Replaces x by (1 - dt L)^-1 x, from
  ///   (1 + dt^2 lambda (gamma tau + R T_r nu)) delta = delta + dt lambda (gamma T + R T_r ln ps),
  ///   lambda = n (n + 1)/a^2
  void solve(const Basis& basis, double dt, const Fields& x) {
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
        x.delta[k * n + c] = delta;
      }
    }
    subtract_divergence(basis, dt, x);
  }
  /// delta += dt lambda (gamma T + R T_r ln ps)
  void add_geopotential(const Basis& basis, double dt, const Fields& x) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
      const double factor = dt * basis.eigenvalues()[c];
      for (std::size_t k = 0; k < n_; ++k) {
        Complex geopotential = r_t_r_ * x.log_pressure[c];
        for (std::size_t j = k; j < n_; ++j) geopotential += gamma_[k * n_ + j] * x.temperature[j * n + c];
        x.delta[k * n + c] += factor * geopotential;
      }
    }
  }
  /// T -= dt tau delta,  ln ps -= dt nu . delta
  void subtract_divergence(const Basis& basis, double dt, const Fields& x) const {
    const std::size_t n = basis.n_coefficients();
    for (std::size_t c = 0; c < n; ++c) {
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
  const std::vector<Matrix>& inverses(const Basis& basis, double dt) {
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

inline void Columns::compute_lagrangian_terms(const GridFields& grid, const GravityWaves& waves,
                                              double polar_rotation, const LagrangianTerms& terms) {
  const std::size_t n_points = basis_.n_points();
  const double R = air_.gas_constant, r_t_r = waves.r_t_r();
  const double* f = basis_.coriolis().data() + first_;
  const double* sines = basis_.sines().data() + first_;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t point = first_ + i;
    const double ps = ps_[i], x = grid.log_ps_x[point], y = grid.log_ps_y[point];
    const double slope_x = grid.surface_slope_x[point], slope_y = grid.surface_slope_y[point];
    const double polar_f = 2 * polar_rotation * sines[i], other_f = f[i] - polar_f;
    double outflow = 0, linear_outflow = 0;  // sums of Dp_k delta_k, present and reference
    for (int k = 0; k < n_levels_; ++k) {
      const std::size_t here = k * n_points + point, index = at(k, i);
      const double delta = grid.delta[here], reference = waves.thicknesses()[k];
      const double heating = kappa_ * grid.temperature[here] * omega_over_p_[index];
      terms.t_linear[here] = -kappa_ * waves.temperature() *
                             (waves.alphas()[k] * delta + waves.ratios()[k] / reference * linear_outflow);
      terms.t_nonlinear[here] = heating - terms.t_linear[here];
      outflow += mass(k, i) * delta;
      linear_outflow += reference * delta;
      const double thickness =
          (air_.a[k + 1] - air_.a[k]) / GravityWaves::kPressure + air_.b[k + 1] - air_.b[k];
      terms.eta_velocity[here] =
          (vertical_flux_[index] + vertical_flux_[index + kWidth]) / 2 * thickness / mass(k, i);
    }
    const double flat_linear = -linear_outflow / GravityWaves::kPressure, flat = -outflow / ps;
    double below_x = slope_x, below_y = slope_y;        // grad(phi) at the interface below
    double linear_x = r_t_r * x, linear_y = r_t_r * y;  // grad(gamma T + R T_r ln ps) without alpha_k T_k
    for (int k = n_levels_ - 1; k >= 0; --k) {
      const std::size_t here = k * n_points + point, index = at(k, i);
      const double t = grid.temperature[here], t_x = grid.t_x[here], t_y = grid.t_y[here];
      const double p_above = p_[index], p_below = p_[index + kWidth], thickness = mass(k, i);
      const double b = air_.b[k], db = air_.b[k + 1] - b, ratio = ratio_[index], alpha = alpha_[index];
      const double ratio_change = ps * (air_.b[k + 1] / p_below - b / p_above);
      const double alpha_change =
          (p_above * ratio * db * ps / thickness - b * ps * ratio - p_above * ratio_change) / thickness;
      const double of_pressure = R * t * (alpha_change + c_[index]);
      const double force_x = -(below_x + R * alpha * t_x + of_pressure * x),
                   force_y = -(below_y + R * alpha * t_y + of_pressure * y);
      const double reference = R * waves.alphas()[k];
      const double u = grid.u[here], v = grid.v[here];
      const double linear_force_x = -(linear_x + reference * t_x),
                   linear_force_y = -(linear_y + reference * t_y);
      terms.u_linear[here] = linear_force_x + polar_f * v;
      terms.v_linear[here] = linear_force_y - polar_f * u;
      terms.u_nonlinear[here] = force_x - linear_force_x + other_f * v;
      terms.v_nonlinear[here] = force_y - linear_force_y - other_f * u;
      terms.flat_linear[here] = flat_linear;
      terms.flat_nonlinear[here] = flat - flat_linear + (u * slope_x + v * slope_y) / r_t_r;
      below_x += R * (ratio * t_x + t * ratio_change * x);
      below_y += R * (ratio * t_y + t * ratio_change * y);
      linear_x += R * waves.ratios()[k] * t_x;
      linear_y += R * waves.ratios()[k] * t_y;
    }
  }
}

}  // namespace halcyon::spectral
