#include "halcyon/transform/sphere/capacity.hpp"

#include <algorithm>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/share/stripes.hpp"

namespace halcyon::transform {
namespace {

/// By the number of rows and the longest one.
int last_at_equator(const Grid& grid) {
  return std::min(grid.n_rows() - 1, Stripes::last_in_row(std::ranges::max(grid.row_lengths())));
}

}  // namespace

bool holds(const Grid& grid, int truncation) {
  if (truncation > last_at_equator(grid)) return false;
  const FirstFunctions first(truncation);
  const auto& latitudes = grid.latitudes();
  for (int j = 0; j < grid.n_rows() / 2; ++j) {
    const int m = Stripes::last_in_row(grid.row_length(j)) + 1;
    if (m > truncation) break;  // nor do longer rows lack any
    const double p = largest(steps(m, truncation), latitudes.sines[j], first.at(m, latitudes.colatitudes[j]));
    if (latitudes.weights[j] * p * p > kMostLost) return false;
  }
  return true;
}

int largest_truncation(const Grid& grid) {
  int held = 0, beyond = last_at_equator(grid) + 1;
  while (beyond - held > 1) {
    const int middle = (held + beyond) / 2;
    (holds(grid, middle) ? held : beyond) = middle;
  }
  return held;
}

}  // namespace halcyon::transform
