#include "halcyon/transform/fft/row.hpp"

#include <algorithm>

namespace halcyon::transform {

RowParts::RowParts(const schedule::Division& parts, std::vector<std::size_t> starts)
    : starts_(std::move(starts)) {
  for (int v = 0; v <= parts.parts; ++v) begins_.push_back(static_cast<int>(parts.begin(v)));
}

void RowParts::deal(const double* row, std::span<const Part<double>> parts, int field) const {
  for (int v = 0; v < std::ssize(parts); ++v)
    std::copy(row + begins_[v], row + begins_[v + 1], place(parts, v, field));
}

void RowParts::collect(std::span<const Part<const double>> parts, int field, double* row) const {
  for (int v = 0; v < std::ssize(parts); ++v)
    std::copy_n(place(parts, v, field), begins_[v + 1] - begins_[v], row + begins_[v]);
}

}  // namespace halcyon::transform
