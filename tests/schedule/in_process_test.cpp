#include "halcyon/schedule/in_process.hpp"

#include <string>

#include "halcyon/base/error.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

std::string failure_of(const Schedule& schedule) {
  try {
    in_process(schedule, [](Rank, Memory&) {});
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

ListSchedule two_ranks(std::function<ListSchedule::Program(Rank)> program) {
  return {2, {{"data"}}, {16}, std::move(program)};
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("schedule: Bruck's all-to-all is right for 1 to 70 ranks" * test::in_process()) {
  for (Rank n = 1; n <= 70; ++n) {
    auto memory = in_process(bruck(n), [n](Rank rank, Memory& m) {
      for (Rank to = 0; to < n; ++to) m.as<std::int64_t>(0)[to] = 1000 * rank + to;
    });
    for (Rank rank = 0; rank < n; ++rank) {
      for (Rank from = 0; from < n; ++from)
        REQUIRE(memory[rank].as<std::int64_t>(1)[from] == 1000 * from + rank);
    }
  }
}

TEST_CASE("schedule: a ring sum with combine is right for 1 to 70 ranks" * test::in_process()) {
  for (Rank n = 1; n <= 70; ++n) {
    auto memory = in_process(ring_sum(n), [](Rank rank, Memory& m) { *m.as<std::int64_t>(0) = rank + 1; });
    for (auto& m : memory) REQUIRE(*m.as<std::int64_t>(0) == n * (n + 1) / 2);
  }
}

TEST_CASE("schedule: messages of one pair match in the order in which they start") {
  const auto schedule = two_ranks([](Rank rank) {
    return rank == 0
               ? ListSchedule::Program{send(1, 7, {0, 0, 4}),
                                       send(1, 3, {0, 4, 4}),
                                       start(3),
                                       start(7),
                                       wait(7),
                                       wait(3)}
               : ListSchedule::Program{receive(0, 0, {0, 0, 4}), receive(0, 0, {0, 4, 4}), start(0), wait(0)};
  });
  auto memory = in_process(schedule, [](Rank, Memory& m) {
    m.as<std::int32_t>(0)[0] = 10;
    m.as<std::int32_t>(0)[1] = 20;
  });
  CHECK(memory[1].as<std::int32_t>(0)[0] == 20);
  CHECK(memory[1].as<std::int32_t>(0)[1] == 10);
}

TEST_CASE("schedule: what cannot end is named") {
  const Block block{0, 0, 8};
  CHECK(contains(failure_of(two_ranks([&](Rank rank) {
                   return ListSchedule::Program{receive(1 - rank, 0, block), start(0), wait(0),
                                                send(1 - rank, 1, block),    start(1), wait(1)};
                 })),
                 "Rank 0 waits for round 0. Rank 1 waits for round 0."));
  CHECK(contains(failure_of(two_ranks([&](Rank rank) {
                   return rank == 0 ? ListSchedule::Program{send(1, 0, block), start(0), wait(0)}
                                    : ListSchedule::Program{receive(0, 0, {0, 0, 4}), start(0), wait(0)};
                 })),
                 "Rank 0 sends 8 bytes in round 0 but rank 1 awaits 4"));
  CHECK(contains(failure_of(two_ranks([&](Rank rank) {
                   return rank == 0 ? ListSchedule::Program{send(1, 0, block), start(0)}
                                    : ListSchedule::Program{};
                 })),
                 "Rank 0 never waits for round 0. Nobody takes the 8 bytes from rank 0 to rank 1"));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{copy({0, 12, 8}, block)}; })),
                 "leaves buffer 0 of 16 bytes"));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{send(2, 0, block)}; })),
                 "exchanges with rank 2 in a schedule of 2 ranks"));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{wait(5)}; })),
                 "waits for round 5, which has not started"));
}
