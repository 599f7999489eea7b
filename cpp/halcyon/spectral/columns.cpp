#include "halcyon/spectral/columns.hpp"

#include <array>

namespace halcyon::spectral {

template <class Real>
void Columns<Real>::compute_lagrangian_terms(const GridFields& grid, const GravityWaves& waves,
                                             const std::vector<double>& implicit_coriolis,
                                             const LagrangianTerms& terms) {
  using Block = std::array<double, kWidth>;
  const std::size_t n_points = basis_.n_points();
  const double R = air_.gas_constant, r_t_r = waves.r_t_r();
  const Real *x = grid.log_ps_x + first_, *y = grid.log_ps_y + first_;
  const Real *slope_x = grid.surface_slope_x + first_, *slope_y = grid.surface_slope_y + first_;
  const double *f = basis_.coriolis().data() + first_, *implicit_f = implicit_coriolis.data() + first_;
  Block outflow{}, linear_outflow{};  // sums of Dp_k delta_k, present and reference
  for (int k = 0; k < n_levels_; ++k) {
    const std::size_t row = k * n_points + first_;
    const double reference = waves.thicknesses()[k], alpha = waves.alphas()[k], ratio = waves.ratios()[k];
    const double eta_thickness =
        (air_.a[k + 1] - air_.a[k]) / GravityWaves::kPressure + air_.b[k + 1] - air_.b[k];
    for (std::size_t i = 0; i < n_; ++i) {
      const double delta = grid.delta[row + i];
      const double heating = kappa_ * grid.t_v[row + i] * omega_over_p_[at(k, i)];
      const double linear =
          -kappa_ * waves.temperature() * (alpha * delta + ratio / reference * linear_outflow[i]);
      terms.t_linear[row + i] = static_cast<Real>(linear);
      terms.t_nonlinear[row + i] = static_cast<Real>(heating - linear);
      outflow[i] += mass(k, i) * delta;
      linear_outflow[i] += reference * delta;
      terms.eta_velocity[row + i] = static_cast<Real>(
          (vertical_flux_[at(k, i)] + vertical_flux_[at(k + 1, i)]) / 2 * eta_thickness / mass(k, i));
    }
  }
  Block below_x{}, below_y{};    // grad(phi) at the interface below
  Block linear_x{}, linear_y{};  // grad(gamma T + R T_r ln ps) without alpha_k T_k
  for (std::size_t i = 0; i < n_; ++i) {
    below_x[i] = slope_x[i], below_y[i] = slope_y[i];
    linear_x[i] = r_t_r * x[i], linear_y[i] = r_t_r * y[i];
  }
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const std::size_t row = k * n_points + first_;
    const double b = air_.b[k], b_below = air_.b[k + 1], reference = R * waves.alphas()[k],
                 reference_ratio = R * waves.ratios()[k];
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t here = row + i, index = at(k, i);
      const double t = grid.t_v[here], t_x = grid.t_v_x[here], t_y = grid.t_v_y[here];
      const double u = grid.u[here], v = grid.v[here], ps = ps_[i];
      const double p_above = p_[index], inverse = 1 / mass(k, i);
      const double ratio = ratio_[index], alpha = alpha_[index];
      const double ratio_change = ps * (b_below / p_[index + kWidth] - b / p_above);
      const double alpha_change =
          (p_above * ratio * (b_below - b) * ps * inverse - b * ps * ratio - p_above * ratio_change) *
          inverse;
      const double of_pressure = R * t * (alpha_change + c_[index]);
      const double force_x = -(below_x[i] + R * alpha * t_x + of_pressure * x[i]),
                   force_y = -(below_y[i] + R * alpha * t_y + of_pressure * y[i]);
      const double linear_force_x = -(linear_x[i] + reference * grid.t_x[here]),
                   linear_force_y = -(linear_y[i] + reference * grid.t_y[here]);
      const double other_f = f[i] - implicit_f[i];
      terms.u_linear[here] = static_cast<Real>(linear_force_x + implicit_f[i] * v);
      terms.v_linear[here] = static_cast<Real>(linear_force_y - implicit_f[i] * u);
      terms.u_nonlinear[here] = static_cast<Real>(force_x - linear_force_x + other_f * v);
      terms.v_nonlinear[here] = static_cast<Real>(force_y - linear_force_y - other_f * u);
      const double flat = -outflow[i] / ps, flat_linear = -linear_outflow[i] / GravityWaves::kPressure;
      terms.flat_linear[here] = static_cast<Real>(flat_linear);
      terms.flat_nonlinear[here] =
          static_cast<Real>(flat - flat_linear + (u * slope_x[i] + v * slope_y[i]) / r_t_r);
      below_x[i] += R * (ratio * t_x + t * ratio_change * x[i]);
      below_y[i] += R * (ratio * t_y + t * ratio_change * y[i]);
      linear_x[i] += reference_ratio * grid.t_x[here];
      linear_y[i] += reference_ratio * grid.t_y[here];
    }
  }
}

template class Columns<double>;
template class Columns<float>;

}  // namespace halcyon::spectral
