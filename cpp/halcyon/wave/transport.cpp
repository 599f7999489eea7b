#include "halcyon/wave/transport.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/wave/dispersion.hpp"

namespace halcyon::wave {

namespace {

/// Turning by so many bins while waves cross a cell: upwind differences then cost a bin after a thousand
/// cells.
constexpr double kNegligible = 1e-3;

/// What leaves a cell in each direction through all its edges [m-1].
std::vector<double> outflows(const SpectralGrid& grid, std::span<const Crossing> edges) {
  std::vector<double> sum(grid.n_directions);
  for (const auto& edge : edges) {
    const EdgeFlow flow(grid, edge);
    for (int m = 0; m < grid.n_directions; ++m) sum[m] += flow.outflow(m);
  }
  return sum;
}

}  // namespace

Transport::Transport(const mesh::Mesh& mesh, LocalIndex n_owned, const SpectralGrid& grid,
                     const DispersionTables& tables, Turning turning)
    : shape_{grid.n_frequencies, grid.n_directions}, tables_(tables) {
  for (const double theta : grid.direction) {
    face_sine_.push_back(static_cast<float>(std::sin(theta + grid.direction_width / 2)));
    face_cosine_.push_back(static_cast<float>(std::cos(theta + grid.direction_width / 2)));
  }
  std::size_t most_edges = 0;
  for (LocalIndex cell = 0; cell < n_owned; ++cell) {
    const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
    const auto neighbours = std::span(mesh.cells_on_cell).subspan(begin, end - begin);
    const auto edges = crossings(mesh, cell, turning.great_circle);
    add_flows(grid, edges, neighbours);
    add_turning(grid, turning, cell, edges, neighbours);
    most_edges = std::max(most_edges, neighbours.size());
  }
  inflows_.resize(most_edges);
  rotated_.resize(most_edges * grid.n_bins());
  for (auto* row : {&rate_, &flux_}) row->resize(grid.n_bins());
  scratch_.resize(transport_scratch_size(shape_));
}

void Transport::add_flows(const SpectralGrid& grid, std::span<const Crossing> edges,
                          std::span<const LocalIndex> neighbours) {
  add_inflows(grid, edges, neighbours, true);
  add_inflows(grid, edges, neighbours, false);
  const auto out = outflows(grid, edges);
  for (const double outflow : out) outflow_.push_back(static_cast<float>(outflow));
  largest_outflow_.push_back(static_cast<float>(std::ranges::max(out)));
}

void Transport::add_inflows(const SpectralGrid& grid, std::span<const Crossing> edges,
                            std::span<const LocalIndex> neighbours, bool growing) {
  const int n = grid.n_directions;
  std::vector<double> all(n), spread(n), narrowest(n, 1);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const EdgeFlow flow(grid, edges[e]);
    if (neighbours[e] == kNone || flow.turns_up() != growing) continue;
    neighbours_.push_back(neighbours[e]);
    whole_turns_.push_back(flow.whole_turn());
    for (int m = 0; m < n; ++m) {
      const double weight = flow.inflow(m), swept = flow.swept(m);
      inflow_weight_.push_back(static_cast<float>(weight));
      inflow_swept_.push_back(static_cast<float>(swept));
      if (swept <= 0) continue;
      all[m] += swept;
      spread[m] += swept * (weight - swept) / (2 * weight);
      narrowest[m] = std::min(narrowest[m], (weight - swept) / swept);
    }
  }
  first_inflow_.push_back(neighbours_.size());
  for (int m = 0; m < n; ++m) {
    two_over_swept_.push_back(all[m] > 0 ? static_cast<float>(2 / all[m]) : 0.f);
    const int giving = growing ? m : (m + 1) % n;
    spread_.push_back(static_cast<float>(std::min(spread[giving], all[giving] / 2 * narrowest[giving])));
  }
}

void Transport::add_turning(const SpectralGrid& grid, Turning turning, LocalIndex cell,
                            std::span<const Crossing> edges, std::span<const LocalIndex> neighbours) {
  std::vector<double> east, north;
  double east_open = 0, north_open = 0;
  for (const auto& edge : edges) {
    east.push_back(edge.size * std::sin(edge.outward));
    north.push_back(edge.size * std::cos(edge.outward));
    east_open += east.back();
    north_open += north.back();
  }
  // What an edge-wise great circle leaves of a uniform spectrum's divergence: the curvature of the cell.
  const double closure = turning.great_circle ? 0.5 / std::sin(grid.direction_width / 2) : 0;
  n_noticeable_.push_back(0);
  for (int f = 0; f < grid.n_frequencies; ++f) {
    const double cg = tables_.group_speed()(cell, f), c = tables_.phase_speed()(cell, f);
    double sine = -closure * cg * north_open;
    double cosine = closure * cg * east_open;
    if (turning.refraction) {
      // Snell's law: thetadot = (cg/c) (dc/dy sin(theta) - dc/dx cos(theta)), the gradient by Gauss' theorem.
      const double scale = cg / c / grid.direction_width;
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if (neighbours[e] == kNone) continue;
        const double half_step = (tables_.phase_speed()(neighbours[e], f) - c) / 2;
        sine += scale * north[e] * half_step;
        cosine -= scale * east[e] * half_step;
      }
    }
    turn_sine_.push_back(static_cast<float>(sine));
    turn_cosine_.push_back(static_cast<float>(cosine));
    if (std::hypot(sine, cosine) > kNegligible * cg * largest_outflow_[cell]) n_noticeable_[cell] = f + 1;
  }
}

/// The spectrum beyond an inflow, turned by whole bins into the cell's compass.
const float* Transport::neighbour_action(std::size_t inflow, View<const float, 3> old_action,
                                         float* rotated) const {
  const float* action = &old_action(neighbours_[inflow], 0, 0);
  const int n = shape_.n_directions, turn = whole_turns_[inflow];
  if (turn == 0) return action;
  const int first = ((turn % n) + n) % n;
  for (int row = 0; row < shape_.n_frequencies * n; row += n) {
    std::rotate_copy(action + row, action + row + (n - first), action + row + n, rotated + row);
  }
  return rotated;
}

/// The inflows of a cell whose directions grow, or shrink.
Inflows Transport::gather(LocalIndex cell, bool growing, View<const float, 3> old_action) {
  const std::size_t n = shape_.n_directions, group = 2 * cell + (growing ? 0 : 1);
  const auto begin = first_inflow_[2 * cell], first = first_inflow_[group], end = first_inflow_[group + 1];
  for (auto i = first; i < end; ++i) {
    inflows_[i - begin] = {
        .action = neighbour_action(i, old_action, &rotated_[(i - begin) * shape_.n_frequencies * n]),
        .group_speed = tables_.group_speed().row(neighbours_[i]).data(),
        .weight = &inflow_weight_[i * n],
        .swept = &inflow_swept_[i * n]};
  }
  return {.edges = std::span<const Inflow>(inflows_).subspan(first - begin, end - first),
          .two_over_swept = &two_over_swept_[group * n],
          .spread = &spread_[group * n]};
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
  const std::size_t n = shape_.n_directions;
  const auto step = static_cast<float>(dt);
  for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
    const auto growing = gather(cell, true, old_action), shrinking = gather(cell, false, old_action);
    const float* action = &old_action(cell, 0, 0);
    spatial_rate(shape_, action, tables_.group_speed().row(cell).data(), &outflow_[cell * n], growing,
                 shrinking, scratch_, rate_.data(), flux_.data());
    const auto turning = [&](int f) {
      const auto at = cell * shape_.n_frequencies + f;
      return TurningRates{&turn_sine_[at], &turn_cosine_[at], face_sine_.data(), face_cosine_.data(),
                          n_noticeable_[cell]};
    };
    turn_explicit(shape_, action, rate_.data(), flux_.data(), turning(0), step, scratch_,
                  &new_action(cell, 0, 0));
    for (int f = 0; f < shape_.n_frequencies; ++f) {
      if (is_explicit_[cell * shape_.n_frequencies + f]) continue;
      const auto row = f * n;
      turn_implicit(shape_.n_directions, action + row, &rate_[row], &flux_[row], turning(f), step,
                    &new_action(cell, f, 0));
    }
  }
}

std::int64_t Transport::memory_bytes() const {
  std::size_t n = 0;
  for (const auto* held :
       {&inflow_weight_, &inflow_swept_, &two_over_swept_, &spread_, &outflow_, &largest_outflow_,
        &turn_sine_, &turn_cosine_, &rotated_, &rate_, &flux_, &scratch_}) {
    n += held->size();
  }
  return static_cast<std::int64_t>(n * sizeof(float) + is_explicit_.size());
}

double Transport::implicit_share(double dt) const {
  std::int64_t n_implicit = 0;
  for (LocalIndex cell = 0; cell < std::ssize(largest_outflow_); ++cell) {
    for (int f = 0; f < shape_.n_frequencies; ++f) n_implicit += !explicit_turning(cell, f, dt);
  }
  const auto n = static_cast<double>(turn_sine_.size());
  return n > 0 ? static_cast<double>(n_implicit) / n : 0;
}

double cfl_limit(const mesh::Mesh& mesh, const SpectralGrid& grid, bool great_circle) {
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
    limit = std::min(limit,
                     1 / (fastest * std::ranges::max(outflows(grid, crossings(mesh, cell, great_circle)))));
  }
  return limit;
}

}  // namespace halcyon::wave
