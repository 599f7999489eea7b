#include "halcyon/transform/share/extents.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {

Extents::Extents(SetCounts counts, const std::vector<int>& n_coefficients, int block_size)
    : counts_(counts), block_size_(block_size), wavenumbers_(counts.w), n_coefficients_(counts.w) {
  for (int m = 0; m < std::ssize(n_coefficients); ++m) {  // to sets w = 0 .. W - 1, W - 1 .. 0, ..
    const int phase = m % (2 * counts.w), w = phase < counts.w ? phase : 2 * counts.w - 1 - phase;
    wavenumbers_[w].push_back(m);
    n_coefficients_[w] += n_coefficients[m];
  }
}

void require_sets(SetCounts counts) {
  require<ConfigError>(counts.v >= 1 && counts.w >= 1,
                       "{} x {} sets of ranks (V x W) were given. Give 1 or more of each.", counts.v,
                       counts.w);
}

}  // namespace halcyon::transform
