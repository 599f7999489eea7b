#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {
namespace {

/// Mean of value(x) for x from -1/2 to 1/2, by three-point Gauss-Legendre quadrature.
double gauss_mean(const auto& value) {
  static const double node = std::sqrt(0.6) / 2;
  return (8 * value(0.0) + 5 * (value(-node) + value(node))) / 18;
}

/// T_v = T (1 + (R_v/R - 1) q), q: specific humidity. Dry air starts with T_v, too: winds are balanced with
/// it.
double virtual_temperature(const AirStart& start, const Air& air, Vector3 point, double pressure) {
  const double temperature = start.temperature(point, pressure);
  if (!start.specific_humidity) return temperature;
  return temperature * air.virtual_factor(start.specific_humidity(point, pressure));
}

}  // namespace

template <class Real>
void AirCore<Real>::set(const std::string& name, const StartOptions& options) {
  const AirStart start = make_air_start(name, options, domain_.options.planet, air_.air);
  reset_run_state();
  set_surface_geopotential([&](LocalIndex i) { return start.ground_geopotential(domain_.cell_points[i]); });
  for (LocalIndex i = 0; i < domain_.n_cells; ++i)
    now_.ps[i] = static_cast<Real>(start.surface_pressure(domain_.cell_points[i]));
  if (air_.moist) set_vapour(start);
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    const auto point = domain_.cell_points[i];
    set_column(i, [&](int, double upper, double lower) {
      const double middle = std::log(upper * lower) / 2, width = std::log(lower / upper);
      return gauss_mean([&](double offset) {
        return virtual_temperature(start, air_.air, point, std::exp(middle + offset * width));
      });
    });
  }
  set_winds(start);
  set_reference_temperature({});
  set_tracers([&](int t) -> LayerValue {
    require<ConfigError>(air_.tracers[t] == kInitialTracer && start.tracer,
                         "The start '{}' has no tracer '{}'. Give '{}', or another start.", name,
                         air_.tracers[t], kConstantTracer);
    return [&](LocalIndex i, int k) {
      const auto p = interface_pressures(i);
      return start.tracer(domain_.cell_points[i], (p[k] + p[k + 1]) / 2);
    };
  });
  keep_initial_state();
}

/// Sets the vapour, and the surface pressure of the dry air; no water if the start has no vapour.
template <class Real>
void AirCore<Real>::set_vapour(const AirStart& start) {
  for (int t = 0; t < kWaterTracerCount; ++t) std::ranges::fill(tracers_->values(t), Real{0});
  for (LocalIndex i = 0; start.specific_humidity && i < domain_.n_cells; ++i) {
    const auto point = domain_.cell_points[i];
    const auto column =
        moist_column(air_.hybrid, start.surface_pressure(point), [&](int, double upper, double lower) {
          const double q = gauss_mean([&](double offset) {
            return start.specific_humidity(point, (upper + lower) / 2 + offset * (lower - upper));
          });
          return q / (1 - q);
        });
    now_.ps[i] = static_cast<Real>(column.dry_ps);
    for (int k = 0; k < n_levels_; ++k)
      tracers_->values(kVapour)[at_level(i, k)] = static_cast<Real>(column.mixing_ratio[k]);
  }
  update_loading();
}

/// Sets the winds to the means along the edges of those at the pressures of the layers. With vapour these
/// pressures are known to some 10 mPa, which saves most evaluations of the start.
template <class Real>
void AirCore<Real>::set_winds(const AirStart& start) {
  const bool has_vapour = air_.moist && start.specific_humidity;
  std::vector<std::pair<Vector3, std::vector<double>>> known;  // interface pressures at the points of an edge
  const auto pressure_at = [&](Vector3 point, int k) {
    const double ps = start.surface_pressure(point);
    if (!has_vapour) return air_.hybrid.layer_pressure(k, ps);
    auto found = std::ranges::find_if(known, [&](const auto& each) {
      const auto& [x, y, z] = each.first;
      return x == point.x && y == point.y && z == point.z;
    });
    if (found == known.end()) {
      const auto mixing_ratio = [&](int, double upper, double lower) {
        const double q = start.specific_humidity(point, (upper + lower) / 2);
        return q / (1 - q);
      };
      const auto column = moist_column(air_.hybrid, ps, mixing_ratio, /*n_iterations=*/4);
      found = known.emplace(known.end(), point, column.interface_pressure);
    }
    return (found->second[k] + found->second[k + 1]) / 2;
  };
  for (LocalIndex e = 0; e < domain_.n_edges; ++e) {
    known.clear();
    for (int k = 0; k < n_levels_; ++k) {
      const auto wind = [&](Vector3 point) { return start.wind(point, pressure_at(point, k)); };
      now_.u[at_level(e, k)] = static_cast<Real>(domain_.vectors.mean_normal_component(wind, e));
    }
  }
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
  const auto value = [&](int t, LocalIndex i, int k) {
    return given.tracers[t * n * n_levels_ + at_level(i, k)];
  };
  if (air_.moist) {
    require<InternalError>(!given.tracers.empty(), "The given state has no tracers of water.");
    for (int t = 0; t < kWaterTracerCount; ++t)
      set_tracer(t, [&](LocalIndex i, int k) { return value(t, i, k); });
    update_loading();
  }
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    const auto load = [&](int k) { return air_.moist ? double{loading()[at_level(i, k)]} : 1; };
    now_.ps[i] =
        static_cast<Real>(air_.moist ? moist_column(air_.hybrid, given.surface[i],
                                                    [&](int k, double, double) { return load(k) - 1; })
                                           .dry_ps
                                     : given.surface[i]);
    set_column(i, [&](int k, double, double) {
      return given.temperature[at_level(i, k)] * air_.air.vapour_factor(vapour(i, k)) / load(k);
    });
  }
  std::ranges::transform(given.wind, now_.u.begin(), [](double u) { return static_cast<Real>(u); });
  set_reference_temperature({});
  set_tracers([&](int t) -> LayerValue {
    require<InternalError>(!given.tracers.empty(), "The given state has no tracer '{}'.", air_.tracers[t]);
    return [&, t](LocalIndex i, int k) { return value(t, i, k); };
  });
  keep_initial_state();
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

/// theta_m = dphi p_k / (R Pi_k m_k), which preserves the thickness of layers,
/// dphi = R T_v ln(p_{k+1/2} / p_{k-1/2}) with the given T_v, the mean over ln(p). The surface pressure of
/// the dry air and the water must be set.
template <class Real>
void AirCore<Real>::set_column(LocalIndex cell, const LayerMean& virtual_temperature) {
  const auto& air = air_.air;
  const auto pressures = interface_pressures(cell);
  double phi = rank_fields_.surface_geopotential[cell];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double upper = pressures[k], lower = pressures[k + 1], p = (upper + lower) / 2;
    const double thickness =
        air.gas_constant * std::log(lower / upper) * virtual_temperature(k, upper, lower);
    const double exner = std::pow(p / air.reference_pressure, air.kappa());
    now_.theta[at_level(cell, k)] =
        static_cast<Real>(thickness * p / (air.gas_constant * exner * air_.hybrid.mass(k, now_.ps[cell])));
    phi += thickness;
    if (has_interfaces()) now_.phi[at_interface(cell, k)] = static_cast<Real>(phi);
  }
}

template <class Real>
void AirCore<Real>::set_reference_temperature(const std::vector<double>& terms) {
  require<InternalError>(terms.empty() || terms.size() == ReferenceFit::kTerms,
                         "The reference temperature has {} terms instead of {}.", terms.size(),
                         ReferenceFit::kTerms);
  if (!air_.reference || air_.keep_energy) {
    reference_temperature_.assign(ReferenceFit::kTerms, 0);
  } else if (terms.empty()) {
    ReferenceFit fit(air_.hybrid, air_.air.reference_pressure);
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      const auto column = profile(i);
      fit.add(domain_.mesh.cell_area[i], column.interface_pressure, column.virtual_temperature);
    }
    reference_temperature_ = fit.solve(domain_.comm);
  } else {
    reference_temperature_ = terms;
  }
  columns_->set_reference(reference_temperature_);
}

/// Sets the tracers other than water.
/// @param values values(t) returns the values of tracer t; not called for the constant tracer
template <class Real>
void AirCore<Real>::set_tracers(const std::function<LayerValue(int)>& values) {
  for (int t = air_.moist ? kWaterTracerCount : 0; t < n_tracers(); ++t)
    set_tracer(t, air_.tracers[t] == kConstantTracer ? [](LocalIndex, int) { return 1.0; } : values(t));
}

template <class Real>
void AirCore<Real>::set_tracer(int tracer, const LayerValue& value) {
  for (LocalIndex i = 0; i < domain_.n_cells; ++i)
    for (int k = 0; k < n_levels_; ++k)
      tracers_->values(tracer)[at_level(i, k)] = static_cast<Real>(value(i, k));
}

/// Sets the friction; the sponge relaxes towards the present wind.
template <class Real>
void AirCore<Real>::keep_initial_state() {
  if (viscosity_) viscosity_->set_initial(now_, tracers_ ? &*tracers_ : nullptr);
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
