#pragma once

#include <cstddef>

#include "halcyon/base/lane_functions.hpp"
#include "halcyon/transform/share/buffer.hpp"

/// Marks functions that use registers of 8 doubles; they may only be called if `has_wide_registers()`.
#define HALCYON_WIDE [[gnu::target("avx512f")]]

/// Marks functions that are inlined, and so compiled for the registers of the caller: 4 or 8 doubles.
#define HALCYON_INLINE [[gnu::always_inline]] inline

namespace halcyon::transform {

/// A register of 4 doubles, one per row: the 4 northern or the 4 southern rows of a stripe (buffer.hpp).
using Lanes = halcyon::Lanes<double>;
using halcyon::prefetch, halcyon::load, halcyon::store, halcyon::multiply_add,
    halcyon::multiply_subtract;  // overloaded below for wide registers

/// Non-temporal store, which bypasses the caches. Visible to other threads only after a fence.
inline void stream(double* to, Lanes x) {
  _mm256_stream_pd(to, x);
}

/// Returns the lower half of a followed by the lower half of b.
inline Lanes first_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x20);
}
/// Returns the upper half of a followed by the upper half of b.
inline Lanes second_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x31);
}

/// Transposes the 4 x 4 matrix with the rows a, b, c and d.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const Lanes cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  a = first_halves(ab_low, cd_low), b = first_halves(ab_high, cd_high);
  c = second_halves(ab_low, cd_low), d = second_halves(ab_high, cd_high);
}

/// Returns the sums over the lanes of a, of b, of c and of d, each as (lane 0 + lane 1) + (lane 2 + lane 3).
inline Lanes sums_of_lanes(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return first_halves(ab, cd) + second_halves(ab, cd);
}

/// A register of 8 doubles.
using Wide = double __attribute__((vector_size(64)));

HALCYON_WIDE inline Wide load_wide(const double* from) {
  return _mm512_loadu_pd(from);
}
HALCYON_WIDE inline void store(double* to, Wide x) {
  _mm512_storeu_pd(to, x);
}
HALCYON_WIDE inline void stream(double* to, Wide x) {
  _mm512_stream_pd(to, x);
}
HALCYON_WIDE inline Wide broadcast_wide(double value) {
  return _mm512_set1_pd(value);
}
/// Loads four doubles into both halves of a register.
HALCYON_WIDE inline Wide duplicate(const double* from) {
  return _mm512_maskz_broadcast_f64x4(0xff, load(from));
}

/// Doubles per register: the rows of a stripe in one hemisphere (Lanes) or in both hemispheres (Wide).
template <class V>
inline constexpr int kRegisterSize = sizeof(V) / sizeof(double);

/// Calls work() without inlining it: compilers allocate registers better in short functions.
template <class Work>
[[gnu::noinline]] void call_out_of_line(Lanes, const Work& work) {
  work();
}
template <class Work>
[[gnu::noinline]] HALCYON_WIDE void call_out_of_line(Wide, const Work& work) {
  work();
}

template <class V>
V load_as(const double* from);
template <>
HALCYON_INLINE Lanes load_as<Lanes>(const double* from) {
  return load(from);
}
template <>
HALCYON_WIDE inline Wide load_as<Wide>(const double* from) {
  return load_wide(from);
}

/// a b + c, or a b - c, with one rounding; b is broadcast to all lanes.
HALCYON_INLINE Lanes multiply_add(const Lanes& a, double b, const Lanes& c) {
  return multiply_add(a, broadcast(b), c);
}
HALCYON_INLINE Lanes multiply_subtract(const Lanes& a, double b, const Lanes& c) {
  return multiply_subtract(a, broadcast(b), c);
}
HALCYON_WIDE inline Wide multiply_add(const Wide& a, double b, const Wide& c) {
  return _mm512_fmadd_pd(a, broadcast_wide(b), c);
}
HALCYON_WIDE inline Wide multiply_subtract(const Wide& a, double b, const Wide& c) {
  return _mm512_fmsub_pd(a, broadcast_wide(b), c);
}

/// Loads or stores four consecutive values of a northern row (lower half of a wide register) and, with wide
/// registers, of the southern row at the opposite latitude (upper half).
/// @param row northern row of the stripe, 0 .. 3  @param position index of the first value in the row
HALCYON_INLINE void load_rows(const double* const* rows, int row, std::size_t position, Lanes& x) {
  x = load(rows[row] + position);
}
HALCYON_WIDE inline void load_rows(const double* const* rows, int row, std::size_t position, Wide& x) {
  x = _mm512_mask_broadcast_f64x4(duplicate(rows[row] + position), 0xf0, load(rows[row + kLanes] + position));
}
HALCYON_INLINE void store_rows(double* const* rows, int row, std::size_t position, const Lanes& x) {
  store(rows[row] + position, x);
}
HALCYON_WIDE inline void store_rows(double* const* rows, int row, std::size_t position, const Wide& x) {
  store(rows[row] + position, __builtin_shufflevector(x, x, 0, 1, 2, 3));
  store(rows[row + kLanes] + position, __builtin_shufflevector(x, x, 4, 5, 6, 7));
}

/// Transposes the 4 x 4 matrix in the lower halves of a, b, c and d, and the matrix in the upper halves.
HALCYON_WIDE inline void transpose(Wide& a, Wide& b, Wide& c, Wide& d) {
  const Wide ab_low = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const Wide ab_high = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const Wide cd_low = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const Wide cd_high = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}

}  // namespace halcyon::transform
