#include "halcyon/wave/transport/edge_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/wave/medium.hpp"

namespace halcyon::wave {

namespace {

Displacement displacement(Vector3 from, Vector3 to) {
  const double length = mesh::arc_length(from, to) * kEarthRadius,
               angle = mesh::angle_from_east(from, to - from);
  return {.east = length * std::cos(angle), .north = length * std::sin(angle)};
}

constexpr double kMaxKappa = 0.15;  // bound of kappa; shortens the stable transport step by at most a quarter

/// Sums over a cell's edges of the outflow weights [m-1] (direction): of advection, and of swell diffusion at
/// the first frequency.
struct OutflowWeights {
  std::vector<double> advective, diffusive;
  OutflowWeights(const SpectralGrid& grid, const SwellDiffusion& swell_diffusion,
                 const std::vector<CellEdge>& edges)
      : advective(grid.n_directions), diffusive(grid.n_directions) {
    for (const auto& edge : edges) {
      const EdgeFlow flow(grid, edge);
      const double kappa = edge.has_neighbour() ? swell_diffusion.kappa(edge) : 0;
      for (int m = 0; m < grid.n_directions; ++m) {
        advective[m] += flow.outflow(m);
        diffusive[m] += swell_diffusion.weight(flow, kappa, m);
      }
    }
  }
  /// Returns the largest sum of both weights over all directions. @param diffusion_factor rho of a frequency
  double largest(double diffusion_factor) const {
    double largest = 0;
    for (std::size_t m = 0; m < advective.size(); ++m)
      largest = std::max(largest, advective[m] + diffusion_factor * diffusive[m]);
    return largest;
  }
};

}  // namespace

std::vector<CellEdge> cell_edges(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle) {
  std::vector<CellEdge> edges;
  const auto compass_turn = [&](Vector3 from, Vector3 to) {
    return great_circle ? mesh::compass_turn(from, to) : 0;
  };
  const Vector3 centre = mesh.cell_points[cell];
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto edge = mesh.edges_on_cell[i], neighbour = mesh.cells_on_cell[i];
    const auto [begin, end] = mesh.vertices_on_edge[edge];
    const Vector3 middle = normalized(mesh.vertex_points[begin] + mesh.vertex_points[end]);
    const bool is_first_cell = mesh.cells_on_edge[edge][0] == cell;
    const Vector3 edge_point = mesh.edge_points[edge];
    const double outward_at_edge = kPi / 2 - mesh.angle_edge[edge] + (is_first_cell ? 0 : kPi);
    CellEdge cell_edge{.outward_direction = outward_at_edge + compass_turn(edge_point, centre),
                       .length_over_area = mesh.dv_edge[edge] / (mesh.area_cell[cell] * kEarthRadius),
                       .to_edge = displacement(centre, middle)};
    if (neighbour != kNone) {
      const Vector3 neighbour_centre = mesh.cell_points[neighbour];
      cell_edge.compass_turn = compass_turn(neighbour_centre, edge_point) + compass_turn(edge_point, centre);
      cell_edge.neighbour_distance = mesh.dc_edge[edge] * kEarthRadius;
      cell_edge.to_neighbour = displacement(centre, neighbour_centre);
      cell_edge.neighbour_to_edge = displacement(neighbour_centre, middle);
    }
    edges.push_back(cell_edge);
  }
  return edges;
}

EdgeFlow::EdgeFlow(const SpectralGrid& grid, const CellEdge& edge)
    : grid_(grid), inward_(edge.outward_direction + kPi), length_over_area_(edge.length_over_area) {
  turn_bins_ = static_cast<int>(std::lround(edge.compass_turn / grid.direction_width));
  residual_turn_ = edge.compass_turn - turn_bins_ * grid.direction_width;
}

/// Returns the weight [m-1] of the directions theta from `from` to `to` [rad], at most a bin apart:
/// l / A times the integral of max(cos(theta - normal), 0) over theta, divided by 2 sin(half a bin).
double EdgeFlow::weight_between(double from, double to, double normal) const {
  const auto integral = [&](double theta) {
    const double angle = std::remainder(theta - normal, kTwoPi);
    return std::abs(angle) < kPi / 2 ? 1 + std::sin(angle) : (angle > 0 ? 2. : 0.);
  };
  return length_over_area_ * std::max(integral(to) - integral(from), 0.) /
         (2 * std::sin(grid_.direction_width / 2));
}

double EdgeFlow::outflow(int m) const {
  const double theta = grid_.direction[m], half_bin = grid_.direction_width / 2;
  return weight_between(theta - half_bin, theta + half_bin, inward_ + kPi);
}

double EdgeFlow::inflow(int m) const {
  const double theta = grid_.direction[m], half_bin = grid_.direction_width / 2;
  return weight_between(theta - half_bin, theta + half_bin, inward_ - residual_turn_);
}

double EdgeFlow::transverse(int m) const {
  const double sine = std::sin(grid_.direction[m] - inward_ + residual_turn_ / 2);
  return length_over_area_ * sine * sine;
}

double EdgeFlow::turned_inflow(int m) const {
  const double theta = grid_.direction[m], half_bin = grid_.direction_width / 2;
  return turns_clockwise()
             ? weight_between(theta + half_bin - residual_turn_, theta + half_bin, inward_ - residual_turn_)
             : weight_between(theta - half_bin, theta - half_bin - residual_turn_, inward_ - residual_turn_);
}

SwellDiffusion::SwellDiffusion(const SpectralGrid& grid, const TransportOptions& options) {
  for (const double sigma : grid.sigma) factor_.push_back(static_cast<float>(grid.sigma[0] / sigma));
  if (options.scheme == Scheme::upwind) return;
  const double width = grid.direction_width, first_group_speed = kGravity / (2 * grid.sigma[0]);
  length_ = first_group_speed * width * width * options.swell_age / 12;
  const double relative_spread = (grid.ratio - 1 / grid.ratio) / 2;  // dcg / cg in deep water
  const double q = std::min(relative_spread * relative_spread / (width * width), 1.);
  transverse_ = 2 * (1 - q);
  isotropic_ = (3 * q - 1) / 2;
}

double SwellDiffusion::kappa(const CellEdge& edge) const {
  return is_on() ? std::min(length_ / edge.neighbour_distance, kMaxKappa) : 0;
}
double SwellDiffusion::weight(const EdgeFlow& flow, double kappa, int m) const {
  return kappa * std::max(transverse_ * flow.transverse(m) + isotropic_ * flow.length_over_area(), 0.);
}

std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current) {
  require<InputError>(std::ssize(mesh.bottom_depth) == mesh.n_cells(),
                      "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                      mesh.n_cells());
  const SwellDiffusion diffusion(grid, options);
  std::vector<double> limits(grid.n_frequencies, std::numeric_limits<double>::infinity());
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    const double depth = mesh.bottom_depth[cell];
    const OutflowWeights outflow(grid, diffusion, cell_edges(mesh, cell, options.great_circle));
    const double current_rate = strongest_current * outflow.largest(0);  // [s-1], without diffusion
    for (int f = 0; f < grid.n_frequencies; ++f) {
      const double sigma = grid.sigma[f];
      const double speed = group_speed(wavenumber(sigma, depth), sigma, depth);
      limits[f] = std::min(limits[f], 1 / (speed * outflow.largest(diffusion.factor()[f]) + current_rate));
    }
  }
  return limits;
}

}  // namespace halcyon::wave
