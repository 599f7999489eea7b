#include "halcyon/wave/transport/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/wave/medium.hpp"

namespace halcyon::wave {

namespace {

/// The way along the great circle from a to b.
Way way(Vector3 a, Vector3 b) {
  const double length = mesh::arc_length(a, b) * kEarthRadius, angle = mesh::angle_from_east(a, b - a);
  return {length * std::cos(angle), length * std::sin(angle)};
}

constexpr double kMost = 0.15;  // a quarter of the step that transport could take without

/// What leaves a cell over group speed and action, in each direction [m-1]: with the waves, and by exchange
/// at the first frequency.
struct Outflows {
  std::vector<double> direct, exchange;

  Outflows(const SpectralGrid& grid, const Exchange& exchange_of, const std::vector<Crossing>& edges)
      : direct(grid.n_directions), exchange(grid.n_directions) {
    for (const auto& edge : edges) {
      const EdgeFlow flow(grid, edge);
      const double strength = edge.distance > 0 ? exchange_of.strength(edge) : 0;
      for (int m = 0; m < grid.n_directions; ++m) {
        direct[m] += flow.outflow(m);
        exchange[m] += exchange_of.weight(flow, strength, m);
      }
    }
  }
  double largest(double share) const {
    double found = 0;
    for (std::size_t m = 0; m < direct.size(); ++m) found = std::max(found, direct[m] + share * exchange[m]);
    return found;
  }
};

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

Exchange::Exchange(const SpectralGrid& grid, const TransportOptions& options) {
  for (const double sigma : grid.sigma) share_.push_back(static_cast<float>(grid.sigma[0] / sigma));
  if (options.scheme == Scheme::upwind) return;
  const double width = grid.direction_width, fastest = kGravity / (2 * grid.sigma[0]);
  reach_ = fastest * width * width * options.swell_age / 12;
  const double speeds = (grid.ratio - 1 / grid.ratio) / 2;
  const double q = std::clamp(speeds * speeds / (width * width), 1. / 3, 1.);
  sideways_ = 2 * (1 - q);
  all_ = (3 * q - 1) / 2;
}

double Exchange::strength(const Crossing& edge) const {
  return is_on() ? std::min(reach_ / edge.distance, kMost) : 0;
}

double Exchange::weight(const EdgeFlow& flow, double strength, int m) const {
  return strength * (sideways_ * flow.sideways(m) + all_ * flow.size());
}

std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current) {
  require<InputError>(std::ssize(mesh.bottom_depth) == mesh.n_cells(),
                      "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                      mesh.n_cells());
  const Exchange exchange(grid, options);
  std::vector<double> limits(grid.n_frequencies, std::numeric_limits<double>::infinity());
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    const double depth = mesh.bottom_depth[cell];
    const Outflows out(grid, exchange, crossings(mesh, cell, options.great_circle));
    const double with_current = strongest_current * out.largest(0);
    for (int f = 0; f < grid.n_frequencies; ++f) {
      const double sigma = grid.sigma[f];
      const double speed = group_speed(wavenumber(sigma, depth), sigma, depth);
      limits[f] = std::min(limits[f], 1 / (speed * out.largest(exchange.share()[f]) + with_current));
    }
  }
  return limits;
}

}  // namespace halcyon::wave
