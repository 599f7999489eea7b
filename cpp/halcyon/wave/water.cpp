#include "halcyon/wave/water.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace halcyon::wave
