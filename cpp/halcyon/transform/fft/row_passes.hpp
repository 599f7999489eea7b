#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "halcyon/transform/fft/eight_rows.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// Transforms of rows, by registers L: discrete Fourier transforms of a few complex numbers in each lane,
/// with the sign of exp(+2 pi i j k / R), the passes made of them, those from waves and to waves, and all of
/// them. Two real values are a complex one (Van Loan 1992, 4.4).
namespace halcyon::transform {

/// A complex number of each lane.
template <class L>
struct Number {
  L re, im;
};

template <class L>
HALCYON_INLINE Number<L> number(const double* at) {
  return {load_as<L>(at), load_as<L>(at + kSize<L>)};
}
template <class L>
HALCYON_INLINE void store(double* at, const Number<L>& x) {
  store(at, x.re), store(at + kSize<L>, x.im);
}
template <class L>
HALCYON_INLINE Number<L> operator+(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE Number<L> operator-(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.re, x.im - y.im};
}
/// x + i y, x - i y.
template <class L>
HALCYON_INLINE Number<L> plus_i(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.im, x.im + y.re};
}
template <class L>
HALCYON_INLINE Number<L> minus_i(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.im, x.im - y.re};
}
/// x + conj(y), x - conj(y).
template <class L>
HALCYON_INLINE Number<L> plus_conjugate(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.re, x.im - y.im};
}
template <class L>
HALCYON_INLINE Number<L> minus_conjugate(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE Number<L> parts_changed(const Number<L>& x) {
  return {x.im, x.re};
}
/// x (cosine + i sine).
template <class L>
HALCYON_INLINE Number<L> turned(const Number<L>& x, double cosine, double sine) {
  return {multiply_subtract(x.re, cosine, x.im * sine), multiply_add(x.re, sine, x.im * cosine)};
}
/// conj(x) (cosine + i sine).
template <class L>
HALCYON_INLINE Number<L> conjugate_turned(const Number<L>& x, double cosine, double sine) {
  return {multiply_add(x.re, cosine, x.im * sine), multiply_subtract(x.re, sine, x.im * cosine)};
}
template <class L>
HALCYON_INLINE Number<L> scaled(const Number<L>& x, double factor) {
  return {x.re * factor, x.im * factor};
}
/// x a + y.
template <class L>
HALCYON_INLINE Number<L> scaled_add(const Number<L>& x, double factor, const Number<L>& y) {
  return {multiply_add(x.re, factor, y.re), multiply_add(x.im, factor, y.im)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 2>& x) {
  x = {x[0] + x[1], x[0] - x[1]};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 3>& x) {
  constexpr double kSine60 = 0.86602540378443864676;
  const Number<L> sum = x[1] + x[2], turn = scaled(x[1] - x[2], kSine60);
  const Number<L> middle = scaled_add(sum, -0.5, x[0]);
  x = {x[0] + sum, plus_i(middle, turn), minus_i(middle, turn)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 4>& x) {
  const Number<L> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x = {a + c, plus_i(b, d), a - c, minus_i(b, d)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 5>& x) {
  constexpr double kCosine72 = 0.30901699437494742410, kSine72 = 0.95105651629515357212;
  constexpr double kCosine144 = -0.80901699437494742410, kSine144 = 0.58778525229247312917;
  const Number<L> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const Number<L> p = scaled_add(b, kCosine144, scaled_add(a, kCosine72, x[0]));
  const Number<L> q = scaled_add(b, kCosine72, scaled_add(a, kCosine144, x[0]));
  const Number<L> r = scaled_add(d, kSine144, scaled(c, kSine72));
  const Number<L> s = scaled_add(d, -kSine72, scaled(c, kSine144));
  x = {x[0] + a + b, plus_i(p, r), plus_i(q, s), minus_i(q, s), minus_i(p, r)};
}

template <int R, class L>
using Numbers = std::array<Number<L>, R>;
using Pass = RowPlan::Pass;

template <class L>
HALCYON_INLINE std::ptrdiff_t at(int i) {
  return static_cast<std::ptrdiff_t>(i) * 2 * kSize<L>;
}

template <int R, class L>
HALCYON_INLINE void turn(Numbers<R, L>& x, const double* turns) {
  for (int j = 1; j < R; ++j) x[j] = turned(x[j], turns[2 * (j - 1)], turns[2 * (j - 1) + 1]);
}

/// Asks the machine for part 0, 1, .. of the numbers of each of the next rows, `from` beyond these: 2 R for a
/// pair of groups, so that the first and the last pass ask for about half of them each.
template <int R, class L, class T>
HALCYON_INLINE void fetch_rows(T* const* rows, std::size_t from, int part) {
  constexpr int kLine = Lines::kNumbers;
  const auto lines_before = [](int n_numbers) { return (n_numbers + kLine - 1) / kLine; };
  for (int line = lines_before(2 * R * part); line < lines_before(2 * R * (part + 1)); ++line)
    for (int row = 0; row < kSize<L>; ++row) fetch(rows[row] + from + kLine * line, kLine);
}

/// A pass in between.
template <int R, class L>
HALCYON_INLINE void middle(const Pass& pass, double* numbers) {
  const int n_groups = pass.n_groups;
  for (int b = 0; b < pass.stride; ++b, numbers += at<L>(R * n_groups)) {
    const double* turns = pass.turns.data();
    for (int p = 0; p < n_groups; ++p, turns += 2 * (R - 1)) {
      Numbers<R, L> x;
      for (int k = 0; k < R; ++k) x[k] = number<L>(numbers + at<L>(p + n_groups * k));
      butterfly(x);
      turn<R, L>(x, turns);
      for (int j = 0; j < R; ++j) store(numbers + at<L>(p + n_groups * j), x[j]);
    }
  }
}

/// The first pass, of rows, whose values are changed for each other by twos. Meanwhile the next rows are
/// fetched, if any, and blocks into which the waves will go, unless past the caches.
template <int R, class L>
HALCYON_INLINE void from_rows(const Pass& pass, const double* const* rows, std::size_t ahead,
                              const Halves<double>& waves, double* to) {
  const int n_groups = pass.n_groups;
  const double* turns = pass.turns.data();
  for (int next = 0; next < n_groups; next += 2) {
    const int p = std::min(next, n_groups - 2);  // an odd number of groups: one is computed twice
    Numbers<R, L> x, y;
    for (int m = R * p; !waves.past && m < std::min((p + 2) * R, waves.last + 1); ++m)
      fetch(waves.at(m), kBlock);
    if (ahead > 0) fetch_rows<R, L>(rows, ahead, next / 2);
    for (int k = 0; k < R; ++k) {
      const std::size_t place = 2 * static_cast<std::size_t>(p + n_groups * k);
      load_rows(rows, 0, place, x[k].im), load_rows(rows, 1, place, x[k].re);
      load_rows(rows, 2, place, y[k].im), load_rows(rows, 3, place, y[k].re);
      transpose(x[k].im, x[k].re, y[k].im, y[k].re);
    }
    butterfly(x), butterfly(y);
    turn<R, L>(x, turns + 2 * (R - 1) * p), turn<R, L>(y, turns + 2 * (R - 1) * (p + 1));
    for (int j = 0; j < R; ++j)
      store(to + at<L>(p + n_groups * j), x[j]), store(to + at<L>(p + 1 + n_groups * j), y[j]);
  }
}

/// What the last pass makes results q + s j of.
template <std::size_t R, class L>
HALCYON_INLINE void last_numbers(const RowPlan& plan, int q, std::array<Number<L>, R>& x) {
  const double* from = plan.numbers.data() + at<L>(plan.places[q]);
  for (auto& each : x) each = number<L>(from), from += at<L>(1);
}

/// The last pass, to rows; meanwhile the next ones are fetched.
template <int R, class L>
HALCYON_INLINE void to_rows(const RowPlan& plan, double* const* rows, std::size_t ahead) {
  const int stride = plan.passes.back().stride;
  std::array<double*, kSize<L>> to;  // which no value overwrites
  std::copy_n(rows, kSize<L>, to.data());
  for (int next = 0; next < stride; next += 2) {
    const int q = std::min(next, stride - 2);
    if (ahead > 0) fetch_rows<R, L>(to.data(), ahead + plan.half, next / 2);
    Numbers<R, L> x, y;
    last_numbers(plan, q, x), last_numbers(plan, q + 1, y);
    butterfly(x), butterfly(y);
    for (int j = 0; j < R; ++j) {
      const std::size_t place = 2 * static_cast<std::size_t>(q + stride * j);
      transpose(x[j].re, x[j].im, y[j].re, y[j].im);
      store_rows(to.data(), 0, place, x[j].re), store_rows(to.data(), 1, place, x[j].im);
      store_rows(to.data(), 2, place, y[j].re), store_rows(to.data(), 3, place, y[j].im);
    }
  }
}

/// In the first pass of a synthesis and the last one of an analysis, x are the numbers p + P k and y the
/// numbers P - p + P k. So the two of m and of half - m are both here: calls pair(m, that of m, that of half
/// - m) for m = half/2 at most, where they are one.
template <int R, class L, class Pair>
HALCYON_INLINE void for_pairs(int p, int n_groups, Numbers<R, L>& x, Numbers<R, L>& y, const Pair& pair) {
  for (int k = 0; k < (R + 1) / 2; ++k) pair(p + n_groups * k, x[k], y[R - 1 - k]);
  if (2 * p == n_groups) return;  // x and y are one
  for (int k = 0; k < R / 2; ++k) pair(n_groups - p + n_groups * k, y[k], x[R - 1 - k]);
}
/// p = 0, but for m = 0.
template <int R, class L, class Pair>
HALCYON_INLINE void for_pairs_of_first(int n_groups, Numbers<R, L>& x, const Pair& pair) {
  for (int k = 1; 2 * k <= R; ++k) pair(n_groups * k, x[k], x[R - k]);
}

/// The first pass, of waves; meanwhile the next rows are fetched or, where there are none, these. With x_2k +
/// i x_2k+1 = sum_m z_m exp(2 pi i m k / half), a = c_m, b = c_half-m, t = exp(2 pi i m / L): z_m = a + b* +
/// i t (a - b*), z_half-m = (a + b* - i t (a - b*))*.
template <int R, class L, class Waves>
HALCYON_INLINE void from_waves(const RowPlan& plan, const Waves waves, double* to, double* const* rows,
                               std::size_t ahead) {
  const Pass& pass = plan.passes.front();
  const int n_groups = pass.n_groups, half = plan.half;
  const double *turns = plan.turns.data(), *turns_of_pass = pass.turns.data();
  const auto split = [=](int m, Number<L>& x, Number<L>& mirrored) __attribute__((always_inline)) {
    const Number<L> a = waves(m), b = waves(half - m);
    const Number<L> sum = plus_conjugate(a, b);
    const Number<L> turn = turned(minus_conjugate(a, b), turns[2 * m], turns[2 * m + 1]);
    mirrored = {sum.re + turn.im, turn.re - sum.im};
    x = plus_i(sum, turn);
  };
  const auto finish = [=](int p, Numbers<R, L>& x) __attribute__((always_inline)) {
    butterfly(x);
    if (p > 0) turn<R, L>(x, turns_of_pass + 2 * (R - 1) * p);
    for (int j = 0; j < R; ++j) store(to + at<L>(p + n_groups * j), x[j]);
  };
  const auto fetch_soon = [=](int part) __attribute__((always_inline)) {
    fetch_rows<R, L>(rows, ahead, part);
    if (ahead == 0) fetch_rows<R, L>(rows, half, part);
  };
  Numbers<R, L> x, y;
  const L mean = waves(0).re;
  x[0] = {mean, mean};
  for_pairs_of_first<R, L>(n_groups, x, split);
  finish(0, x);
  for (int p = 1; 2 * p < n_groups; ++p) {
    for_pairs<R, L>(p, n_groups, x, y, split);
    fetch_soon(p - 1);
    finish(p, x), finish(n_groups - p, y);
  }
  if (n_groups % 2 == 0) {
    fetch_soon(n_groups / 2 - 1);
    for_pairs<R, L>(n_groups / 2, n_groups, x, x, split);
    finish(n_groups / 2, x);
  }
}

/// The last pass, to waves; meanwhile the next rows are fetched, if any. With the real and the imaginary part
/// changed for each other on both sides, the transform has the other sign: z_m = sum_k (x_2k + i x_2k+1)
/// exp(-2 pi i m k / half). With a = z_m, b = z_half-m, t = exp(-2 pi i m / L): 2 c_m = a + b* - i t (a -
/// b*), 2 c_half-m = (a + b* + i t (a - b*))*.
/// @param waves takes 2 c_m
template <int R, class L, class Waves>
HALCYON_INLINE void to_waves(const RowPlan& plan, const Waves waves, const double* const* rows,
                             std::size_t ahead) {
  const int stride = plan.passes.back().stride, half = plan.half;
  const double* turns = plan.turns.data();
  const auto join = [=](int m, const Number<L>& x, const Number<L>& mirrored) __attribute__((always_inline)) {
    const Number<L> a = parts_changed(x), b = parts_changed(mirrored);
    const Number<L> sum = plus_conjugate(a, b);
    // (t (a - b*))*
    const Number<L> turn = conjugate_turned(minus_conjugate(a, b), turns[2 * m], turns[2 * m + 1]);
    waves(half - m, Number<L>{sum.re + turn.im, 0.0 - (sum.im + turn.re)});
    waves(m, Number<L>{sum.re - turn.im, sum.im - turn.re});
  };
  const auto begin = [&](int q, Numbers<R, L>& x) __attribute__((always_inline)) {
    last_numbers(plan, q, x);
    butterfly(x);
  };
  Numbers<R, L> x, y;
  begin(0, x);
  const L mean = x[0].im + x[0].re;
  waves(0, Number<L>{mean + mean, L{}});
  for_pairs_of_first<R, L>(stride, x, join);
  for (int q = 1; 2 * q < stride; ++q) {
    begin(q, x), begin(stride - q, y);
    if (ahead > 0) fetch_rows<R, L>(rows, ahead + half, q - 1);
    for_pairs<R, L>(q, stride, x, y, join);
  }
  if (stride % 2 == 0) {
    if (ahead > 0) fetch_rows<R, L>(rows, ahead + half, stride / 2 - 1);
    begin(stride / 2, x);
    for_pairs<R, L>(stride / 2, stride, x, x, join);
  }
}

/// Calls work<R>() for the radix R.
template <class L, class Work>
HALCYON_INLINE void with_radix(int radix, const Work& work) {
  const auto by = [&]<int R>() __attribute__((always_inline)) {
    apart(L{}, [&]() __attribute__((always_inline)) { work.template operator()<R>(); });
  };
  switch (radix) {
    case 2:
      return by.template operator()<2>();
    case 3:
      return by.template operator()<3>();
    case 4:
      return by.template operator()<4>();
    default:
      return by.template operator()<5>();
  }
}

/// The passes in between.
template <class L>
HALCYON_INLINE void run(RowPlan& plan) {
  for (std::size_t i = 1; i + 1 < plan.passes.size(); ++i) {
    const auto& pass = plan.passes[i];
    with_radix<L>(pass.radix,
                  [&]<int R>() __attribute__((always_inline)) { middle<R, L>(pass, plan.numbers.data()); });
  }
}

/// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m.
/// @param waves (m) gives c_m of 0 <= m < L/2, of m = 0 the real part
template <class L, class Waves>
HALCYON_INLINE void waves_to_rows(RowPlan& plan, const Waves& waves, double* const* rows, std::size_t ahead) {
  with_radix<L>(plan.passes.front().radix, [&]<int R>() __attribute__((always_inline)) {
    from_waves<R, L>(plan, waves, plan.numbers.data(), rows, ahead);
  });
  run<L>(plan);
  with_radix<L>(plan.passes.back().radix,
                [&]<int R>() __attribute__((always_inline)) { to_rows<R, L>(plan, rows, ahead); });
}

/// c_m = sum_k x_k exp(-2 pi i m k / L).
/// @param waves (m, 2 c_m) takes those of 0 <= m < L/2: of L/4 twice, the second is it
template <class L, class Waves>
HALCYON_INLINE void rows_to_waves(RowPlan& plan, const double* const* rows, std::size_t ahead,
                                  const Waves& waves) {
  const auto& first = plan.passes.front();
  with_radix<L>(first.radix, [&]<int R>() __attribute__((always_inline)) {
    from_rows<R, L>(first, rows, ahead, waves.halves, plan.numbers.data());
  });
  run<L>(plan);
  with_radix<L>(plan.passes.back().radix,
                [&]<int R>() __attribute__((always_inline)) { to_waves<R, L>(plan, waves, rows, ahead); });
}

}  // namespace halcyon::transform
