#include "halcyon/atmosphere/air_core.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/kernels/dissipation.hpp"
#include "halcyon/atmosphere/kernels/extremes.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"

namespace halcyon::atmosphere {

namespace {

/// In the order of AirCore's fields.
template <class Real>
std::vector<schedule::HaloField> exchanged(int n_levels, bool nonhydrostatic) {
  const auto field = [](int entity, int n) {
    return schedule::HaloField{
        .entity = entity, .item_bytes = static_cast<std::int64_t>(n * sizeof(Real)), .layers = kHaloLayers};
  };
  std::vector fields{field(0, 1), field(1, n_levels), field(0, n_levels)};
  if (nonhydrostatic) fields.insert(fields.end(), 2, field(0, n_levels + 1));
  return fields;
}

const AirOptions& checked(const AirOptions& air) {
  air.hybrid.check();
  return air;
}

/// The items of runs below a limit, and the others.
Runs below(const Runs& runs, LocalIndex limit) {
  Runs found;
  for (const auto [begin, end] : runs)
    if (begin < limit) found.push_back({begin, std::min(end, limit)});
  return found;
}

Runs from(const Runs& runs, LocalIndex limit) {
  Runs found;
  for (const auto [begin, end] : runs)
    if (end > limit) found.push_back({std::max(begin, limit), end});
  return found;
}

}  // namespace

template <class Real>
AirCore<Real>::AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const CoreOptions& options, const AirOptions& air)
    : air_(checked(air)),
      n_levels_(air.hybrid.n_levels()),
      part_(comm, local, options, true),
      hybrid_(air.hybrid),
      columns_(part_.mesh, air, options.planet.gravity, options.scheme.vertex_energy),
      halo_(comm, local.part, exchanged<Real>(n_levels_, air.nonhydrostatic), options.method,
            comm::Placement::node_memory),
      now_(halo_, air.nonhydrostatic ? 5 : 3),
      first_(halo_, air.nonhydrostatic ? 5 : 3),
      second_(halo_, air.nonhydrostatic ? 5 : 3) {
  owned_edges_ = {Run{0, part_.n_edges}};
  for (const bool is_early : {false, true})
    own_columns_[is_early] = below(part_.sweeps.energies.part(is_early), part_.n_cells);
  beside_ = from(part_.sweeps.energies.late, part_.n_cells);

  const auto sized = [&](int kind, int n, auto&... fields) {
    (fields.assign(part_.n_held(kind, n), Real{0}), ...);
  };
  sized(0, 1, ground_, sine2_);
  sized(0, n_levels_, bernoulli_, exner_, warmth_);
  sized(0, n_levels_ + 1, vertical_flux_);
  sized(1, n_levels_, flux_, heat_flux_, pv_edge_);
  sized(2, n_levels_, vorticity_, pv_, vertex_energy_);
  if (air.nonhydrostatic) {
    sized(0, n_levels_, excess_);
    sized(0, n_levels_ + 1, lift_, lift_old_);
  }
  if (!options.scheme.dissipates()) return;
  sized(0, n_levels_, divergence_, second_divergence_);
  sized(1, n_levels_, laplacian_, dissipation_);
  sized(2, n_levels_, second_curl_);
}

template <class Real>
void AirCore<Real>::set(const std::string& name, const StartOptions& given) {
  const AirStart start = make_air_start(name, given, part_.options.planet, air_.air);
  coriolis_ = part_.coriolis(axis_);
  set_ground([&](LocalIndex i) { return start.ground_geopotential(part_.cell_points[i]); });
  const double beside = std::sqrt(0.6) / 2;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto point = part_.cell_points[i];
    // Gauss and Legendre's rule of three points
    set_column(i, start.surface_pressure(point), [&](int, double up, double down) {
      const double middle = std::log(up * down) / 2, width = std::log(down / up);
      const auto t = [&](double offset) {
        return start.temperature(point, std::exp(middle + offset * width));
      };
      return (8 * t(0) + 5 * (t(-beside) + t(beside))) / 18;
    });
  }
  for (LocalIndex e = 0; e < part_.n_edges; ++e) {
    for (int k = 0; k < n_levels_; ++k) {
      const auto wind = [&](Vector3 point) {
        return start.wind(point, air_.hybrid.layer(k, start.surface_pressure(point)));
      };
      now_[kWind][at(e, k)] = static_cast<Real>(part_.mean_across(wind, e));
    }
  }
  set_friction();
}

template <class Real>
void AirCore<Real>::set(const GivenState& given) {
  const auto n = static_cast<std::size_t>(part_.n_cells);
  require<InternalError>(given.ground.size() == ground_.size() && given.surface.size() == n &&
                             given.temperature.size() == n * n_levels_ &&
                             given.wind.size() == static_cast<std::size_t>(part_.n_edges) * n_levels_,
                         "A state that is given does not have the sizes of the core.");
  coriolis_ = part_.coriolis(axis_);
  set_ground([&](LocalIndex i) { return given.ground[i]; });
  for (LocalIndex i = 0; i < part_.n_cells; ++i)
    set_column(i, given.surface[i], [&](int k, double, double) { return given.temperature[at(i, k)]; });
  std::ranges::transform(given.wind, now_[kWind].begin(), [](double u) { return static_cast<Real>(u); });
  set_friction();
}

/// The ground, and what of the state follows from it alone.
template <class Real>
void AirCore<Real>::set_ground(const std::function<double(LocalIndex)>& geopotential) {
  for (std::size_t i = 0; i < part_.cell_points.size(); ++i) {
    const auto point = part_.cell_points[i];
    ground_[i] = static_cast<Real>(geopotential(static_cast<LocalIndex>(i)));
    sine2_[i] = static_cast<Real>(point.z * point.z);
  }
  if (!air_.nonhydrostatic) return;
  std::ranges::fill(now_[kVerticalWind], Real{0});
  for (const auto* state : {&now_, &first_, &second_})
    for (LocalIndex i = 0; i < part_.n_cells; ++i) (*state)[kHeight][at_interface(i, n_levels_)] = ground_[i];
}

/// theta_k = dphi p_k / (R Pi_k m_k), so that layers are as thick as those that are given:
/// dphi = R T ln(p_{k+1/2} / p_{k-1/2}) with the mean T over ln(p).
template <class Real>
void AirCore<Real>::set_column(LocalIndex cell, double surface_pressure, const LayerMean& temperature) {
  const auto& air = air_.air;
  now_[kSurface][cell] = static_cast<Real>(surface_pressure);
  const double ps = now_[kSurface][cell];
  double phi = ground_[cell];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double up = air_.hybrid.interface(k, ps), down = air_.hybrid.interface(k + 1, ps),
                 p = (up + down) / 2;
    const double thickness = air.gas_constant * std::log(down / up) * temperature(k, up, down);
    const double exner = std::pow(p / air.reference_pressure, air.kappa());
    now_[kHeat][at(cell, k)] = static_cast<Real>(thickness * p / (air.gas_constant * exner * (down - up)));
    phi += thickness;
    if (air_.nonhydrostatic) now_[kHeight][at_interface(cell, k)] = static_cast<Real>(phi);
  }
}

/// Of the present wind.
template <class Real>
void AirCore<Real>::set_friction() {
  friction_ = {.sponge = {}, .start = {}, .ground = air_.held_suarez};
  if (air_.sponge.rate <= 0) return;
  for (int k = 0; k < n_levels_; ++k) {
    const double pressure = air_.hybrid.layer(k, air_.air.reference_pressure);
    friction_.sponge.push_back(static_cast<Real>(air_.sponge.at(pressure, air_.hybrid.top())));
  }
  const auto wind = now_[kWind].first(static_cast<std::size_t>(part_.n_edges) * n_levels_);
  friction_.start.assign(wind.begin(), wind.end());
}

/// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
template <class Real>
void AirCore<Real>::step(double dt) {
  dt_ = dt;
  advance({now_, now_, first_, static_cast<Real>(dt / 3), true});
  advance({first_, now_, second_, static_cast<Real>(dt / 2), false});
  advance({second_, now_, now_, static_cast<Real>(dt), false});
  ++n_steps_;
}

/// Collective. One stage: what needs no halo is computed while it travels.
template <class Real>
void AirCore<Real>::advance(const Stage& stage) {
  const auto fields = stage.now.fields();
  auto pending = [&] {
    const ScopedTimer timer(times_.exchange_s);
    return halo_.start(fields);
  }();
  const auto wait = [&] {
    const ScopedTimer timer(times_.exchange_s);
    pending.wait();
  };
  if (!part_.options.overlap) wait();
  sweep(stage, true);
  if (part_.options.overlap) wait();
  sweep(stage, false);
  if (stage.is_first) look(stage.now);
}

template <class Real>
ColumnFields<Real> AirCore<Real>::column_fields(const Stage& stage) {
  const auto of = [&](const State<Real>& state) {
    typename ColumnFields<Real>::State found{state[kSurface], state[kHeat], {}, {}};
    if (air_.nonhydrostatic) found.w = state[kVerticalWind], found.phi = state[kHeight];
    return found;
  };
  return {.now = of(stage.now),
          .old = of(stage.old),
          .next = of(stage.next),
          .flux = flux_,
          .heat_flux = heat_flux_,
          .u = stage.now[kWind],
          .vertex_energy = vertex_energy_,
          .ground = ground_,
          .sine2 = sine2_,
          .vertical_flux = vertical_flux_,
          .bernoulli = bernoulli_,
          .exner = exner_,
          .warmth = warmth_,
          .exner_excess = excess_,
          .lift = lift_,
          .lift_old = lift_old_,
          .dt = stage.dt,
          .is_first = stage.is_first};
}

template <class Real>
void AirCore<Real>::sweep(const Stage& stage, bool is_early) {
  const ScopedTimer timer(times_.compute_s);
  const auto& mesh = part_.mesh;
  const auto& sweeps = part_.sweeps;
  const auto& scheme = part_.options.scheme;
  const auto layers = mass(stage.now);
  const auto u = stage.now[kWind], u_new = stage.next[kWind];
  const auto ahead = static_cast<Real>(scheme.anticipation * dt_);

  potential_vorticity(mesh, sweeps.vertices.part(is_early), n_levels_, coriolis_, layers, u, vorticity_, pv_,
                      vertex_energy_);
  mass_flux(mesh, sweeps.fluxes.part(is_early), n_levels_, ahead, layers, u, pv_, flux_, pv_edge_);
  heat_flux<Real>(mesh, sweeps.fluxes.part(is_early), n_levels_, flux_, stage.now[kHeat], heat_flux_);
  const auto fields = column_fields(stage);
  columns_.advance(own_columns_[is_early], fields);
  if (!is_early) columns_.diagnose(beside_, fields);

  MomentumFields<Real> forces{.flux = flux_,
                              .q_edge = pv_edge_,
                              .vertical_flux = vertical_flux_,
                              .bernoulli = bernoulli_,
                              .exner = exner_,
                              .warmth = warmth_,
                              .u_now = u,
                              .u_old = stage.old[kWind],
                              .theta = stage.now[kHeat],
                              .exner_excess = excess_,
                              .phi = {},
                              .lift = lift_};
  const auto heat_capacity = static_cast<Real>(air_.air.heat_capacity);
  const auto& edges = sweeps.momentum.part(is_early);
  if (air_.nonhydrostatic) {
    forces.phi = stage.now[kHeight];
    air_momentum<true>(mesh, edges, n_levels_, stage.dt, heat_capacity, layers, forces, u_new);
  } else {
    air_momentum<false>(mesh, edges, n_levels_, stage.dt, heat_capacity, layers, forces, u_new);
  }
  if (scheme.dissipates() && stage.is_first)
    dissipate<Real>(mesh, sweeps, is_early, n_levels_, scheme, u, vorticity_, divergence_, laplacian_,
                    second_divergence_, second_curl_, dissipation_);
  if (is_early) return;
  if (scheme.dissipates()) add<Real>(owned_edges_, n_levels_, stage.dt, dissipation_, u_new);
  if (friction_.ground || !friction_.start.empty())
    rub<Real>(mesh, owned_edges_, n_levels_, stage.dt, friction_, hybrid_, stage.now[kSurface], u, u_new);
}

/// Hydrostatic air holds nothing at interfaces.
template <class Real>
std::vector<fields::Variable> AirCore<Real>::variables() const {
  auto table = air_variables();
  if (!air_.nonhydrostatic)
    std::erase_if(table, [](const auto& row) { return row.dimensions.back() == "interface"; });
  return table;
}

template <class Real>
Numbers AirCore<Real>::prognostic(const std::string& name) {
  const auto owned = [&](Fields field, LocalIndex n, int per_item) {
    return now_[field].first(static_cast<std::size_t>(n) * per_item);
  };
  if (name == "surface_pressure") return owned(kSurface, part_.n_cells, 1);
  if (name == "ground_geopotential") return std::span<Real>(ground_).first(part_.n_cells);
  if (name == "normal_wind") return owned(kWind, part_.n_edges, n_levels_);
  if (name == "potential_temperature") return owned(kHeat, part_.n_cells, n_levels_);
  require<InternalError>(air_.nonhydrostatic, "'{}' is no state of the air.", name);
  if (name == "upward_wind_at_interfaces") return owned(kVerticalWind, part_.n_cells, n_levels_ + 1);
  require<InternalError>(name == "geopotential_at_interfaces", "'{}' is no state of the air.", name);
  return owned(kHeight, part_.n_cells, n_levels_ + 1);
}

template <class Real>
double AirCore<Real>::longest_step() {
  diagnose();
  double highest = 0;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto column = profile(i);
    double warmest = 0, fastest = 0;
    for (int k = 0; k < n_levels_; ++k) {
      warmest = std::max(warmest, column.temperature[k]);
      fastest = std::max(fastest, part_.fastest(now_[kWind], n_levels_, i, k));
    }
    const double sound = std::sqrt(air_.air.gamma() * air_.air.gas_constant * warmest);
    highest = std::max(highest, part_.limits.rate(i, sound + fastest));
  }
  return 1 / highest;
}

/// Keeps the first trouble. Of a state whose columns are known.
template <class Real>
void AirCore<Real>::look(const State<Real>& now) {
  if (trouble_.cell != kNone) return;
  const auto& ids = part_.decomposition.cells().to_global;
  const double elastic = air_.air.gamma() * air_.air.gas_constant;
  const auto note = [&](LocalIndex cell, const char* variable, int level, double value) {
    if (trouble_.cell == kNone || ids[cell] < ids[trouble_.cell])
      trouble_ = {cell, n_steps_, variable, level, value};
  };
  const Extremes<Real> extremes(part_.mesh, n_levels_, now[kWind], now[kHeat], exner_);
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto [warmest, fastest, is_finite] = extremes(i);
    const double ps = now[kSurface][i];
    if (is_finite && ps > air_.hybrid.top() && warmest > 0) {
      const double courant = dt_ * part_.limits.rate(i, std::sqrt(elastic * warmest) + fastest);
      if (courant > 1) note(i, "courant_number", 0, courant);
      continue;
    }
    if (!(ps > air_.hybrid.top())) note(i, "surface_pressure", n_levels_ - 1, ps);
    for (int k = 0; k < n_levels_; ++k) {
      const double theta = now[kHeat][at(i, k)], speed = part_.fastest(now[kWind], n_levels_, i, k);
      if (!std::isfinite(theta) || theta <= 0) note(i, "potential_temperature", k, theta);
      if (!std::isfinite(speed)) note(i, "normal_wind", k, speed);
    }
  }
}

template <class Real>
std::int64_t AirCore<Real>::memory_bytes() const {
  std::size_t n = 3 * (now_[kSurface].size() + now_[kWind].size() + now_[kHeat].size());
  if (air_.nonhydrostatic) n += 6 * now_[kHeight].size();
  for (const auto* field : {&vorticity_, &pv_, &vertex_energy_, &flux_, &heat_flux_, &pv_edge_, &bernoulli_,
                            &exner_, &warmth_, &excess_, &vertical_flux_, &lift_, &lift_old_, &divergence_,
                            &second_divergence_, &second_curl_, &laplacian_, &dissipation_, &friction_.start})
    n += field->size();
  return static_cast<std::int64_t>(n * sizeof(Real)) + part_.list_bytes();
}

template <class Real>
std::vector<double> AirCore<Real>::ground() const {
  std::vector<double> height;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) height.push_back(ground_[i] / part_.options.planet.gravity);
  return height;
}

template class AirCore<double>;
template class AirCore<float>;

std::unique_ptr<Core> make_air(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                               const CoreOptions& options, const AirOptions& air, bool single) {
  if (single) return std::make_unique<AirCore<float>>(comm, local, options, air);
  return std::make_unique<AirCore<double>>(comm, local, options, air);
}

}  // namespace halcyon::atmosphere
