#include "halcyon/wave/transport/water.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/flush_denormals.hpp"

namespace halcyon::wave {

namespace {

/// The current of a rank's cells.
struct Field {
  std::span<const float> eastward, northward;

  /// Its component along a direction of the cell's compass [rad].
  double along(LocalIndex cell, double direction) const {
    return eastward[cell] * std::sin(direction) + northward[cell] * std::cos(direction);
  }
};

/// l U.n / A [s-1] of each edge of a known cell, U the mean of the cells on both sides; out is positive.
std::vector<double> edge_flows(const FlowTables& flows, LocalIndex cell, const Field& field) {
  std::vector<double> found;
  std::size_t next = 0;
  const auto beside = flows.beside(cell);
  for (const auto& edge : flows.edges(cell)) {
    double along = field.along(cell, edge.outward);
    if (edge.distance > 0) along = (along + field.along(beside[next++].cell, edge.outward - edge.turn)) / 2;
    found.push_back(edge.size * along);
  }
  return found;
}

Current outflow(const FlowTables& flows, LocalIndex cell, const Field& field,
                std::span<const double> edge_flows) {
  double out = 0, east = 0, north = 0;
  for (std::size_t e = 0; e < edge_flows.size(); ++e) {
    const double leaves = std::max(edge_flows[e], 0.);
    out += leaves;
    east += leaves * flows.edges(cell)[e].middle.east;
    north += leaves * flows.edges(cell)[e].middle.north;
  }
  return {field.eastward[cell], field.northward[cell], static_cast<float>(out), static_cast<float>(east),
          static_cast<float>(north)};
}

/// By least squares; the neighbours' currents carried into the compass of the cell.
CurrentGradient gradient(const FlowTables& flows, LocalIndex cell, const Field& field) {
  CurrentGradient found;
  for (const auto& beside : flows.beside(cell)) {
    const double eastward = field.along(beside.cell, std::acos(0.) - beside.turn) - field.eastward[cell];
    const double northward = field.along(beside.cell, -beside.turn) - field.northward[cell];
    found.eastward_east += beside.east * eastward;
    found.eastward_north += beside.north * eastward;
    found.northward_east += beside.east * northward;
    found.northward_north += beside.north * northward;
  }
  return found;
}

/// The monotonized-central slope (van Leer 1977).
float limited_slope(float below, float own, float above) {
  const float back = own - below, ahead = above - own;
  const float most = std::max(std::min(back, ahead), 0.f), least = std::min(std::max(back, ahead), 0.f);
  return std::min(std::max((back + ahead) / 2, 2 * least), 2 * most);
}

/// What goes through the face below a frequency [m2 s2 rad s-2].
float flux(std::span<const float> width, float speed, float dt, const float* column, int f, int n) {
  const int last = static_cast<int>(width.size()) - 1, donor = speed > 0 ? f - 1 : f;
  if (donor < 0 || donor > last) return 0;
  const float own = column[donor * n];
  if (donor == 0 || donor == last) return speed * own;
  const float slope = limited_slope(column[(donor - 1) * n], own, column[(donor + 1) * n]);
  const float reach = (1 - std::abs(speed) * dt / width[donor]) / 2;
  return speed * (own + (speed > 0 ? reach : -reach) * slope);
}

}  // namespace

Water moving_water(const FlowTables& flows, LocalIndex n_owned, std::span<const float> eastward,
                   std::span<const float> northward) {
  const Field field{eastward, northward};
  Water water;
  for (LocalIndex cell = 0; cell < flows.n_known(); ++cell) {
    const auto crossing = edge_flows(flows, cell, field);
    water.currents.push_back(outflow(flows, cell, field, crossing));
    water.gradients.push_back(gradient(flows, cell, field));
    if (cell >= n_owned) continue;
    for (const auto& inflow : flows.inflows(cell))
      water.inflows.push_back(static_cast<float>(std::max(-crossing[inflow.edge], 0.)));
  }
  return water;
}

FrequencyShift::FrequencyShift(const SpectralGrid& grid)
    : grid_(grid),
      depth_(grid.n_frequencies + 1),
      group_ratio_(grid.n_frequencies + 1),
      stretch_(grid.n_directions),
      scratch_(static_cast<std::size_t>(grid.n_frequencies + 1) * grid.n_directions) {
  for (int f = 0; f <= grid.n_frequencies; ++f)
    face_.push_back(static_cast<float>(grid.sigma[0] * std::pow(grid.ratio, f - 0.5)));
  for (const double width : grid.frequency_width) width_.push_back(static_cast<float>(kTwoPi * width));
}

void FrequencyShift::set_rates(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                               LocalIndex cell) {
  double up_slope = 0;
  for (const auto& beside : flows.beside(cell)) {
    const double deeper = tables.depth()[beside.cell] - tables.depth()[cell];
    up_slope +=
        deeper * (beside.east * water.currents[cell].east + beside.north * water.currents[cell].north);
  }
  const int last = grid_.n_frequencies - 1;
  for (int f = 0; f <= last + 1; ++f) {
    const int below = std::max(f - 1, 0), above = std::min(f, last);
    const double k = std::sqrt(tables.wavenumber()(cell, below) * tables.wavenumber()(cell, above));
    const double twice = 2 * k * tables.depth()[cell];
    const double ratio = tables.group_speed()(cell, below) / tables.phase_speed()(cell, below) +
                         tables.group_speed()(cell, above) / tables.phase_speed()(cell, above);
    depth_[f] = static_cast<float>(twice > 80 ? 0 : k / std::sinh(twice) * up_slope);
    group_ratio_[f] = static_cast<float>(ratio / 2);
  }
  const auto& g = water.gradients[cell];
  for (int m = 0; m < grid_.n_directions; ++m) {
    const double s = std::sin(grid_.direction[m]), c = std::cos(grid_.direction[m]);
    stretch_[m] = static_cast<float>(s * s * g.eastward_east + s * c * (g.eastward_north + g.northward_east) +
                                     c * c * g.northward_north);
  }
}

void FrequencyShift::step(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                          CellRange cells, double dt, View<float, 3> action) {
  const FlushDenormals guard;
  for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
    set_rates(flows, tables, water, cell);
    shift_frequencies(face_, width_, {depth_, group_ratio_, stretch_}, static_cast<float>(dt),
                      &action(cell, 0, 0), scratch_);
  }
}

void shift_frequencies(std::span<const float> face, std::span<const float> width, const ShiftRates& rates,
                       float dt, float* action, std::span<float> scratch) {
  const int n = static_cast<int>(rates.stretch.size()), n_frequencies = static_cast<int>(width.size());
  const auto speed = [&](int f, int m) {
    return face[f] * (rates.depth[f] - rates.group_ratio[f] * rates.stretch[m]);
  };
  float fastest = 0;
  for (int f = 0; f <= n_frequencies; ++f) {
    const float narrow = std::min(width[std::max(f - 1, 0)], width[std::min(f, n_frequencies - 1)]);
    for (int m = 0; m < n; ++m) fastest = std::max(fastest, std::abs(speed(f, m)) / narrow);
  }
  const int n_steps = std::max(1, static_cast<int>(std::ceil(2 * fastest * dt)));
  const float step = dt / static_cast<float>(n_steps);
  for (int i = 0; i < n_steps; ++i) {
    for (int f = 0; f <= n_frequencies; ++f) {
      for (int m = 0; m < n; ++m) scratch[f * n + m] = flux(width, speed(f, m), step, action + m, f, n);
    }
    for (int f = 0; f < n_frequencies; ++f) {
      for (int m = 0; m < n; ++m)
        action[f * n + m] -= step / width[f] * (scratch[(f + 1) * n + m] - scratch[f * n + m]);
    }
  }
}

}  // namespace halcyon::wave
