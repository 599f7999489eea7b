#include "halcyon/wave/crossing.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/mesh/geometry.hpp"

namespace halcyon::wave {

std::vector<Crossing> crossings(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle) {
  std::vector<Crossing> found;
  const auto turn = [&](Vector3 from, Vector3 to) { return great_circle ? mesh::compass_turn(from, to) : 0; };
  const Vector3 centre = mesh.cell_points[cell];
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto edge = mesh.edges_on_cell[i], other = mesh.cells_on_cell[i];
    const Vector3 middle = mesh.edge_points[edge];
    const bool is_first = mesh.cells_on_edge[edge][0] == cell;
    const double at_edge = kPi / 2 - mesh.angle_edge[edge] + (is_first ? 0 : kPi);
    found.push_back({
        .outward = at_edge + turn(middle, centre),
        .size = mesh.dv_edge[edge] / (mesh.area_cell[cell] * kEarthRadius),
        .turn = other == kNone ? 0 : turn(mesh.cell_points[other], middle) + turn(middle, centre),
    });
  }
  return found;
}

EdgeFlow::EdgeFlow(const SpectralGrid& grid, const Crossing& crossing)
    : grid_(grid), inward_(crossing.outward + kPi), size_(crossing.size) {
  whole_turn_ = static_cast<int>(std::lround(crossing.turn / grid.direction_width));
  rest_ = crossing.turn - whole_turn_ * grid.direction_width;
}

/// Integral of max(cos(theta - normal), 0) between directions at most a bin apart, over 2 sin(half a bin).
double EdgeFlow::through(double from, double to, double normal) const {
  const auto integral = [&](double theta) {
    const double off = std::remainder(theta - normal, kTwoPi);
    return std::abs(off) < kPi / 2 ? 1 + std::sin(off) : (off > 0 ? 2. : 0.);
  };
  return size_ * std::max(integral(to) - integral(from), 0.) / (2 * std::sin(grid_.direction_width / 2));
}

double EdgeFlow::outflow(int m) const {
  const double theta = grid_.direction[m], half = grid_.direction_width / 2;
  return through(theta - half, theta + half, inward_ + kPi);
}

double EdgeFlow::inflow(int m) const {
  const double theta = grid_.direction[m], half = grid_.direction_width / 2;
  return through(theta - half, theta + half, inward_ - rest_);
}

double EdgeFlow::swept(int m) const {
  const double theta = grid_.direction[m], half = grid_.direction_width / 2;
  return turns_up() ? through(theta + half - rest_, theta + half, inward_ - rest_)
                    : through(theta - half, theta - half - rest_, inward_ - rest_);
}

}  // namespace halcyon::wave
