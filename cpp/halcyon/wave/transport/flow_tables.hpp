#pragma once

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
             const TransportOptions& options);

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
  std::size_t first_inflow(LocalIndex owned) const { return first_inflow_[owned]; }
  std::size_t n_inflows() const { return inflows_.size(); }
  int n_growing(LocalIndex owned) const { return n_growing_[owned]; }
  int most_inflows() const { return most_inflows_; }
  BlockEntries block(LocalIndex owned, int block) const;

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
  float largest_outflow(LocalIndex known, int frequency) const;
  /// rho (frequency)
  const std::vector<float>& exchange_share() const { return exchange_share_; }

  std::int64_t memory_bytes() const;

 private:
  const float* row(const std::vector<float>& rows, LocalIndex cell) const {
    return rows.data() + static_cast<std::size_t>(cell) * n_directions_;
  }
  void add_inflows(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const Crossing> edges);
  void add_entries(std::span<const EdgeFlow> flows, int n_growing);
  void add_spread(std::span<const EdgeFlow> flows);
  void add_exchange(std::span<const EdgeFlow> flows, std::span<const double> strengths);
  void add_outflow(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                   std::span<const Crossing> edges);
  void add_beside(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                  std::span<const Crossing> edges);
  int block_start(int block) const;

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
  SlopePlan(const FlowTables& flows, std::span<const LocalIndex> cells);

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
  CellGroup(const FlowTables& flows, Scheme scheme, std::vector<LocalIndex> cells);

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
