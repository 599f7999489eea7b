#include <algorithm>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

/// Hydrostatic air holds nothing at interfaces.
template <class Real>
std::vector<fields::Variable> AirCore<Real>::variables() const {
  auto table = air_variables();
  if (!air_.nonhydrostatic)
    std::erase_if(table, [](const auto& row) { return row.dimensions.back() == "interface"; });
  std::erase_if(table, [&](const auto& row) { return is_tracer(row.name) && tracer(row.name) < 0; });
  for (const auto& name : air_.tracers)
    if (!is_tracer(name)) table.push_back(tracer_variable(name));
  return table;
}

template <class Real>
std::vector<fields::Variable> AirCore<Real>::integral_variables() const {
  auto table = air_integral_variables();
  for (const auto& name : air_.tracers) table.push_back(tracer_mass(name));
  return table;
}

/// Its number; -1 where it is none that is carried.
template <class Real>
int AirCore<Real>::tracer(const std::string& name) const {
  const auto found = std::ranges::find(air_.tracers, name);
  return found == air_.tracers.end() ? -1 : static_cast<int>(found - air_.tracers.begin());
}

template <class Real>
Numbers AirCore<Real>::prognostic(const std::string& name) {
  const auto owned = [&](std::span<Real> field, LocalIndex n, int per_item) {
    return field.first(static_cast<std::size_t>(n) * per_item);
  };
  if (name == "surface_pressure") return owned(now_.ps, part_.n_cells, 1);
  if (name == "ground_geopotential") return owned(kept_.ground, part_.n_cells, 1);
  if (name == "normal_wind") return owned(now_.u, part_.n_edges, n_levels_);
  if (name == "potential_temperature") return owned(now_.theta, part_.n_cells, n_levels_);
  if (const int t = tracer(name); t >= 0)
    return tracers_->values(t).first(static_cast<std::size_t>(part_.n_cells) * n_levels_);
  require<InternalError>(air_.nonhydrostatic, "'{}' is no state of the air.", name);
  if (name == "upward_wind_at_interfaces") return owned(now_.w, part_.n_cells, n_levels_ + 1);
  require<InternalError>(name == "geopotential_at_interfaces", "'{}' is no state of the air.", name);
  return owned(now_.phi, part_.n_cells, n_levels_ + 1);
}

template <class Real>
std::int64_t AirCore<Real>::memory_bytes() const {
  std::size_t n = friction_.start.size();
  for (const auto field : {now_.ps, now_.u, now_.theta, now_.w, now_.phi}) n += 3 * field.size();
  auto bytes = static_cast<std::int64_t>(n * sizeof(Real)) + fields_.memory_bytes + kept_.memory_bytes +
               part_.mesh.memory_bytes();
  for (const auto& tile : tiles_) bytes += tile.memory_bytes();
  if (dissipation_) bytes += dissipation_->memory_bytes();
  if (tracers_) bytes += tracers_->memory_bytes();
  return bytes;
}

template <class Real>
std::vector<double> AirCore<Real>::ground() const {
  std::vector<double> height;
  for (LocalIndex i = 0; i < part_.n_cells; ++i)
    height.push_back(kept_.ground[i] / part_.options.planet.gravity);
  return height;
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
