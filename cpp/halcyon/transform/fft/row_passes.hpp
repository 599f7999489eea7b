#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "halcyon/transform/fft/eight_rows.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// Passes of a mixed-radix transform of several rows, one per lane (element) of a register type V. A pass
/// consists of butterflies: discrete Fourier transforms of R complex numbers with the sign of
/// exp(+2 pi i j k / R). The first and last passes also convert between rows and Fourier coefficients
/// ("waves"). Two consecutive real values of a row form one complex value (Van Loan 1992, 4.4).
/// In formulas, z* is the complex conjugate of z, L the row length, and half = L / 2.
namespace halcyon::transform {

/// One complex number per lane.
template <class V>
struct LaneComplex {
  V re, im;
};

template <class V>
HALCYON_INLINE LaneComplex<V> load_complex(const Element<V>* from) {
  return {load_as<V>(from), load_as<V>(from + kRegisterSize<V>)};
}
template <class V>
HALCYON_INLINE void store(Element<V>* to, const LaneComplex<V>& x) {
  store(to, x.re), store(to + kRegisterSize<V>, x.im);
}
template <class V>
HALCYON_INLINE LaneComplex<V> operator+(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re + y.re, x.im + y.im};
}
template <class V>
HALCYON_INLINE LaneComplex<V> operator-(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re - y.re, x.im - y.im};
}
/// x + i y.
template <class V>
HALCYON_INLINE LaneComplex<V> plus_i(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re - y.im, x.im + y.re};
}
template <class V>
HALCYON_INLINE LaneComplex<V> minus_i(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re + y.im, x.im - y.re};
}
/// x + y*.
template <class V>
HALCYON_INLINE LaneComplex<V> plus_conjugate(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re + y.re, x.im - y.im};
}
template <class V>
HALCYON_INLINE LaneComplex<V> minus_conjugate(const LaneComplex<V>& x, const LaneComplex<V>& y) {
  return {x.re - y.re, x.im + y.im};
}
template <class V>
HALCYON_INLINE LaneComplex<V> parts_swapped(const LaneComplex<V>& x) {
  return {x.im, x.re};
}
/// x (cosine + i sine).
template <class V>
HALCYON_INLINE LaneComplex<V> rotated(const LaneComplex<V>& x, Element<V> cosine, Element<V> sine) {
  return {multiply_subtract(x.re, cosine, x.im * sine), multiply_add(x.re, sine, x.im * cosine)};
}
/// x* (cosine + i sine).
template <class V>
HALCYON_INLINE LaneComplex<V> conjugate_rotated(const LaneComplex<V>& x, Element<V> cosine, Element<V> sine) {
  return {multiply_add(x.re, cosine, x.im * sine), multiply_subtract(x.re, sine, x.im * cosine)};
}
template <class V>
HALCYON_INLINE LaneComplex<V> scaled(const LaneComplex<V>& x, Element<V> factor) {
  return {x.re * factor, x.im * factor};
}
/// factor x + y.
template <class V>
HALCYON_INLINE LaneComplex<V> scaled_add(const LaneComplex<V>& x, Element<V> factor,
                                         const LaneComplex<V>& y) {
  return {multiply_add(x.re, factor, y.re), multiply_add(x.im, factor, y.im)};
}

/// Replaces x by its discrete Fourier transform of length 2, 3, 4 or 5.
template <class V>
HALCYON_INLINE void butterfly(std::array<LaneComplex<V>, 2>& x) {
  x = {x[0] + x[1], x[0] - x[1]};
}

template <class V>
HALCYON_INLINE void butterfly(std::array<LaneComplex<V>, 3>& x) {
  constexpr auto kSine60 = static_cast<Element<V>>(0.86602540378443864676);
  const LaneComplex<V> a = x[1] + x[2], b = scaled(x[1] - x[2], kSine60), c = scaled_add(a, -0.5, x[0]);
  x = {x[0] + a, plus_i(c, b), minus_i(c, b)};
}

template <class V>
HALCYON_INLINE void butterfly(std::array<LaneComplex<V>, 4>& x) {
  const LaneComplex<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x = {a + c, plus_i(b, d), a - c, minus_i(b, d)};
}

template <class V>
HALCYON_INLINE void butterfly(std::array<LaneComplex<V>, 5>& x) {
  constexpr auto kCosine72 = static_cast<Element<V>>(0.30901699437494742410);
  constexpr auto kSine72 = static_cast<Element<V>>(0.95105651629515357212);
  constexpr auto kCosine144 = static_cast<Element<V>>(-0.80901699437494742410);
  constexpr auto kSine144 = static_cast<Element<V>>(0.58778525229247312917);
  const LaneComplex<V> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const LaneComplex<V> p = scaled_add(b, kCosine144, scaled_add(a, kCosine72, x[0]));
  const LaneComplex<V> q = scaled_add(b, kCosine72, scaled_add(a, kCosine144, x[0]));
  const LaneComplex<V> r = scaled_add(d, kSine144, scaled(c, kSine72));
  const LaneComplex<V> s = scaled_add(d, -kSine72, scaled(c, kSine144));
  x = {x[0] + a + b, plus_i(p, r), plus_i(q, s), minus_i(q, s), minus_i(p, r)};
}

template <int R, class V>
using LaneComplexes = std::array<LaneComplex<V>, R>;
template <class V>
using PlanOf = BasicRowPlan<Element<V>>;
template <class V>
using PassOf = typename PlanOf<V>::Pass;

/// Offset [numbers] of complex value i of an array.
template <class V>
HALCYON_INLINE std::ptrdiff_t complex_offset(int i) {
  return static_cast<std::ptrdiff_t>(i) * 2 * kRegisterSize<V>;
}

/// Multiplies x[1] .. x[R - 1] by the twiddle factors of a group.
template <int R, class V>
HALCYON_INLINE void multiply_by_twiddles(LaneComplexes<R, V>& x, const Element<V>* twiddles) {
  for (int j = 1; j < R; ++j) x[j] = rotated(x[j], twiddles[2 * (j - 1)], twiddles[2 * (j - 1) + 1]);
}

/// Prefetches values 2 R part .. 2 R (part + 1) - 1 of each row that begins `distance` numbers after a given
/// row. The first and the last pass of a transform prefetch half a row each, part by part.
template <int R, class V, class T>
HALCYON_INLINE void prefetch_rows(T* const* rows, std::size_t distance, int part) {
  constexpr int kLine = CacheLines::kBytes / sizeof(T);  // numbers per cache line
  const auto lines_before = [](int n_values) { return (n_values + kLine - 1) / kLine; };
  for (int line = lines_before(2 * R * part); line < lines_before(2 * R * (part + 1)); ++line)
    for (int row = 0; row < kRegisterSize<V>; ++row) prefetch(rows[row] + distance + kLine * line, kLine);
}

/// Any pass except the first and the last, in place. R, p, b, j and k are the symbols of `RowPlan::Pass`.
template <int R, class V>
HALCYON_INLINE void middle_pass(const PassOf<V>& pass, Element<V>* values) {
  const int n_groups = pass.n_groups;
  for (int b = 0; b < pass.stride; ++b, values += complex_offset<V>(R * n_groups)) {
    const Element<V>* twiddles = pass.twiddles.data();
    for (int p = 0; p < n_groups; ++p, twiddles += 2 * (R - 1)) {
      LaneComplexes<R, V> x;
      for (int k = 0; k < R; ++k) x[k] = load_complex<V>(values + complex_offset<V>(p + n_groups * k));
      butterfly(x);
      multiply_by_twiddles<R, V>(x, twiddles);
      for (int j = 0; j < R; ++j) store(values + complex_offset<V>(p + n_groups * j), x[j]);
    }
  }
}

/// The first pass of an analysis (values to coefficients), which reads rows. Values x_2k+1 become real parts
/// and values x_2k imaginary parts, which changes the sign of the exponent. The pass also prefetches the rows
/// of the next field, if any, and the blocks that the last pass will write, unless it stores past the caches.
template <int R, class V>
HALCYON_INLINE void from_rows(const PassOf<V>& pass, const Element<V>* const* rows,
                              std::size_t prefetch_distance, const ParityParts<Element<V>>& waves,
                              Element<V>* to) {
  const int n_groups = pass.n_groups;
  const Element<V>* twiddles = pass.twiddles.data();
  for (int next = 0; next < n_groups; next += 2) {
    const int p = std::min(next, n_groups - 2);  // if n_groups is odd, one group is computed twice
    LaneComplexes<R, V> x, y;                    // of groups p and p + 1
    for (int m = R * p; !waves.non_temporal && m < std::min((p + 2) * R, waves.largest_m + 1); ++m)
      prefetch(waves.block(m), kBlockSize);
    if (prefetch_distance > 0) prefetch_rows<R, V>(rows, prefetch_distance, next / 2);
    for (int k = 0; k < R; ++k) {
      const std::size_t position = 2 * static_cast<std::size_t>(p + n_groups * k);
      load_rows(rows, 0, position, x[k].im), load_rows(rows, 1, position, x[k].re);
      load_rows(rows, 2, position, y[k].im), load_rows(rows, 3, position, y[k].re);
      transpose(x[k].im, x[k].re, y[k].im, y[k].re);
    }
    butterfly(x), butterfly(y);
    multiply_by_twiddles<R, V>(x, twiddles + 2 * (R - 1) * p),
        multiply_by_twiddles<R, V>(y, twiddles + 2 * (R - 1) * (p + 1));
    for (int j = 0; j < R; ++j)
      store(to + complex_offset<V>(p + n_groups * j), x[j]),
          store(to + complex_offset<V>(p + 1 + n_groups * j), y[j]);
  }
}

/// Loads the inputs of butterfly q of the last pass.
template <std::size_t R, class V>
HALCYON_INLINE void load_last_pass(const PlanOf<V>& plan, int q, std::array<LaneComplex<V>, R>& x) {
  const Element<V>* from = plan.complex_values.data() + complex_offset<V>(plan.input_offsets[q]);
  for (auto& input : x) input = load_complex<V>(from), from += complex_offset<V>(1);
}

/// The last pass of a synthesis (coefficients to values), which writes rows and prefetches the next rows.
template <int R, class V>
HALCYON_INLINE void to_rows(const PlanOf<V>& plan, Element<V>* const* rows, std::size_t prefetch_distance) {
  const int stride = plan.passes.back().stride;
  std::array<Element<V>*, kRegisterSize<V>> to;  // a local copy, which cannot alias the values
  std::copy_n(rows, kRegisterSize<V>, to.data());
  for (int next = 0; next < stride; next += 2) {
    const int q = std::min(next, stride - 2);  // if stride is odd, one butterfly is computed twice
    if (prefetch_distance > 0) prefetch_rows<R, V>(to.data(), prefetch_distance + plan.half, next / 2);
    LaneComplexes<R, V> x, y;
    load_last_pass(plan, q, x), load_last_pass(plan, q + 1, y);
    butterfly(x), butterfly(y);
    for (int j = 0; j < R; ++j) {
      const std::size_t position = 2 * static_cast<std::size_t>(q + stride * j);
      transpose(x[j].re, x[j].im, y[j].re, y[j].im);
      store_rows(to.data(), 0, position, x[j].re), store_rows(to.data(), 1, position, x[j].im);
      store_rows(to.data(), 2, position, y[j].re), store_rows(to.data(), 3, position, y[j].im);
    }
  }
}

/// Calls work(m, z_m, z_half-m) for all m <= half/2 in x and y: x holds the complex coefficients z_m of m = p
/// + P k, k = 0 .. R - 1, and y the mirrored coefficients of m = P - p + P k, in the first pass of a
/// synthesis and the last pass of an analysis. For m = half/2 the two coefficients are the same.
/// @param p group 1 .. P/2  @param n_groups P
template <int R, class V, class Work>
HALCYON_INLINE void for_mirrored_coefficients(int p, int n_groups, LaneComplexes<R, V>& x,
                                              LaneComplexes<R, V>& y, const Work& work) {
  for (int k = 0; k < (R + 1) / 2; ++k) work(p + n_groups * k, x[k], y[R - 1 - k]);
  if (2 * p == n_groups) return;  // x and y are the same group
  for (int k = 0; k < R / 2; ++k) work(n_groups - p + n_groups * k, y[k], x[R - 1 - k]);
}
/// `for_mirrored_coefficients` of group p = 0, without m = 0, which has no mirrored coefficient.
template <int R, class V, class Work>
HALCYON_INLINE void for_mirrored_coefficients_of_group_0(int n_groups, LaneComplexes<R, V>& x,
                                                         const Work& work) {
  for (int k = 1; 2 * k <= R; ++k) work(n_groups * k, x[k], x[R - k]);
}

/// The first pass of a synthesis, which reads Fourier coefficients c_m and prefetches the rows of the next
/// field or, if there is no next field, the rows that the last pass will write. The input of the complex
/// transform, x_2k + i x_2k+1 = sum_m z_m exp(2 pi i m k / half), is
///   z_m = a + b* + i t (a - b*),  z_half-m = (a + b* - i t (a - b*))*,
///   a = c_m,  b = c_half-m,  t = exp(2 pi i m / L).
template <int R, class V, class Waves>
HALCYON_INLINE void from_waves(const PlanOf<V>& plan, const Waves waves, Element<V>* to,
                               Element<V>* const* rows, std::size_t prefetch_distance) {
  const PassOf<V>& pass = plan.passes.front();
  const int n_groups = pass.n_groups, half = plan.half;
  const Element<V>*twiddles = plan.twiddles.data(), *pass_twiddles = pass.twiddles.data();
  const auto compute_z = [=](int m, LaneComplex<V>& x,
                             LaneComplex<V>& mirrored) __attribute__((always_inline)) {
    const LaneComplex<V> a = waves(m), b = waves(half - m);
    const LaneComplex<V> sum = plus_conjugate(a, b);
    const LaneComplex<V> turn = rotated(minus_conjugate(a, b), twiddles[2 * m], twiddles[2 * m + 1]);
    mirrored = {sum.re + turn.im, turn.re - sum.im};
    x = plus_i(sum, turn);
  };
  const auto run_butterfly = [=](int p, LaneComplexes<R, V>& x) __attribute__((always_inline)) {
    butterfly(x);
    if (p > 0) multiply_by_twiddles<R, V>(x, pass_twiddles + 2 * (R - 1) * p);
    for (int j = 0; j < R; ++j) store(to + complex_offset<V>(p + n_groups * j), x[j]);
  };
  const auto prefetch_part = [=](int part) __attribute__((always_inline)) {
    prefetch_rows<R, V>(rows, prefetch_distance, part);
    if (prefetch_distance == 0) prefetch_rows<R, V>(rows, half, part);
  };
  LaneComplexes<R, V> x, y;
  const V mean = waves(0).re;
  x[0] = {mean, mean};  // z_0 = (1 + i) c_0, since c_half = 0
  for_mirrored_coefficients_of_group_0<R, V>(n_groups, x, compute_z);
  run_butterfly(0, x);
  for (int p = 1; 2 * p < n_groups; ++p) {
    for_mirrored_coefficients<R, V>(p, n_groups, x, y, compute_z);
    prefetch_part(p - 1);
    run_butterfly(p, x), run_butterfly(n_groups - p, y);
  }
  if (n_groups % 2 == 0) {
    prefetch_part(n_groups / 2 - 1);
    for_mirrored_coefficients<R, V>(n_groups / 2, n_groups, x, x, compute_z);
    run_butterfly(n_groups / 2, x);
  }
}

/// The last pass of an analysis, which writes Fourier coefficients and prefetches the rows of the next field,
/// if any. Swapping real and imaginary parts before and after a transform changes the sign of the exponent:
///   z_m = sum_k (x_2k + i x_2k+1) exp(-2 pi i m k / half),
///   2 c_m = a + b* - i t (a - b*),  2 c_half-m = (a + b* + i t (a - b*))*,
///   a = z_m,  b = z_half-m,  t = exp(-2 pi i m / L).
/// @param given called as given(m, 2 c_m)
template <int R, class V, class Waves>
HALCYON_INLINE void to_waves(const PlanOf<V>& plan, const Waves& given, const Element<V>* const* rows,
                             std::size_t prefetch_distance) {
  const Waves waves = given;  // a local copy, which cannot alias the values
  const int stride = plan.passes.back().stride, half = plan.half;
  const Element<V>* twiddles = plan.twiddles.data();
  const auto output_pair = [=](int m, const LaneComplex<V>& x,
                               const LaneComplex<V>& mirrored) __attribute__((always_inline)) {
    const LaneComplex<V> a = parts_swapped(x), b = parts_swapped(mirrored);
    const LaneComplex<V> sum = plus_conjugate(a, b);
    // (t (a - b*))*
    const LaneComplex<V> turn =
        conjugate_rotated(minus_conjugate(a, b), twiddles[2 * m], twiddles[2 * m + 1]);
    waves(half - m, LaneComplex<V>{sum.re + turn.im, V{} - (sum.im + turn.re)});
    waves(m, LaneComplex<V>{sum.re - turn.im, sum.im - turn.re});
  };
  const auto run_butterfly = [&](int q, LaneComplexes<R, V>& x) __attribute__((always_inline)) {
    load_last_pass(plan, q, x);
    butterfly(x);
  };
  LaneComplexes<R, V> x, y;
  run_butterfly(0, x);
  const V mean = x[0].im + x[0].re;
  waves(0, LaneComplex<V>{mean + mean, V{}});
  for_mirrored_coefficients_of_group_0<R, V>(stride, x, output_pair);
  for (int q = 1; 2 * q < stride; ++q) {
    run_butterfly(q, x), run_butterfly(stride - q, y);
    if (prefetch_distance > 0) prefetch_rows<R, V>(rows, prefetch_distance + half, q - 1);
    for_mirrored_coefficients<R, V>(q, stride, x, y, output_pair);
  }
  if (stride % 2 == 0) {
    if (prefetch_distance > 0) prefetch_rows<R, V>(rows, prefetch_distance + half, stride / 2 - 1);
    run_butterfly(stride / 2, x);
    for_mirrored_coefficients<R, V>(stride / 2, stride, x, x, output_pair);
  }
}

/// Calls work<R>() for R = radix: a template argument from a run-time value.
template <class V, class Work>
HALCYON_INLINE void with_radix(int radix, const Work& work) {
  const auto call = [&]<int R>() __attribute__((always_inline)) {
    call_out_of_line(V{}, [&]() __attribute__((always_inline)) { work.template operator()<R>(); });
  };
  switch (radix) {
    case 2:
      return call.template operator()<2>();
    case 3:
      return call.template operator()<3>();
    case 4:
      return call.template operator()<4>();
    default:
      return call.template operator()<5>();
  }
}

template <class V>
HALCYON_INLINE void run_middle_passes(PlanOf<V>& plan) {
  for (std::size_t i = 1; i + 1 < plan.passes.size(); ++i) {
    const auto& pass = plan.passes[i];
    with_radix<V>(pass.radix, [&]<int R>() __attribute__((always_inline)) {
      middle_pass<R, V>(pass, plan.complex_values.data());
    });
  }
}

/// x_k = sum_m c_m exp(2 pi i m k / L), over |m| < L/2, where c_-m = c_m*.
/// @param waves function that returns c_m for 0 <= m < L/2; for m = 0 only the real part is used
template <class V, class Waves>
HALCYON_INLINE void waves_to_rows(PlanOf<V>& plan, const Waves& waves, Element<V>* const* rows,
                                  std::size_t prefetch_distance) {
  with_radix<V>(plan.passes.front().radix, [&]<int R>() __attribute__((always_inline)) {
    from_waves<R, V>(plan, waves, plan.complex_values.data(), rows, prefetch_distance);
  });
  run_middle_passes<V>(plan);
  with_radix<V>(plan.passes.back().radix, [&]<int R>() __attribute__((always_inline)) {
    to_rows<R, V>(plan, rows, prefetch_distance);
  });
}

/// c_m = sum_k x_k exp(-2 pi i m k / L).
/// @param waves called as waves(m, 2 c_m) for 0 <= m < L/2; of two calls for m = L/4 the second is correct
template <class V, class Waves>
HALCYON_INLINE void rows_to_waves(PlanOf<V>& plan, const Element<V>* const* rows,
                                  std::size_t prefetch_distance, const Waves& waves) {
  const auto& first_pass = plan.passes.front();
  with_radix<V>(first_pass.radix, [&]<int R>() __attribute__((always_inline)) {
    from_rows<R, V>(first_pass, rows, prefetch_distance, waves.parts, plan.complex_values.data());
  });
  run_middle_passes<V>(plan);
  with_radix<V>(plan.passes.back().radix, [&]<int R>() __attribute__((always_inline)) {
    to_waves<R, V>(plan, waves, rows, prefetch_distance);
  });
}

}  // namespace halcyon::transform
