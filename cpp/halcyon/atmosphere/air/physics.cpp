
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/lanes.hpp"
#include "halcyon/base/power.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr auto kWidth = static_cast<std::size_t>(physics::ColumnPhysics::kWidth);
using Doubles = Lanes<double>;

template <class Real>
physics::RankColumns rank_columns(const decomposition::LocalMesh& local, const RankDomain<Real>& domain,
                                  const AirOptions& air) {
  const auto& ids = local.part.cells().to_global;
  physics::RankColumns columns{.ids = {ids.begin(), ids.begin() + domain.n_cells},
                               .longitude = {},
                               .latitude = {},
                               .n_levels = air.hybrid.n_levels(),
                               .tracers = air.tracers,
                               .gravity = domain.options.planet.gravity,
                               .gas_constant = air.air.gas_constant,
                               .heat_capacity = air.air.heat_capacity};
  for (LocalIndex i = 0; i < domain.n_cells; ++i) {
    columns.longitude.push_back(mesh::longitude(domain.cell_points[i]));
    columns.latitude.push_back(mesh::latitude(domain.cell_points[i]));
  }
  return columns;
}

/// Stores values (level, column) of a block as (column, level).
template <class Real>
void transpose(const std::vector<double>& block, std::size_t n, int n_levels, Real* columns) {
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < n_levels; ++k) columns[i * n_levels + k] = static_cast<Real>(block[k * kWidth + i]);
}

}  // namespace

template <class Real>
AirPhysics<Real>::AirPhysics(const decomposition::LocalMesh& local, const RankDomain<Real>& domain,
                             const AirOptions& air, bool has_interfaces,
                             const std::vector<fields::Variable>& variables)
    : domain_(domain),
      air_(air),
      has_interfaces_(has_interfaces),
      n_levels_(air.hybrid.n_levels()),
      hybrid_(air.hybrid),
      columns_(air.physics, rank_columns(local, domain, air), variables),
      east_(n_levels_),
      north_(n_levels_) {
  const auto n = static_cast<std::size_t>(n_levels_);
  const auto& uses = columns_.uses();
  if (uses.heating || (air.moist && uses.tracers)) make_zeros(domain.n_cells * n, theta_tendency_);
  if (uses.tracers) make_zeros(air.tracers.size() * domain.n_cells * n, tracer_tendencies_);
  if (!uses.wind_tendency && !uses.drag) return;
  halo_.emplace(
      domain.comm, local.part,
      std::vector<schedule::HaloField>(
          3, {.entity = kCells, .item_bytes = static_cast<std::int64_t>(n * sizeof(Real)), .layers = 1}),
      domain.options.method, comm::BufferPlacement::node_memory);
  cell_tendencies_.emplace(*halo_);
  if (uses.wind_tendency) make_zeros(domain.n_edges * n, wind_tendency_);
  if (uses.drag) make_zeros(domain.n_edges * n, edge_drag_);
  for (LocalIndex e = 0; e < domain.n_edges; ++e) {
    const auto cells = domain.mesh.cells_on_edge[e];
    const Vector3 from = domain.cell_points[cells[0]], to = domain.cell_points[cells[1]];
    auto& weights = edge_weights_.emplace_back();
    for (int c = 0; c < 2; ++c) {
      const double angle = mesh::angle_from_east(c == 0 ? from : to, to - from);
      weights.eastward[c] = static_cast<Real>(std::cos(angle) / 2);
      weights.northward[c] = static_cast<Real>(std::sin(angle) / 2);
    }
  }
}

template <class Real>
void AirPhysics<Real>::compute(double dt, const AirStateView<Real>& now,
                               std::span<const Real> surface_geopotential, const Tracers<Real>* tracers,
                               std::span<const Real> loading, WallTimes& times) {
  {
    const ScopedTimer timer(times.compute_s);
    const auto& uses = columns_.uses();
    columns_.step(
        dt,
        [&](State& state, std::size_t first, std::size_t n) {
          for (std::size_t t = 0; t < air_.tracers.size(); ++t)
            for (std::size_t i = 0; i < n; ++i)
              for (int k = 0; k < n_levels_; ++k)
                state.tracers[(t * n_levels_ + k) * kWidth + i] =
                    tracers->values(static_cast<int>(t))[(first + i) * n_levels_ + k];
          load(state, first, n, now, surface_geopotential, loading);
          if (uses.winds) load_winds(state, first, n, now.u);
        },
        [&](const State& state, const Tendencies& tendencies, std::size_t first, std::size_t n) {
          store(dt, state, tendencies, first, n);
        });
  }
  if (!halo_) return;
  {
    const ScopedTimer timer(times.exchange_s);
    halo_->start(cell_tendencies_->fields()).wait();
  }
  const ScopedTimer timer(times.compute_s);
  average_to_edges();
}

/// Loads pressures, Exner function, temperature theta_m Pi / (1 + R_v/R q_v), and geopotentials. Hydrostatic:
/// p of the middle of the layer; nonhydrostatic: from the equation of state, with r = R theta_m m / dphi
///   Pi = (r / p_0)^(R/c_v),  p = r Pi
/// Moist: the tracers must be loaded.
template <class Real>
void AirPhysics<Real>::load(State& state, std::size_t first, std::size_t n, const AirStateView<Real>& now,
                            std::span<const Real> surface_geopotential, std::span<const Real> loading) const {
  const double gas_constant = air_.air.gas_constant;
  const double kappa = air_.air.kappa(), inverse_p0 = 1 / air_.air.reference_pressure;
  const bool uses_layers = columns_.uses().layers;
  std::vector<Doubles> interface_pressure(n_levels_ + 1);
  for (std::size_t i = 0; i < n; i += kLanes<double>) {
    std::array<std::size_t, kLanes<double>> cells;
    for (std::size_t lane = 0; lane < cells.size(); ++lane) cells[lane] = first + std::min(i + lane, n - 1);
    const auto gather = [&](std::span<const Real> field, int per_cell, int k) {
      Doubles values;
      for (std::size_t lane = 0; lane < cells.size(); ++lane)
        values[lane] = static_cast<double>(field[cells[lane] * per_cell + k]);
      return values;
    };
    const auto vapour_factor = [&](const double* q_v) {
      Doubles values;
      for (int lane = 0; lane < kLanes<double>; ++lane) values[lane] = air_.air.vapour_factor(q_v[lane]);
      return values;
    };
    const auto put = [&](std::vector<double>& values, int row, Doubles lanes) {
      halcyon::store(&values[row * kWidth + i], lanes);
    };
    const Doubles ps = gather(now.ps, 1, 0);
    interface_pressure[0] = hybrid_.interface_pressure(0, ps);
    for_weights(
        hybrid_, ps, air_.moist, [&](int k) { return gather(loading, n_levels_, k); },
        [&](int k, Doubles, Doubles lower, Doubles) { interface_pressure[k + 1] = lower; });
    Doubles lower_phi = gather(surface_geopotential, 1, 0), lower_p = interface_pressure[n_levels_];
    put(state.surface_pressure, 0, lower_p);
    put(state.surface_geopotential, 0, lower_phi);
    put(state.interface_pressure, n_levels_, lower_p);
    put(state.interface_geopotential, n_levels_, lower_phi);
    for (int k = n_levels_ - 1; k >= 0; --k) {
      // The weight of the layer, and theta_rho; moist: in p and phi they are factors of theta_m m.
      const Doubles upper_p = interface_pressure[k], mass = lower_p - upper_p,
                    theta_m = gather(now.theta, n_levels_, k),
                    theta = air_.moist ? theta_m / gather(loading, n_levels_, k) : theta_m;
      Doubles p = 0.5 * (upper_p + lower_p), exner, upper_phi = lower_phi;
      if (has_interfaces_) {
        upper_phi = gather(now.phi, n_levels_ + 1, k);
        const Doubles r = gas_constant * theta * mass / (upper_phi - lower_phi);
        exner = power<double>(r * inverse_p0, air_.air.gamma() - 1);
        p = r * exner;
      } else {
        exner = power<double>(p * inverse_p0, kappa);
        if (uses_layers) upper_phi = lower_phi + gas_constant * theta * exner * mass / p;
      }
      put(state.pressure, k, p);
      put(state.exner, k, exner);
      Doubles temperature = theta_m * exner;
      if (air_.moist) temperature /= vapour_factor(&state.tracers[(kVapour * n_levels_ + k) * kWidth + i]);
      put(state.temperature, k, temperature);
      if (uses_layers) {
        put(state.interface_pressure, k, upper_p);
        put(state.interface_geopotential, k, upper_phi);
        put(state.geopotential, k, 0.5 * (upper_phi + lower_phi));
      }
      lower_p = upper_p, lower_phi = upper_phi;
    }
  }
}

template <class Real>
void AirPhysics<Real>::load_winds(State& state, std::size_t first, std::size_t n, std::span<const Real> u) {
  for (std::size_t i = 0; i < n; ++i) {
    domain_.vectors.eastward_northward(domain_.mesh, u, n_levels_, static_cast<LocalIndex>(first + i), east_,
                                       north_);
    for (int k = 0; k < n_levels_; ++k) {
      state.eastward_wind[k * kWidth + i] = east_[k];
      state.northward_wind[k * kWidth + i] = north_[k];
    }
  }
}

/// At constant pressure, with theta_m = (T / Pi) (1 + R_v/R q_v), for changes during a step dt:
///   dtheta_m/dt = ((dT/dt) (1 + R_v/R (q_v + dt dq_v/dt)) + T R_v/R dq_v/dt) / Pi
template <class Real>
void AirPhysics<Real>::store(double dt, const State& state, const Tendencies& tendencies, std::size_t first,
                             std::size_t n) {
  const auto offset = first * n_levels_;
  const double ratio = air_.air.vapour_gas_constant / air_.air.gas_constant;
  for (std::size_t i = 0; !theta_tendency_.empty() && i < n; ++i) {
    for (int k = 0; k < n_levels_; ++k) {
      const auto at = k * kWidth + i, vapour = kVapour * n_levels_ * kWidth + at;
      double heating = columns_.uses().heating ? tendencies.temperature[at] : 0;
      if (air_.moist) {
        const double moistening = columns_.uses().tracers ? tendencies.tracers[vapour] : 0;
        heating = heating * air_.air.vapour_factor(state.tracers[vapour] + dt * moistening) +
                  state.temperature[at] * ratio * moistening;
      }
      theta_tendency_[offset + i * n_levels_ + k] = static_cast<Real>(heating / state.exner[at]);
    }
  }
  if (!wind_tendency_.empty()) {
    transpose(tendencies.eastward_wind, n, n_levels_, &(*cell_tendencies_)[0][offset]);
    transpose(tendencies.northward_wind, n, n_levels_, &(*cell_tendencies_)[1][offset]);
  }
  if (!edge_drag_.empty()) transpose(tendencies.drag, n, n_levels_, &(*cell_tendencies_)[2][offset]);
  const auto n_tracers = tracer_tendencies_.empty() ? 0 : air_.tracers.size();
  for (std::size_t t = 0; t < n_tracers; ++t)
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < n_levels_; ++k)
        tracer_tendencies_[(t * domain_.n_cells + first + i) * n_levels_ + k] =
            static_cast<Real>(tendencies.tracers[(t * n_levels_ + k) * kWidth + i]);
}

template <class Real>
void AirPhysics<Real>::average_to_edges() {
  const auto east = (*cell_tendencies_)[0], north = (*cell_tendencies_)[1], drag = (*cell_tendencies_)[2];
  for (LocalIndex e = 0; e < domain_.n_edges; ++e) {
    const auto [cell_1, cell_2] = domain_.mesh.cells_on_edge[e];
    const auto out = static_cast<std::size_t>(e) * n_levels_,
               first = static_cast<std::size_t>(cell_1) * n_levels_,
               second = static_cast<std::size_t>(cell_2) * n_levels_;
    const auto& weights = edge_weights_[e];
    if (!wind_tendency_.empty())
      for (int k = 0; k < n_levels_; ++k)
        wind_tendency_[out + k] =
            (weights.eastward[0] * east[first + k] + weights.northward[0] * north[first + k]) +
            (weights.eastward[1] * east[second + k] + weights.northward[1] * north[second + k]);
    if (!edge_drag_.empty())
      for (int k = 0; k < n_levels_; ++k)
        edge_drag_[out + k] = Real(0.5) * (drag[first + k] + drag[second + k]);
  }
}

template <class Real>
void AirPhysics<Real>::add(const AirStateView<Real>& now, const AirStateView<Real>& next, Real dt) {
  for (std::size_t i = 0; i < theta_tendency_.size(); ++i) next.theta[i] += dt * theta_tendency_[i];
  for (LocalIndex e = 0; e < domain_.n_edges; ++e) {
    const auto first = static_cast<std::size_t>(e) * n_levels_;
    forcing().add_wind(first, n_levels_, dt, &now.u[first], &next.u[first]);
  }
}

template <class Real>
void AirPhysics<Real>::add(Tracers<Real>& tracers, Real dt) const {
  if (tracer_tendencies_.empty()) return;
  const auto n = static_cast<std::size_t>(domain_.n_cells) * n_levels_;
  for (int t = 0; t < tracers.size(); ++t) {
    const auto q = tracers.values(t);
    for (std::size_t i = 0; i < n; ++i) q[i] += dt * tracer_tendencies_[t * n + i];
  }
}

template <class Real>
std::int64_t AirPhysics<Real>::memory_bytes() const {
  std::size_t n =
      theta_tendency_.size() + wind_tendency_.size() + edge_drag_.size() + tracer_tendencies_.size();
  if (cell_tendencies_) n += 3 * (*cell_tendencies_)[0].size();
  return static_cast<std::int64_t>(n * sizeof(Real)) + columns_.memory_bytes();
}

template class AirPhysics<double>;
template class AirPhysics<float>;

}  // namespace halcyon::atmosphere
