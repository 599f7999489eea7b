#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/crossing.hpp"
#include "halcyon/wave/transport/kernels/inflow.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

/// What the mesh alone says of transport. `known` cells are those whose slopes are computed: the owned ones,
/// then at second order those of the first halo layer. Rows are by direction.
class FlowTables {
 public:
  FlowTables(const mesh::Mesh& mesh, LocalIndex n_owned, LocalIndex n_known, const SpectralGrid& grid,
             const TransportOptions& options)
      : n_directions_(grid.n_directions),
        n_blocks_((grid.n_directions + kLanes - 1) / kLanes),
        exchange_of_(grid, options) {
    exchange_share_ = exchange_of_.share();
    for (LocalIndex cell = 0; cell < n_known; ++cell) {
      const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
      const auto neighbours = std::span(mesh.cells_on_cell).subspan(begin, end - begin);
      const auto edges = crossings(mesh, cell, options.great_circle);
      edges_.insert(edges_.end(), edges.begin(), edges.end());
      first_edge_.push_back(edges_.size());
      if (cell < n_owned) add_inflows(grid, neighbours, edges);
      add_outflow(grid, neighbours, edges);
      add_beside(grid, neighbours, edges);
    }
  }

  LocalIndex n_known() const { return static_cast<LocalIndex>(first_beside_.size()) - 1; }
  int n_blocks() const { return n_blocks_; }

  std::span<const Crossing> edges(LocalIndex cell) const {
    return std::span(edges_).subspan(first_edge_[cell], first_edge_[cell + 1] - first_edge_[cell]);
  }

  /// The inflows of owned cells, first those whose directions grow on the way.
  struct Inflow {
    LocalIndex neighbour;
    int whole_turn;  ///< [bins]
    float turned;    ///< |the rest of the turn| [bins]
    float beyond_east, beyond_north;
    int edge;  ///< of the cell's edges
  };
  std::span<const Inflow> inflows(LocalIndex owned) const {
    return std::span(inflows_).subspan(first_inflow_[owned], first_inflow_[owned + 1] - first_inflow_[owned]);
  }
  /// A cell and the neighbours of its inflows.
  std::vector<LocalIndex> needed(LocalIndex owned) const {
    std::vector<LocalIndex> found{owned};
    for (const auto& inflow : inflows(owned)) found.push_back(inflow.neighbour);
    return found;
  }
  std::size_t first_inflow(LocalIndex owned) const { return first_inflow_[owned]; }
  std::size_t n_inflows() const { return inflows_.size(); }
  int n_growing(LocalIndex owned) const { return n_growing_[owned]; }
  int most_inflows() const { return most_inflows_; }
  BlockEntries block(LocalIndex owned, int block) const {
    const auto at = static_cast<std::size_t>(owned) * n_blocks_ + block;
    const auto begin = first_entry_[2 * at], middle = first_entry_[2 * at + 1],
               end = first_entry_[2 * at + 2];
    const std::span entries(entries_);
    BlockEntries found{entries.subspan(begin, middle - begin), entries.subspan(middle, end - middle), {}};
    if (exchange_of_.is_on()) {
      found.exchange = std::span(exchange_entries_)
                           .subspan(first_exchange_[at], first_exchange_[at + 1] - first_exchange_[at]);
    }
    return found;
  }

  /// Neighbours of known cells, and their parts in the least-squares gradient [m-1].
  struct Neighbour {
    LocalIndex cell;
    int whole_turn;
    float east, north;
    double turn;  ///< [rad]
  };
  std::span<const Neighbour> beside(LocalIndex known) const {
    return std::span(beside_).subspan(first_beside_[known], first_beside_[known + 1] - first_beside_[known]);
  }

  const float* two_over_weight(LocalIndex owned) const { return row(two_over_weight_, owned); }
  const float* spread_up(LocalIndex owned) const { return row(spread_up_, owned); }
  const float* spread_down(LocalIndex owned) const { return row(spread_down_, owned); }
  const float* direct(LocalIndex known) const { return row(direct_, known); }
  const float* exchange(LocalIndex known) const { return row(exchange_, known); }
  const float* out_east(LocalIndex known) const { return row(out_east_, known); }
  const float* out_north(LocalIndex known) const { return row(out_north_, known); }
  const float* ahead(LocalIndex known) const { return row(ahead_, known); }
  const float* aside(LocalIndex known) const { return row(aside_, known); }
  float turn_east(LocalIndex known) const { return turn_east_[known]; }
  float turn_north(LocalIndex known) const { return turn_north_[known]; }

  /// The largest over directions of what leaves a cell, O + rho d [m-1].
  float largest_outflow(LocalIndex known, int frequency) const {
    float largest = 0;
    const float *out = direct(known), *exchanged = exchange(known), share = exchange_share_[frequency];
    for (int m = 0; m < n_directions_; ++m) largest = std::max(largest, out[m] + share * exchanged[m]);
    return largest;
  }
  /// rho (frequency)
  const std::vector<float>& exchange_share() const { return exchange_share_; }

  std::int64_t memory_bytes() const {
    std::size_t bytes = edges_.size() * sizeof(Crossing) + inflows_.size() * sizeof(Inflow) +
                        entries_.size() * sizeof(FlowEntry) + beside_.size() * sizeof(Neighbour) +
                        exchange_entries_.size() * sizeof(ExchangeEntry);
    for (const auto* rows : {&two_over_weight_, &spread_up_, &spread_down_, &direct_, &exchange_, &out_east_,
                             &out_north_, &ahead_, &aside_, &turn_east_, &turn_north_}) {
      bytes += rows->size() * sizeof(float);
    }
    for (const auto* firsts : {&first_edge_, &first_inflow_, &first_beside_, &first_entry_, &first_exchange_})
      bytes += firsts->size() * sizeof(std::size_t);
    return static_cast<std::int64_t>(bytes + n_growing_.size() * sizeof(int));
  }

 private:
  static float narrow(double value) { return static_cast<float>(value); }
  static void append(std::vector<float>& rows, const std::vector<double>& row) {
    std::ranges::transform(row, std::back_inserter(rows), narrow);
  }
  const float* row(const std::vector<float>& rows, LocalIndex cell) const {
    return rows.data() + static_cast<std::size_t>(cell) * n_directions_;
  }
  void add_inflows(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const Crossing> edges) {
    std::vector<EdgeFlow> flows;
    std::vector<double> strengths;
    int n_growing = 0;
    for (const bool growing : {true, false}) {
      for (std::size_t e = 0; e < edges.size(); ++e) {
        const EdgeFlow flow(grid, edges[e]);
        if (neighbours[e] == kNone || flow.turns_up() != growing) continue;
        inflows_.push_back({.neighbour = neighbours[e],
                            .whole_turn = flow.whole_turn(),
                            .turned = narrow(std::abs(flow.rest()) / grid.direction_width),
                            .beyond_east = narrow(edges[e].beyond.east),
                            .beyond_north = narrow(edges[e].beyond.north),
                            .edge = static_cast<int>(e)});
        flows.push_back(flow);
        strengths.push_back(exchange_of_.strength(edges[e]));
        n_growing += growing;
      }
    }
    first_inflow_.push_back(inflows_.size());
    n_growing_.push_back(n_growing);
    most_inflows_ = std::max(most_inflows_, static_cast<int>(flows.size()));
    add_entries(flows, n_growing);
    add_spread(flows);
    if (exchange_of_.is_on()) add_exchange(flows, strengths);
  }
  void add_entries(std::span<const EdgeFlow> flows, int n_growing) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int e = 0; e < std::ssize(flows); ++e) {
        if (e == n_growing) first_entry_.push_back(entries_.size());
        FlowEntry entry{{}, {}, e};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] = narrow(flows[e].inflow(block_start(block) + lane));
          entry.swept[lane] = narrow(flows[e].swept(block_start(block) + lane));
        }
        if (std::ranges::any_of(entry.weight, [](float w) { return w > 0; })) entries_.push_back(entry);
      }
      if (n_growing == std::ssize(flows)) first_entry_.push_back(entries_.size());
      first_entry_.push_back(entries_.size());
    }
  }
  void add_spread(std::span<const EdgeFlow> flows) {
    std::vector<double> weights(n_directions_), up(n_directions_), down(n_directions_);
    for (const auto& flow : flows) {
      for (int m = 0; m < n_directions_; ++m) {
        const double weight = flow.inflow(m), swept = flow.swept(m);
        weights[m] += weight;
        if (swept > 0) (flow.turns_up() ? up : down)[m] += swept * (weight - swept) / (2 * weight);
      }
    }
    for (double& weight : weights) weight = weight > 0 ? 2 / weight : 0;
    append(two_over_weight_, weights);
    append(spread_up_, up);
    append(spread_down_, down);
  }
  void add_exchange(std::span<const EdgeFlow> flows, std::span<const double> strengths) {
    for (int block = 0; block < n_blocks_; ++block) {
      for (int e = 0; e < std::ssize(flows); ++e) {
        ExchangeEntry entry{{}, e};
        for (int lane = 0; lane < kLanes; ++lane) {
          entry.weight[lane] = narrow(exchange_of_.weight(flows[e], strengths[e], block_start(block) + lane));
        }
        exchange_entries_.push_back(entry);
      }
      first_exchange_.push_back(exchange_entries_.size());
    }
  }
  void add_outflow(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const Crossing> edges) {
    const int n = n_directions_;
    std::vector<double> direct(n), exchange(n), east(n), north(n), ahead(n), aside(n);
    double perimeter = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const EdgeFlow flow(grid, edges[e]);
      const auto& middle = edges[e].middle;
      const double strength = neighbours[e] == kNone ? 0 : exchange_of_.strength(edges[e]);
      perimeter += edges[e].size;
      for (int m = 0; m < n; ++m) {
        const double out = flow.outflow(m), s = std::sin(grid.direction[m]), c = std::cos(grid.direction[m]);
        direct[m] += out;
        exchange[m] += exchange_of_.weight(flow, strength, m);
        east[m] += out * middle.east;
        north[m] += out * middle.north;
        ahead[m] = std::max(ahead[m], std::abs(s * middle.east + c * middle.north));
        aside[m] = std::max(aside[m], std::abs(c * middle.east - s * middle.north));
      }
    }
    // In a step that is stable waves go at most 1 / O, and so half of it in half a step.
    for (int m = 0; m < n; ++m) ahead[m] = std::max(ahead[m], 0.5 / direct[m]);
    append(direct_, direct);
    append(exchange_, exchange);
    append(out_east_, east);
    append(out_north_, north);
    append(ahead_, ahead);
    append(aside_, aside);
  }
  /// Least squares with weights 1 / distance^2: exact for linear fields. Where the neighbours stand almost in
  /// a
  /// line, along a coast, what is across it counts as even.
  void add_beside(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                  std::span<const Crossing> edges) {
    double ee = 0, en = 0, nn = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].neighbour;
      const double square = east * east + north * north;
      ee += east * east / square;
      en += east * north / square;
      nn += north * north / square;
    }
    const double trace = ee + nn, determinant = ee * nn - en * en;
    const bool in_line = determinant < 0.02 * trace * trace;
    double turn_east = 0, turn_north = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (neighbours[e] == kNone) continue;
      const auto [east, north] = edges[e].neighbour;
      const double square = east * east + north * north;
      const double a = in_line ? east / trace : (nn * east - en * north) / determinant;
      const double b = in_line ? north / trace : (ee * north - en * east) / determinant;
      const EdgeFlow flow(grid, edges[e]);
      beside_.push_back({.cell = neighbours[e],
                         .whole_turn = flow.whole_turn(),
                         .east = narrow(a / square),
                         .north = narrow(b / square),
                         .turn = edges[e].turn});
      // A wave of direction m in the cell has m less the turn, the neighbour's bin m so lies behind.
      turn_east -= a / square * flow.rest() / grid.direction_width;
      turn_north -= b / square * flow.rest() / grid.direction_width;
    }
    first_beside_.push_back(beside_.size());
    turn_east_.push_back(narrow(turn_east));
    turn_north_.push_back(narrow(turn_north));
  }
  int block_start(int block) const { return std::min(block * kLanes, n_directions_ - kLanes); }

  int n_directions_, n_blocks_, most_inflows_ = 0;
  Exchange exchange_of_;
  std::vector<float> exchange_share_;
  std::vector<std::size_t> first_edge_{0}, first_inflow_{0}, first_beside_{0};
  std::vector<Crossing> edges_;  ///< of known cells
  std::vector<Inflow> inflows_;
  std::vector<int> n_growing_;
  std::vector<std::size_t> first_entry_{0}, first_exchange_{0};  ///< (owned, block, growing or not)
  std::vector<FlowEntry> entries_;
  std::vector<ExchangeEntry> exchange_entries_;
  std::vector<Neighbour> beside_;
  std::vector<float> two_over_weight_, spread_up_, spread_down_;
  std::vector<float> direct_, exchange_, out_east_, out_north_, ahead_, aside_;
  std::vector<float> turn_east_, turn_north_;
};

/// In which order the slopes of cells are computed, and where they lie until the last cell that needs them
/// has been stepped: few places, so that they stay in the cache.
class SlopePlan {
 public:
  /// @param cells owned cells in the order in which they are stepped
  SlopePlan(const FlowTables& flows, std::span<const LocalIndex> cells) {
    std::vector<std::size_t> last_use(flows.n_known(), 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto cell : flows.needed(cells[i])) last_use[cell] = i;
    }
    std::vector<LocalIndex> place(flows.n_known(), kNone), free;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto now = flows.needed(cells[i]);
      for (const auto cell : now) {
        if (place[cell] == kNone) {
          if (free.empty()) free.push_back(n_places_++);
          place[cell] = free.back();
          free.pop_back();
          made_.push_back({cell, place[cell]});
        }
        places_.push_back(place[cell]);
      }
      first_made_.push_back(made_.size());
      first_place_.push_back(places_.size());
      for (const auto cell : now) {
        if (last_use[cell] == i) free.push_back(place[cell]);
      }
    }
  }

  struct Made {
    LocalIndex cell, place;
  };
  /// What must be computed before the i-th cell is stepped.
  std::span<const Made> made(std::size_t i) const {
    return std::span(made_).subspan(first_made_[i], first_made_[i + 1] - first_made_[i]);
  }
  /// Where the slopes of the i-th cell lie, then those of its inflows' neighbours.
  std::span<const LocalIndex> places(std::size_t i) const {
    return std::span(places_).subspan(first_place_[i], first_place_[i + 1] - first_place_[i]);
  }
  LocalIndex n_places() const { return n_places_; }

 private:
  std::vector<std::size_t> first_made_{0}, first_place_{0};
  std::vector<Made> made_;
  std::vector<LocalIndex> places_;
  LocalIndex n_places_ = 0;
};

/// Owned cells in the order in which they are stepped.
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
        for (const auto cell : flows.needed(cells[i])) read(cell);
      } else {
        for (const auto& made : plan.made(i)) {
          for (const auto& each : flows.beside(made.cell)) read(each.cell);
        }
      }
      first_read_.push_back(read_.size());
    }
  }

  std::vector<LocalIndex> cells;
  SlopePlan plan;  ///< empty at first order
  /// The cells whose spectra are read for the first time by the i-th cell.
  std::span<const LocalIndex> soon(std::size_t i) const {
    return i + 1 < first_read_.size()
               ? std::span(read_).subspan(first_read_[i], first_read_[i + 1] - first_read_[i])
               : std::span<const LocalIndex>();
  }

 private:
  std::vector<std::size_t> first_read_{0};
  std::vector<LocalIndex> read_;
};

}  // namespace halcyon::wave
