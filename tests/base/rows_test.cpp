#include "halcyon/base/rows.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace halcyon {
namespace {

/// Doubles item 1 of a field (3 items, level) into another field, in rows of at most two registers. @returns
/// indices of wrong values
template <class Real>
std::vector<std::size_t> wrong_levels_of_copy(std::size_t n_levels) {
  constexpr LocalIndex kItem = 1;
  std::vector<Real> values(3 * n_levels), sums(3 * n_levels);
  std::iota(values.begin(), values.end(), Real{1});
  for_rows<Real, 2 * kLanes<Real>>(n_levels, [&](const auto& rows) {
    const auto row = rows(std::span<const Real>(values))[kItem];
    rows.put(std::span<Real>(sums), kItem, row + row);
  });
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_of_item = i / n_levels == static_cast<std::size_t>(kItem);
    if (sums[i] != (is_of_item ? 2 * values[i] : 0)) wrong.push_back(i);
  }
  return wrong;
}

/// Doubles item 1 of a field (3 items, level) in place, in rows of at most kRegisters registers. @returns
/// indices of wrong values
template <class Real, int kRegisters>
std::vector<std::size_t> wrong_levels(std::size_t n_levels) {
  constexpr LocalIndex kItem = 1;
  std::vector<Real> values(3 * n_levels);
  std::iota(values.begin(), values.end(), Real{1});
  const auto before = values;
  for_rows<Real, kRegisters * kLanes<Real>>(n_levels, [&](const auto& rows) {
    const auto row = rows(std::span<const Real>(values))[kItem];
    rows.put(std::span<Real>(values), kItem, row + row);
  });
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_of_item = i / n_levels == static_cast<std::size_t>(kItem);
    if (values[i] != (is_of_item ? 2 : 1) * before[i]) wrong.push_back(i);
  }
  return wrong;
}

TEST_CASE_TEMPLATE("base rows: rows of any width take each level once, also in place", Real, double, float) {
  for (std::size_t n = 1; n <= 80; ++n) {
    CAPTURE(n);
    CHECK(wrong_levels<Real, 1>(n).empty());
    CHECK(wrong_levels_of_copy<Real>(n).empty());
    CHECK(wrong_levels<Real, 3>(n).empty());
    CHECK(wrong_levels<Real, 4>(n).empty());
  }
}

}  // namespace
}  // namespace halcyon
