#include "halcyon/base/large_pages.hpp"

#include <cstdint>
#include <numeric>
#include <set>

#include "test.hpp"

using namespace halcyon;

TEST_CASE("base large pages: arrays of all sizes, on lines of the cache" * test::in_process()) {
  // Data begins on a cache line and is zero; copies and resized arrays keep their values.
  constexpr std::size_t kPage = std::size_t{1} << 21;  // a large page, 2 MiB
  for (const std::size_t bytes : {std::size_t{8}, kPage - 8, kPage, kPage + 8, 3 * kPage - 4096, 3 * kPage}) {
    CAPTURE(bytes);
    LargeArray<std::uint64_t> numbers(bytes / 8);
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64 == 0);
    CHECK(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}) == 0);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
    const auto copy = numbers;
    numbers.resize(2 * numbers.size());
    CHECK(std::equal(copy.begin(), copy.end(), numbers.begin()));
    CHECK(copy.back() == bytes / 8);
  }
}

TEST_CASE("base large pages: zeros, and the bytes that they take" * test::in_process()) {
  LargeArray<double> numbers(3, 7.0), others;
  CHECK(make_zeros(5, numbers, others) == 80);
  CHECK(numbers == LargeArray<double>(5, 0.0));
  CHECK(others == numbers);
}

TEST_CASE("base large pages: arrays begin at different places of a page" * test::in_process()) {
  // Large arrays do not all begin at the same offset, at which they would compete for the same cache sets.
  std::vector<LargeArray<char>> bytes;
  std::vector<LargeArray<double>> numbers;
  std::set<std::uintptr_t> offsets;
  const auto insert = [&](const auto& array) {
    offsets.insert(reinterpret_cast<std::uintptr_t>(array.data()) % (std::size_t{1} << 17));  // 128 KiB
  };
  for (int i = 0; i < 4; ++i) {
    insert(bytes.emplace_back((std::size_t{5} << 20) + 8));
    insert(numbers.emplace_back(std::size_t{1} << 19));  // whole pages
  }
  CHECK(offsets.size() == 8);
}
