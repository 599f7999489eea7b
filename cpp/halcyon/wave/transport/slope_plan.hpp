#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

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
