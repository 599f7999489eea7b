#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

template <class Real>
void AirCore<Real>::set(const std::string& name, const StartOptions& options) {
  const AirStart start = make_air_start(name, options, domain_.options.planet, air_.air);
  reset_run_state();
  set_surface_geopotential([&](LocalIndex i) { return start.ground_geopotential(domain_.cell_points[i]); });
  const double node = std::sqrt(0.6) / 2;
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    const auto point = domain_.cell_points[i];
    // three-point Gauss-Legendre quadrature
    set_column(i, start.surface_pressure(point), [&](int, double upper, double lower) {
      const double middle = std::log(upper * lower) / 2, width = std::log(lower / upper);
      const auto temperature = [&](double offset) {
        return start.temperature(point, std::exp(middle + offset * width));
      };
      return (8 * temperature(0) + 5 * (temperature(-node) + temperature(node))) / 18;
    });
  }
  for (LocalIndex e = 0; e < domain_.n_edges; ++e) {
    for (int k = 0; k < n_levels_; ++k) {
      const auto wind = [&](Vector3 point) {
        return start.wind(point, air_.hybrid.layer_pressure(k, start.surface_pressure(point)));
      };
      now_.u[at_level(e, k)] = static_cast<Real>(domain_.vectors.mean_normal_component(wind, e));
    }
  }
  set_friction();
  set_tracers([&](int t) -> LayerValue {
    require<ConfigError>(air_.tracers[t] == kInitialTracer && start.tracer,
                         "The start '{}' has no tracer '{}'. Give '{}', or another start.", name,
                         air_.tracers[t], kConstantTracer);
    return [&](LocalIndex i, int k) {
      return start.tracer(domain_.cell_points[i], air_.hybrid.layer_pressure(k, now_.ps[i]));
    };
  });
}

template <class Real>
void AirCore<Real>::set(const GivenState& given) {
  const auto n = static_cast<std::size_t>(domain_.n_cells);
  require<InternalError>(given.orography.size() == rank_fields_.surface_geopotential.size() &&
                             given.surface.size() == n && given.temperature.size() == n * n_levels_ &&
                             given.wind.size() == static_cast<std::size_t>(domain_.n_edges) * n_levels_ &&
                             (given.tracers.empty() || given.tracers.size() == n_tracers() * n * n_levels_),
                         "The sizes of the given state differ from those of the core.");
  reset_run_state();
  set_surface_geopotential([&](LocalIndex i) { return given.orography[i]; });
  for (LocalIndex i = 0; i < domain_.n_cells; ++i)
    set_column(i, given.surface[i], [&](int k, double, double) { return given.temperature[at_level(i, k)]; });
  std::ranges::transform(given.wind, now_.u.begin(), [](double u) { return static_cast<Real>(u); });
  set_friction();
  set_tracers([&](int t) -> LayerValue {
    require<InternalError>(!given.tracers.empty(), "The given state has no tracer '{}'.", air_.tracers[t]);
    return [&, t](LocalIndex i, int k) { return given.tracers[t * n * n_levels_ + at_level(i, k)]; };
  });
}

/// Sets the surface geopotential, w = 0, and phi at the surface.
template <class Real>
void AirCore<Real>::set_surface_geopotential(const std::function<double(LocalIndex)>& geopotential) {
  for (std::size_t i = 0; i < domain_.cell_points.size(); ++i)
    rank_fields_.surface_geopotential[i] = static_cast<Real>(geopotential(static_cast<LocalIndex>(i)));
  if (!has_interfaces()) return;
  std::ranges::fill(now_.w, Real{0});
  for (const auto* state : {&now_, &stage_1_, &stage_2_})
    for (LocalIndex i = 0; i < domain_.n_cells; ++i)
      state->phi[at_interface(i, n_levels_)] = rank_fields_.surface_geopotential[i];
}

/// theta_k = dphi p_k / (R Pi_k m_k), which preserves the thickness of layers,
/// dphi = R T ln(p_{k+1/2} / p_{k-1/2}) with the given T, the mean over ln(p).
template <class Real>
void AirCore<Real>::set_column(LocalIndex cell, double surface_pressure, const LayerMean& temperature) {
  const auto& air = air_.air;
  now_.ps[cell] = static_cast<Real>(surface_pressure);
  const double ps = now_.ps[cell];
  double phi = rank_fields_.surface_geopotential[cell];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double upper = air_.hybrid.interface_pressure(k, ps),
                 lower = air_.hybrid.interface_pressure(k + 1, ps), p = (upper + lower) / 2;
    const double thickness = air.gas_constant * std::log(lower / upper) * temperature(k, upper, lower);
    const double exner = std::pow(p / air.reference_pressure, air.kappa());
    now_.theta[at_level(cell, k)] =
        static_cast<Real>(thickness * p / (air.gas_constant * exner * (lower - upper)));
    phi += thickness;
    if (has_interfaces()) now_.phi[at_interface(cell, k)] = static_cast<Real>(phi);
  }
}

/// @param values values(t) returns the values of tracer t; not called for the constant tracer
template <class Real>
void AirCore<Real>::set_tracers(const std::function<LayerValue(int)>& values) {
  for (int t = 0; t < n_tracers(); ++t) {
    const auto constant = [](LocalIndex, int) { return 1.0; };
    const LayerValue value = air_.tracers[t] == kConstantTracer ? LayerValue(constant) : values(t);
    for (LocalIndex i = 0; i < domain_.n_cells; ++i)
      for (int k = 0; k < n_levels_; ++k)
        tracers_->values(t)[at_level(i, k)] = static_cast<Real>(value(i, k));
  }
}

/// Sets the friction; the sponge relaxes towards the present wind.
template <class Real>
void AirCore<Real>::set_friction() {
  friction_ = {};
  if (air_.sponge.rate <= 0) return;
  for (int k = 0; k < n_levels_; ++k) {
    const double pressure = air_.hybrid.layer_pressure(k, air_.air.reference_pressure);
    friction_.sponge.push_back(static_cast<Real>(air_.sponge.damping_rate(pressure, air_.hybrid.top())));
  }
  const auto wind = now_.u.first(static_cast<std::size_t>(domain_.n_edges) * n_levels_);
  friction_.initial_wind.assign(wind.begin(), wind.end());
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
