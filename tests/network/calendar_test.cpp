#include <random>

#include "halcyon/network/engine/event_queue.hpp"
#include "halcyon/network/engine/executor.hpp"
#include "halcyon/network/engine/message_queues.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;

namespace {

/// An event of the queue: events are ordered by time, then by number.
struct Event {
  Time time = 0;
  int number = 0;
  std::uint32_t precedence() const { return static_cast<std::uint32_t>(number) / 8; }
  bool before(const Event& other) const {
    return time != other.time ? time < other.time : number < other.number;
  }
};

}  // namespace

TEST_CASE("calendar: events come in order, those pushed meanwhile as well" * test::in_process()) {
  std::mt19937_64 random(3);
  for (const Time width : {8, 1000, 100'000, 40'000'000}) {
    EventQueue<Event> queue(width);
    int pushed = 0, popped = 0;
    for (; pushed < 2000; ++pushed) queue.push({static_cast<Time>(random() % 50'000'000), pushed});
    queue.push({Time{1} << 61, pushed++});
    Event previous{-1, 0};
    for (auto window = queue.earliest(); window != queue.kNoWindow; window = queue.earliest()) {
      queue.open(window, [](const Event&) {});
      while (const auto* next = queue.pop()) {
        const auto event = *next;
        REQUIRE(previous.before(event));
        previous = event;
        ++popped;
        if (pushed < 20'000) queue.push({event.time + (Time{1} << (random() % 40)) + 1, pushed++});
      }
    }
    CHECK(popped == pushed);
  }
}

TEST_CASE("calendar: the past is refused" * test::in_process()) {
  EventQueue<Event> queue(1000);
  queue.push({10'000'000, 0});
  while (queue.earliest() != queue.kNoWindow) {
    queue.open(queue.earliest(), [](const Event&) {});
    while (queue.pop()) continue;
  }
  CHECK_THROWS_AS(queue.push({1000, 1}), InternalError);
}

TEST_CASE("receives: runs take what they await, once" * test::in_process()) {
  FreeList<ReceiveRun> runs;
  PostedReceives receives;
  // One receive from each rank, and two further ones of 24 bytes from rank 5.
  for (Rank source = 199; source >= 0; --source) receives.add(runs, source, source % 70 == 0 ? 16 : 8);
  receives.add(runs, 5, 24);
  receives.add(runs, 5, 24);
  for (Rank source = 0; source < 200; ++source) {
    const std::int64_t bytes = source % 70 == 0 ? 16 : 8;
    CHECK_FALSE(receives.match(runs, source, bytes + 1));
    CHECK(receives.has_pending(runs, source, bytes));
    CHECK(receives.match(runs, source, bytes));
    CHECK_FALSE(receives.has_pending(runs, source, bytes));
  }
  int n_left = 0;
  receives.for_each_pending(runs,
                            [&](Rank source, std::int64_t bytes) { n_left += source == 5 && bytes == 24; });
  CHECK(n_left == 2);
  CHECK(receives.match(runs, 5, 24));
  CHECK(receives.match(runs, 5, 24));
  CHECK_FALSE(receives.match(runs, 5, 24));
}

TEST_CASE("histogram: a value lies between its bin's edges" * test::in_process()) {
  for (Time value : {0, 1, 7, 8, 15, 16, 17, 31, 1000, 123'456'789}) {
    const int bin = Histogram<3>::bin(value);
    CHECK(Histogram<3>::edge(bin) <= value);
    CHECK(value < Histogram<3>::edge(bin + 1));
  }
}
