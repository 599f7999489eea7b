#include "halcyon/spectral/columns.hpp"

namespace halcyon::spectral {

void Columns::compute_lagrangian_terms(const GridFields& grid, const GravityWaves& waves,
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
