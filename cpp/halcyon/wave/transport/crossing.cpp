#include "halcyon/wave/transport/crossing.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::wave {

namespace {

/// The way along the great circle from a to b.
Way way(Vector3 a, Vector3 b) {
  const double length = mesh::arc_length(a, b) * kEarthRadius, angle = mesh::angle_from_east(a, b - a);
  return {length * std::cos(angle), length * std::sin(angle)};
}

}  // namespace

std::vector<Crossing> crossings(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle) {
  std::vector<Crossing> found;
  const auto turn = [&](Vector3 from, Vector3 to) { return great_circle ? mesh::compass_turn(from, to) : 0; };
  const Vector3 centre = mesh.cell_points[cell];
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto edge = mesh.edges_on_cell[i], other = mesh.cells_on_cell[i];
    const auto [begin, end] = mesh.vertices_on_edge[edge];
    const Vector3 middle = normalized(mesh.vertex_points[begin] + mesh.vertex_points[end]);
    const bool is_first = mesh.cells_on_edge[edge][0] == cell;
    const Vector3 crossed = mesh.edge_points[edge];
    const double at_edge = kPi / 2 - mesh.angle_edge[edge] + (is_first ? 0 : kPi);
    Crossing crossing{.outward = at_edge + turn(crossed, centre),
                      .size = mesh.dv_edge[edge] / (mesh.area_cell[cell] * kEarthRadius),
                      .middle = way(centre, middle)};
    if (other != kNone) {
      const Vector3 there = mesh.cell_points[other];
      crossing.turn = turn(there, crossed) + turn(crossed, centre);
      crossing.distance = mesh.dc_edge[edge] * kEarthRadius;
      crossing.neighbour = way(centre, there);
      crossing.beyond = way(there, middle);
    }
    found.push_back(crossing);
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

double EdgeFlow::sideways(int m) const {
  const double sine = std::sin(grid_.direction[m] - inward_ + rest_ / 2);
  return size_ * sine * sine;
}

double EdgeFlow::swept(int m) const {
  const double theta = grid_.direction[m], half = grid_.direction_width / 2;
  return turns_up() ? through(theta + half - rest_, theta + half, inward_ - rest_)
                    : through(theta - half, theta - half - rest_, inward_ - rest_);
}

}  // namespace halcyon::wave
