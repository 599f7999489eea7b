#pragma once

#include <immintrin.h>

namespace halcyon::wave {

inline constexpr int kLanes = 8;

/// Eight neighbouring directions, computed with at once.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

/// The same at any address of a float.
using UnalignedLanes = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(alignof(float))));

inline Lanes load(const float* p) {
  return *reinterpret_cast<const UnalignedLanes*>(p);
}
inline void store(float* p, Lanes v) {
  *reinterpret_cast<UnalignedLanes*>(p) = v;
}

/// The same number in all lanes. (`Lanes{} + v` would add.)
inline Lanes broadcast(float v) {
  return _mm256_set1_ps(v);
}

inline Lanes smaller(Lanes a, Lanes b) {
  return _mm256_min_ps(a, b);
}
inline Lanes larger(Lanes a, Lanes b) {
  return _mm256_max_ps(a, b);
}

/// a b + c, rounded once.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
  return _mm256_fmadd_ps(a, b, c);
}

/// Calls body(m) for blocks of lanes that cover 0 .. n, n at least kLanes. The last block may overlap the one
/// before, so body must not change what it reads.
template <class Body>
inline void for_blocks(int n, const Body& body) {
  for (int m = 0; m < n - kLanes; m += kLanes) body(m);
  body(n - kLanes);
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

}  // namespace halcyon::wave
