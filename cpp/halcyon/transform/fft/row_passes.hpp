#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "halcyon/transform/fft/eight_rows.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// Passes of a mixed-radix transform of several rows, one per lane of a register type L: butterflies
/// (discrete Fourier transforms of a few complex numbers with the sign of exp(+2 pi i j k / R)), the passes
/// made of them, and the first and last passes, which convert between rows and Fourier coefficients
/// ("waves"). Two real values form one complex value (Van Loan 1992, 4.4).
namespace halcyon::transform {

/// One complex number per lane.
template <class L>
struct LaneComplex {
  L re, im;
};

template <class L>
HALCYON_INLINE LaneComplex<L> number(const double* at) {
  return {load_as<L>(at), load_as<L>(at + kRegisterSize<L>)};
}
template <class L>
HALCYON_INLINE void store(double* at, const LaneComplex<L>& x) {
  store(at, x.re), store(at + kRegisterSize<L>, x.im);
}
template <class L>
HALCYON_INLINE LaneComplex<L> operator+(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re + y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE LaneComplex<L> operator-(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re - y.re, x.im - y.im};
}
/// x + i y, x - i y.
template <class L>
HALCYON_INLINE LaneComplex<L> plus_i(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re - y.im, x.im + y.re};
}
template <class L>
HALCYON_INLINE LaneComplex<L> minus_i(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re + y.im, x.im - y.re};
}
/// x + conj(y), x - conj(y).
template <class L>
HALCYON_INLINE LaneComplex<L> plus_conjugate(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re + y.re, x.im - y.im};
}
template <class L>
HALCYON_INLINE LaneComplex<L> minus_conjugate(const LaneComplex<L>& x, const LaneComplex<L>& y) {
  return {x.re - y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE LaneComplex<L> parts_swapped(const LaneComplex<L>& x) {
  return {x.im, x.re};
}
/// x (cosine + i sine).
template <class L>
HALCYON_INLINE LaneComplex<L> rotated(const LaneComplex<L>& x, double cosine, double sine) {
  return {multiply_subtract(x.re, cosine, x.im * sine), multiply_add(x.re, sine, x.im * cosine)};
}
/// conj(x) (cosine + i sine).
template <class L>
HALCYON_INLINE LaneComplex<L> conjugate_rotated(const LaneComplex<L>& x, double cosine, double sine) {
  return {multiply_add(x.re, cosine, x.im * sine), multiply_subtract(x.re, sine, x.im * cosine)};
}
template <class L>
HALCYON_INLINE LaneComplex<L> scaled(const LaneComplex<L>& x, double factor) {
  return {x.re * factor, x.im * factor};
}
/// x a + y.
template <class L>
HALCYON_INLINE LaneComplex<L> scaled_add(const LaneComplex<L>& x, double factor, const LaneComplex<L>& y) {
  return {multiply_add(x.re, factor, y.re), multiply_add(x.im, factor, y.im)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<LaneComplex<L>, 2>& x) {
  x = {x[0] + x[1], x[0] - x[1]};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<LaneComplex<L>, 3>& x) {
  constexpr double kSine60 = 0.86602540378443864676;
  const LaneComplex<L> sum = x[1] + x[2], turn = scaled(x[1] - x[2], kSine60);
  const LaneComplex<L> middle = scaled_add(sum, -0.5, x[0]);
  x = {x[0] + sum, plus_i(middle, turn), minus_i(middle, turn)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<LaneComplex<L>, 4>& x) {
  const LaneComplex<L> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x = {a + c, plus_i(b, d), a - c, minus_i(b, d)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<LaneComplex<L>, 5>& x) {
  constexpr double kCosine72 = 0.30901699437494742410, kSine72 = 0.95105651629515357212;
  constexpr double kCosine144 = -0.80901699437494742410, kSine144 = 0.58778525229247312917;
  const LaneComplex<L> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const LaneComplex<L> p = scaled_add(b, kCosine144, scaled_add(a, kCosine72, x[0]));
  const LaneComplex<L> q = scaled_add(b, kCosine72, scaled_add(a, kCosine144, x[0]));
  const LaneComplex<L> r = scaled_add(d, kSine144, scaled(c, kSine72));
  const LaneComplex<L> s = scaled_add(d, -kSine72, scaled(c, kSine144));
  x = {x[0] + a + b, plus_i(p, r), plus_i(q, s), minus_i(q, s), minus_i(p, r)};
}

template <int R, class L>
using LaneComplexes = std::array<LaneComplex<L>, R>;
using Pass = RowPlan::Pass;

template <class L>
HALCYON_INLINE std::ptrdiff_t at(int i) {
  return static_cast<std::ptrdiff_t>(i) * 2 * kRegisterSize<L>;
}

template <int R, class L>
HALCYON_INLINE void twiddle(LaneComplexes<R, L>& x, const double* twiddles) {
  for (int j = 1; j < R; ++j) x[j] = rotated(x[j], twiddles[2 * (j - 1)], twiddles[2 * (j - 1) + 1]);
}

/// Prefetches part 0, 1, .. of the rows at a distance [doubles] from these rows: 2 R numbers per pair of
/// groups, so that the first and the last pass each prefetch about half of a row.
template <int R, class L, class T>
HALCYON_INLINE void prefetch_rows(T* const* rows, std::size_t distance, int part) {
  constexpr int kLine = CacheLines::kNumbers;
  const auto lines_before = [](int n_numbers) { return (n_numbers + kLine - 1) / kLine; };
  for (int line = lines_before(2 * R * part); line < lines_before(2 * R * (part + 1)); ++line)
    for (int row = 0; row < kRegisterSize<L>; ++row) prefetch(rows[row] + distance + kLine * line, kLine);
}

/// Any pass except the first and the last.
template <int R, class L>
HALCYON_INLINE void middle_pass(const Pass& pass, double* numbers) {
  const int n_groups = pass.n_groups;
  for (int b = 0; b < pass.stride; ++b, numbers += at<L>(R * n_groups)) {
    const double* twiddles = pass.twiddles.data();
    for (int p = 0; p < n_groups; ++p, twiddles += 2 * (R - 1)) {
      LaneComplexes<R, L> x;
      for (int k = 0; k < R; ++k) x[k] = number<L>(numbers + at<L>(p + n_groups * k));
      butterfly(x);
      twiddle<R, L>(x, twiddles);
      for (int j = 0; j < R; ++j) store(numbers + at<L>(p + n_groups * j), x[j]);
    }
  }
}

/// The first pass of an analysis, which reads rows and swaps the two values of each pair. It also prefetches
/// the next rows, if any, and, unless stores are non-temporal, the blocks that the last pass writes.
template <int R, class L>
HALCYON_INLINE void from_rows(const Pass& pass, const double* const* rows, std::size_t prefetch_distance,
                              const ParityParts<double>& waves, double* to) {
  const int n_groups = pass.n_groups;
  const double* twiddles = pass.twiddles.data();
  for (int next = 0; next < n_groups; next += 2) {
    const int p = std::min(next, n_groups - 2);  // an odd number of groups: one group is computed twice
    LaneComplexes<R, L> x, y;
    for (int m = R * p; !waves.non_temporal && m < std::min((p + 2) * R, waves.last + 1); ++m)
      prefetch(waves.at(m), kBlock);
    if (prefetch_distance > 0) prefetch_rows<R, L>(rows, prefetch_distance, next / 2);
    for (int k = 0; k < R; ++k) {
      const std::size_t position = 2 * static_cast<std::size_t>(p + n_groups * k);
      load_rows(rows, 0, position, x[k].im), load_rows(rows, 1, position, x[k].re);
      load_rows(rows, 2, position, y[k].im), load_rows(rows, 3, position, y[k].re);
      transpose(x[k].im, x[k].re, y[k].im, y[k].re);
    }
    butterfly(x), butterfly(y);
    twiddle<R, L>(x, twiddles + 2 * (R - 1) * p), twiddle<R, L>(y, twiddles + 2 * (R - 1) * (p + 1));
    for (int j = 0; j < R; ++j)
      store(to + at<L>(p + n_groups * j), x[j]), store(to + at<L>(p + 1 + n_groups * j), y[j]);
  }
}

/// Loads the inputs of butterfly q of the last pass, whose results are q + s j.
template <std::size_t R, class L>
HALCYON_INLINE void load_last_pass(const RowPlan& plan, int q, std::array<LaneComplex<L>, R>& x) {
  const double* from = plan.numbers.data() + at<L>(plan.offsets[q]);
  for (auto& each : x) each = number<L>(from), from += at<L>(1);
}

/// The last pass of a synthesis, which writes rows and prefetches the next ones.
template <int R, class L>
HALCYON_INLINE void to_rows(const RowPlan& plan, double* const* rows, std::size_t prefetch_distance) {
  const int stride = plan.passes.back().stride;
  std::array<double*, kRegisterSize<L>> to;  // a local copy, which cannot alias the values
  std::copy_n(rows, kRegisterSize<L>, to.data());
  for (int next = 0; next < stride; next += 2) {
    const int q = std::min(next, stride - 2);
    if (prefetch_distance > 0) prefetch_rows<R, L>(to.data(), prefetch_distance + plan.half, next / 2);
    LaneComplexes<R, L> x, y;
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

/// In the first pass of a synthesis and the last pass of an analysis, x holds the numbers p + P k and y the
/// numbers P - p + P k, so coefficients m and half - m are both available. Calls pair(m, number m, number
/// half - m) for m <= half/2; for m = half/2 the two are the same number.
template <int R, class L, class Pair>
HALCYON_INLINE void for_mirrored_pairs(int p, int n_groups, LaneComplexes<R, L>& x, LaneComplexes<R, L>& y,
                                       const Pair& pair) {
  for (int k = 0; k < (R + 1) / 2; ++k) pair(p + n_groups * k, x[k], y[R - 1 - k]);
  if (2 * p == n_groups) return;  // x and y are the same group
  for (int k = 0; k < R / 2; ++k) pair(n_groups - p + n_groups * k, y[k], x[R - 1 - k]);
}
/// The same for p = 0, without m = 0.
template <int R, class L, class Pair>
HALCYON_INLINE void for_mirrored_pairs_of_first(int n_groups, LaneComplexes<R, L>& x, const Pair& pair) {
  for (int k = 1; 2 * k <= R; ++k) pair(n_groups * k, x[k], x[R - k]);
}

/// The first pass of a synthesis, which reads Fourier coefficients and prefetches the next rows or, if there
/// are none, the rows that it will write. With x_2k + i x_2k+1 = sum_m z_m exp(2 pi i m k / half), a = c_m, b
/// = c_half-m, t = exp(2 pi i m / L): z_m = a + b* + i t (a - b*), z_half-m = (a + b* - i t (a - b*))*.
template <int R, class L, class Waves>
HALCYON_INLINE void from_waves(const RowPlan& plan, const Waves waves, double* to, double* const* rows,
                               std::size_t prefetch_distance) {
  const Pass& pass = plan.passes.front();
  const int n_groups = pass.n_groups, half = plan.half;
  const double *twiddles = plan.twiddles.data(), *twiddles_of_pass = pass.twiddles.data();
  const auto split = [=](int m, LaneComplex<L>& x, LaneComplex<L>& mirrored) __attribute__((always_inline)) {
    const LaneComplex<L> a = waves(m), b = waves(half - m);
    const LaneComplex<L> sum = plus_conjugate(a, b);
    const LaneComplex<L> turn = rotated(minus_conjugate(a, b), twiddles[2 * m], twiddles[2 * m + 1]);
    mirrored = {sum.re + turn.im, turn.re - sum.im};
    x = plus_i(sum, turn);
  };
  const auto finish = [=](int p, LaneComplexes<R, L>& x) __attribute__((always_inline)) {
    butterfly(x);
    if (p > 0) twiddle<R, L>(x, twiddles_of_pass + 2 * (R - 1) * p);
    for (int j = 0; j < R; ++j) store(to + at<L>(p + n_groups * j), x[j]);
  };
  const auto prefetch_part = [=](int part) __attribute__((always_inline)) {
    prefetch_rows<R, L>(rows, prefetch_distance, part);
    if (prefetch_distance == 0) prefetch_rows<R, L>(rows, half, part);
  };
  LaneComplexes<R, L> x, y;
  const L mean = waves(0).re;
  x[0] = {mean, mean};
  for_mirrored_pairs_of_first<R, L>(n_groups, x, split);
  finish(0, x);
  for (int p = 1; 2 * p < n_groups; ++p) {
    for_mirrored_pairs<R, L>(p, n_groups, x, y, split);
    prefetch_part(p - 1);
    finish(p, x), finish(n_groups - p, y);
  }
  if (n_groups % 2 == 0) {
    prefetch_part(n_groups / 2 - 1);
    for_mirrored_pairs<R, L>(n_groups / 2, n_groups, x, x, split);
    finish(n_groups / 2, x);
  }
}

/// The last pass of an analysis, which writes Fourier coefficients and prefetches the next rows, if any.
/// Swapping real and imaginary parts of input and output changes the sign of the transform: z_m = sum_k (x_2k
/// + i x_2k+1) exp(-2 pi i m k / half). With a = z_m, b = z_half-m, t = exp(-2 pi i m / L): 2 c_m = a + b* -
/// i t (a - b*), 2 c_half-m = (a + b* + i t (a - b*))*.
/// @param waves receives 2 c_m
template <int R, class L, class Waves>
HALCYON_INLINE void to_waves(const RowPlan& plan, const Waves waves, const double* const* rows,
                             std::size_t prefetch_distance) {
  const int stride = plan.passes.back().stride, half = plan.half;
  const double* twiddles = plan.twiddles.data();
  const auto join = [=](int m, const LaneComplex<L>& x, const LaneComplex<L>& mirrored)
                        __attribute__((always_inline)) {
                          const LaneComplex<L> a = parts_swapped(x), b = parts_swapped(mirrored);
                          const LaneComplex<L> sum = plus_conjugate(a, b);
                          // (t (a - b*))*
                          const LaneComplex<L> turn =
                              conjugate_rotated(minus_conjugate(a, b), twiddles[2 * m], twiddles[2 * m + 1]);
                          waves(half - m, LaneComplex<L>{sum.re + turn.im, 0.0 - (sum.im + turn.re)});
                          waves(m, LaneComplex<L>{sum.re - turn.im, sum.im - turn.re});
                        };
  const auto begin = [&](int q, LaneComplexes<R, L>& x) __attribute__((always_inline)) {
    load_last_pass(plan, q, x);
    butterfly(x);
  };
  LaneComplexes<R, L> x, y;
  begin(0, x);
  const L mean = x[0].im + x[0].re;
  waves(0, LaneComplex<L>{mean + mean, L{}});
  for_mirrored_pairs_of_first<R, L>(stride, x, join);
  for (int q = 1; 2 * q < stride; ++q) {
    begin(q, x), begin(stride - q, y);
    if (prefetch_distance > 0) prefetch_rows<R, L>(rows, prefetch_distance + half, q - 1);
    for_mirrored_pairs<R, L>(q, stride, x, y, join);
  }
  if (stride % 2 == 0) {
    if (prefetch_distance > 0) prefetch_rows<R, L>(rows, prefetch_distance + half, stride / 2 - 1);
    begin(stride / 2, x);
    for_mirrored_pairs<R, L>(stride / 2, stride, x, x, join);
  }
}

/// Calls work<R>() with the radix R as template argument.
template <class L, class Work>
HALCYON_INLINE void with_radix(int radix, const Work& work) {
  const auto call = [&]<int R>() __attribute__((always_inline)) {
    call_out_of_line(L{}, [&]() __attribute__((always_inline)) { work.template operator()<R>(); });
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

/// All passes except the first and the last.
template <class L>
HALCYON_INLINE void run(RowPlan& plan) {
  for (std::size_t i = 1; i + 1 < plan.passes.size(); ++i) {
    const auto& pass = plan.passes[i];
    with_radix<L>(pass.radix, [&]<int R>() __attribute__((always_inline)) {
      middle_pass<R, L>(pass, plan.numbers.data());
    });
  }
}

/// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m.
/// @param waves (m) returns c_m for 0 <= m < L/2; for m = 0 only the real part is used
template <class L, class Waves>
HALCYON_INLINE void waves_to_rows(RowPlan& plan, const Waves& waves, double* const* rows,
                                  std::size_t prefetch_distance) {
  with_radix<L>(plan.passes.front().radix, [&]<int R>() __attribute__((always_inline)) {
    from_waves<R, L>(plan, waves, plan.numbers.data(), rows, prefetch_distance);
  });
  run<L>(plan);
  with_radix<L>(plan.passes.back().radix, [&]<int R>() __attribute__((always_inline)) {
    to_rows<R, L>(plan, rows, prefetch_distance);
  });
}

/// c_m = sum_k x_k exp(-2 pi i m k / L).
/// @param waves (m, 2 c_m) receives the coefficients 0 <= m < L/2; m = L/4 twice, where the second value is
/// correct
template <class L, class Waves>
HALCYON_INLINE void rows_to_waves(RowPlan& plan, const double* const* rows, std::size_t prefetch_distance,
                                  const Waves& waves) {
  const auto& first = plan.passes.front();
  with_radix<L>(first.radix, [&]<int R>() __attribute__((always_inline)) {
    from_rows<R, L>(first, rows, prefetch_distance, waves.parts, plan.numbers.data());
  });
  run<L>(plan);
  with_radix<L>(plan.passes.back().radix, [&]<int R>() __attribute__((always_inline)) {
    to_waves<R, L>(plan, waves, rows, prefetch_distance);
  });
}

}  // namespace halcyon::transform
