#pragma once

#include <cstddef>

#include "halcyon/base/lanes.hpp"
#include "halcyon/transform/share/buffer.hpp"

/// Registers of 8 numbers, in functions that say `HALCYON_WIDE` and are called where the processor has them.
#define HALCYON_WIDE [[gnu::target("avx512f")]]

/// What code for registers of 4 and of 8 numbers is written with: where it says `HALCYON_INLINE` it is
/// compiled for the processor of the function that calls it.
#define HALCYON_INLINE [[gnu::always_inline]] inline

namespace halcyon::transform {

/// The latitudes of a stripe in one register.
using Lanes = halcyon::Lanes<double>;
using halcyon::fetch, halcyon::load, halcyon::store, halcyon::multiply_add,
    halcyon::multiply_subtract;  // which are of a pair of rows, too

/// Stores past the caches, which would first fetch what was there. Other threads see it after a fence.
inline void stream(double* at, Lanes x) {
  _mm256_stream_pd(at, x);
}

/// The first halves of a and of b, or the second ones.
inline Lanes first_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x20);
}
inline Lanes second_halves(Lanes a, Lanes b) {
  return _mm256_permute2f128_pd(a, b, 0x31);
}

/// Rows become columns.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const Lanes cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  a = first_halves(ab_low, cd_low);
  b = first_halves(ab_high, cd_high);
  c = second_halves(ab_low, cd_low);
  d = second_halves(ab_high, cd_high);
}

/// The sums of the lanes of a, b, c and d, each (0 + 1) + (2 + 3).
inline Lanes sums_of_lanes(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return first_halves(ab, cd) + second_halves(ab, cd);
}

using Wide = double __attribute__((vector_size(64)));

HALCYON_WIDE inline Wide load_wide(const double* at) {
  return _mm512_loadu_pd(at);
}
HALCYON_WIDE inline void store(double* at, Wide x) {
  _mm512_storeu_pd(at, x);
}
HALCYON_WIDE inline void stream(double* at, Wide x) {
  _mm512_stream_pd(at, x);
}
/// The same number in all lanes.
HALCYON_WIDE inline Wide wide_of(double value) {
  return _mm512_set1_pd(value);
}
/// Four lanes, and once more.
HALCYON_WIDE inline Wide twice(const double* at) {
  return _mm512_maskz_broadcast_f64x4(0xff, load(at));
}

/// Numbers of a register: rows of the north or of the south, or those of both.
template <class L>
inline constexpr int kSize = sizeof(L) / sizeof(double);

/// Does work in a function of its own, compiled for the processor that has such registers: compilers make
/// more of their registers in a few loops than in many.
template <class Work>
[[gnu::noinline]] void apart(Lanes, const Work& work) {
  work();
}
template <class Work>
[[gnu::noinline]] HALCYON_WIDE void apart(Wide, const Work& work) {
  work();
}

template <class L>
L load_as(const double* at);
template <>
HALCYON_INLINE Lanes load_as<Lanes>(const double* at) {
  return load(at);
}
template <>
HALCYON_WIDE inline Wide load_as<Wide>(const double* at) {
  return load_wide(at);
}

/// a b + c and a b - c, rounded once, with the same b in all lanes.
HALCYON_INLINE Lanes multiply_add(const Lanes& a, double b, const Lanes& c) {
  return multiply_add(a, lanes_of(b), c);
}
HALCYON_INLINE Lanes multiply_subtract(const Lanes& a, double b, const Lanes& c) {
  return multiply_subtract(a, lanes_of(b), c);
}
HALCYON_WIDE inline Wide multiply_add(const Wide& a, double b, const Wide& c) {
  return _mm512_fmadd_pd(a, wide_of(b), c);
}
HALCYON_WIDE inline Wide multiply_subtract(const Wide& a, double b, const Wide& c) {
  return _mm512_fmsub_pd(a, wide_of(b), c);
}

/// Four numbers of a row of the north, and of the row as far south.
HALCYON_INLINE void load_rows(const double* const* rows, int row, std::size_t place, Lanes& x) {
  x = load(rows[row] + place);
}
HALCYON_WIDE inline void load_rows(const double* const* rows, int row, std::size_t place, Wide& x) {
  x = _mm512_mask_broadcast_f64x4(twice(rows[row] + place), 0xf0, load(rows[row + kLanes] + place));
}
HALCYON_INLINE void store_rows(double* const* rows, int row, std::size_t place, const Lanes& x) {
  store(rows[row] + place, x);
}
HALCYON_WIDE inline void store_rows(double* const* rows, int row, std::size_t place, const Wide& x) {
  store(rows[row] + place, __builtin_shufflevector(x, x, 0, 1, 2, 3));
  store(rows[row + kLanes] + place, __builtin_shufflevector(x, x, 4, 5, 6, 7));
}

/// Rows become columns, in the north and in the south.
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
