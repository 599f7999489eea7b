#pragma once

#include <cstring>

namespace halcyon::wave {

inline constexpr int kLanes = 8;

/// Eight neighbouring directions, computed with at once.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

inline Lanes load(const float* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Lanes v) {
  std::memcpy(p, &v, sizeof v);
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
