#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>
#include <xsimd/xsimd.hpp>

#include "halcyon/base/lanes.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/equations.hpp"
#include "halcyon/spectral/gravity_waves.hpp"

namespace halcyon::spectral {

/// Fields ln(ps) hold ln(ps / 1 Pa) less this number: 0, or in 32 bits that of 1000 hPa, so that they are
/// small: a number near 11.5 is known to 5e-7, a pressure to .05 Pa.
template <class Real>
inline constexpr double kLogReference = std::is_same_v<Real, float> ? 11.512925464970229 : 0;
/// Pressure [Pa] of a value of these fields.
template <class Real>
double pressure_of(double log_ps) {
  return std::exp(log_ps + kLogReference<Real>);
}

/// A block of air columns with the vertical scheme of Simmons and Burridge (1981, Mon. Weather Rev. 109,
/// 758-766), which conserves energy and angular momentum. Level k is between interfaces k and k + 1, counted
/// from the top. At interfaces p = a + b ps; Dp_k = p_{k+1} - p_k, r_k = ln(p_{k+1}/p_k),
/// alpha_k = 1 - p_k r_k / Dp_k. At levels ln p = ln p_{k+1} - alpha_k, consistent with the geopotential.
/// Blocks are computed in 64 bits: differences of the logarithms of neighbouring pressures, and of 1 and a
/// ratio near 1 (alpha_k), would lose most digits of 32.
/// @tparam Real of the fields at the points
template <class Real>
class Columns {
 public:
  static constexpr std::size_t kWidth = 64;  ///< maximum number of points in a block

  Columns(const Basis<Real>& basis, const AirOptions& air)
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
    const Real *zeta, *delta, *temperature, *u, *v;                   ///< (level, point)
    const Real *t_x, *t_y;                                            ///< of T [K m-1] (level, point)
    const Real *log_ps, *log_ps_x, *log_ps_y, *surface_geopotential;  ///< (point); log_ps: less kLogReference
    /// T_v [K] and its gradient [K m-1] (level, point): of pressure force and geopotential; T in dry air.
    const Real *t_v, *t_v_x, *t_v_y;
    /// Gradient of the surface geopotential [m s-2] (point), for semi-Lagrangian steps.
    const Real *surface_slope_x = nullptr, *surface_slope_y = nullptr;
  };
  /// Results of `compute_tendencies`.
  struct Tendencies {
    Real *p, *q;        ///< P, Q: wind tendency without -grad(energy) [m s-2] (level, point)
    Real* temperature;  ///< dT/dt [K s-1] (level, point)
    Real* energy;       ///< phi + (u^2 + v^2)/2 [m2 s-2] (level, point)
    Real* log_ps;       ///< d(ln ps)/dt [s-1] (point)
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
      tendencies.log_ps[first_ + i] = static_cast<Real>(-outflow_above_[at(n_levels_, i)] / ps_[i]);
    for (int k = 0; k < n_levels_; ++k) compute_level_tendencies(grid, tendencies, k);
  }

  /// Results of `compute_lagrangian_terms`, all (level, point).
  struct LagrangianTerms {
    explicit LagrangianTerms(spectral::LagrangianTerms<Real>& terms)
        : eta_velocity(terms.eta_velocity.data()) {
      const std::size_t n = terms.eta_velocity.size();
      auto *nonlinear = terms.nonlinear.data(), *linear = terms.linear.data();
      u_nonlinear = nonlinear, v_nonlinear = nonlinear + n, t_nonlinear = nonlinear + 2 * n;
      flat_nonlinear = nonlinear + 3 * n;
      u_linear = linear, v_linear = linear + n, t_linear = linear + 2 * n, flat_linear = linear + 3 * n;
    }
    Real *u_nonlinear, *v_nonlinear, *t_nonlinear, *flat_nonlinear;
    Real *u_linear, *v_linear, *t_linear, *flat_linear;
    Real* eta_velocity;
  };
  /// Computes the terms of a semi-Lagrangian step (Ritchie et al. 1995, Mon. Weather Rev. 123, 489-514;
  /// Temperton, Hortal and Simmons 2001, Q. J. R. Meteorol. Soc. 127, 111-127): the linear terms L about the
  /// reference state of `waves`, and the remainder N of
  ///   dv/dt = -f k x v - grad(phi) - R T c grad(ln ps),  dT/dt = kappa T omega/p,
  ///   d(ln ps + phi_s/(R T_r))/dt = -1/ps sum_k Dp_k delta_k + v . grad(phi_s)/(R T_r) at each level,
  /// whose sum over the levels with weights Db_k is the mass equation; the second term on the right makes the
  /// flow over steep orography smooth (Ritchie and Tanguay 1996, Mon. Weather Rev. 124, 167-181). With
  /// ln p at the interfaces as functions of ln ps, the gradients of r_k and alpha_k are
  ///   r_k' = ps (b_{k+1}/p_{k+1} - b_k/p_k),  alpha_k' = (p_k r_k Db_k ps/Dp_k - b_k ps r_k - p_k r_k')/Dp_k
  /// times grad(ln ps). Vertical velocity: d(eta)/dt = (M_k + M_{k+1})/2 Deta_k/Dp_k.
  /// @param implicit_coriolis the part of f in the Coriolis force of L [s-1] (point); N has the remainder
  void compute_lagrangian_terms(const GridFields& grid, const GravityWaves& waves,
                                const std::vector<double>& implicit_coriolis, const LagrangianTerms& terms);

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
    for (std::size_t i = 0; i < n_; ++i) ps_[i] = pressure_of<Real>(grid.log_ps[first_ + i]);
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
        const double u = grid.u[row + i], v = grid.v[row + i];
        const double v_grad_log_ps = u * grid.log_ps_x[first_ + i] + v * grid.log_ps_y[first_ + i];
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
  /// phi_k = phi_{k+1/2} + alpha_k R T_k,  phi_{k-1/2} = phi_{k+1/2} + R T_k r_k,  T: virtual temperature
  void compute_geopotential(const GridFields& grid) {
    for (std::size_t i = 0; i < n_; ++i)
      phi_at_interface_[at(n_levels_, i)] = grid.surface_geopotential[first_ + i];
    for (int k = n_levels_ - 1; k >= 0; --k) {
      const Real* t_v = grid.t_v + k * basis_.n_points() + first_;
      for (std::size_t i = 0; i < n_; ++i) {
        const double r_t = air_.gas_constant * t_v[i], below = phi_at_interface_[at(k + 1, i)];
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
      const auto vertical_advection = [&](const Real* x) {
        return below * (x[here + to_below] - x[here]) + above * (x[here] - x[here - to_above]);
      };
      const double u = grid.u[here], v = grid.v[here], t = grid.temperature[here];
      const double absolute = grid.zeta[here] + f[i], slope = air_.gas_constant * t * c_[index];
      tendencies.p[here] =
          static_cast<Real>(absolute * v - vertical_advection(grid.u) - slope * grid.log_ps_x[first_ + i]);
      tendencies.q[here] =
          static_cast<Real>(-absolute * u - vertical_advection(grid.v) - slope * grid.log_ps_y[first_ + i]);
      tendencies.temperature[here] =
          static_cast<Real>(kappa_ * t * omega_over_p_[index] - vertical_advection(grid.temperature) -
                            (u * grid.t_x[here] + v * grid.t_y[here]));
      tendencies.energy[here] = static_cast<Real>(phi_[index] + (u * u + v * v) / 2);
    }
  }

  const Basis<Real>& basis_;
  AirOptions air_;
  int n_levels_;
  double kappa_;
  std::size_t first_ = 0, n_ = 0;  ///< first point and number of points of the block
  // Fields of the block: ps (point); at interfaces p, ln p, sum of D above, M, phi (interface, point); at
  // levels r, alpha, c, D, omega/p, phi (level, point).
  std::vector<double> ps_, p_, log_p_, outflow_above_, vertical_flux_, phi_at_interface_;
  std::vector<double> ratio_, alpha_, c_, outflow_, omega_over_p_, phi_;
};

}  // namespace halcyon::spectral
