#pragma once

#include "halcyon/base/lanes.hpp"

namespace halcyon::wave {

/// Eight neighbouring directions, computed with at once.
using Lanes = halcyon::Lanes<float>;
inline constexpr int kLanes = halcyon::kLanes<float>;

/// The sum of eight numbers, pairs first.
inline float total(Lanes v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/// Calls body(m) for blocks of lanes that cover 0 .. n, n at least kLanes. The last block may overlap the one
/// before, so body must not change what it reads.
template <class Body>
inline void for_blocks(int n, const Body& body) {
  for (int m = 0;; m += kLanes) {
    const bool last = m >= n - kLanes;
    body(last ? n - kLanes : m);  // the only call, so that it is inlined
    if (last) return;
  }
}

/// A block of a ring of n numbers, from m + 1 on.
inline Lanes next_above(const float* ring, int n, int m) {
  if (m + kLanes < n) return load(ring + m + 1);
  const __m256i places = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(load(ring + m), places), lanes_of(ring[0]), 0x80);
}

/// The same from m - 1 on.
inline Lanes next_below(const float* ring, int n, int m) {
  if (m > 0) return load(ring + m - 1);
  const __m256i places = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(load(ring), places), lanes_of(ring[n - 1]), 0x01);
}

/// Copies a few numbers.
inline void copy_numbers(const float* from, int n, float* to) {
  if (n >= kLanes) return for_blocks(n, [&](int m) { store(to + m, load(from + m)); });
  for (int i = 0; i < n; ++i) to[i] = from[i];
}

/// The larger of v and zero; NaN stays NaN, so that it is found.
inline Lanes positive_part(Lanes v) {
  return v < 0.f ? Lanes{} : v;
}

/// v cut to -limit..limit; NaN stays NaN.
inline Lanes clamp(Lanes v, float limit) {
  const Lanes most = Lanes{} + limit;
  v = v > most ? most : v;
  return v < -most ? -most : v;
}

/// exp(x) of eight numbers from -87 to 88, to 2e-7 of the value; below -87 what exp(-87) is.
///
/// x = n ln 2 + r with |r| <= ln(2)/2: 2^n is made of the exponent's bits, exp(r) is its Taylor polynomial of
/// degree 7, whose remainder is below 6e-9. ln 2 comes in two parts, so that r is exact to rounding.
inline Lanes exponential(Lanes x) {
  constexpr float kPerLn2 = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const Lanes bounded = larger(x, Lanes{} - 87.f);
  const Lanes n = _mm256_round_ps(bounded * kPerLn2, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const Lanes r = multiply_add(n, Lanes{} - kLn2Low, multiply_add(n, Lanes{} - kLn2High, bounded));
  const Lanes one = Lanes{} + 1.f;
  Lanes p = multiply_add(r, Lanes{} + 1.f / 5040, Lanes{} + 1.f / 720);
  p = multiply_add(p, r, Lanes{} + 1.f / 120);
  p = multiply_add(p, r, Lanes{} + 1.f / 24);
  p = multiply_add(p, r, Lanes{} + 1.f / 6);
  p = multiply_add(p, r, Lanes{} + 0.5f);
  p = multiply_add(multiply_add(p, r, one), r, one);
  const __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return p * reinterpret_cast<Lanes>(bits);
}

}  // namespace halcyon::wave
