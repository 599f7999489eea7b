#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

/// SIMD vectors of 256 bits (AVX2). Only source files (and headers that only they include) may include this
/// header, since users of the library may compile without AVX2. Functions that need instructions by name are
/// in lane_functions.hpp: <immintrin.h> takes half a second to compile.
namespace halcyon {

template <class Real>
inline constexpr int kLanes = 32 / sizeof(Real);

template <class Real>
struct LanesOf {
  typedef Real Type __attribute__((vector_size(32)));
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;

/// Reads consecutive numbers; the address need not be aligned to the vector.
template <class Real>
Lanes<Real> load(const Real* address) {
  Lanes<Real> lanes;
  std::memcpy(&lanes, address, sizeof lanes);
  return lanes;
}
inline void store(double* address, Lanes<double> lanes) {
  std::memcpy(address, &lanes, sizeof lanes);
}
inline void store(float* address, Lanes<float> lanes) {
  std::memcpy(address, &lanes, sizeof lanes);
}

/// A vector with the same number in all lanes. (`Lanes{} + value` would cost an addition.)
inline Lanes<double> broadcast(double value) {
  return Lanes<double>{value, value, value, value};
}
inline Lanes<float> broadcast(float value) {
  return Lanes<float>{value, value, value, value, value, value, value, value};
}

/// |x| of a number or, element-wise, of a vector.
template <class Row>
Row magnitude(Row x) {
  if constexpr (std::is_floating_point_v<Row>) {
    return std::abs(x);
  } else {
    using Bits = std::conditional_t<sizeof(x[0]) == 8, std::int64_t, std::int32_t>;
    typedef Bits BitRow __attribute__((vector_size(sizeof(Row))));
    return (Row)((BitRow)x & std::numeric_limits<Bits>::max());
  }
}

/// Maximum and minimum of numbers or, element-wise, of vectors; b where either argument is NaN.
template <class Row>
Row larger(Row a, Row b) {
  return a > b ? a : b;
}
template <class Row>
Row smaller(Row a, Row b) {
  return a < b ? a : b;
}

/// Prefetches n numbers into the L1 cache. (Under contention, processors drop prefetches into L2 and L3.)
template <class Real>
[[gnu::always_inline]] inline void prefetch(const Real* first, std::size_t n) {
  const auto* bytes = reinterpret_cast<const char*>(first);
  for (std::size_t offset = 0; offset < n * sizeof(Real); offset += 64) __builtin_prefetch(bytes + offset);
}

}  // namespace halcyon
