#include "halcyon/schedule/halo/volumes.hpp"

#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("volumes: Bruck's all-to-all sends log2 n messages a rank, of the blocks that go on" *
          in_process()) {
  for (const Rank n : {1, 2, 5, 8, 70}) {
    const auto volumes = schedule::volumes(bruck(n));
    REQUIRE(volumes.n_ranks() == n);
    for (Rank rank = 0; rank < n; ++rank) {
      std::int64_t n_blocks = 0, entry = volumes.offsets[rank];
      for (Rank step = 1; step < n; step *= 2, ++entry) {
        std::int64_t n_of_step = 0;
        for (Rank i = 0; i < n; ++i) n_of_step += (i & step) != 0;
        n_blocks += n_of_step;
      }
      CHECK(volumes.offsets[rank + 1] == entry);
      std::int64_t bytes = 0;
      for (auto i = volumes.offsets[rank]; i < entry; ++i) {
        CHECK(volumes.messages[i] == 1);
        bytes += volumes.bytes[i];
      }
      CHECK(bytes == 8 * n_blocks);
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
  const auto volumes = schedule::volumes(two_rounds);
  CHECK(volumes.offsets == std::vector<std::int64_t>{0, 2, 2, 2});
  CHECK(volumes.peers == std::vector<Rank>{1, 2});
  CHECK(volumes.messages == std::vector<std::int64_t>{2, 1});
  CHECK(volumes.bytes == std::vector<std::int64_t>{21, 20});
}
