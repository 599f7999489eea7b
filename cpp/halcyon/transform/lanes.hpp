#pragma once

#include "halcyon/base/lanes.hpp"
#include "halcyon/transform/stripes.hpp"

/// The latitudes of a stripe in one register.
namespace halcyon::transform {

using Lanes = halcyon::Lanes<double>;
using halcyon::load, halcyon::store, halcyon::multiply_add;  // which are of a pair of rows, too

/// Rows become columns.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const Lanes cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
  b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
  c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
  d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

/// The sums of the lanes of a, b, c and d, each (0 + 1) + (2 + 3).
inline Lanes sums_of_lanes(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}

}  // namespace halcyon::transform
