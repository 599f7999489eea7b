#include "halcyon/base/view.hpp"

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "test.hpp"

using halcyon::View;

TEST_CASE("View: the last index is innermost") {
  std::vector<int> values(2 * 3 * 4);
  std::iota(values.begin(), values.end(), 0);
  const View<int, 3> view(values.data(), {2, 3, 4});
  CHECK(view(0, 0, 0) == 0);
  CHECK(view(0, 0, 3) == 3);
  CHECK(view(0, 2, 0) == 8);
  CHECK(view(1, 0, 0) == 12);
  CHECK(view(1, 2, 3) == 23);
}

TEST_CASE("View: extents, size and data are those it was given") {
  std::vector<double> values(6);
  const View<double, 2> view(values.data(), {2, 3});
  CHECK(view.extent(0) == 2);
  CHECK(view.extent(1) == 3);
  CHECK(view.size() == 6);
  CHECK(view.data() == values.data());
  CHECK(View<double, 2>().size() == 0);
}

TEST_CASE("View: a row is contiguous and writes through") {
  std::vector<float> values(2 * 3 * 4);
  const View<float, 3> view(values.data(), {2, 3, 4});
  auto row = view.row(1, 2);
  REQUIRE(row.size() == 4);
  row[1] = 7;
  CHECK(view(1, 2, 1) == 7);
  CHECK(values[21] == 7);
}

TEST_CASE("View: indices of any integer type, and a view that cannot write") {
  std::vector<int> values{1, 2, 3, 4};
  const View<int, 2> view(values.data(), {2, 2});
  const View<const int, 2> fixed = view;
  const std::int32_t row = 1;
  const std::int64_t column = 0;
  CHECK(fixed(row, column) == 3);
  static_assert(std::is_same_v<decltype(fixed(0, 0)), const int&>);
}
