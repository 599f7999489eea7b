#include <algorithm>
#include <vector>

#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

constexpr std::ptrdiff_t kLine = CacheLines::kDoubles;

/// Returns the prefetched cache lines, by index in memory, of several turns with equal amounts of work.
std::vector<std::ptrdiff_t> taken(PrefetchQueue& ahead, const std::vector<double>& memory, int n_turns,
                                  std::size_t work, std::ptrdiff_t most) {
  std::vector<std::ptrdiff_t> found;
  const double* last = nullptr;
  for (int turn = 0; turn < n_turns; ++turn) {
    const auto [first, n] = ahead.take(work, most);
    CHECK(n <= std::max<std::ptrdiff_t>(most, 1));
    if (first < memory.data() || first >= memory.data() + memory.size() || first == last) continue;
    for (std::ptrdiff_t i = 0; i < n; ++i) found.push_back((first - memory.data()) / kLine + i);
    last = first;
  }
  return found;
}

}  // namespace

TEST_CASE("transform ahead: all memory is asked for once while the work is done" * test::in_process()) {
  const std::vector<double> memory(100 * kLine);
  for (const int n_turns : {50, 64, 1000}) {
    CAPTURE(n_turns);
    PrefetchQueue ahead;
    ahead.clear();
    ahead.add(memory.data() + 40 * kLine, 13 * kLine - 3), ahead.add(memory.data(), 10 * kLine);
    ahead.spread_over(n_turns * 7);
    auto found = taken(ahead, memory, n_turns + 2, 7, 5);
    CHECK(std::ssize(found) == 23);
    std::ranges::sort(found);
    CHECK(found.front() == 0);
    CHECK(found[9] == 9);
    CHECK(found[10] == 40);
    CHECK(found.back() == 52);
  }
}

TEST_CASE("transform ahead: without work or room nothing more is asked for" * test::in_process()) {
  const std::vector<double> memory(4 * kLine);
  PrefetchQueue ahead;
  CHECK(ahead.take(1, 1).n == 1);  // of a dummy line
  ahead.add(memory.data(), 4 * kLine);
  ahead.spread_over(0);
  CHECK(taken(ahead, memory, 3, 0, 5).empty());
  ahead.spread_over(1);
  CHECK(taken(ahead, memory, 3, 1, 0).empty());
  CHECK(std::ssize(taken(ahead, memory, 4, 1, 2)) == 4);
}

TEST_CASE("transform batches: all fields once, pairs together, at most so many" * test::in_process()) {
  for (const int most : {1, 2, 3, 4, 5, 9, 16, 33, 50, 2147483647})
    for (int n = 0; n <= 70; ++n) {
      CAPTURE(most);
      CAPTURE(n);
      const auto batches = split_into_batches(n, most);
      int before = 0;
      for (int b = 0; b < batches.n_groups; ++b) {
        CHECK(batches.first(0, b) == before);
        CHECK(batches.size(0, b) >= 1);
        CHECK(batches.size(0, b) <= most);
        if (most > 1) CHECK(before % 2 == 0);
        before += batches.size(0, b);
      }
      CHECK(before == n);
      if (n <= most) CHECK(batches.n_groups == (n > 0));
    }
}
