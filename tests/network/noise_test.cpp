#include "halcyon/network/engine/noise.hpp"

#include <algorithm>
#include <vector>

#include "test.hpp"

namespace halcyon::network {
namespace {

/// The end of work, step by step: a unit of work in each unit of time in which the core is not away.
Time counted(Time phase, Time period, Time duration, Time start, Time work) {
  for (; work > 0; ++start) {
    const Time since = ((start - phase) % period + period) % period;
    if (since >= duration) --work;
  }
  return start;
}

TEST_CASE("the end of work with detours is that counted step by step") {
  for (const Time period : {7, 10, 64})
    for (const Time duration : {0, 1, 3, 6}) {
      const Noise noise(period, duration, 5);
      for (Rank rank = 0; rank < 4; ++rank) {
        const auto phase = static_cast<Time>(hash_of(5, static_cast<std::uint64_t>(rank)) %
                                             static_cast<std::uint64_t>(period));
        for (Time start = 0; start < 30; ++start)
          for (Time work = 1; work < 40; ++work)
            REQUIRE(noise.busy_until(rank, start, work) == counted(phase, period, duration, start, work));
      }
    }
  CHECK(Noise().busy_until(3, 100, 50) == 150);
  CHECK(Noise(10, 5, 1).busy_until(3, 100, 0) == 100);
}

TEST_CASE("phases differ between ranks and seeds") {
  const auto first_ends = [](std::uint64_t seed) {
    std::vector<Time> ends;
    for (Rank rank = 0; rank < 64; ++rank)
      ends.push_back(Noise(1'000'000, 250'000, seed).busy_until(rank, 0, 1));
    return ends;
  };
  const auto ends = first_ends(1);
  const auto delayed = std::ranges::count_if(ends, [](Time end) { return end > 1; });
  CHECK(delayed > 5);  // about a quarter of the ranks
  CHECK(delayed < 30);
  CHECK(ends != first_ends(2));
}

}  // namespace
}  // namespace halcyon::network
