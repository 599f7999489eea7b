#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "halcyon/transform/butterflies.hpp"
#include "halcyon/transform/panels.hpp"
#include "halcyon/transform/row_plan.hpp"

/// The passes of transforms of rows, by registers L. Two real values are a complex one (Van Loan 1992, 4.4).
namespace halcyon::transform {

template <int R, class L>
using Numbers = std::array<Number<L>, R>;
using Pass = RowPlan::Pass;

template <class L>
HALCYON_INLINE std::ptrdiff_t at(int i) {
  return static_cast<std::ptrdiff_t>(i) * 2 * kSize<L>;
}

/// Asks the machine for some numbers that will be wanted soon, not too near: what is worked on fills the
/// first cache.
HALCYON_INLINE void fetch_not_near(const double* first, std::size_t n) {
  for (std::size_t at = 0; at < n; at += 8) __builtin_prefetch(first + at, 0, 2);
}

template <int R, class L>
HALCYON_INLINE void turn(Numbers<R, L>& x, const double* turns) {
  for (int j = 1; j < R; ++j) x[j] = turned(x[j], turns[2 * (j - 1)], turns[2 * (j - 1) + 1]);
}

/// A pass in between.
template <int R, class L>
HALCYON_INLINE void middle(const Pass& pass, const double* from, double* to) {
  const int n_groups = pass.n_groups, stride = pass.stride;
  const double* turns = pass.turns.data();
  for (int p = 0; p < n_groups; ++p, turns += 2 * (R - 1))
    for (int q = 0; q < stride; ++q) {
      Numbers<R, L> x;
      for (int k = 0; k < R; ++k) x[k] = number<L>(from + at<L>(stride * (p + n_groups * k) + q));
      butterfly(x);
      if (p > 0) turn<R, L>(x, turns);
      for (int j = 0; j < R; ++j) store(to + at<L>(stride * (R * p + j) + q), x[j]);
    }
}

/// The first pass, of rows, whose values are changed for each other by twos.
template <int R, class L>
HALCYON_INLINE void from_rows(const Pass& pass, const double* const* rows, const Halves<double>& waves,
                              double* to) {
  const int n_groups = pass.n_groups;
  const double* turns = pass.turns.data();
  for (int next = 0; next < n_groups; next += 2) {
    const int p = std::min(next, n_groups - 2);  // an odd number of groups: one is computed twice
    Numbers<R, L> x, y;
    for (int m = p * R; m < std::min((p + 2) * R, waves.last + 1); ++m) fetch_not_near(waves.at(m), kBlock);
    for (int k = 0; k < R; ++k) {
      const std::size_t place = 2 * static_cast<std::size_t>(p + n_groups * k);
      load_rows(rows, 0, place, x[k].im), load_rows(rows, 1, place, x[k].re);
      load_rows(rows, 2, place, y[k].im), load_rows(rows, 3, place, y[k].re);
      transpose(x[k].im, x[k].re, y[k].im, y[k].re);
    }
    butterfly(x), butterfly(y);
    turn<R, L>(x, turns + 2 * (R - 1) * p), turn<R, L>(y, turns + 2 * (R - 1) * (p + 1));
    for (int j = 0; j < R; ++j) store(to + at<L>(R * p + j), x[j]), store(to + at<L>(R * (p + 1) + j), y[j]);
  }
}

/// Asks the machine for what will be wanted of rows soon, a part for each pair of groups.
template <int R, class L, class T>
HALCYON_INLINE void fetch_rows(T* const* rows, std::size_t ahead, int p) {
  for (int row = 0; row < kSize<L>; ++row) fetch_not_near(rows[row] + ahead + 4 * R * (p - 1), 4 * R);
}

template <class L, class T>
HALCYON_INLINE std::array<T*, kSize<L>> rows_of(T* const* rows) {
  std::array<T*, kSize<L>> found;
  std::copy_n(rows, kSize<L>, found.data());
  return found;
}

/// The last pass, to rows.
template <int R, class L>
HALCYON_INLINE void to_rows(const Pass& pass, const double* from, double* const* rows) {
  const int stride = pass.stride;
  const auto to = rows_of<L>(rows);
  for (int next = 0; next < stride; next += 2) {
    const int q = std::min(next, stride - 2);
    Numbers<R, L> x, y;
    for (int k = 0; k < R; ++k)
      x[k] = number<L>(from + at<L>(q + stride * k)), y[k] = number<L>(from + at<L>(q + 1 + stride * k));
    butterfly(x), butterfly(y);
    for (int j = 0; j < R; ++j) {
      const std::size_t place = 2 * static_cast<std::size_t>(q + stride * j);
      transpose(x[j].re, x[j].im, y[j].re, y[j].im);
      store_rows(to.data(), 0, place, x[j].re), store_rows(to.data(), 1, place, x[j].im);
      store_rows(to.data(), 2, place, y[j].re), store_rows(to.data(), 3, place, y[j].im);
    }
  }
}

/// Of the first pass of a synthesis, or the last one of an analysis: the numbers p + P k of a group p and of
/// P
/// - p are those that belong to wavenumbers m and half - m. Calls pair(m, x, y) for each two of these, m not
/// above half/2, where both are the same.
template <int R, class L, class Pair>
HALCYON_INLINE void for_pairs(int p, int n_groups, Numbers<R, L>& x, Numbers<R, L>& y, const Pair& pair) {
  for (int k = 0; k < (R + 1) / 2; ++k) pair(p + n_groups * k, x[k], y[R - 1 - k]);
  if (2 * p == n_groups) return;  // x and y are one
  for (int k = 0; k < R / 2; ++k) pair(n_groups - p + n_groups * k, y[k], x[R - 1 - k]);
}
template <int R, class L, class Pair>
HALCYON_INLINE void for_pairs_of_first(int n_groups, Numbers<R, L>& x, const Pair& pair) {
  for (int k = 1; 2 * k <= R; ++k) pair(n_groups * k, x[k], x[R - k]);
}

/// The first pass, of waves. With x_2k + i x_2k+1 = sum_m z_m exp(2 pi i m k / half), a = c_m, b =
/// conj(c_half-m), t = exp(2 pi i m / L): z_m = a + b + i t (a - b),  z_half-m = conj(a + b - i t (a - b)).
template <int R, class L, class Waves>
HALCYON_INLINE void from_waves(const RowPlan& plan, const Waves& waves, double* to, double* const* rows) {
  const Pass& pass = plan.passes.front();
  const int n_groups = pass.n_groups;
  const auto split = [&](int m, Number<L>& x, Number<L>& mirrored) __attribute__((always_inline)) {
    const Number<L> a = waves(m), b = conjugate(waves(plan.half - m));
    const Number<L> turn = turned(a - b, plan.turns[2 * m], plan.turns[2 * m + 1]);
    mirrored = conjugate(minus_i(a + b, turn));
    x = plus_i(a + b, turn);
  };
  const auto finish = [&](int p, Numbers<R, L>& x) __attribute__((always_inline)) {
    butterfly(x);
    if (p > 0) turn<R, L>(x, pass.turns.data() + 2 * (R - 1) * p);
    for (int j = 0; j < R; ++j) store(to + at<L>(R * p + j), x[j]);
  };
  Numbers<R, L> x, y;
  const L mean = waves(0).re;
  x[0] = {mean, mean};
  for_pairs_of_first<R, L>(n_groups, x, split);
  finish(0, x);
  for (int p = 1; 2 * p < n_groups; ++p) {
    for_pairs<R, L>(p, n_groups, x, y, split);
    fetch_rows<R, L>(rows, 0, p);
    finish(p, x), finish(n_groups - p, y);
  }
  if (n_groups % 2 == 0) {
    for_pairs<R, L>(n_groups / 2, n_groups, x, x, split);
    finish(n_groups / 2, x);
  }
}

/// The last pass, to waves. With the real and the imaginary part changed for each other on both sides, the
/// transform has the other sign: z_m = sum_k (x_2k + i x_2k+1) exp(-2 pi i m k / half). With b =
/// conj(z_half-m), t = exp(-2 pi i m / L): 2 c_m = z_m + b - i t (z_m - b),  2 c_half-m = conj(z_m + b + i t
/// (z_m - b)).
template <int R, class L, class Waves>
HALCYON_INLINE void to_waves(const RowPlan& plan, const double* from, const Waves& waves,
                             const double* const* rows, std::size_t ahead) {
  const int stride = plan.passes.back().stride;
  const auto join = [&](int m, const Number<L>& x, const Number<L>& mirrored) __attribute__((always_inline)) {
    const Number<L> a = parts_changed(x), b = conjugate(parts_changed(mirrored));
    const Number<L> turn = turned(a - b, plan.turns[2 * m], 0.0 - plan.turns[2 * m + 1]);
    waves(plan.half - m, scaled(conjugate(plus_i(a + b, turn)), 0.5));
    waves(m, scaled(minus_i(a + b, turn), 0.5));
  };
  const auto begin = [&](int q, Numbers<R, L>& x) __attribute__((always_inline)) {
    for (int k = 0; k < R; ++k) x[k] = number<L>(from + at<L>(q + stride * k));
    butterfly(x);
  };
  Numbers<R, L> x, y;
  begin(0, x);
  waves(0, Number<L>{x[0].im + x[0].re, L{}});
  for_pairs_of_first<R, L>(stride, x, join);
  for (int q = 1; 2 * q < stride; ++q) {
    begin(q, x), begin(stride - q, y);
    fetch_rows<R, L>(rows, ahead, q);
    for_pairs<R, L>(q, stride, x, y, join);
  }
  if (stride % 2 == 0) {
    begin(stride / 2, x);
    for_pairs<R, L>(stride / 2, stride, x, x, join);
  }
}

/// Calls work<R>() for the radix R.
template <class Work>
HALCYON_INLINE void with_radix(int radix, const Work& work) {
  switch (radix) {
    case 2:
      return work.template operator()<2>();
    case 3:
      return work.template operator()<3>();
    case 4:
      return work.template operator()<4>();
    default:
      return work.template operator()<5>();
  }
}

/// The passes in between, on `numbers`.
template <class L>
HALCYON_INLINE void run(RowPlan& plan) {
  for (std::size_t i = 1; i + 1 < plan.passes.size(); ++i) {
    const auto& pass = plan.passes[i];
    with_radix(pass.radix, [&]<int R>() __attribute__((always_inline)) {
      middle<R, L>(pass, plan.numbers.data(), plan.others.data());
    });
    std::swap(plan.numbers, plan.others);
  }
}

/// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m.
/// @param waves (m) gives c_m of 0 <= m < L/2, of m = 0 the real part
template <class L, class Waves>
HALCYON_INLINE void waves_to_rows(RowPlan& plan, const Waves& waves, double* const* rows) {
  with_radix(plan.passes.front().radix, [&]<int R>() __attribute__((always_inline)) {
    from_waves<R, L>(plan, waves, plan.numbers.data(), rows);
  });
  run<L>(plan);
  const auto& last = plan.passes.back();
  with_radix(last.radix,
             [&]<int R>() __attribute__((always_inline)) { to_rows<R, L>(last, plan.numbers.data(), rows); });
}

/// c_m = sum_k x_k exp(-2 pi i m k / L).
/// @param waves (m, c_m) takes those of 0 <= m < L/2: of L/4 twice, the second is it
template <class L, class Waves>
HALCYON_INLINE void rows_to_waves(RowPlan& plan, const double* const* rows, std::size_t ahead,
                                  const Waves& waves) {
  const auto& first = plan.passes.front();
  with_radix(first.radix, [&]<int R>() __attribute__((always_inline)) {
    from_rows<R, L>(first, rows, waves.halves, plan.numbers.data());
  });
  run<L>(plan);
  with_radix(plan.passes.back().radix, [&]<int R>() __attribute__((always_inline)) {
    to_waves<R, L>(plan, plan.numbers.data(), waves, rows, ahead);
  });
}

}  // namespace halcyon::transform
