#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "halcyon/base/lane_functions.hpp"
#include "halcyon/transform/share/buffer.hpp"

/// Marks functions that use registers of 8 doubles; they may only be called if `has_wide_registers()`.
#define HALCYON_WIDE [[gnu::target("avx512f")]]

/// Marks functions that are inlined, and so compiled for the registers of the caller.
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
/// Stores doubles, rounded to floats.
HALCYON_WIDE inline void store(float* to, Wide x) {
  _mm256_storeu_ps(to, _mm512_maskz_cvtpd_ps(0xff, x));
}
inline void store(float* to, Lanes x) {
  _mm_storeu_ps(to, _mm256_cvtpd_ps(x));
}
HALCYON_WIDE inline Wide broadcast_wide(double value) {
  return _mm512_set1_pd(value);
}
/// Loads four doubles into both halves of a register.
HALCYON_WIDE inline Wide duplicate(const double* from) {
  return _mm512_maskz_broadcast_f64x4(0xff, load(from));
}

/// Registers of 4 and of 8 floats (AVX2): the Lanes and Wide of 32-bit numbers.
using SingleLanes = float __attribute__((vector_size(16)));
using SingleWide = halcyon::Lanes<float>;
inline void store(float* to, SingleLanes x) {
  _mm_storeu_ps(to, x);
}
inline void stream(float* to, SingleWide x) {
  _mm256_stream_ps(to, x);
}
/// Loads four floats into both halves of a register.
HALCYON_INLINE SingleWide duplicate(const float* from) {
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
}
inline void transpose(SingleLanes& a, SingleLanes& b, SingleLanes& c, SingleLanes& d) {
  _MM_TRANSPOSE4_PS(a, b, c, d);
}
template <class Real>
using LanesOf = std::conditional_t<std::is_same_v<Real, float>, SingleLanes, Lanes>;

/// The type of the numbers of a register, and their number: the rows of a stripe in one hemisphere (Lanes) or
/// in both hemispheres (Wide).
template <class V>
using Element = std::remove_cvref_t<decltype(V{}[0])>;
template <class V>
inline constexpr int kRegisterSize = sizeof(V) / sizeof(Element<V>);

/// Calls work() without inlining it: compilers allocate registers better in short functions.
template <class Work>
[[gnu::noinline]] void call_out_of_line(Lanes, const Work& work) {
  work();
}
template <class Work>
[[gnu::noinline]] HALCYON_WIDE void call_out_of_line(Wide, const Work& work) {
  work();
}
template <class Work>
[[gnu::noinline]] void call_out_of_line(SingleWide, const Work& work) {
  work();
}

template <class V>
V load_as(const Element<V>* from);
template <>
HALCYON_INLINE Lanes load_as<Lanes>(const double* from) {
  return load(from);
}
template <>
HALCYON_WIDE inline Wide load_as<Wide>(const double* from) {
  return load_wide(from);
}
template <>
HALCYON_INLINE SingleLanes load_as<SingleLanes>(const float* from) {
  return _mm_loadu_ps(from);
}
template <>
HALCYON_INLINE SingleWide load_as<SingleWide>(const float* from) {
  return load(from);
}

/// a b + c, or a b - c, with one rounding; b is broadcast to all lanes.
HALCYON_INLINE Lanes multiply_add(const Lanes& a, double b, const Lanes& c) {
  return multiply_add(a, broadcast(b), c);
}
HALCYON_INLINE Lanes multiply_subtract(const Lanes& a, double b, const Lanes& c) {
  return multiply_subtract(a, broadcast(b), c);
}
HALCYON_INLINE SingleWide multiply_add(const SingleWide& a, float b, const SingleWide& c) {
  return multiply_add(a, broadcast(b), c);
}
HALCYON_INLINE SingleWide multiply_subtract(const SingleWide& a, float b, const SingleWide& c) {
  return multiply_subtract(a, broadcast(b), c);
}
HALCYON_WIDE HALCYON_INLINE Wide multiply_add(Wide a, Wide b, Wide c) {
  return _mm512_fmadd_pd(a, b, c);
}
HALCYON_WIDE inline Wide multiply_add(const Wide& a, double b, const Wide& c) {
  return _mm512_fmadd_pd(a, broadcast_wide(b), c);
}
HALCYON_WIDE inline Wide multiply_subtract(const Wide& a, double b, const Wide& c) {
  return _mm512_fmsub_pd(a, broadcast_wide(b), c);
}

/// c - a b, with one rounding.
HALCYON_WIDE HALCYON_INLINE Wide subtract_product(Wide a, Wide b, Wide c) {
  return _mm512_fnmadd_pd(a, b, c);
}
HALCYON_INLINE SingleWide subtract_product(SingleWide a, SingleWide b, SingleWide c) {
  return _mm256_fnmadd_ps(a, b, c);
}

template <class V>
V broadcast_as(Element<V> value);
template <>
HALCYON_WIDE HALCYON_INLINE Wide broadcast_as<Wide>(double value) {
  return broadcast_wide(value);
}
template <>
HALCYON_INLINE SingleWide broadcast_as<SingleWide>(float value) {
  return broadcast(value);
}

/// Loads or stores the first n numbers of a register, for any n; the others become 0, or are not stored.
template <class V>
V load_first(int n, const Element<V>* from);
HALCYON_INLINE __mmask8 first_lanes(int n) {
  return static_cast<__mmask8>((1 << std::clamp(n, 0, 8)) - 1);
}
template <>
HALCYON_WIDE HALCYON_INLINE Wide load_first<Wide>(int n, const double* from) {
  return _mm512_maskz_loadu_pd(first_lanes(n), from);
}
HALCYON_WIDE HALCYON_INLINE void store_first(int n, double* to, Wide x) {
  _mm512_mask_storeu_pd(to, first_lanes(n), x);
}
HALCYON_INLINE __m256i first_single_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
template <>
HALCYON_INLINE SingleWide load_first<SingleWide>(int n, const float* from) {
  return _mm256_maskload_ps(from, first_single_lanes(n));
}
HALCYON_INLINE void store_first(int n, float* to, SingleWide x) {
  _mm256_maskstore_ps(to, first_single_lanes(n), x);
}
/// Adds a b, with one rounding, to the numbers 0, 1, 4 and 5 of c.
HALCYON_WIDE HALCYON_INLINE Wide add_even_products(Wide a, Wide b, Wide c) {
  return _mm512_mask3_fmadd_pd(a, b, c, 0b00110011);
}
HALCYON_INLINE SingleWide add_even_products(SingleWide a, SingleWide b, SingleWide c) {
  return _mm256_blend_ps(c, multiply_add(a, b, c), 0b00110011);
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

HALCYON_INLINE void load_rows(const float* const* rows, int row, std::size_t position, SingleWide& x) {
  x = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[row] + position)),
                           _mm_loadu_ps(rows[row + kLanes] + position), 1);
}
HALCYON_INLINE void store_rows(float* const* rows, int row, std::size_t position, const SingleWide& x) {
  _mm_storeu_ps(rows[row] + position, _mm256_castps256_ps128(x));
  _mm_storeu_ps(rows[row + kLanes] + position, _mm256_extractf128_ps(x, 1));
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
inline void transpose(SingleWide& a, SingleWide& b, SingleWide& c, SingleWide& d) {
  const SingleWide ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
  const SingleWide cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
  a = _mm256_shuffle_ps(ab_low, cd_low, 0x44), b = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
  c = _mm256_shuffle_ps(ab_high, cd_high, 0x44), d = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
}

}  // namespace halcyon::transform
