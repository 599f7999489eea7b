#pragma once

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

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
