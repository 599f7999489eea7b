#include "halcyon/remap/patch.hpp"

#include <algorithm>

namespace halcyon::remap {

void Patch::start(const Rows& rows, Place least, Place greatest) {
  rows_ = &rows;
  first_row_ = std::max(0, rows.at(least.height));
  n_rows_ = std::min(rows.at(greatest.height), rows.size() - 1) - first_row_ + 1;
  if (is_empty()) return;
  first_column_ = grid_.column_at(least.longitude);
  const std::int64_t columns = grid_.column_at(greatest.longitude) - first_column_ + 1;
  n_columns_ = static_cast<int>(std::min<std::int64_t>(columns, grid_.n_turn()));
  sums_.assign(static_cast<std::size_t>(n_columns_) * (n_rows_ + 1), Sum{});
}

void Patch::add(const Arc& arc, Place from, Place to, double sign) {
  Place begin = from;
  for (std::int64_t column = grid_.column_at(from.longitude);; ++column) {
    const double edge = grid_.edge(column + 1);
    const bool is_last = edge >= to.longitude;
    const Place end =
        is_last ? to
                : Place{edge, arc.height_at(grid_.cosine(column + 1), grid_.sine(column + 1), begin, to)};
    add_in_column(arc, column, begin, end, sign);
    if (is_last) return;
    begin = end;
  }
}

void Patch::add_in_column(const Arc& arc, std::int64_t column, Place from, Place to, double sign) {
  const int last = rows_->at(to.height), step = to.height < from.height ? -1 : 1;
  int row = rows_->at(from.height);
  for (Place begin = from;; row += step) {
    if (row == last) return add_in_box(column, row, begin, to, sign);
    const int parallel = step > 0 ? row + 1 : row;
    const Place end = arc.crossing(rows_->heights[parallel], rows_->cotangents[parallel], begin, to);
    add_in_box(column, row, begin, end, sign);
    begin = end;
  }
}

void Patch::add_in_box(std::int64_t column, int row, Place from, Place to, double sign) {
  const double width = sign * (to.longitude - from.longitude);
  if (width == 0 || row < first_row_) return;
  const int beside = std::min(row - first_row_, n_rows_);
  const int place = grid_.in_turn(column - first_column_);
  Sum& sum = sums_[static_cast<std::size_t>(place) * (n_rows_ + 1) + beside];
  sum.width += width;
  if (beside < n_rows_) sum.area += sign * area_to_pole(from, to) - width * rows_->heights[row];
}

}  // namespace halcyon::remap
