#include <algorithm>
#include <vector>

#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

constexpr std::ptrdiff_t kLine = CacheLines::kBytes / sizeof(double);  ///< doubles per cache line

/// Takes cache lines `n_calls` times, `max_lines` at most for each `work`; returns their indices in memory.
std::vector<std::ptrdiff_t> taken_lines(PrefetchQueue& queue, const std::vector<double>& memory, int n_calls,
                                        std::size_t work, std::ptrdiff_t max_lines) {
  std::vector<std::ptrdiff_t> lines;
  const double* previous = nullptr;  // a repeated line means that none was due
  for (int turn = 0; turn < n_calls; ++turn) {
    const auto [first_byte, n] = queue.take(work, max_lines);
    const auto* first = reinterpret_cast<const double*>(first_byte);
    CHECK(n <= std::max<std::ptrdiff_t>(max_lines, 1));
    if (first < memory.data() || first >= memory.data() + memory.size() || first == previous) continue;
    for (std::ptrdiff_t i = 0; i < n; ++i) lines.push_back((first - memory.data()) / kLine + i);
    previous = first;
  }
  return lines;
}

}  // namespace

TEST_CASE("transform ahead: all memory is asked for once while the work is done" * test::in_process()) {
  const std::vector<double> memory(100 * kLine);
  for (const int n_calls : {50, 64, 1000}) {
    CAPTURE(n_calls);
    PrefetchQueue queue;
    queue.clear();
    queue.add(memory.data() + 40 * kLine, 13 * kLine - 3), queue.add(memory.data(), 10 * kLine);
    queue.spread_over(n_calls * 7);
    auto lines = taken_lines(queue, memory, n_calls + 2, 7, 5);
    CHECK(std::ssize(lines) == 23);
    std::ranges::sort(lines);
    CHECK(lines.front() == 0);
    CHECK(lines[9] == 9);
    CHECK(lines[10] == 40);
    CHECK(lines.back() == 52);
  }
}

TEST_CASE("transform ahead: without work or room nothing more is asked for" * test::in_process()) {
  const std::vector<double> memory(4 * kLine);
  PrefetchQueue queue;
  CHECK(queue.take(1, 1).n == 1);  // an unused line, as the queue is empty
  queue.add(memory.data(), 4 * kLine);
  queue.spread_over(0);
  CHECK(taken_lines(queue, memory, 3, 0, 5).empty());
  queue.spread_over(1);
  CHECK(taken_lines(queue, memory, 3, 1, 0).empty());
  CHECK(std::ssize(taken_lines(queue, memory, 4, 1, 2)) == 4);
}

TEST_CASE("transform batches: all fields once, pairs together, at most so many" * test::in_process()) {
  for (const int max_size : {1, 2, 3, 4, 5, 9, 16, 33, 50, 2147483647})
    for (int n_fields = 0; n_fields <= 70; ++n_fields) {
      CAPTURE(max_size);
      CAPTURE(n_fields);
      const auto batches = split_into_batches(n_fields, max_size);
      int n_before = 0;
      for (int b = 0; b < batches.n_groups; ++b) {
        CHECK(batches.first(0, b) == n_before);
        CHECK(batches.size(0, b) >= 1);
        CHECK(batches.size(0, b) <= max_size);
        if (max_size > 1) CHECK(n_before % 2 == 0);
        n_before += batches.size(0, b);
      }
      CHECK(n_before == n_fields);
      if (n_fields <= max_size) CHECK(batches.n_groups == (n_fields > 0));
    }
}
