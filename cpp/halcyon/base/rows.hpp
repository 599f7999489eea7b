#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "halcyon/base/lanes.hpp"
#include "halcyon/base/runs.hpp"

namespace halcyon {

/// Numbers in as many registers as leave some free.
template <class Real>
inline constexpr int kWide = 4 * kLanes<Real>;
/// Of the first half of a row in several registers.
template <class Real>
constexpr int upper_width(int width) {
  return width / kLanes<Real> / 2 * kLanes<Real>;
}

/// Some neighbouring levels of a column, computed with at once: in one register or in several; a plain number
/// where it is one.
template <class Real, int kWidth>
struct RowOf;
template <class Real, int kWidth>
using RowType = typename RowOf<Real, kWidth>::Type;

/// A row that lies in several registers: whatever is looked up for its levels, such as a number of an edge
/// and its weight, is looked up once for all.
template <class Real, int kWidth>
struct WideRow {
  RowType<Real, upper_width<Real>(kWidth)> up;
  RowType<Real, kWidth - upper_width<Real>(kWidth)> down;

  friend WideRow operator+(WideRow a, WideRow b) { return {a.up + b.up, a.down + b.down}; }
  friend WideRow operator-(WideRow a, WideRow b) { return {a.up - b.up, a.down - b.down}; }
  friend WideRow operator*(WideRow a, WideRow b) { return {a.up * b.up, a.down * b.down}; }
  friend WideRow operator/(WideRow a, WideRow b) { return {a.up / b.up, a.down / b.down}; }
  friend WideRow operator+(Real a, WideRow b) { return {a + b.up, a + b.down}; }
  friend WideRow operator*(Real a, WideRow b) { return {a * b.up, a * b.down}; }
  friend WideRow operator*(WideRow a, Real b) { return {a.up * b, a.down * b}; }
  WideRow& operator+=(WideRow b) { return *this = *this + b; }
  WideRow& operator-=(WideRow b) { return *this = *this - b; }
};

// `last` is where the last register begins: with a part of what is in the one before, where a column ends;
// below zero where that one is in another row.
template <class Real, int kWidth>
struct RowOf {
  typedef Real Type __attribute__((vector_size(kWidth * sizeof(Real))));
  static Type read(const Real* at, std::ptrdiff_t last = 0) {
    Type row;
    std::memcpy(&row, at + last, sizeof row);
    return row;
  }
  static void write(Type row, Real* at, std::ptrdiff_t last = 0) { std::memcpy(at + last, &row, sizeof row); }
};
template <class Real, int kWidth>
  requires(kWidth > kLanes<Real>)
struct RowOf<Real, kWidth> {
  static constexpr int kUp = upper_width<Real>(kWidth);
  using Up = RowOf<Real, kUp>;
  using Down = RowOf<Real, kWidth - kUp>;
  using Type = WideRow<Real, kWidth>;
  static Type read(const Real* at, std::ptrdiff_t last = kWidth - kLanes<Real>) {
    return {Up::read(at), Down::read(at + kUp, last - kUp)};
  }
  static void write(Type row, Real* at, std::ptrdiff_t last = kWidth - kLanes<Real>) {
    Up::write(row.up, at);
    Down::write(row.down, at + kUp, last - kUp);
  }
};
template <class Real>
struct RowOf<Real, 1> {
  using Type = Real;
  static Type read(const Real* at, std::ptrdiff_t = 0) { return *at; }
  static void write(Type row, Real* at, std::ptrdiff_t = 0) { *at = row; }
};

/// a where x is above zero, and b elsewhere.
template <class Row>
Row where_positive(Row x, Row a, Row b) {
  return x > Row{} ? a : b;
}
template <class Real, int kWidth>
WideRow<Real, kWidth> where_positive(WideRow<Real, kWidth> x, WideRow<Real, kWidth> a,
                                     WideRow<Real, kWidth> b) {
  return {where_positive(x.up, a.up, b.up), where_positive(x.down, a.down, b.down)};
}

/// Levels `first` .. `first + kWidth` of a field (item, level), by item.
template <class Real, int kWidth>
class Field {
 public:
  using Row = RowType<Real, kWidth>;

  Field(const Real* values, std::size_t n_levels, std::size_t first, std::ptrdiff_t last)
      : values_(values + first), n_levels_(n_levels), last_(last) {}

  Row operator[](LocalIndex item) const {
    return RowOf<Real, kWidth>::read(values_ + static_cast<std::size_t>(item) * n_levels_, last_);
  }

 private:
  const Real* values_;
  std::size_t n_levels_;
  std::ptrdiff_t last_;
};

/// Some levels of all fields (item, level) that a sweep reads and writes.
template <class RealType, int kWidth>
class Block {
 public:
  using Real = RealType;
  using Row = RowType<Real, kWidth>;

  /// @param last where the last of several registers begins, from the first level on
  Block(std::size_t n_levels, std::size_t first, std::ptrdiff_t last = kMostLast)
      : n_levels_(n_levels), first_(first), last_(last) {}

  Field<Real, kWidth> operator()(std::span<const Real> values) const {
    return {values.data(), n_levels_, first_, last_};
  }
  /// Of a field (item, interface), of which a column has one more than levels: those above the levels, or,
  /// one further, below.
  Field<Real, kWidth> above(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_, last_};
  }
  Field<Real, kWidth> below(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_ + 1, last_};
  }
  void put(std::span<Real> values, LocalIndex item, Row row) const {
    RowOf<Real, kWidth>::write(row, values.data() + static_cast<std::size_t>(item) * n_levels_ + first_,
                               last_);
  }

 private:
  static constexpr std::ptrdiff_t kMostLast = kWidth > kLanes<Real> ? kWidth - kLanes<Real> : 0;

  std::size_t n_levels_, first_;
  std::ptrdiff_t last_;
};

/// A field (item, level) that is read, or written, of numbers that other arguments tell.
template <class Real>
using In = std::span<const std::type_identity_t<Real>>;
template <class Real>
using Out = std::span<std::type_identity_t<Real>>;

/// One column of a field (item, level).
template <class Real>
std::span<const Real> column(std::span<const Real> values, LocalIndex item, std::size_t n_levels) {
  return values.subspan(item * n_levels, n_levels);
}
template <class Real>
std::span<Real> column(std::span<Real> values, LocalIndex item, std::size_t n_levels) {
  return values.subspan(item * n_levels, n_levels);
}

/// Calls kernel(block) of so many registers.
template <class Real, int kWidth, class Kernel>
void for_registers(int n, const Kernel& kernel, std::size_t n_levels, std::size_t first,
                   std::ptrdiff_t last) {
  if constexpr (kWidth > kLanes<Real>)
    if (n * kLanes<Real> < kWidth)
      return for_registers<Real, kWidth - kLanes<Real>>(n, kernel, n_levels, first, last);
  kernel(Block<Real, kWidth>(n_levels, first, last));
}

/// Calls kernel(block) for the blocks of a column from a level on: of so many levels, then of half as many,
/// down to single ones.
template <class Real, int kWidth, class Kernel>
void for_narrow_rows(std::size_t n_levels, std::size_t first, const Kernel& kernel) {
  for (; first + kWidth <= n_levels; first += kWidth) kernel(Block<Real, kWidth>(n_levels, first));
  if constexpr (kWidth > 1) for_narrow_rows<Real, kWidth / 2>(n_levels, first, kernel);
}

/// Calls kernel(block) for the blocks of a column. Where rows are wide: of at most so many registers, as even
/// as can be; the last register of the column may lie over the one before, and its levels are computed twice
/// alike. Those are in one block, unless rows are of two registers: then a kernel must not write what it
/// reads. Else blocks are of one register, half of one, down to single levels.
template <class Real, int kWidth = kLanes<Real>, class Kernel>
void for_rows(std::size_t n_levels, const Kernel& kernel) {
  if constexpr (kWidth > kLanes<Real>) {
    constexpr int kMost = kWidth / kLanes<Real>, kStep = kLanes<Real>;
    if (n_levels < kStep) return for_narrow_rows<Real, kStep / 2>(n_levels, 0, kernel);
    auto left = static_cast<int>((n_levels + kStep - 1) / kStep);
    std::size_t first = 0;
    while (left > 0) {
      const int n = left >= 2 * kMost ? kMost : left > kMost ? (left + 1) / 2 : left;
      const auto end = n == left ? n_levels : first + static_cast<std::size_t>(n) * kStep;
      const auto last = static_cast<std::ptrdiff_t>(end) - static_cast<std::ptrdiff_t>(first + kStep);
      for_registers<Real, kWidth>(n, kernel, n_levels, first, last);
      first += static_cast<std::size_t>(n) * kStep;
      left -= n;
    }
  } else {
    for_narrow_rows<Real, kWidth>(n_levels, 0, kernel);
  }
}

/// Asks for the columns of a field that will be read soon: where columns lie far from each other, the machine
/// does not guess which comes next.
template <class Real>
void fetch(std::span<const Real> field, LocalIndex item, int n_levels) {
  fetch(field.data() + static_cast<std::size_t>(item) * n_levels, n_levels);
}

/// How many items ahead of its use is made ready what a sweep takes.
inline constexpr LocalIndex kAhead = 2;

/// Calls visit(item) for the items of some runs, and before that prepare(item) for each, so many items ahead.
template <class Prepare, class Visit>
[[gnu::flatten]] void for_items(std::span<const Run> runs, const Prepare& prepare, const Visit& visit) {
  for (const auto [begin, end] : runs) {
    for (LocalIndex item = begin; item < std::min(begin + kAhead, end); ++item) prepare(item);
    for (LocalIndex item = begin; item < end; ++item) {
      if (item + kAhead < end) prepare(item + kAhead);
      visit(item);
    }
  }
}

/// Calls visit(item) for the items of some runs.
template <class Visit>
[[gnu::flatten]] void for_items(std::span<const Run> runs, const Visit& visit) {
  for_items(runs, [](LocalIndex) {}, visit);
}

/// Calls kernel(block, item) for the items of some runs and the blocks of their columns.
template <class Real, int kWidth = kLanes<Real>, class Kernel>
[[gnu::flatten]] void for_columns(std::span<const Run> runs, int n_levels, const Kernel& kernel) {
  for_items(runs, [&](LocalIndex item) {
    for_rows<Real, kWidth>(n_levels, [&](auto rows) { kernel(rows, item); });
  });
}

}  // namespace halcyon
