#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

namespace {

constexpr const char *kDryAirSurfacePressure = "dry_air_surface_pressure",
                     *kMoistTheta = "moist_potential_temperature";

}  // namespace

/// An owned cell and level of the present state, whose diagnostic fields must be up to date.
template <class Real>
struct AirCore<Real>::Point {
  const AirCore& core;
  Profile& column;
  LocalIndex cell;
  int level;
  LevelBlock<Real, 1> rows;

  std::array<double, 2> wind() const {
    return core.domain_.eastward_northward(core.now_.u, core.n_levels_, cell, level);
  }
  double pressure_velocity() const {
    if (column.pressure_velocity.empty()) column.pressure_velocity = core.pressure_velocity(cell);
    return column.pressure_velocity[level];
  }
  /// Mixing ratio of water vapour [kg kg-1].
  double vapour() const { return core.vapour(cell, level); }
  /// Mass of water vapour on a unit of area [kg m-2].
  double vapour_path() const {
    double sum = 0;
    for (int k = 0; k < core.n_levels_; ++k)
      sum += core.air_.hybrid.mass(k, core.now_.ps[cell]) * core.vapour(cell, k);
    return sum / core.domain_.options.planet.gravity;
  }
  double relative_humidity() const {
    const auto& air = core.air_.air;
    return physics::relative_humidity(column.pressure[level], column.temperature[level], vapour(),
                                      air.gas_constant / air.vapour_gas_constant);
  }
  /// The mean w of both interfaces; hydrostatic: -omega R T_v / (p g).
  double upward_wind() const {
    if (core.has_interfaces())
      return (double{core.now_.w[core.at_interface(cell, level)]} +
              core.now_.w[core.at_interface(cell, level + 1)]) /
             2;
    return -pressure_velocity() * core.air_.air.gas_constant * column.virtual_temperature[level] /
           (column.pressure[level] * core.domain_.options.planet.gravity);
  }
};

/// All products, in the order of the table of variables. A new product needs only a row here.
template <class Real>
auto AirCore<Real>::product_table() -> const std::vector<Product<Point>>& {
  const auto on_levels = [](const char* name, const char* units, const char* standard_name,
                            const char* long_name, bool restart = false) {
    return output_variable(name, {"cell", "level"}, units, standard_name, long_name, restart);
  };
  const auto humidity = physics::humidity_variables("cell");
  static const std::vector<Product<Point>> rows = {
      {output_variable("surface_pressure", {"cell"}, "Pa", "surface_air_pressure", "pressure at the ground",
                       /*restart=*/true),
       [](const Point& p) { return p.column.interface_pressure.back(); }},
      {on_levels("pressure", "Pa", "air_pressure", "pressure"),
       [](const Point& p) { return p.column.pressure[p.level]; }},
      {on_levels("temperature", "K", "air_temperature", "temperature"),
       [](const Point& p) { return p.column.temperature[p.level]; }},
      {on_levels("potential_temperature", "K", "air_potential_temperature", "potential temperature",
                 /*restart=*/true),
       [](const Point& p) {
         return p.core.now_.theta[p.core.at_level(p.cell, p.level)] /
                p.core.air_.air.vapour_factor(p.vapour());
       }},
      {on_levels("geopotential_height", "m", "geopotential_height", "geopotential height"),
       [](const Point& p) { return p.column.phi[p.level] / p.core.domain_.options.planet.gravity; }},
      {on_levels("eastward_wind", "m s-1", "eastward_wind", "eastward wind"),
       [](const Point& p) { return p.wind()[0]; }},
      {on_levels("northward_wind", "m s-1", "northward_wind", "northward wind"),
       [](const Point& p) { return p.wind()[1]; }},
      {on_levels("upward_wind", "m s-1", "upward_air_velocity", "upward wind"),
       [](const Point& p) { return p.upward_wind(); }},
      {on_levels("pressure_velocity", "Pa s-1", "lagrangian_tendency_of_air_pressure",
                 "rate of change of pressure following the air"),
       [](const Point& p) { return p.pressure_velocity(); }},
      {on_levels("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"),
       [](const Point& p) {
         return double{at_cell(p.core.domain_.mesh, p.rows(p.core.rank_fields_.vorticity), p.cell)};
       }},
      {on_levels("divergence", "s-1", "divergence_of_wind", "divergence of the wind"),
       [](const Point& p) {
         return double{operators::divergence(p.core.domain_.mesh, p.rows(p.core.now_.u), p.cell)};
       }},
      {on_levels("kinetic_energy", "m2 s-2", "specific_kinetic_energy_of_air",
                 "kinetic energy of a unit of mass"),
       [](const Point& p) {
         return double{kinetic_energy(p.core.domain_.mesh, p.rows(p.core.now_.u), p.cell)};
       }},
      {humidity[0], [](const Point& p) { return p.column.virtual_temperature[p.level]; }},
      {humidity[1], [](const Point& p) { return p.relative_humidity(); }},
      {humidity[2], [](const Point& p) { return p.vapour_path(); }},
  };
  return rows;
}

template <class Real>
std::vector<std::vector<double>> AirCore<Real>::products(const std::vector<std::string>& names) {
  diagnose();
  std::vector<std::vector<double>> values(names.size());
  std::vector<const Product<Point>*>
      computed;  // null for tracers and fields of the physics, which are copied
  for (std::size_t p = 0; p < names.size(); ++p) {
    const int t = tracer_index(names[p]);
    const auto kept = physics_values(names[p]);
    computed.push_back(t < 0 && kept.empty() ? &find_product(product_table(), names[p], "air") : nullptr);
    values[p].assign(kept.begin(), kept.end());
    if (t < 0) continue;
    const auto q = tracers_->values(t);
    values[p].assign(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(at_level(domain_.n_cells, 0)));
  }
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    auto column = profile(i);
    for (std::size_t p = 0; p < names.size(); ++p)
      for (int k = 0; computed[p] && k < (computed[p]->has_levels() ? n_levels_ : 1); ++k)
        values[p].push_back(computed[p]->value({*this, column, i, k, LevelBlock<Real, 1>(n_levels_, k)}));
  }
  return values;
}

const std::vector<fields::Variable>& air_variables() {
  static const auto table = [] {
    std::vector<fields::Variable> rows;
    for (const auto& product : AirCore<double>::product_table()) rows.push_back(product.variable);
    rows.push_back(restart_variable("ground_geopotential", {"cell"}, "m2 s-2", "geopotential of the ground"));
    rows.push_back(restart_variable("normal_wind", {"edge", "level"}, "m s-1",
                                    "wind across the edges, from their first cell to their second"));
    rows.push_back(restart_variable("upward_wind_at_interfaces", {"cell", "interface"}, "m s-1",
                                    "upward wind at interfaces"));
    rows.push_back(restart_variable("geopotential_at_interfaces", {"cell", "interface"}, "m2 s-2",
                                    "geopotential at interfaces"));
    rows.push_back(restart_variable(kDryAirSurfacePressure, {"cell"}, "Pa",
                                    "pressure at the ground without the weight of water"));
    rows.push_back(
        restart_variable(kMoistTheta, {"cell", "level"}, "K",
                         "potential temperature times 1 + R_v/R q_v, q_v: mixing ratio of vapour"));
    for (auto& row : physics::table_tracers("cell")) rows.push_back(row);
    rows.push_back(topography_variable("cell"));
    return rows;
  }();
  return table;
}

const std::vector<fields::Variable>& air_integral_variables() {
  const auto water = physics::water_integral_variables();
  static const std::vector<fields::Variable> table = {
      integral_variable("mass", "kg", "mass of the air"),
      integral_variable(
          "energy", "J",
          "kinetic, internal and potential energy, and the work against the pressure of the top"),
      integral_variable("potential_enstrophy", "m2 kg-1 s-2",
                        "half the mass times the potential vorticity squared"),
      integral_variable("angular_momentum", "kg m2 s-1", "angular momentum around the axis of the planet"),
      water[0],
      water[1],
  };
  return table;
}

bool is_moist(const std::string& name) {
  return name == kDryAirSurfacePressure || name == kMoistTheta || physics::needs_water(name);
}

bool is_tracer(const std::string& name) {
  return physics::is_table_tracer(name);
}

fields::Variable tracer_variable(const std::string& name) {
  return physics::tracer_variable(name, "cell");
}

template <class Real>
std::vector<fields::Variable> AirCore<Real>::variables() const {
  auto table = air_variables();
  if (!has_interfaces())
    std::erase_if(table, [](const auto& row) { return row.dimensions.back() == "interface"; });
  std::erase_if(table, [&](const auto& row) {
    return (is_moist(row.name) && !air_.moist) || (is_tracer(row.name) && tracer_index(row.name) < 0);
  });
  // In moist air these are computed from the prognostic variables.
  for (auto& row : table)
    if (air_.moist && (row.name == "surface_pressure" || row.name == "potential_temperature"))
      row.restart = false;
  for (const auto& name : air_.tracers)
    if (!is_tracer(name)) table.push_back(tracer_variable(name));
  if (physics_) std::ranges::move(physics_->columns().variables("cell"), std::back_inserter(table));
  return table;
}

template <class Real>
std::vector<fields::Variable> AirCore<Real>::integral_variables() const {
  auto table = air_integral_variables();
  if (!air_.moist) std::erase_if(table, [](const auto& row) { return is_moist(row.name); });
  for (const auto& name : air_.tracers) table.push_back(tracer_mass_variable(name));
  if (physics_)
    for (auto& amount : physics_->columns().amounts()) table.push_back(std::move(amount.integral));
  return table;
}

/// The values of a field of the physics, (owned cell) or (owned cell, level); empty for another name.
template <class Real>
std::span<double> AirCore<Real>::physics_values(const std::string& name) {
  return physics_ ? physics_->columns().values(name) : std::span<double>{};
}

/// The index of a tracer; -1 if this run has no such tracer.
template <class Real>
int AirCore<Real>::tracer_index(const std::string& name) const {
  const auto position = std::ranges::find(air_.tracers, name);
  return position == air_.tracers.end() ? -1 : static_cast<int>(position - air_.tracers.begin());
}

template <class Real>
FieldView AirCore<Real>::prognostic(const std::string& name) {
  if (const auto values = physics_values(name); !values.empty()) return values;
  const auto owned = [&](std::span<Real> field, LocalIndex n, int per_item) {
    return field.first(static_cast<std::size_t>(n) * per_item);
  };
  if (name == (air_.moist ? kDryAirSurfacePressure : "surface_pressure"))
    return owned(now_.ps, domain_.n_cells, 1);
  if (name == "ground_geopotential") return owned(rank_fields_.surface_geopotential, domain_.n_cells, 1);
  if (name == "normal_wind") return owned(now_.u, domain_.n_edges, n_levels_);
  if (name == (air_.moist ? kMoistTheta : "potential_temperature"))
    return owned(now_.theta, domain_.n_cells, n_levels_);
  if (const int t = tracer_index(name); t >= 0)
    return tracers_->values(t).first(static_cast<std::size_t>(domain_.n_cells) * n_levels_);
  require<InternalError>(has_interfaces(), "'{}' is not a prognostic variable of the air.", name);
  if (name == "upward_wind_at_interfaces") return owned(now_.w, domain_.n_cells, n_levels_ + 1);
  require<InternalError>(name == "geopotential_at_interfaces",
                         "'{}' is not a prognostic variable of the air.", name);
  return owned(now_.phi, domain_.n_cells, n_levels_ + 1);
}

template <class Real>
std::int64_t AirCore<Real>::memory_bytes() const {
  std::size_t n = friction_.initial_wind.size();
  for (const auto field : {now_.ps, now_.u, now_.theta, now_.w, now_.phi}) n += 3 * field.size();
  auto bytes = static_cast<std::int64_t>(n * sizeof(Real)) + tile_fields_.memory_bytes +
               rank_fields_.memory_bytes + domain_.mesh.memory_bytes();
  for (const auto& tile : tiles_) bytes += tile.memory_bytes();
  if (dissipation_) bytes += dissipation_->memory_bytes();
  if (viscosity_) bytes += viscosity_->memory_bytes();
  if (tracers_) bytes += tracers_->memory_bytes();
  if (physics_) bytes += physics_->memory_bytes();
  return bytes;
}

template <class Real>
std::vector<double> AirCore<Real>::orography() const {
  std::vector<double> height;
  for (LocalIndex i = 0; i < domain_.n_cells; ++i)
    height.push_back(rank_fields_.surface_geopotential[i] / domain_.options.planet.gravity);
  return height;
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
