#pragma once

#include <cstddef>

#include "halcyon/base/lanes.hpp"
#include "halcyon/transform/share/stripes.hpp"

/// The latitudes of a stripe in one register.
namespace halcyon::transform {

using Lanes = halcyon::Lanes<double>;
using halcyon::fetch, halcyon::load, halcyon::store, halcyon::multiply_add,
    halcyon::multiply_subtract;  // which are of a pair of rows, too

/// Stores past the caches, which would first fetch what was there. Other threads see it after a fence.
inline void stream(double* at, Lanes x) {
  _mm256_stream_pd(at, x);
}

/// The first halves of a and of b, or the second ones.
inline Lanes first_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x20);
}
inline Lanes second_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x31);
}

/// Rows become columns.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const Lanes cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  a = first_halves(ab_low, cd_low);
  b = first_halves(ab_high, cd_high);
  c = second_halves(ab_low, cd_low);
  d = second_halves(ab_high, cd_high);
}

/// The sums of the lanes of a, b, c and d, each (0 + 1) + (2 + 3).
inline Lanes sums_of_lanes(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return first_halves(ab, cd) + second_halves(ab, cd);
}

}  // namespace halcyon::transform
