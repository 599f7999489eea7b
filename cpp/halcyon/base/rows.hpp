#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "halcyon/base/index_ranges.hpp"
#include "halcyon/base/lanes.hpp"

namespace halcyon {

/// Levels per wide row: as many as fit into four SIMD registers; the other registers hold other operands.
template <class Real>
inline constexpr int kWideRow = 4 * kLanes<Real>;
/// Number of levels in the upper half of a row that fills several registers.
template <class Real>
constexpr int upper_width(int width) {
  return width / kLanes<Real> / 2 * kLanes<Real>;
}

/// Type of a row: `kWidth` adjacent levels of one column that are computed together, in one or several SIMD
/// registers; if kWidth = 1, a plain number. RowOf<Real, kWidth> reads and writes rows.
template <class Real, int kWidth>
struct RowOf;
template <class Real, int kWidth>
using RowType = typename RowOf<Real, kWidth>::Type;

/// A row in several registers, as two halves. Data that its levels share, such as weights, are loaded once.
template <class Real, int kWidth>
struct WideRow {
  RowType<Real, upper_width<Real>(kWidth)> upper;
  RowType<Real, kWidth - upper_width<Real>(kWidth)> lower;

  friend WideRow operator+(WideRow a, WideRow b) { return {a.upper + b.upper, a.lower + b.lower}; }
  friend WideRow operator-(WideRow a, WideRow b) { return {a.upper - b.upper, a.lower - b.lower}; }
  friend WideRow operator*(WideRow a, WideRow b) { return {a.upper * b.upper, a.lower * b.lower}; }
  friend WideRow operator/(WideRow a, WideRow b) { return {a.upper / b.upper, a.lower / b.lower}; }
  friend WideRow operator+(Real a, WideRow b) { return {a + b.upper, a + b.lower}; }
  friend WideRow operator*(Real a, WideRow b) { return {a * b.upper, a * b.lower}; }
  friend WideRow operator*(WideRow a, Real b) { return {a.upper * b, a.lower * b}; }
  WideRow& operator+=(WideRow b) { return *this = *this + b; }
  WideRow& operator-=(WideRow b) { return *this = *this - b; }
};

// `last_offset` is the offset of the row's last register from its first level. At the end of a column, the
// last register may overlap the register before it. If that is in the previous row, the offset is negative.
template <class Real, int kWidth>
struct RowOf {
  typedef Real Type __attribute__((vector_size(kWidth * sizeof(Real))));
  static Type read(const Real* address, std::ptrdiff_t last_offset = 0) {
    Type row;
    std::memcpy(&row, address + last_offset, sizeof row);
    return row;
  }
  static void write(Type row, Real* address, std::ptrdiff_t last_offset = 0) {
    std::memcpy(address + last_offset, &row, sizeof row);
  }
};
template <class Real, int kWidth>
  requires(kWidth > kLanes<Real>)
struct RowOf<Real, kWidth> {
  static constexpr int kUpper = upper_width<Real>(kWidth);
  using Upper = RowOf<Real, kUpper>;
  using Lower = RowOf<Real, kWidth - kUpper>;
  using Type = WideRow<Real, kWidth>;
  static Type read(const Real* address, std::ptrdiff_t last_offset = kWidth - kLanes<Real>) {
    return {Upper::read(address), Lower::read(address + kUpper, last_offset - kUpper)};
  }
  static void write(Type row, Real* address, std::ptrdiff_t last_offset = kWidth - kLanes<Real>) {
    Upper::write(row.upper, address);
    Lower::write(row.lower, address + kUpper, last_offset - kUpper);
  }
};
template <class Real>
struct RowOf<Real, 1> {
  using Type = Real;
  static Type read(const Real* address, std::ptrdiff_t = 0) { return *address; }
  static void write(Type row, Real* address, std::ptrdiff_t = 0) { *address = row; }
};

/// a where x > 0, b elsewhere.
template <class Row>
Row where_positive(Row x, Row a, Row b) {
  return x > Row{} ? a : b;
}
template <class Real, int kWidth>
WideRow<Real, kWidth> where_positive(WideRow<Real, kWidth> x, WideRow<Real, kWidth> a,
                                     WideRow<Real, kWidth> b) {
  return {where_positive(x.upper, a.upper, b.upper), where_positive(x.lower, a.lower, b.lower)};
}

/// The rows at levels first .. first + kWidth - 1 of a field (item, level): one row per item.
template <class Real, int kWidth>
class LevelField {
 public:
  using Row = RowType<Real, kWidth>;

  LevelField(const Real* values, std::size_t n_levels, std::size_t first, std::ptrdiff_t last_offset)
      : values_(values + first), n_levels_(n_levels), last_offset_(last_offset) {}

  Row operator[](LocalIndex item) const {
    return RowOf<Real, kWidth>::read(values_ + static_cast<std::size_t>(item) * n_levels_, last_offset_);
  }

 private:
  const Real* values_;
  std::size_t n_levels_;
  std::ptrdiff_t last_offset_;
};

/// The levels first .. first + kWidth - 1, as a loop over levels passes them to a kernel: block(field)[item]
/// reads these levels of an item, block.put writes them.
template <class RealType, int kWidth>
class LevelBlock {
 public:
  using Real = RealType;
  using Row = RowType<Real, kWidth>;

  /// @param last_offset offset of the row's last register from its first level
  LevelBlock(std::size_t n_levels, std::size_t first, std::ptrdiff_t last_offset = kLastRegister)
      : n_levels_(n_levels), first_(first), last_offset_(last_offset) {}

  LevelField<Real, kWidth> operator()(std::span<const Real> values) const {
    return {values.data(), n_levels_, first_, last_offset_};
  }
  /// The values at the interfaces above, below the levels, of a field (item, interface).
  LevelField<Real, kWidth> above(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_, last_offset_};
  }
  LevelField<Real, kWidth> below(std::span<const Real> values) const {
    return {values.data(), n_levels_ + 1, first_ + 1, last_offset_};
  }
  void put(std::span<Real> values, LocalIndex item, Row row) const {
    RowOf<Real, kWidth>::write(row, values.data() + static_cast<std::size_t>(item) * n_levels_ + first_,
                               last_offset_);
  }

 private:
  static constexpr std::ptrdiff_t kLastRegister = kWidth > kLanes<Real> ? kWidth - kLanes<Real> : 0;

  std::size_t n_levels_, first_;
  std::ptrdiff_t last_offset_;
};

/// A field (item, level) that is read or written; its number type is deduced from other arguments.
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

/// Calls kernel(block) with a block of n registers; finds its width by template recursion from kWidth down.
template <class Real, int kWidth, class Kernel>
void for_registers(int n, const Kernel& kernel, std::size_t n_levels, std::size_t first,
                   std::ptrdiff_t last_offset) {
  if constexpr (kWidth > kLanes<Real>)
    if (n * kLanes<Real> < kWidth)
      return for_registers<Real, kWidth - kLanes<Real>>(n, kernel, n_levels, first, last_offset);
  kernel(LevelBlock<Real, kWidth>(n_levels, first, last_offset));
}

/// Calls kernel(block) for the blocks of a column from level `first` on: blocks of kWidth levels, then of
/// half as many, down to single levels.
template <class Real, int kWidth, class Kernel>
void for_narrow_rows(std::size_t n_levels, std::size_t first, const Kernel& kernel) {
  for (; first + kWidth <= n_levels; first += kWidth) kernel(LevelBlock<Real, kWidth>(n_levels, first));
  if constexpr (kWidth > 1) for_narrow_rows<Real, kWidth / 2>(n_levels, first, kernel);
}

/// Calls kernel(block) for all blocks of a column. If kWidth is more than one register, blocks have at most
/// kWidth levels and nearly equal numbers of registers. The last register of the column may overlap the
/// previous one; the common levels are then computed twice, with the same result. The two registers are in
/// one block, unless kWidth is two registers: then a kernel must not write the fields that it reads. If
/// kWidth is one register, blocks have one register, then half a register, down to single levels.
template <class Real, int kWidth = kLanes<Real>, class Kernel>
void for_rows(std::size_t n_levels, const Kernel& kernel) {
  if constexpr (kWidth > kLanes<Real>) {
    constexpr int kMaxRegisters = kWidth / kLanes<Real>, kRegister = kLanes<Real>;
    if (n_levels < kRegister) return for_narrow_rows<Real, kRegister / 2>(n_levels, 0, kernel);
    auto registers_left = static_cast<int>((n_levels + kRegister - 1) / kRegister);
    std::size_t first = 0;
    while (registers_left > 0) {
      const int n = registers_left >= 2 * kMaxRegisters ? kMaxRegisters
                    : registers_left > kMaxRegisters    ? (registers_left + 1) / 2
                                                        : registers_left;
      const auto end = n == registers_left ? n_levels : first + static_cast<std::size_t>(n) * kRegister;
      const auto last_offset =
          static_cast<std::ptrdiff_t>(end) - static_cast<std::ptrdiff_t>(first + kRegister);
      for_registers<Real, kWidth>(n, kernel, n_levels, first, last_offset);
      first += static_cast<std::size_t>(n) * kRegister;
      registers_left -= n;
    }
  } else {
    for_narrow_rows<Real, kWidth>(n_levels, 0, kernel);
  }
}

/// Prefetches a column of a field: the hardware prefetcher does not predict accesses to distant columns.
template <class Real>
void prefetch(std::span<const Real> field, LocalIndex item, int n_levels) {
  prefetch(field.data() + static_cast<std::size_t>(item) * n_levels, n_levels);
}

/// Data of an item are prefetched this number of items before they are used.
inline constexpr LocalIndex kPrefetchDistance = 2;

/// Calls visit(item) for all items of the ranges, and prepare(item) kPrefetchDistance items earlier.
template <class Prepare, class Visit>
[[gnu::flatten]] void for_items(std::span<const IndexRange> ranges, const Prepare& prepare,
                                const Visit& visit) {
  for (const auto [begin, end] : ranges) {
    for (LocalIndex item = begin; item < std::min(begin + kPrefetchDistance, end); ++item) prepare(item);
    for (LocalIndex item = begin; item < end; ++item) {
      if (item + kPrefetchDistance < end) prepare(item + kPrefetchDistance);
      visit(item);
    }
  }
}

template <class Visit>
[[gnu::flatten]] void for_items(std::span<const IndexRange> ranges, const Visit& visit) {
  for_items(ranges, [](LocalIndex) {}, visit);
}

/// Calls kernel(block, item) for all items of the ranges and all blocks of their columns.
template <class Real, int kWidth = kLanes<Real>, class Kernel>
[[gnu::flatten]] void for_columns(std::span<const IndexRange> ranges, int n_levels, const Kernel& kernel) {
  for_items(ranges, [&](LocalIndex item) {
    for_rows<Real, kWidth>(n_levels, [&](auto block) { kernel(block, item); });
  });
}

}  // namespace halcyon
