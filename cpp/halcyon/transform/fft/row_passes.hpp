#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "halcyon/transform/fft/butterflies.hpp"
#include "halcyon/transform/fft/row_plan.hpp"
#include "halcyon/transform/legendre/panels.hpp"
#include "halcyon/transform/registers/ahead.hpp"

/// The passes of transforms of rows, by registers L. Two real values are a complex one (Van Loan 1992, 4.4).
namespace halcyon::transform {

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

}  // namespace halcyon::transform
