#pragma once

#include <immintrin.h>

#include "halcyon/transform/stripes.hpp"

/// The latitudes of a stripe in one register: for sources alone, since users' compilers need not know it.
/// Products are added by fused multiply-add wherever this is asked for, and
/// nowhere else, so that every machine of the level gives the same bits.
namespace halcyon::transform {

using Lanes = __m256d;

inline Lanes load(const double* at) {
  return _mm256_loadu_pd(at);
}
inline void store(double* at, Lanes x) {
  _mm256_storeu_pd(at, x);
}
inline Lanes all(double x) {
  return _mm256_set1_pd(x);
}
/// The value at an address in all lanes.
inline Lanes broadcast(const double* at) {
  return _mm256_broadcast_sd(at);
}
/// x y + z, rounded once.
inline Lanes multiply_add(Lanes x, Lanes y, Lanes z) {
  return _mm256_fmadd_pd(x, y, z);
}
/// x y - z, rounded once.
inline Lanes multiply_subtract(Lanes x, Lanes y, Lanes z) {
  return _mm256_fmsub_pd(x, y, z);
}
inline Lanes magnitude(Lanes x) {
  return _mm256_andnot_pd(all(-0.0), x);
}

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
