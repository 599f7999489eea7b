#pragma once

#include <cstdint>
#include <vector>

namespace halcyon::remap {

/// Parallels between rows, seen from a pole: `heights` h = 1 - |sin(latitude)| below that pole, ascending and
/// exact beside it, where a difference of sines would lose digits; beyond the equator they go on to 2.
struct Rows {
  std::vector<double> heights;     ///< (row + 1), unit sphere
  std::vector<double> cotangents;  ///< (row + 1), of the angles from the pole

  int size() const { return static_cast<int>(heights.size()) - 1; }

  /// The row that holds a height; -1 nearer to the pole than all, `size()` farther away.
  int at(double height) const;
};

/// Boxes between meridians and parallels. Box (row, column), rows from the south and columns from the west,
/// has the index row * n_columns + column. A grid that leaves out a part of the circle has one more column
/// there, a gap, which belongs to no box.
class LatLonGrid {
 public:
  /// @param longitudes [rad] (column + 1) edges, ascending, the last at most 2 pi behind the first
  /// @param latitudes [rad] (row + 1) edges, ascending, from -pi/2 to pi/2 at most
  /// @throws InputError where they are not so
  LatLonGrid(std::vector<double> longitudes, std::vector<double> latitudes);

  int n_rows() const { return north_.size(); }
  int n_columns() const { return n_columns_; }
  std::int64_t n_boxes() const { return std::int64_t{n_rows()} * n_columns_; }

  /// Columns of a turn, the gap included. Columns are counted on beyond it: k + n_turn() is k, a turn later.
  int n_turn() const { return static_cast<int>(edges_.size()); }

  /// The column that holds a longitude [rad] of any turn.
  std::int64_t column_at(double longitude) const;

  /// The western edge [rad] of a column of any turn, its cosine and its sine.
  double edge(std::int64_t column) const;
  double cosine(std::int64_t column) const { return cosines_[in_turn(column)]; }
  double sine(std::int64_t column) const { return sines_[in_turn(column)]; }

  /// The column's place in its turn; `n_columns()` is the gap.
  int in_turn(std::int64_t column) const;

  const Rows& from_north() const { return north_; }
  const Rows& from_south() const { return south_; }

  /// The areas (box) of the boxes on the unit sphere.
  std::vector<double> areas() const;

 private:
  std::vector<double> edges_, cosines_, sines_;  // (column of a turn)
  std::vector<double> latitudes_;
  double last_;  // eastern edge of the last column that is no gap
  int n_columns_;
  Rows north_, south_;
};

}  // namespace halcyon::remap
