#include "halcyon/remap/average.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/parallel.hpp"

namespace halcyon::remap {

void average(const Overlaps& overlaps, std::span<const double> values, std::span<double> means,
             std::span<double> covered, int threads) {
  for_each_index(static_cast<std::int64_t>(means.size()), threads, [&](std::int64_t box) {
    double sum = 0, area = 0, first = NAN;
    for (std::int64_t i = overlaps.offsets[box]; i < overlaps.offsets[box + 1]; ++i) {
      const double value = values[overlaps.faces[i]];
      if (std::isnan(value)) continue;
      if (area == 0) first = value;  // differences from it keep a constant to the bit
      sum += overlaps.areas[i] * (value - first);
      area += overlaps.areas[i];
    }
    means[box] = first + sum / area;
    covered[box] = std::min(1.0, area / overlaps.box_areas[box]);
  });
}

}  // namespace halcyon::remap
