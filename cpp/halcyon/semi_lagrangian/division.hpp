#pragma once

#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::semi_lagrangian {

/// From `begin` up to `end`.
struct Range {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  bool holds(int i) const { return begin <= i && i < end; }
};

/// A column of a grid.
struct Place {
  int row = 0, column = 0;
};

/// A Gaussian grid on px x py ranks: py bands of whole rows with about as many points each, and px parts of
/// each of their rows. Rank x + px y has part x of band y.
class Division {
 public:
  /// Keeps the row lengths alone.
  /// @throws ConfigError where there are more bands than rows, or more parts than values in a row
  Division(const transform::Grid& grid, Rank px, Rank py);

  Rank n_ranks() const { return px_ * static_cast<Rank>(bands_.size()); }
  Range rows(Rank rank) const { return bands_[rank / px_]; }
  /// Those of a row of its band that a rank owns.
  Range columns(Rank rank, int row) const { return {begin(row, rank % px_), begin(row, rank % px_ + 1)}; }
  Rank owner(Place place) const;
  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  int row_length(int row) const { return row_lengths_[row]; }
  GlobalIndex id(Place place) const { return row_starts_[place.row] + place.column; }
  Place place(GlobalIndex id) const;
  /// (point) What a rank owns, row after row.
  std::vector<Place> owned(Rank rank) const;

 private:
  int begin(int row, Rank part) const {
    return static_cast<int>(std::int64_t{row_lengths_[row]} * part / px_);
  }

  Rank px_;
  std::vector<int> row_lengths_;
  std::vector<GlobalIndex> row_starts_;
  std::vector<Range> bands_;
  std::vector<Rank> band_of_row_;
};

}  // namespace halcyon::semi_lagrangian
