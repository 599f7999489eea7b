#include "halcyon/schedule/in_process.hpp"

#include <string>

#include "halcyon/base/error.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Returns the text of the InternalError that running a schedule raises; empty if there is none.
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
    for (auto& of_rank : memory) REQUIRE(*of_rank.as<std::int64_t>(0) == n * (n + 1) / 2);
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
                 "Rank 0 sends 8 bytes in round 0, but rank 1 expects 4"));
  CHECK(contains(failure_of(two_ranks([&](Rank rank) {
                   return rank == 0 ? ListSchedule::Program{send(1, 0, block), start(0)}
                                    : ListSchedule::Program{};
                 })),
                 "Rank 0 never waits for round 0."));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{copy({0, 12, 8}, block)}; })),
                 "outside buffer 0 of 16 bytes"));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{send(2, 0, block)}; })),
                 "exchanges a message with rank 2 in a schedule of 2 ranks"));
  CHECK(contains(failure_of(two_ranks([&](Rank) { return ListSchedule::Program{wait(5)}; })),
                 "waits for round 5, which has not started"));
  CHECK(
      contains(failure_of(two_ranks([&](Rank rank) {
                 return rank == 0 ? ListSchedule::Program{send(1, 0, block), start(0), wait(0)}
                                  : ListSchedule::Program{};
               })),
               "Rank 0 waits for round 0. No receive matches the 8 bytes from rank 0 to rank 1 of round 0."));
  CHECK(contains(
      failure_of(two_ranks([&](Rank) { return ListSchedule::Program{copy({0, 0, 2, 2, 4}, {0, 8, 4})}; })),
      "copies or combines 2 ranges of 2 bytes with 1 ranges of 4 bytes"));
}

TEST_CASE("schedule: a copy of several ranges packs and unpacks") {
  const ListSchedule schedule(1, {{"field"}, {"packed"}}, {12, 6}, [](Rank) {
    return ListSchedule::Program{copy({0, 1, 2, 3, 4}, {1, 0, 2, 3, 2}),
                                 copy({1, 4, 2, 3, -2}, {0, 0, 2, 3, 4})};
  });
  auto memory = in_process(schedule, [](Rank, Memory& m) {
    for (int i = 0; i < 12; ++i) m.bytes[0][i] = static_cast<std::byte>(i);
  });
  const std::vector<std::byte> packed{std::byte{1}, std::byte{2}, std::byte{5},
                                      std::byte{6}, std::byte{9}, std::byte{10}};
  CHECK(memory[0].bytes[1] == packed);
  CHECK(memory[0].bytes[0][0] == std::byte{9});  // the ranges are copied back in reverse order
  CHECK(memory[0].bytes[0][9] == std::byte{2});
}

TEST_CASE("schedule: compute calls the rank's own work, between its start and its wait") {
  const auto schedule = two_ranks([](Rank rank) {
    return ListSchedule::Program{send(1 - rank, 0, {0, 0, 8}),
                                 receive(1 - rank, 0, {0, 8, 8}),
                                 start(0),
                                 {.action = Action::compute, .work = 7 + rank},
                                 wait(0)};
  });
  std::vector<std::int32_t> done;
  std::vector<Memory> memory{{schedule, 0}, {schedule, 1}};
  run_in_process(schedule, {memory[0].spans(), memory[1].spans()}, [&](Rank) {
    return Callbacks{.combine = {}, .work = [&](std::int32_t work) { done.push_back(work); }};
  });
  CHECK(done == std::vector<std::int32_t>{7, 8});
}
