#include "halcyon/wave/transport.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/wave/dispersion.hpp"
#include "halcyon/wave/kernels/lanes.hpp"

namespace halcyon::wave {

namespace {

/// Outward normal of an edge of a cell times length over area, to the east and to the north [m-1].
struct EdgeVector {
  double east, north;
};

EdgeVector edge_vector(const mesh::Mesh& mesh, GlobalIndex cell, LocalIndex edge) {
  const double outward = mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
  const double size = outward * mesh.dv_edge[edge] / (mesh.area_cell[cell] * kEarthRadius);
  return {size * std::cos(mesh.angle_edge[edge]), size * std::sin(mesh.angle_edge[edge])};
}

std::span<const LocalIndex> edges_of(const mesh::Mesh& mesh, GlobalIndex cell) {
  const auto first = mesh.cell_offsets[cell];
  return std::span(mesh.edges_on_cell).subspan(first, mesh.cell_offsets[cell + 1] - first);
}

/// The largest sum of outward projections over the bins' directions [m-1].
double largest_outflow(const SpectralGrid& grid, std::span<const EdgeVector> edges) {
  double largest = 0;
  for (const double theta : grid.direction) {
    double outflow = 0;
    for (const auto& e : edges)
      outflow += std::max(0.0, e.east * std::sin(theta) + e.north * std::cos(theta));
    largest = std::max(largest, outflow);
  }
  return largest;
}

std::vector<EdgeVector> edge_vectors(const mesh::Mesh& mesh, GlobalIndex cell) {
  std::vector<EdgeVector> vectors;
  for (const auto edge : edges_of(mesh, cell)) vectors.push_back(edge_vector(mesh, cell, edge));
  return vectors;
}

}  // namespace

Transport::Transport(const mesh::Mesh& mesh, const decomposition::Decomposition& decomposition,
                     const SpectralGrid& grid, const DispersionTables& tables, Turning turning)
    : shape_{grid.n_frequencies, grid.n_directions}, tables_(tables) {
  for (const double theta : grid.direction) {
    sine_.push_back(static_cast<float>(std::sin(theta)));
    cosine_.push_back(static_cast<float>(std::cos(theta)));
    face_sine_.push_back(static_cast<float>(std::sin(theta + grid.direction_width / 2)));
    face_cosine_.push_back(static_cast<float>(std::cos(theta + grid.direction_width / 2)));
  }
  const auto& cells = decomposition.cells();
  std::unordered_map<GlobalIndex, LocalIndex> local;
  for (LocalIndex i = 0; i < cells.size(); ++i) local.emplace(cells.to_global[i], i);
  std::size_t most_edges = 0;
  for (LocalIndex cell = 0; cell < cells.n_owned; ++cell) {
    const auto global = cells.to_global[cell];
    std::vector<LocalIndex> neighbours;
    for (auto i = mesh.cell_offsets[global]; i < mesh.cell_offsets[global + 1]; ++i) {
      const auto other = mesh.cells_on_cell[i];
      neighbours.push_back(other == kNone ? kNone : local.at(other));
    }
    add_cell(mesh, grid, tables, turning, cell, global, neighbours);
    most_edges = std::max(most_edges, neighbours.size());
  }
  outflow_.resize(shape_.n_directions);
  inflow_.resize(most_edges * shape_.n_directions);
  inflows_.reserve(most_edges);
  rate_.resize(grid.n_bins());
  turning_.resize(grid.n_bins());
  scratch_.resize(turn_scratch_size(shape_));
}

void Transport::add_cell(const mesh::Mesh& mesh, const SpectralGrid& grid, const DispersionTables& tables,
                         Turning turning, LocalIndex local, GlobalIndex global,
                         std::span<const LocalIndex> neighbours) {
  const auto edges = edge_vectors(mesh, global);
  double divergence_of_east = 0, divergence_of_north = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    neighbours_.push_back(neighbours[e]);
    east_.push_back(static_cast<float>(edges[e].east));
    north_.push_back(static_cast<float>(edges[e].north));
    divergence_of_east += edges[e].east;
    divergence_of_north += edges[e].north;
  }
  offsets_.push_back(static_cast<LocalIndex>(neighbours_.size()));
  largest_outflow_.push_back(static_cast<float>(largest_outflow(grid, edges)));

  // Great circles: thetadot / cg = (tan(lat)/R) sin(theta), written so that its discrete divergence in
  // direction cancels the discrete divergence of the directions in space.
  const double closure = turning.great_circle ? 0.5 / std::sin(grid.direction_width / 2) : 0;
  for (int f = 0; f < grid.n_frequencies; ++f) {
    const double cg = tables.group_speed()(local, f), c = tables.phase_speed()(local, f);
    double sine = -closure * cg * divergence_of_north;
    double cosine = closure * cg * divergence_of_east;
    if (turning.refraction) {
      // Snell's law: thetadot = (cg/c) (dc/dy sin(theta) - dc/dx cos(theta)), the gradient by Gauss' theorem.
      const double scale = cg / c / grid.direction_width;
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if (neighbours[e] == kNone) continue;
        const double half_step = (tables.phase_speed()(neighbours[e], f) - c) / 2;
        sine += scale * edges[e].north * half_step;
        cosine -= scale * edges[e].east * half_step;
      }
    }
    turn_sine_.push_back(static_cast<float>(sine));
    turn_cosine_.push_back(static_cast<float>(cosine));
  }
}

/// Writes the cell's outflow and inflow weights by direction.
void Transport::prepare(LocalIndex cell) {
  const int n = shape_.n_directions;
  std::ranges::fill(outflow_, 0.f);
  inflows_.clear();
  float* inflow = inflow_.data();
  for (auto i = offsets_[cell]; i < offsets_[cell + 1]; ++i, inflow += n) {
    for (int m = 0; m < n; ++m) {
      const float across = east_[i] * sine_[m] + north_[i] * cosine_[m];
      outflow_[m] += std::max(across, 0.f);
      inflow[m] = std::max(-across, 0.f);
    }
    if (neighbours_[i] == kNone) continue;
    inflows_.push_back({.group_speed = tables_.group_speed().row(neighbours_[i]).data(), .weight = inflow});
  }
}

/// Says for each owned cell and frequency whether its turning is slow enough for an explicit step.
void Transport::choose_turning(double dt) {
  if (dt == chosen_for_) return;
  chosen_for_ = dt;
  is_explicit_.resize(turn_sine_.size());
  for (LocalIndex cell = 0; cell < std::ssize(largest_outflow_); ++cell) {
    for (int f = 0; f < shape_.n_frequencies; ++f) {
      is_explicit_[cell * shape_.n_frequencies + f] = explicit_turning(cell, f, dt);
    }
  }
}

bool Transport::explicit_turning(LocalIndex cell, int frequency, double dt) const {
  const auto at = cell * shape_.n_frequencies + frequency;
  const float fastest = std::hypot(turn_sine_[at], turn_cosine_[at]);
  const float outflow = largest_outflow_[cell] * tables_.group_speed()(cell, frequency);
  return static_cast<float>(dt) * (outflow + 2 * fastest) <= 1;
}

void Transport::step(View<const float, 3> old_action, View<float, 3> new_action, CellRange cells, double dt) {
  const FlushDenormals guard;
  choose_turning(dt);
  const int n = shape_.n_directions;
  const auto step = static_cast<float>(dt);
  for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
    prepare(cell);
    auto inflow = inflows_.begin();
    for (auto i = offsets_[cell]; i < offsets_[cell + 1]; ++i) {
      if (neighbours_[i] != kNone) (inflow++)->action = &old_action(neighbours_[i], 0, 0);
    }
    spatial_rate(shape_, &old_action(cell, 0, 0), tables_.group_speed().row(cell).data(), outflow_.data(),
                 inflows_, rate_.data());
    set_turning(cell);
    turn_explicit(shape_, &old_action(cell, 0, 0), rate_.data(), turning_.data(), step, scratch_,
                  &new_action(cell, 0, 0));
    for (int f = 0; f < shape_.n_frequencies; ++f) {
      if (is_explicit_[cell * shape_.n_frequencies + f]) continue;
      turn_implicit(n, &old_action(cell, f, 0), &rate_[f * n], &turning_[f * n], step,
                    &new_action(cell, f, 0));
    }
  }
}

/// Writes the cell's turning rates [bins s-1] (frequency, face above the direction).
void Transport::set_turning(LocalIndex cell) {
  const int n = shape_.n_directions;
  for (int f = 0; f < shape_.n_frequencies; ++f) {
    const Lanes sine = Lanes{} + turn_sine_[cell * shape_.n_frequencies + f];
    const Lanes cosine = Lanes{} + turn_cosine_[cell * shape_.n_frequencies + f];
    for_blocks(n, [&](int m) {
      store(&turning_[f * n + m], sine * load(&face_sine_[m]) + cosine * load(&face_cosine_[m]));
    });
  }
}

double Transport::implicit_share(double dt) const {
  std::int64_t n_implicit = 0;
  for (LocalIndex cell = 0; cell < std::ssize(largest_outflow_); ++cell) {
    for (int f = 0; f < shape_.n_frequencies; ++f) n_implicit += !explicit_turning(cell, f, dt);
  }
  const auto n = static_cast<double>(turn_sine_.size());
  return n > 0 ? static_cast<double>(n_implicit) / n : 0;
}

double cfl_limit(const mesh::Mesh& mesh, const SpectralGrid& grid) {
  require<InputError>(std::ssize(mesh.bottom_depth) == mesh.n_cells(),
                      "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                      mesh.n_cells());
  double limit = std::numeric_limits<double>::infinity();
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    double fastest = 0;
    for (const double sigma : grid.sigma) {
      const double depth = mesh.bottom_depth[cell];
      fastest = std::max(fastest, group_speed(wavenumber(sigma, depth), sigma, depth));
    }
    limit = std::min(limit, 1 / (fastest * largest_outflow(grid, edge_vectors(mesh, cell))));
  }
  return limit;
}

}  // namespace halcyon::wave
