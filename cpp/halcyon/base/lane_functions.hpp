#pragma once

#include <immintrin.h>

#include "halcyon/base/lanes.hpp"

/// Fused multiply-add is used only where `multiply_add` or `multiply_subtract` is called, so that all
/// processors with AVX2 give the same bits.
namespace halcyon {

/// a b + c, rounded once.
inline Lanes<double> multiply_add(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
inline Lanes<float> multiply_add(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
/// a b - c, rounded once.
inline Lanes<double> multiply_subtract(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm256_fmsub_pd(a, b, c);
}
inline Lanes<float> multiply_subtract(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm256_fmsub_ps(a, b, c);
}

inline Lanes<double> square_root(Lanes<double> x) {
  return _mm256_sqrt_pd(x);
}
inline Lanes<float> square_root(Lanes<float> x) {
  return _mm256_sqrt_ps(x);
}

/// Whether a comparison holds in any lane.
template <class Comparison>
bool any(Comparison holds) {
  return _mm256_movemask_epi8((__m256i)holds) != 0;
}

}  // namespace halcyon
