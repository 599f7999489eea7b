#include "schedule/collectives.hpp"

#include <set>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/rounds.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("schedule: every algorithm of every collective has the right result for 1 to 34 ranks" *
          test::in_process()) {
  for (Rank n = 1; n <= 34; n = n < 18 ? n + 1 : n + 7) {
    for_each_collective(n, [&](const CollectiveOptions& options) {
      const auto label =
          fmt::format("{} {} of {} ranks, {} sizes, root {}, segments of {}", options.operation,
                      options.algorithm, n, options.bytes.size(), options.root, options.segment_bytes);
      CAPTURE(label);
      const CheckedCollective checked(options);
      std::vector<Memory> memory;
      std::vector<Buffers> spans;
      for (Rank rank = 0; rank < n; ++rank) {
        memory.emplace_back(checked.schedule(), rank);
        checked.fill(rank, memory.back());
      }
      for (auto& of_rank : memory) spans.push_back(of_rank.spans());
      run_in_process(checked.schedule(), spans,
                     [](Rank) { return Callbacks{.combine = sum_of<std::int64_t>(), .work = {}}; });
      for (Rank rank = 0; rank < n; ++rank) {
        CAPTURE(rank);
        REQUIRE(checked.is_right(rank, memory[rank]));
      }
    });
  }
}

TEST_CASE("schedule: rounds and bytes of collectives are those of their papers" * test::in_process()) {
  const auto counts_of = [](const std::string& operation, const std::string& algorithm, Rank n,
                            std::int64_t bytes, Rank rank) {
    return count(*collective({operation, algorithm, n, {bytes}}), rank);
  };
  for (const Rank n : {8, 16, 64}) {
    const std::int64_t bytes = 8 * 64 * n, levels = rounds_of_doubling(n);
    // Thakur et al. (2005), sections 4.3 to 4.5: each rank sends 2 (n - 1) / n of the data.
    CHECK(counts_of("allreduce", "rabenseifner", n, bytes, 3).sent_bytes == 2 * bytes / n * (n - 1));
    CHECK(counts_of("allreduce", "rabenseifner", n, bytes, 3).rounds == 2 * levels);
    CHECK(counts_of("allreduce", "wilke", n, bytes, 3).sent_bytes == 2 * bytes / n * (n - 1));
    CHECK(counts_of("allreduce", "wilke", n, bytes, 3).rounds == 2 * levels);
    CHECK(counts_of("allreduce", "ring", n, bytes, 3).sent_bytes == 2 * bytes / n * (n - 1));
    CHECK(counts_of("allreduce", "ring", n, bytes, 3).rounds == 2 * (n - 1));
    CHECK(counts_of("allgather", "burst", n, 8, 3).rounds == 1);
    CHECK(counts_of("allgather", "bruck", n, 8, 3).rounds == levels);
    CHECK(counts_of("allgather", "bruck", n, 8, 3).sent_bytes == 8 * (n - 1));
    CHECK(counts_of("allgather", "neighbor_exchange", n, 8, 3).rounds == n / 2);
    CHECK(counts_of("allgather", "neighbor_exchange", n, 8, 3).sent_bytes == 8 * (n - 1));
    CHECK(counts_of("reduce_scatter", "recursive_halving", n, 8, 3).sent_bytes == 8 * (n - 1));
    CHECK(counts_of("broadcast", "binomial", n, 8, 0).sent == levels);
    CHECK(counts_of("broadcast", "scatter_ring", n, bytes, 0).sent_bytes == 2 * bytes / n * (n - 1));
    CHECK(counts_of("barrier", "dissemination", n, 0, 5).sent == levels);
    std::int64_t sent = 0;
    for (Rank rank = 0; rank < n; ++rank) sent += counts_of("reduce", "binomial", n, 8, rank).sent;
    CHECK(sent == n - 1);
  }
  // Wilke's allreduce of 6 ranks: ranks 0 and 1 have two of 8 roles, which exchange nothing with each other,
  // and no rank sends more than once per round and role, unlike in Rabenseifner's.
  for (const auto& [rank, pieces] : {std::pair<Rank, std::int64_t>{1, 12}, {5, 14}}) {
    const auto counted = counts_of("allreduce", "wilke", 6, 8 * 64, rank);
    CHECK(counted.sent_bytes == pieces * 64);
    CHECK(counted.received_bytes == pieces * 64);
    CHECK(counted.rounds == (rank < 2 ? 4 : 6));
    CHECK(counted.sent == (rank < 2 ? 8 : 6));
  }
}

TEST_CASE("schedule: a pipelined broadcast starts to send before its last segment arrives") {
  const auto schedule = collective({"broadcast", "chain", 3, {8 * 10}, 0, 16});
  std::set<std::int64_t> sizes;
  CHECK(count(*schedule, 1).rounds == 6);  // 5 segments
  for (const auto& operation : operations(*schedule, 1))
    if (operation.action == Action::send) sizes.insert(operation.block.size_bytes);
  CHECK(sizes == std::set<std::int64_t>{16});
}

TEST_CASE("schedule: the root of a linear collective generates each message once") {
  constexpr Rank n = 1000;
  Rank n_generated = 0;
  const RoundSchedule schedule(
      1, 1, std::vector<Buffer>{{"data"}}, [](Rank, std::int32_t) { return 8; },
      [&](Rank, std::int64_t, RoundWriter& out) {
        out.receives(n, [&](std::int64_t i) {
          ++n_generated;
          return RoundWriter::Message{static_cast<Rank>(i), {0, 0, 8}};
        });
        out.exchange();
      });
  CHECK(operations(schedule, 0).size() == n + 2);
  CHECK(n_generated == n);
  constexpr Rank many = 300'000;  // too many for a time that grows with the square
  CHECK(count(*collective({"gather", "linear", many, {8}}), 0).received_bytes == 8 * (many - 1));
  CHECK(count(*collective({"scatter", "linear", many, {8}}), 0).sent == many - 1);
  CHECK(count(*collective({"reduce", "linear", many, {8}}), 0).received_bytes == 8 * (many - 1));
}

TEST_CASE("schedule: mistakes in collectives are named") {
  const auto make = [](CollectiveOptions options) { return collective(options); };
  CHECK_THROWS_WITH_AS(
      make({"sum", "ring"}),
      "There is no collective 'sum'. Use allgather, allreduce, alltoall, barrier, broadcast, "
      "exscan, gather, reduce, reduce_scatter, scan, scatter.",
      ConfigError);
  CHECK_THROWS_WITH_AS(make({"gather", "ring"}),
                       "There is no algorithm 'ring' of gather. Use binomial, linear.", ConfigError);
  CHECK_THROWS_WITH_AS(
      make({"allgather", "recursive_doubling", 6}),
      "The allgather recursive_doubling needs a power of two ranks, not 6. Use bruck or ring.", ConfigError);
  CHECK_THROWS_AS(make({"allgather", "neighbor_exchange", 5}), ConfigError);
  CHECK_THROWS_AS(make({"broadcast", "linear", 4, {8}, 4}), ConfigError);
  CHECK_THROWS_AS(make({"broadcast", "linear", 4, {8, 8, 8, 8}}), ConfigError);
  CHECK_THROWS_AS(make({"allgather", "ring", 4, {8, 8, 8}}), ConfigError);
  CHECK_THROWS_AS(make({"allgather", "ring", 4, {-8}}), ConfigError);
  CHECK_THROWS_AS(make({"scan", "node_aware_linear", 4}), ConfigError);
}
