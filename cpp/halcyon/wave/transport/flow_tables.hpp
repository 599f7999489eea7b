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

/// Transport coefficients that depend only on the mesh and the spectral grid. Slopes of the spectrum are
/// computed in the "slope cells": the owned cells, then, for the second-order scheme, the cells of the first
/// halo layer. Tables are stored by cell, then direction.
///
/// The compass direction of an inflow turns on the way from the neighbour's centre to the cell's centre, by
/// CellEdge::compass_turn: `turn_bins` whole direction bins and a residual turn of at most half a bin.
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
      edge_offsets_.push_back(edges_.size());
      if (cell < n_owned) add_inflows(grid, neighbours, edges);
      add_outflow(grid, neighbours, edges);
      add_gradient_neighbours(grid, neighbours, edges);
    }
  }
  LocalIndex n_slope_cells() const { return static_cast<LocalIndex>(neighbour_offsets_.size()) - 1; }
  int n_blocks() const { return n_blocks_; }  ///< blocks of kLanes directions that cover all directions
  std::span<const CellEdge> edges(LocalIndex cell) const {
    return std::span(edges_).subspan(edge_offsets_[cell], edge_offsets_[cell + 1] - edge_offsets_[cell]);
  }
  /// Inflow of an owned cell through one edge; inflows with a clockwise residual turn come first.
  struct Inflow {
    LocalIndex neighbour;
    int turn_bins;
    float turned_fraction;        ///< |residual turn| [bins]: the part that enters the next bin
    float edge_east, edge_north;  ///< from the neighbour's centre to the middle of the edge [m]
    int edge;                     ///< index among the cell's edges
  };
  std::span<const Inflow> inflows(LocalIndex owned) const {
    return std::span(inflows_).subspan(inflow_offsets_[owned],
                                       inflow_offsets_[owned + 1] - inflow_offsets_[owned]);
  }
  /// Returns a cell and the neighbours from which it has inflows.
  std::vector<LocalIndex> stencil(LocalIndex owned) const {
    std::vector<LocalIndex> cells{owned};
    for (const auto& inflow : inflows(owned)) cells.push_back(inflow.neighbour);
    return cells;
  }
  /// Returns the index of a cell's first inflow among all inflows of the rank.
  std::size_t inflow_offset(LocalIndex owned) const { return inflow_offsets_[owned]; }
  /// Returns the number of a cell's inflows with a clockwise residual turn.
  int n_clockwise(LocalIndex owned) const { return n_clockwise_[owned]; }
  int max_inflows() const { return max_inflows_; }
  /// Returns the inflow weights of a cell in a block of kLanes directions.
  BlockEntries block_entries(LocalIndex owned, int block) const {
    const auto i = static_cast<std::size_t>(owned) * n_blocks_ + block;
    const auto begin = entry_offsets_[2 * i], middle = entry_offsets_[2 * i + 1],
               end = entry_offsets_[2 * i + 2];
    const std::span entries(entries_);
    BlockEntries block_entries{.clockwise = entries.subspan(begin, middle - begin),
                               .anticlockwise = entries.subspan(middle, end - middle),
                               .diffusion = {}};
    if (swell_diffusion_.is_on()) {
      block_entries.diffusion =
          std::span(diffusion_entries_)
              .subspan(diffusion_offsets_[i], diffusion_offsets_[i + 1] - diffusion_offsets_[i]);
    }
    return block_entries;
  }
  /// Neighbour of a slope cell, with its weights in the least-squares gradient: the gradient of a field is
  /// the sum over the neighbours of weight times (neighbour's value - cell's value).
  struct Neighbour {
    LocalIndex cell;
    int turn_bins;
    float gradient_weight_east, gradient_weight_north;  ///< [m-1]
    double compass_turn;                                ///< as in CellEdge [rad]
  };
  std::span<const Neighbour> gradient_neighbours(LocalIndex cell) const {
    return std::span(gradient_neighbours_)
        .subspan(neighbour_offsets_[cell], neighbour_offsets_[cell + 1] - neighbour_offsets_[cell]);
  }
  // Coefficients of a cell (direction). The symbols are those of kernels/inflow.hpp and kernels/schemes.hpp.

  /// Returns 2 / sum of the inflow weights w over the edges [m], 0 where the sum is 0.
  const float* two_over_weight_sum(LocalIndex owned) const { return row(two_over_weight_sum_, owned); }
  /// Return sums of s (w - s) / (2 w) [m-1] over the inflows that turn clockwise (up) or anticlockwise
  /// (down).
  const float* correction_up(LocalIndex owned) const { return row(correction_up_, owned); }
  const float* correction_down(LocalIndex owned) const { return row(correction_down_, owned); }
  /// Return sums over the edges of the outflow weight (called O) and of the diffusion weight d [m-1].
  const float* advective_outflow(LocalIndex cell) const { return row(advective_outflow_, cell); }
  const float* diffusive_outflow(LocalIndex cell) const { return row(diffusive_outflow_, cell); }
  /// Return the components of X [1], the sum over the edges of outflow weight times position of the edge.
  const float* outflow_moment_east(LocalIndex cell) const { return row(outflow_moment_east_, cell); }
  const float* outflow_moment_north(LocalIndex cell) const { return row(outflow_moment_north_, cell); }
  /// Return the largest distance [m] of an edge from the centre along or across the wave direction, and of an
  /// edge with outflow behind the centre.
  const float* extent_along(LocalIndex cell) const { return row(extent_along_, cell); }
  const float* extent_across(LocalIndex cell) const { return row(extent_across_, cell); }
  const float* extent_behind(LocalIndex cell) const { return row(extent_behind_, cell); }
  /// Return minus the sum over the neighbours of gradient weight times residual turn [bins m-1].
  float turn_gradient_east(LocalIndex cell) const { return turn_gradient_east_[cell]; }
  float turn_gradient_north(LocalIndex cell) const { return turn_gradient_north_[cell]; }
  /// Returns the largest outflow weight over all directions, O + rho d [m-1].
  float largest_outflow(LocalIndex cell, int frequency) const {
    float largest = 0;
    const float *advective = advective_outflow(cell), *diffusive = diffusive_outflow(cell),
                rho = diffusion_factor_[frequency];
    for (int m = 0; m < n_directions_; ++m) largest = std::max(largest, advective[m] + rho * diffusive[m]);
    return largest;
  }
  /// Returns rho (frequency), the factor of the diffusion weights (see SwellDiffusion).
  const std::vector<float>& diffusion_factor() const { return diffusion_factor_; }
  std::int64_t memory_bytes() const {
    std::size_t bytes = edges_.size() * sizeof(CellEdge) + inflows_.size() * sizeof(Inflow) +
                        entries_.size() * sizeof(FlowEntry) +
                        gradient_neighbours_.size() * sizeof(Neighbour) +
                        diffusion_entries_.size() * sizeof(DiffusionEntry);
    for (const auto* rows :
         {&two_over_weight_sum_, &correction_up_, &correction_down_, &advective_outflow_, &diffusive_outflow_,
          &outflow_moment_east_, &outflow_moment_north_, &extent_along_, &extent_across_, &extent_behind_,
          &turn_gradient_east_, &turn_gradient_north_}) {
      bytes += rows->size() * sizeof(float);
    }
    for (const auto* offsets :
         {&edge_offsets_, &inflow_offsets_, &neighbour_offsets_, &entry_offsets_, &diffusion_offsets_})
      bytes += offsets->size() * sizeof(std::size_t);
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
    std::vector<double> kappas;
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
        kappas.push_back(swell_diffusion_.kappa(edges[e]));
        n_clockwise += clockwise;
      }
    }
    inflow_offsets_.push_back(inflows_.size());
    n_clockwise_.push_back(n_clockwise);
    max_inflows_ = std::max(max_inflows_, static_cast<int>(flows.size()));
    add_entries(flows, n_clockwise);
    add_corrections(flows);
    if (swell_diffusion_.is_on()) add_diffusion(flows, kappas);
  }
  void add_entries(std::span<const EdgeFlow> flows, int n_clockwise) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int i = 0; i < std::ssize(flows); ++i) {
        if (i == n_clockwise) entry_offsets_.push_back(entries_.size());  // end of the clockwise entries
        FlowEntry entry{.weight = {}, .turned = {}, .inflow = i};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] = to_float(flows[i].inflow(block_start(block) + lane));
          entry.turned[lane] = to_float(flows[i].turned_inflow(block_start(block) + lane));
        }
        if (std::ranges::any_of(entry.weight, [](float weight) { return weight > 0; }))
          entries_.push_back(entry);
      }
      if (n_clockwise == std::ssize(flows)) entry_offsets_.push_back(entries_.size());
      entry_offsets_.push_back(entries_.size());
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
    append(two_over_weight_sum_, weights);
    append(correction_up_, up);
    append(correction_down_, down);
  }
  void add_diffusion(std::span<const EdgeFlow> flows, std::span<const double> kappas) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int i = 0; i < std::ssize(flows); ++i) {
        DiffusionEntry entry{.weight = {}, .inflow = i};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] =
              to_float(swell_diffusion_.weight(flows[i], kappas[i], block_start(block) + lane));
        }
        diffusion_entries_.push_back(entry);
      }
      diffusion_offsets_.push_back(diffusion_entries_.size());
    }
  }
  void add_outflow(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const CellEdge> edges) {
    const int n = n_directions_;
    std::vector<double> advective(n), diffusive(n), moment_east(n), moment_north(n), extent_along(n),
        extent_across(n), extent_behind(n);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const EdgeFlow flow(grid, edges[e]);
      const auto& position = edges[e].to_edge;
      const double kappa = neighbours[e] == kNone ? 0 : swell_diffusion_.kappa(edges[e]);
      for (int m = 0; m < n; ++m) {
        const double weight = flow.outflow(m), s = std::sin(grid.direction[m]),
                     c = std::cos(grid.direction[m]);
        advective[m] += weight;
        diffusive[m] += swell_diffusion_.weight(flow, kappa, m);
        moment_east[m] += weight * position.east;
        moment_north[m] += weight * position.north;
        const double along = s * position.east + c * position.north;
        extent_along[m] = std::max(extent_along[m], std::abs(along));
        if (weight > 0) extent_behind[m] = std::max(extent_behind[m], -along);
        extent_across[m] = std::max(extent_across[m], std::abs(c * position.east - s * position.north));
      }
    }
    append(advective_outflow_, advective);
    append(diffusive_outflow_, diffusive);
    append(outflow_moment_east_, moment_east);
    append(outflow_moment_north_, moment_north);
    append(extent_along_, extent_along);
    append(extent_across_, extent_across);
    append(extent_behind_, extent_behind);
  }
  /// Adds the neighbours of a slope cell with their weights in the least-squares gradient, in which a
  /// neighbour counts by 1 / distance^2: exact for linear fields. Where the neighbours are almost collinear,
  /// as along a coast, the gradient across their line is zero.
  void add_gradient_neighbours(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                               std::span<const CellEdge> edges) {
    double ee = 0, en = 0, nn = 0;  // normal matrix of the least squares
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].to_neighbour;
      const double squared_distance = east * east + north * north;
      ee += east * east / squared_distance;
      en += east * north / squared_distance;
      nn += north * north / squared_distance;
    }
    const double trace = ee + nn, determinant = ee * nn - en * en;
    // determinant / trace^2 is 0 for neighbours on one line, and 1/4 for a regular polygon.
    const bool is_collinear = determinant < 0.02 * trace * trace;
    double turn_gradient_east = 0, turn_gradient_north = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].to_neighbour;
      const double squared_distance = east * east + north * north;
      const double weighted_east = is_collinear ? east / trace : (nn * east - en * north) / determinant;
      const double weighted_north = is_collinear ? north / trace : (ee * north - en * east) / determinant;
      const EdgeFlow flow(grid, edges[e]);
      gradient_neighbours_.push_back({.cell = neighbours[e],
                                      .turn_bins = flow.turn_bins(),
                                      .gradient_weight_east = to_float(weighted_east / squared_distance),
                                      .gradient_weight_north = to_float(weighted_north / squared_distance),
                                      .compass_turn = edges[e].compass_turn});
      // A wave of direction theta in the cell has the direction theta - compass_turn in the neighbour.
      turn_gradient_east -= weighted_east / squared_distance * flow.residual_turn() / grid.direction_width;
      turn_gradient_north -= weighted_north / squared_distance * flow.residual_turn() / grid.direction_width;
    }
    neighbour_offsets_.push_back(gradient_neighbours_.size());
    turn_gradient_east_.push_back(to_float(turn_gradient_east));
    turn_gradient_north_.push_back(to_float(turn_gradient_north));
  }
  /// Returns the first direction of a block; the last block may overlap the previous block.
  int block_start(int block) const { return std::min(block * kLanes, n_directions_ - kLanes); }

  int n_directions_, n_blocks_, max_inflows_ = 0;
  SwellDiffusion swell_diffusion_;
  std::vector<float> diffusion_factor_;  ///< rho (frequency)
  std::vector<std::size_t> edge_offsets_{0}, inflow_offsets_{0}, neighbour_offsets_{0};
  std::vector<CellEdge> edges_;  ///< (edge of a slope cell)
  std::vector<Inflow> inflows_;
  std::vector<int> n_clockwise_;
  std::vector<std::size_t> entry_offsets_{0};      ///< (owned cell, block, 0: clockwise, 1: anticlockwise)
  std::vector<std::size_t> diffusion_offsets_{0};  ///< (owned cell, block)
  std::vector<FlowEntry> entries_;
  std::vector<DiffusionEntry> diffusion_entries_;
  std::vector<Neighbour> gradient_neighbours_;
  // Tables (cell, direction); see the accessors.
  std::vector<float> two_over_weight_sum_, correction_up_, correction_down_;
  std::vector<float> advective_outflow_, diffusive_outflow_, outflow_moment_east_, outflow_moment_north_;
  std::vector<float> extent_along_, extent_across_, extent_behind_;
  std::vector<float> turn_gradient_east_, turn_gradient_north_;  ///< (slope cell)
};

/// The order in which the slopes of cells are computed, and the buffer slot that holds a cell's slopes until
/// the last cell that needs them has been advanced. Slots are reused, so that the buffer fits in the cache.
class SlopePlan {
 public:
  /// @param cells owned cells in the order in which they are advanced
  SlopePlan(const FlowTables& flows, std::span<const LocalIndex> cells) {
    std::vector<std::size_t> last_use(flows.n_slope_cells(), 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto cell : flows.stencil(cells[i])) last_use[cell] = i;
    }
    std::vector<LocalIndex> slot_of_cell(flows.n_slope_cells(), kNone), free_slots;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto stencil = flows.stencil(cells[i]);
      for (const auto cell : stencil) {
        if (slot_of_cell[cell] == kNone) {
          if (free_slots.empty()) free_slots.push_back(n_slots_++);
          slot_of_cell[cell] = free_slots.back();
          free_slots.pop_back();
          assignments_.push_back({.cell = cell, .slot = slot_of_cell[cell]});
        }
        slots_.push_back(slot_of_cell[cell]);
      }
      assignment_offsets_.push_back(assignments_.size());
      slot_offsets_.push_back(slots_.size());
      for (const auto cell : stencil) {
        if (last_use[cell] == i) free_slots.push_back(slot_of_cell[cell]);
      }
    }
  }
  /// The slot that holds the slopes of a cell.
  struct Assignment {
    LocalIndex cell, slot;
  };
  /// Returns the slopes that must be computed before the i-th cell is advanced.
  std::span<const Assignment> new_slopes(std::size_t i) const {
    return std::span(assignments_)
        .subspan(assignment_offsets_[i], assignment_offsets_[i + 1] - assignment_offsets_[i]);
  }
  /// Returns the slots of the i-th cell's stencil: of the cell, then of the neighbours of its inflows.
  std::span<const LocalIndex> slots(std::size_t i) const {
    return std::span(slots_).subspan(slot_offsets_[i], slot_offsets_[i + 1] - slot_offsets_[i]);
  }
  LocalIndex n_slots() const { return n_slots_; }

 private:
  std::vector<std::size_t> assignment_offsets_{0}, slot_offsets_{0};
  std::vector<Assignment> assignments_;
  std::vector<LocalIndex> slots_;
  LocalIndex n_slots_ = 0;
};

/// Owned cells in the order in which they are advanced, with their slope plan and prefetch lists.
class CellGroup {
 public:
  CellGroup(const FlowTables& flows, Scheme scheme, std::vector<LocalIndex> cells_in_order)
      : cells(std::move(cells_in_order)),
        plan(flows, scheme == Scheme::upwind ? std::span<const LocalIndex>() : cells) {
    std::vector<bool> was_read;
    const auto mark_read = [&](LocalIndex cell) {
      if (std::ssize(was_read) <= cell) was_read.resize(cell + 1);
      if (!was_read[cell]) read_cells_.push_back(cell);
      was_read[cell] = true;
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (scheme == Scheme::upwind) {
        for (const auto cell : flows.stencil(cells[i])) mark_read(cell);
      } else {
        for (const auto& assignment : plan.new_slopes(i)) {
          for (const auto& neighbour : flows.gradient_neighbours(assignment.cell)) mark_read(neighbour.cell);
        }
      }
      read_offsets_.push_back(read_cells_.size());
    }
  }

  std::vector<LocalIndex> cells;
  SlopePlan plan;  ///< empty for the first-order scheme
  /// Returns the cells whose spectra are read for the first time when the i-th cell is advanced, to be
  /// prefetched.
  std::span<const LocalIndex> first_reads(std::size_t i) const {
    return i + 1 < read_offsets_.size()
               ? std::span(read_cells_).subspan(read_offsets_[i], read_offsets_[i + 1] - read_offsets_[i])
               : std::span<const LocalIndex>();
  }

 private:
  std::vector<std::size_t> read_offsets_{0};  ///< (index in `cells`) into read_cells_
  std::vector<LocalIndex> read_cells_;
};

}  // namespace halcyon::wave
