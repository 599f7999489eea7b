#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/messages.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Each rank sends one number to every other rank; messages to rank + distance are in round
/// distance % n_rounds.
std::vector<Message> all_to_all(Rank n, std::int32_t n_rounds) {
  std::vector<Message> messages;
  for (Rank source = 0; source < n; ++source)
    for (Rank distance = 1; distance < n; ++distance)
      messages.push_back({distance % n_rounds, source, (source + distance) % n, 8});
  return messages;
}

}  // namespace

TEST_CASE("schedule: messages of a list arrive, in one round or in several" * test::in_process()) {
  for (Rank n = 2; n <= 20; ++n) {
    const MessageList schedule(n, all_to_all(n, 1));
    auto memory = in_process(schedule, [n](Rank rank, Memory& of_rank) {
      for (Rank distance = 1; distance < n; ++distance)
        of_rank.as<std::int64_t>(0)[distance - 1] = 1000 * rank + (rank + distance) % n;
    });
    for (Rank rank = 0; rank < n; ++rank) {
      std::int64_t sum = 0, expected = 0;
      for (Rank from = 0; from < n; ++from) expected += from == rank ? 0 : 1000 * from + rank;
      for (Rank i = 0; i < n - 1; ++i) sum += memory[rank].as<std::int64_t>(1)[i];
      REQUIRE(sum == expected);
    }
  }
}

TEST_CASE("schedule: buffers of a list hold its largest round" * test::in_process()) {
  const std::vector<Message> list{{0, 0, 1, 10}, {0, 0, 1, 20}, {1, 0, 2, 25}, {1, 1, 0, 5}};
  const MessageList schedule(3, list);
  CHECK(schedule.buffer_bytes(0, 0) == 30);
  CHECK(schedule.buffer_bytes(0, 1) == 5);
  CHECK(schedule.buffer_bytes(1, 1) == 30);
  CHECK(schedule.buffer_bytes(2, 0) == 0);
  in_process(schedule, [](Rank, Memory&) {});
  std::vector<std::int64_t> offsets;
  for (const auto& operation : operations(schedule, 1))
    if (operation.action == Action::receive) offsets.push_back(operation.block.offset_bytes);
  CHECK(offsets == std::vector<std::int64_t>{0, 10});
}

TEST_CASE("schedule: a list refuses messages that cannot be") {
  const auto construct = [](Message message) { MessageList(2, std::vector{message}); };
  CHECK_THROWS_WITH_AS(construct({0, 0, 2, 1}),
                       "A message is sent from rank 0 to rank 2, but the ranks are 0 to 1.", ConfigError);
  CHECK_THROWS_WITH_AS(construct({0, 1, 1, 1}), "A message is sent from rank 1 to itself. Remove it.",
                       ConfigError);
  CHECK_THROWS_AS(construct({0, 0, 1, -1}), ConfigError);
  CHECK_THROWS_AS(construct({-1, 0, 1, 1}), ConfigError);
  CHECK_THROWS_AS(MessageList(0, {}), ConfigError);
}
