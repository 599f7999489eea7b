#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/edge_flow.hpp"
#include "halcyon/wave/transport/kernels/inflow.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

/// Transport coefficients that depend on the mesh alone. "Slope cells" are the cells whose slopes are
/// computed: the owned cells, then, at second order, those of the first halo layer. Rows are by direction.
class FlowTables {
 public:
  FlowTables(const mesh::Mesh& mesh, LocalIndex n_owned, LocalIndex n_slope_cells, const SpectralGrid& grid,
             const TransportOptions& options)
      : n_directions_(grid.n_directions),
        n_blocks_((grid.n_directions + kLanes - 1) / kLanes),
        swell_diffusion_(grid, options) {
    diffusion_factor_ = swell_diffusion_.factor();
    for (LocalIndex cell = 0; cell < n_slope_cells; ++cell) {
      const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
      const auto neighbours = std::span(mesh.cells_on_cell).subspan(begin, end - begin);
      const auto edges = cell_edges(mesh, cell, options.great_circle);
      edges_.insert(edges_.end(), edges.begin(), edges.end());
      first_edge_.push_back(edges_.size());
      if (cell < n_owned) add_inflows(grid, neighbours, edges);
      add_outflow(grid, neighbours, edges);
      add_gradient_neighbours(grid, neighbours, edges);
    }
  }

  LocalIndex n_slope_cells() const { return static_cast<LocalIndex>(first_neighbour_.size()) - 1; }
  int n_blocks() const { return n_blocks_; }

  std::span<const CellEdge> edges(LocalIndex cell) const {
    return std::span(edges_).subspan(first_edge_[cell], first_edge_[cell + 1] - first_edge_[cell]);
  }

  /// An inflow of an owned cell. Inflows that turn clockwise come first.
  struct Inflow {
    LocalIndex neighbour;
    int turn_bins;
    float turned_fraction;        ///< |residual turn| [bins]
    float edge_east, edge_north;  ///< from the neighbour's centre to the middle of the edge [m]
    int edge;                     ///< index among the cell's edges
  };
  std::span<const Inflow> inflows(LocalIndex owned) const {
    return std::span(inflows_).subspan(first_inflow_[owned], first_inflow_[owned + 1] - first_inflow_[owned]);
  }
  /// Returns a cell and the neighbours from which it has inflows.
  std::vector<LocalIndex> stencil(LocalIndex owned) const {
    std::vector<LocalIndex> found{owned};
    for (const auto& inflow : inflows(owned)) found.push_back(inflow.neighbour);
    return found;
  }
  std::size_t first_inflow(LocalIndex owned) const { return first_inflow_[owned]; }
  std::size_t n_inflows() const { return inflows_.size(); }
  int n_clockwise(LocalIndex owned) const { return n_clockwise_[owned]; }
  int max_inflows() const { return max_inflows_; }
  BlockEntries block(LocalIndex owned, int block) const {
    const auto at = static_cast<std::size_t>(owned) * n_blocks_ + block;
    const auto begin = first_entry_[2 * at], middle = first_entry_[2 * at + 1],
               end = first_entry_[2 * at + 2];
    const std::span entries(entries_);
    BlockEntries found{entries.subspan(begin, middle - begin), entries.subspan(middle, end - middle), {}};
    if (swell_diffusion_.is_on()) {
      found.diffusion = std::span(diffusion_entries_)
                            .subspan(first_diffusion_[at], first_diffusion_[at + 1] - first_diffusion_[at]);
    }
    return found;
  }

  struct Neighbour {
    LocalIndex cell;
    int turn_bins;
    float east, north;  ///< weights in the least-squares gradient [m-1]
    double turn;        ///< [rad]
  };
  std::span<const Neighbour> gradient_neighbours(LocalIndex cell) const {
    return std::span(gradient_neighbours_)
        .subspan(first_neighbour_[cell], first_neighbour_[cell + 1] - first_neighbour_[cell]);
  }

  const float* two_over_weight(LocalIndex owned) const { return row(two_over_weight_, owned); }
  const float* correction_up(LocalIndex owned) const { return row(correction_up_, owned); }
  const float* correction_down(LocalIndex owned) const { return row(correction_down_, owned); }
  const float* advective(LocalIndex cell) const { return row(advective_, cell); }
  const float* diffusive(LocalIndex cell) const { return row(diffusive_, cell); }
  const float* out_east(LocalIndex cell) const { return row(out_east_, cell); }
  const float* out_north(LocalIndex cell) const { return row(out_north_, cell); }
  const float* reach_along(LocalIndex cell) const { return row(reach_along_, cell); }
  const float* reach_across(LocalIndex cell) const { return row(reach_across_, cell); }
  float turn_east(LocalIndex cell) const { return turn_east_[cell]; }
  float turn_north(LocalIndex cell) const { return turn_north_[cell]; }

  /// Returns the largest outflow over all directions, O + rho d [m-1].
  float largest_outflow(LocalIndex cell, int frequency) const {
    float largest = 0;
    const float *out = advective(cell), *diffused = diffusive(cell), rho = diffusion_factor_[frequency];
    for (int m = 0; m < n_directions_; ++m) largest = std::max(largest, out[m] + rho * diffused[m]);
    return largest;
  }
  /// Returns rho of SwellDiffusion (frequency).
  const std::vector<float>& diffusion_factor() const { return diffusion_factor_; }

  std::int64_t memory_bytes() const {
    std::size_t bytes = edges_.size() * sizeof(CellEdge) + inflows_.size() * sizeof(Inflow) +
                        entries_.size() * sizeof(FlowEntry) +
                        gradient_neighbours_.size() * sizeof(Neighbour) +
                        diffusion_entries_.size() * sizeof(DiffusionEntry);
    for (const auto* rows :
         {&two_over_weight_, &correction_up_, &correction_down_, &advective_, &diffusive_, &out_east_,
          &out_north_, &reach_along_, &reach_across_, &turn_east_, &turn_north_}) {
      bytes += rows->size() * sizeof(float);
    }
    for (const auto* firsts :
         {&first_edge_, &first_inflow_, &first_neighbour_, &first_entry_, &first_diffusion_})
      bytes += firsts->size() * sizeof(std::size_t);
    return static_cast<std::int64_t>(bytes + n_clockwise_.size() * sizeof(int));
  }

 private:
  static float to_float(double value) { return static_cast<float>(value); }
  static void append(std::vector<float>& rows, const std::vector<double>& row) {
    std::ranges::transform(row, std::back_inserter(rows), to_float);
  }
  const float* row(const std::vector<float>& rows, LocalIndex cell) const {
    return rows.data() + static_cast<std::size_t>(cell) * n_directions_;
  }
  void add_inflows(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const CellEdge> edges) {
    std::vector<EdgeFlow> flows;
    std::vector<double> strengths;
    int n_clockwise = 0;
    for (const bool clockwise : {true, false}) {
      for (std::size_t e = 0; e < edges.size(); ++e) {
        const EdgeFlow flow(grid, edges[e]);
        if (neighbours[e] == kNone || flow.turns_clockwise() != clockwise) continue;
        inflows_.push_back(
            {.neighbour = neighbours[e],
             .turn_bins = flow.turn_bins(),
             .turned_fraction = to_float(std::abs(flow.residual_turn()) / grid.direction_width),
             .edge_east = to_float(edges[e].neighbour_to_edge.east),
             .edge_north = to_float(edges[e].neighbour_to_edge.north),
             .edge = static_cast<int>(e)});
        flows.push_back(flow);
        strengths.push_back(swell_diffusion_.strength(edges[e]));
        n_clockwise += clockwise;
      }
    }
    first_inflow_.push_back(inflows_.size());
    n_clockwise_.push_back(n_clockwise);
    max_inflows_ = std::max(max_inflows_, static_cast<int>(flows.size()));
    add_entries(flows, n_clockwise);
    add_corrections(flows);
    if (swell_diffusion_.is_on()) add_diffusion(flows, strengths);
  }
  void add_entries(std::span<const EdgeFlow> flows, int n_clockwise) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int e = 0; e < std::ssize(flows); ++e) {
        if (e == n_clockwise) first_entry_.push_back(entries_.size());
        FlowEntry entry{{}, {}, e};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] = to_float(flows[e].inflow(block_start(block) + lane));
          entry.turned[lane] = to_float(flows[e].turned_inflow(block_start(block) + lane));
        }
        if (std::ranges::any_of(entry.weight, [](float w) { return w > 0; })) entries_.push_back(entry);
      }
      if (n_clockwise == std::ssize(flows)) first_entry_.push_back(entries_.size());
      first_entry_.push_back(entries_.size());
    }
  }
  void add_corrections(std::span<const EdgeFlow> flows) {
    std::vector<double> weights(n_directions_), up(n_directions_), down(n_directions_);
    for (const auto& flow : flows) {
      for (int m = 0; m < n_directions_; ++m) {
        const double weight = flow.inflow(m), turned = flow.turned_inflow(m);
        weights[m] += weight;
        if (turned > 0) (flow.turns_clockwise() ? up : down)[m] += turned * (weight - turned) / (2 * weight);
      }
    }
    for (double& weight : weights) weight = weight > 0 ? 2 / weight : 0;
    append(two_over_weight_, weights);
    append(correction_up_, up);
    append(correction_down_, down);
  }
  void add_diffusion(std::span<const EdgeFlow> flows, std::span<const double> strengths) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int e = 0; e < std::ssize(flows); ++e) {
        DiffusionEntry entry{{}, e};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] =
              to_float(swell_diffusion_.weight(flows[e], strengths[e], block_start(block) + lane));
        }
        diffusion_entries_.push_back(entry);
      }
      first_diffusion_.push_back(diffusion_entries_.size());
    }
  }
  void add_outflow(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const CellEdge> edges) {
    const int n = n_directions_;
    std::vector<double> advective(n), diffusive(n), east(n), north(n), reach_along(n), reach_across(n);
    double perimeter = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const EdgeFlow flow(grid, edges[e]);
      const auto& middle = edges[e].to_edge;
      const double strength = neighbours[e] == kNone ? 0 : swell_diffusion_.strength(edges[e]);
      perimeter += edges[e].size;
      for (int m = 0; m < n; ++m) {
        const double out = flow.outflow(m), s = std::sin(grid.direction[m]), c = std::cos(grid.direction[m]);
        advective[m] += out;
        diffusive[m] += swell_diffusion_.weight(flow, strength, m);
        east[m] += out * middle.east;
        north[m] += out * middle.north;
        reach_along[m] = std::max(reach_along[m], std::abs(s * middle.east + c * middle.north));
        reach_across[m] = std::max(reach_across[m], std::abs(c * middle.east - s * middle.north));
      }
    }
    // In a stable step waves travel at most 1 / O, so in half a step at most 0.5 / O.
    for (int m = 0; m < n; ++m) reach_along[m] = std::max(reach_along[m], 0.5 / advective[m]);
    append(advective_, advective);
    append(diffusive_, diffusive);
    append(out_east_, east);
    append(out_north_, north);
    append(reach_along_, reach_along);
    append(reach_across_, reach_across);
  }
  /// Least squares with weights 1 / distance^2: exact for linear fields. Where the neighbours are almost
  /// collinear, along a coast, the gradient across their line is zero.
  void add_gradient_neighbours(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                               std::span<const CellEdge> edges) {
    double ee = 0, en = 0, nn = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].to_neighbour;
      const double square = east * east + north * north;
      ee += east * east / square;
      en += east * north / square;
      nn += north * north / square;
    }
    const double trace = ee + nn, determinant = ee * nn - en * en;
    const bool is_collinear = determinant < 0.02 * trace * trace;
    double turn_east = 0, turn_north = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].to_neighbour;
      const double square = east * east + north * north;
      const double a = is_collinear ? east / trace : (nn * east - en * north) / determinant;
      const double b = is_collinear ? north / trace : (ee * north - en * east) / determinant;
      const EdgeFlow flow(grid, edges[e]);
      gradient_neighbours_.push_back({.cell = neighbours[e],
                                      .turn_bins = flow.turn_bins(),
                                      .east = to_float(a / square),
                                      .north = to_float(b / square),
                                      .turn = edges[e].turn});
      // A wave of direction theta in the cell has the direction theta - turn in the neighbour.
      turn_east -= a / square * flow.residual_turn() / grid.direction_width;
      turn_north -= b / square * flow.residual_turn() / grid.direction_width;
    }
    first_neighbour_.push_back(gradient_neighbours_.size());
    turn_east_.push_back(to_float(turn_east));
    turn_north_.push_back(to_float(turn_north));
  }
  int block_start(int block) const { return std::min(block * kLanes, n_directions_ - kLanes); }

  int n_directions_, n_blocks_, max_inflows_ = 0;
  SwellDiffusion swell_diffusion_;
  std::vector<float> diffusion_factor_;
  std::vector<std::size_t> first_edge_{0}, first_inflow_{0}, first_neighbour_{0};
  std::vector<CellEdge> edges_;  ///< of slope cells
  std::vector<Inflow> inflows_;
  std::vector<int> n_clockwise_;
  std::vector<std::size_t> first_entry_{0}, first_diffusion_{0};  ///< (owned cell, block, clockwise or not)
  std::vector<FlowEntry> entries_;
  std::vector<DiffusionEntry> diffusion_entries_;
  std::vector<Neighbour> gradient_neighbours_;
  std::vector<float> two_over_weight_, correction_up_, correction_down_;
  std::vector<float> advective_, diffusive_, out_east_, out_north_, reach_along_, reach_across_;
  std::vector<float> turn_east_, turn_north_;
};

/// The order in which slopes are computed, and the buffer slot that holds each until the last cell that needs
/// it has been advanced. Slots are reused, so that few suffice and stay in the cache.
class SlopePlan {
 public:
  /// @param cells owned cells in the order in which they are advanced
  SlopePlan(const FlowTables& flows, std::span<const LocalIndex> cells) {
    std::vector<std::size_t> last_use(flows.n_slope_cells(), 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto cell : flows.stencil(cells[i])) last_use[cell] = i;
    }
    std::vector<LocalIndex> slot(flows.n_slope_cells(), kNone), free_slots;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto used = flows.stencil(cells[i]);
      for (const auto cell : used) {
        if (slot[cell] == kNone) {
          if (free_slots.empty()) free_slots.push_back(n_slots_++);
          slot[cell] = free_slots.back();
          free_slots.pop_back();
          assignments_.push_back({cell, slot[cell]});
        }
        slots_.push_back(slot[cell]);
      }
      first_assignment_.push_back(assignments_.size());
      first_slot_.push_back(slots_.size());
      for (const auto cell : used) {
        if (last_use[cell] == i) free_slots.push_back(slot[cell]);
      }
    }
  }

  struct Assignment {
    LocalIndex cell, slot;
  };
  /// Returns the slopes that must be computed before the i-th cell is advanced.
  std::span<const Assignment> new_slopes(std::size_t i) const {
    return std::span(assignments_)
        .subspan(first_assignment_[i], first_assignment_[i + 1] - first_assignment_[i]);
  }
  /// Returns the slot of the slopes of the i-th cell, then the slots of the neighbours of its inflows.
  std::span<const LocalIndex> slots(std::size_t i) const {
    return std::span(slots_).subspan(first_slot_[i], first_slot_[i + 1] - first_slot_[i]);
  }
  LocalIndex n_slots() const { return n_slots_; }

 private:
  std::vector<std::size_t> first_assignment_{0}, first_slot_{0};
  std::vector<Assignment> assignments_;
  std::vector<LocalIndex> slots_;
  LocalIndex n_slots_ = 0;
};

/// Owned cells in the order in which they are advanced.
class CellGroup {
 public:
  CellGroup(const FlowTables& flows, Scheme scheme, std::vector<LocalIndex> cells_in_order)
      : cells(std::move(cells_in_order)),
        plan(flows, scheme == Scheme::upwind ? std::span<const LocalIndex>() : cells) {
    std::vector<bool> was_read;
    const auto read = [&](LocalIndex cell) {
      if (std::ssize(was_read) <= cell) was_read.resize(cell + 1);
      if (!was_read[cell]) read_.push_back(cell);
      was_read[cell] = true;
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (scheme == Scheme::upwind) {
        for (const auto cell : flows.stencil(cells[i])) read(cell);
      } else {
        for (const auto& assignment : plan.new_slopes(i)) {
          for (const auto& each : flows.gradient_neighbours(assignment.cell)) read(each.cell);
        }
      }
      first_read_.push_back(read_.size());
    }
  }

  std::vector<LocalIndex> cells;
  SlopePlan plan;  ///< empty at first order
  /// Returns the cells whose spectra are read for the first time when the i-th cell is advanced, for
  /// prefetching.
  std::span<const LocalIndex> first_reads(std::size_t i) const {
    return i + 1 < first_read_.size()
               ? std::span(read_).subspan(first_read_[i], first_read_[i + 1] - first_read_[i])
               : std::span<const LocalIndex>();
  }

 private:
  std::vector<std::size_t> first_read_{0};
  std::vector<LocalIndex> read_;
};

}  // namespace halcyon::wave
