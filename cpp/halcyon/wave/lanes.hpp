#pragma once

#include "halcyon/base/lane_functions.hpp"

namespace halcyon::wave {

/// A SIMD register of eight neighbouring directions.
using Lanes = halcyon::Lanes<float>;
inline constexpr int kLanes = halcyon::kLanes<float>;

/// Returns the sum of the lanes, added pairwise.
inline float lane_sum(Lanes v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/// Calls body(m) for the blocks m .. m + kLanes - 1 that cover 0 .. n - 1, n >= kLanes. The last block may
/// overlap the previous block, so body must not overwrite its input.
template <class Body>
inline void for_blocks(int n, const Body& body) {
  for (int m = 0;; m += kLanes) {
    const bool is_last = m >= n - kLanes;
    body(is_last ? n - kLanes : m);  // the only call of body, so that the compiler inlines body
    if (is_last) return;
  }
}

/// Loads the block that starts at m + 1 of a periodic row of n floats.
inline Lanes next_above(const float* row, int n, int m) {
  if (m + kLanes < n) return load(row + m + 1);
  const __m256i permutation = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(load(row + m), permutation), broadcast(row[0]), 0x80);
}

/// Loads the block that starts at m - 1 of a periodic row of n floats.
inline Lanes next_below(const float* row, int n, int m) {
  if (m > 0) return load(row + m - 1);
  const __m256i permutation = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(load(row), permutation), broadcast(row[n - 1]), 0x01);
}

inline void copy_floats(const float* from, int n, float* to) {
  if (n >= kLanes) return for_blocks(n, [&](int m) { store(to + m, load(from + m)); });
  for (int i = 0; i < n; ++i) to[i] = from[i];
}

/// Returns max(v, 0); NaN stays NaN, so that it is detected.
inline Lanes positive_part(Lanes v) {
  return v < 0.f ? Lanes{} : v;
}

/// Returns v clamped to -limit..limit; NaN stays NaN.
inline Lanes clamp(Lanes v, float limit) {
  const Lanes upper = Lanes{} + limit;
  v = v > upper ? upper : v;
  return v < -upper ? -upper : v;
}

/// Returns exp(x) for x up to 88, with a relative error of 2e-7; below -87 it returns exp(-87).
///
/// x = n ln 2 + r with |r| <= ln(2)/2: 2^n is set in the exponent bits, exp(r) is its Taylor polynomial of
/// degree 7, whose remainder is below 6e-9. ln 2 is split into two parts, so that r is exact to rounding.
inline Lanes exponential(Lanes x) {
  constexpr float kInverseLn2 = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const Lanes bounded = larger(x, Lanes{} - 87.f);
  const Lanes n = _mm256_round_ps(bounded * kInverseLn2, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
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
