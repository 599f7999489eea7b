#include "halcyon/transform/four_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/butterflies.hpp"

namespace halcyon::transform {

namespace {

std::ptrdiff_t at(int i) {
  return static_cast<std::ptrdiff_t>(i) * 2 * kLanes;
}

/// Cosine and sine of 2 pi k / n.
void append_turn(std::vector<double>& turns, int k, int n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * k / n;
  turns.push_back(static_cast<double>(std::cos(angle)));
  turns.push_back(static_cast<double>(std::sin(angle)));
}

/// The radices of a transform of n numbers; what they leave of it is the last one.
std::vector<int> radices(int n) {
  std::vector<int> found;
  for (const int radix : {4, 5, 3, 2})
    for (; n % radix == 0; n /= radix) found.push_back(radix);
  found.push_back(n);
  return found;
}

template <int R>
using Numbers = std::array<Number, R>;

template <int R>
void turn(Numbers<R>& x, const double* turns) {
  for (int j = 1; j < R; ++j)
    x[j] = turned(x[j], lanes_of(turns[2 * (j - 1)]), lanes_of(turns[2 * (j - 1) + 1]));
}

/// A pass in between.
template <int R>
void middle(int n_groups, int stride, const double* turns, const double* from, double* to) {
  for (int p = 0; p < n_groups; ++p, turns += 2 * (R - 1))
    for (int q = 0; q < stride; ++q) {
      Numbers<R> x;
      for (int k = 0; k < R; ++k) x[k] = number(from + at(stride * (p + n_groups * k) + q));
      butterfly(x);
      if (p > 0) turn<R>(x, turns);
      for (int j = 0; j < R; ++j) store(to + at(stride * (R * p + j) + q), x[j]);
    }
}

/// The first pass, of rows, whose values are changed for each other by twos.
template <int R>
void from_rows(int n_groups, const double* turns, const std::array<const double*, kLanes>& rows, double* to) {
  for (int next = 0; next < n_groups; next += 2) {
    const int p = std::min(next, n_groups - 2);  // an odd number of groups: one is computed twice
    Numbers<R> x, y;
    for (int k = 0; k < R; ++k) {
      const std::size_t place = 2 * static_cast<std::size_t>(p + n_groups * k);
      x[k].im = load(rows[0] + place), x[k].re = load(rows[1] + place);
      y[k].im = load(rows[2] + place), y[k].re = load(rows[3] + place);
      transpose(x[k].im, x[k].re, y[k].im, y[k].re);
    }
    butterfly(x), butterfly(y);
    turn<R>(x, turns + 2 * (R - 1) * p), turn<R>(y, turns + 2 * (R - 1) * (p + 1));
    for (int j = 0; j < R; ++j) store(to + at(R * p + j), x[j]), store(to + at(R * (p + 1) + j), y[j]);
  }
}

/// The last pass, to rows.
template <int R>
void to_rows(int stride, const double* from, const std::array<double*, kLanes>& rows) {
  for (int next = 0; next < stride; next += 2) {
    const int q = std::min(next, stride - 2);
    Numbers<R> x, y;
    for (int k = 0; k < R; ++k)
      x[k] = number(from + at(q + stride * k)), y[k] = number(from + at(q + 1 + stride * k));
    butterfly(x), butterfly(y);
    for (int j = 0; j < R; ++j) {
      const std::size_t place = 2 * static_cast<std::size_t>(q + stride * j);
      transpose(x[j].re, x[j].im, y[j].re, y[j].im);
      store(rows[0] + place, x[j].re), store(rows[1] + place, x[j].im);
      store(rows[2] + place, y[j].re), store(rows[3] + place, y[j].im);
    }
  }
}

/// Calls work<R>() for the radix R.
template <class Work>
void with_radix(int radix, Work work) {
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

}  // namespace

bool FourRows::has(int length) {
  return length >= 12 && length % 2 == 0 && radices(length / 2).back() == 1;
}

FourRows::FourRows(int length) : half_(length / 2), nothing_(length), spare_(length) {
  require<InternalError>(has(length), "Four rows of {} values are not transformed at once.", length);
  auto factors = radices(half_);
  factors.pop_back();
  int left = half_, stride = 1;
  for (const int radix : factors) {
    Pass pass{radix, left / radix, stride, {}};
    for (int p = 0; p < pass.n_groups; ++p)
      for (int j = 1; j < radix; ++j) append_turn(pass.turns, p * j % left, left);
    passes_.push_back(std::move(pass));
    left /= radix, stride *= radix;
  }
  for (int m = 0; m <= half_ / 2; ++m) append_turn(turns_, m, length);
  for (auto* buffer : {&numbers_, &others_}) buffer->reserve(at(half_));
}

/// Passes `first` .. `end` - 1, on `numbers_`.
void FourRows::run(std::size_t first, std::size_t end) {
  for (auto i = first; i < end; ++i) {
    const auto& [radix, n_groups, stride, turns] = passes_[i];
    with_radix(radix,
               [&]<int R> { middle<R>(n_groups, stride, turns.data(), numbers_.data(), others_.data()); });
    std::swap(numbers_, others_);
  }
}

/// With x_2k + i x_2k+1 = sum_m z_m exp(2 pi i m k / half), a = c_m, b = conj(c_half-m), t = exp(2 pi i m /
/// L): z_m = a + b + i t (a - b),  z_half-m = conj(a + b - i t (a - b)).
void FourRows::to_values(double* waves, int last, const std::array<double*, kLanes>& rows) {
  std::fill(waves + at(last + 1), waves + at(half_ + 1), 0.0);
  double* const z = numbers_.data();
  store(z, Number{load(waves), load(waves)});
  for (int m = 1; 2 * m <= half_; ++m) {
    const Number a = number(waves + at(m)), b = conjugate(number(waves + at(half_ - m)));
    const Number turn = turned(a - b, lanes_of(turns_[2 * m]), lanes_of(turns_[2 * m + 1]));
    store(z + at(half_ - m), conjugate(minus_i(a + b, turn)));
    store(z + at(m), plus_i(a + b, turn));
  }
  run(0, passes_.size() - 1);
  auto to = rows;
  for (auto& row : to)
    if (!row) row = spare_.data();
  const auto& end = passes_.back();
  with_radix(end.radix, [&]<int R> { to_rows<R>(end.stride, numbers_.data(), to); });
}

/// With the real and the imaginary part changed for each other on both sides, the transform has the other
/// sign: z_m = sum_k (x_2k + i x_2k+1) exp(-2 pi i m k / half). With b = conj(z_half-m), t = exp(-2 pi i m /
/// L): 2 c_m = z_m + b - i t (z_m - b),  2 c_half-m = conj(z_m + b + i t (z_m - b)).
void FourRows::to_waves(const std::array<const double*, kLanes>& rows, double* waves) {
  auto from = rows;
  for (auto& row : from)
    if (!row) row = nothing_.data();
  const auto& begin = passes_.front();
  with_radix(begin.radix,
             [&]<int R> { from_rows<R>(begin.n_groups, begin.turns.data(), from, numbers_.data()); });
  run(1, passes_.size());
  const auto z = [&](int m) {
    const Number found = number(numbers_.data() + at(m));
    return Number{found.im, found.re};
  };
  store(waves, Number{z(0).re + z(0).im, lanes_of(0.0)});
  for (int m = 1; 2 * m <= half_; ++m) {
    const Number a = z(m), b = conjugate(z(half_ - m));
    const Number turn = turned(a - b, lanes_of(turns_[2 * m]), lanes_of(0.0) - lanes_of(turns_[2 * m + 1]));
    store(waves + at(half_ - m), scaled(conjugate(plus_i(a + b, turn)), 0.5));
    store(waves + at(m), scaled(minus_i(a + b, turn), 0.5));
  }
}

}  // namespace halcyon::transform
