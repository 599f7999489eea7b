#include "halcyon/transform/share/stripes.hpp"

#include <algorithm>

namespace halcyon::transform {

Stripes::Stripes(const Grid& grid, int truncation) {
  const int n_pairs = (grid.n_rows() + 1) / 2, n_stripes = (n_pairs + kLanes - 1) / kLanes;
  rows_.assign(n_stripes * kLanes, -1);
  for (int pair = 0; pair < n_pairs; ++pair) rows_[pair] = n_pairs - 1 - pair;
  last_wavenumbers_.resize(n_stripes);
  for (int s = 0; s < n_stripes; ++s) {  // the row nearest to the equator holds most
    const int row = north(s, 0), longest = last_in_row(grid.row_length(row));
    const int matters =
        transform::last_wavenumber(truncation + 1, grid.latitudes().colatitudes[row], kNegligible);
    last_wavenumbers_[s] =
        std::min({truncation, longest, matters, s > 0 ? last_wavenumbers_[s - 1] : truncation});
  }
}

int Stripes::n_with(int m) const {
  return static_cast<int>(std::ranges::count_if(last_wavenumbers_, [m](int last) { return last >= m; }));
}

}  // namespace halcyon::transform
