#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "halcyon/atmosphere/runs.hpp"

namespace halcyon::atmosphere {

/// Some neighbouring levels of a column, computed with at once; a plain number where it is one.
template <class Real, int kWidth>
struct RowOf {
  typedef Real Type __attribute__((vector_size(kWidth * sizeof(Real))));
};
template <class Real>
struct RowOf<Real, 1> {
  using Type = Real;
};

/// Levels `first` .. `first + kWidth` of a field (item, level), by item.
template <class Real, int kWidth>
class Field {
 public:
  using Row = typename RowOf<Real, kWidth>::Type;

  Field(const Real* values, std::size_t n_levels, std::size_t first)
      : values_(values + first), n_levels_(n_levels) {}

  Row operator[](LocalIndex item) const {
    Row row;
    std::memcpy(&row, values_ + static_cast<std::size_t>(item) * n_levels_, sizeof row);
    return row;
  }

 private:
  const Real* values_;
  std::size_t n_levels_;
};

/// Some levels of all fields (item, level) that a sweep reads and writes.
template <class RealType, int kWidth>
class Block {
 public:
  using Real = RealType;
  using Row = typename RowOf<Real, kWidth>::Type;

  Block(std::size_t n_levels, std::size_t first) : n_levels_(n_levels), first_(first) {}

  Field<Real, kWidth> operator()(std::span<const Real> values) const {
    return {values.data(), n_levels_, first_};
  }
  /// Of a field (item, interface), of which a column has one more than levels: those above the levels, or,
  /// one further, below.
  Field<Real, kWidth> above(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_};
  }
  Field<Real, kWidth> below(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_ + 1};
  }
  void put(std::span<Real> values, LocalIndex item, Row row) const {
    std::memcpy(values.data() + static_cast<std::size_t>(item) * n_levels_ + first_, &row, sizeof row);
  }

 private:
  std::size_t n_levels_, first_;
};

/// A field that is held, where a kernel takes one that may as well be computed (LayerMass).
template <class Real>
class Held {
 public:
  explicit Held(std::span<const Real> values) : values_(values) {}

  template <class Rows>
  auto operator()(const Rows& rows) const {
    return rows(values_);
  }

 private:
  std::span<const Real> values_;
};

/// One column of a field (item, level).
template <class Real>
std::span<const Real> column(std::span<const Real> values, LocalIndex item, std::size_t n_levels) {
  return values.subspan(item * n_levels, n_levels);
}
template <class Real>
std::span<Real> column(std::span<Real> values, LocalIndex item, std::size_t n_levels) {
  return values.subspan(item * n_levels, n_levels);
}

/// Of numbers, or of each of a row.
template <class Row>
Row larger(Row a, Row b) {
  return a > b ? a : b;
}
template <class Row>
Row smaller(Row a, Row b) {
  return a < b ? a : b;
}

/// Calls kernel(block) for the blocks of a column from level `first` on: as wide as the machine's registers,
/// then by half as wide ones, down to single levels.
template <class Real, int kWidth = 32 / sizeof(Real), class Kernel>
void for_rows(std::size_t n_levels, const Kernel& kernel, std::size_t first = 0) {
  for (; first + kWidth <= n_levels; first += kWidth) kernel(Block<Real, kWidth>(n_levels, first));
  if constexpr (kWidth > 1) for_rows<Real, kWidth / 2>(n_levels, kernel, first);
}

/// Asks for the columns of a field that will be read soon: where columns lie far from each other, the machine
/// does not guess which comes next.
template <class Real>
void fetch(std::span<const Real> field, LocalIndex item, int n_levels) {
  const auto* column =
      reinterpret_cast<const char*>(field.data() + static_cast<std::size_t>(item) * n_levels);
  for (std::size_t at = 0; at < n_levels * sizeof(Real); at += 64) __builtin_prefetch(column + at);
}

/// Calls visit(item) for the items of some runs, and fetch_for(item) for each a few before.
template <class FetchFor, class Visit>
void for_items(std::span<const Run> runs, const FetchFor& fetch_for, const Visit& visit) {
  constexpr LocalIndex kAhead = 2;
  for (const auto [begin, end] : runs) {
    for (LocalIndex item = begin; item < end; ++item) {
      if (item + kAhead < end) fetch_for(item + kAhead);
      visit(item);
    }
  }
}

/// Calls visit(item) for the items of some runs.
template <class Visit>
void for_items(std::span<const Run> runs, const Visit& visit) {
  for (const auto [begin, end] : runs)
    for (LocalIndex item = begin; item < end; ++item) visit(item);
}

/// Calls kernel(block, item) for the items of some runs and the blocks of their columns.
template <class Real, class FetchFor, class Kernel>
void for_columns(std::span<const Run> runs, int n_levels, const FetchFor& fetch_for, const Kernel& kernel) {
  for_items(runs, fetch_for,
            [&](LocalIndex item) { for_rows<Real>(n_levels, [&](auto rows) { kernel(rows, item); }); });
}

/// The same, of what lies near enough.
template <class Real, class Kernel>
void for_columns(std::span<const Run> runs, int n_levels, const Kernel& kernel) {
  for_items(runs, [&](LocalIndex item) { for_rows<Real>(n_levels, [&](auto rows) { kernel(rows, item); }); });
}

}  // namespace halcyon::atmosphere
