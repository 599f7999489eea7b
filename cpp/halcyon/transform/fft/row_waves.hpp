#pragma once

#include "halcyon/transform/fft/row_passes.hpp"

/// Transforms of rows, by registers L: the passes from waves and to waves, and all of them.
namespace halcyon::transform {

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
