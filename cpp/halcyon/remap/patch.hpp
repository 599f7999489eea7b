#pragma once

#include <cstdint>
#include <vector>

#include "halcyon/remap/arc.hpp"
#include "halcyon/remap/latlon_grid.hpp"

namespace halcyon::remap {

/// The boxes around one face, in which areas below its sides are gathered: of each box the area between its
/// poleward parallel and the side, positive for an eastward one. Around a closed face this adds up to what
/// the face and the box share. Kept from face to face for its memory.
class Patch {
 public:
  explicit Patch(const LatLonGrid& grid) : grid_(grid) {}

  /// Clears it for a face of given extent.
  /// @param longitudes,heights the least and the greatest, heights from the pole of `rows`
  void start(const Rows& rows, Place least, Place greatest);

  /// Whether no row of the grid reaches the face.
  bool is_empty() const { return n_rows_ <= 0; }

  /// Adds the area below an arc that does not turn between its ends.
  void add(const Arc& arc, Place from, Place to, double sign);

  /// Calls body(row as seen from the pole, column, area) for each box, and empties them.
  template <class Body>
  void for_each_box(Body body) const {
    for (int place = 0; place < n_columns_; ++place) {
      const int column = grid_.in_turn(first_column_ + place);
      if (column == grid_.n_columns()) continue;  // the gap
      const Sum* sums = &sums_[place * (n_rows_ + 1)];
      double width = sums[n_rows_].width;
      for (int i = n_rows_ - 1; i >= 0; --i) {
        const int row = first_row_ + i;
        body(row, column, sums[i].area + width * (rows_->heights[row + 1] - rows_->heights[row]));
        width += sums[i].width;
      }
    }
  }

 private:
  /// Of a box: the area below sides within it, and the width of sides in it, below which all poleward boxes
  /// of the column are full.
  struct Sum {
    double area = 0, width = 0;
  };

  void add_in_column(const Arc& arc, std::int64_t column, Place from, Place to, double sign);
  void add_in_box(std::int64_t column, int row, Place from, Place to, double sign);

  const LatLonGrid& grid_;
  const Rows* rows_ = nullptr;
  std::int64_t first_column_ = 0;
  int first_row_ = 0, n_columns_ = 0, n_rows_ = 0;
  std::vector<Sum> sums_;  // (column, row + 1), the last for all beyond
};

}  // namespace halcyon::remap
