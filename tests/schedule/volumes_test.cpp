#include "halcyon/schedule/halo/volumes.hpp"

#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("volumes: Bruck's all-to-all sends log2 n messages a rank, of the blocks that go on" *
          in_process()) {
  for (const Rank n : {1, 2, 5, 8, 70}) {
    const auto found = schedule::volumes(bruck(n));
    REQUIRE(found.n_ranks() == n);
    for (Rank rank = 0; rank < n; ++rank) {
      std::int64_t blocks = 0, row = found.offsets[rank];
      for (Rank step = 1; step < n; step *= 2, ++row) {
        std::int64_t of_step = 0;
        for (Rank i = 0; i < n; ++i) of_step += (i & step) != 0;
        blocks += of_step;
      }
      CHECK(found.offsets[rank + 1] == row);
      std::int64_t bytes = 0;
      for (auto i = found.offsets[rank]; i < row; ++i) {
        CHECK(found.messages[i] == 1);
        bytes += found.bytes[i];
      }
      CHECK(bytes == 8 * blocks);
    }
  }
}

TEST_CASE("volumes: messages of several rounds from one peer add up, and peers ascend" * in_process()) {
  const ListSchedule two_rounds(3, {{"all"}}, {100}, [](Rank rank) -> ListSchedule::Program {
    if (rank != 0) {
      ListSchedule::Program program;
      for (std::int32_t round = 0; round < 3 - rank; ++round) {
        program.insert(program.end(), {send(0, round, {0, 0, 10 * rank + round}), start(round), wait(round)});
      }
      return program;
    }
    return {receive(2, 0, {0, 0, 20}),
            receive(1, 0, {0, 20, 10}),
            start(0),
            wait(0),
            receive(1, 1, {0, 30, 11}),
            start(1),
            wait(1)};
  });
  const auto found = schedule::volumes(two_rounds);
  CHECK(found.offsets == std::vector<std::int64_t>{0, 2, 2, 2});
  CHECK(found.peers == std::vector<Rank>{1, 2});
  CHECK(found.messages == std::vector<std::int64_t>{2, 1});
  CHECK(found.bytes == std::vector<std::int64_t>{21, 20});
}
