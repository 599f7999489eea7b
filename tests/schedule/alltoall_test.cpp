#include "halcyon/schedule/collectives/alltoall.hpp"

#include <cmath>

#include "halcyon/base/error.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Runs an all-to-all in process. Returns whether all ranks have received their blocks.
bool delivers_blocks(Rank n_ranks, RankGroups groups, const BlocksPointer& blocks, AlltoallMethod method) {
  const auto schedule = alltoall(n_ranks, groups, blocks, method);
  auto memory = in_process(*schedule, [&](Rank rank, Memory& of_rank) {
    fill_blocks(groups, *blocks, rank, of_rank.bytes[0].data());
  });
  for (Rank rank = 0; rank < n_ranks; ++rank) {
    if (!has_blocks(groups, *blocks, rank, memory[rank].bytes[1].data())) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("schedule: every all-to-all transposes blocks, even and uneven, of 1 to 70 ranks" *
          test::in_process()) {
  for (Rank n = 1; n <= 70; ++n) {
    for (const auto& method : kAlltoalls) {
      CAPTURE(n);
      CAPTURE(static_cast<int>(method.algorithm));
      REQUIRE(delivers_blocks(n, {n}, std::make_shared<UniformBlocks>(3), method));
      REQUIRE(delivers_blocks(n, {n}, std::make_shared<VariableBlocks>(n, uneven_bytes(n)), method));
    }
  }
}

TEST_CASE("schedule: all-to-alls within rows and columns of ranks, and of no bytes" * test::in_process()) {
  for (const auto& method : kAlltoalls) {
    for (const RankGroups groups : {RankGroups{6, 1}, RankGroups{4, 6}, RankGroups{2, 3}, RankGroups{1, 1}}) {
      CHECK(delivers_blocks(
          24, groups, std::make_shared<VariableBlocks>(groups.size, uneven_bytes(groups.size)), method));
      CHECK(delivers_blocks(24, groups, std::make_shared<UniformBlocks>(0), method));
    }
  }
}

TEST_CASE("schedule: rounds, messages and bytes of the all-to-alls are those of their closed forms" *
          test::in_process()) {
  constexpr std::int64_t kBytes = 5;
  for (Rank n = 1; n <= 70; ++n) {
    const auto even = std::make_shared<UniformBlocks>(kBytes);
    for (const Rank k : {1, 2, 4, 7, 100}) {
      const auto ring = count(RingAlltoall(n, {n}, even, k), n / 2);
      CHECK(ring.rounds == (n - 1 + std::min(k, std::max(n - 1, 1)) - 1) / std::min(k, std::max(n - 1, 1)));
      CHECK(ring.sent == n - 1);
      CHECK(ring.sent_bytes == kBytes * (n - 1));
    }
    CHECK(count(*alltoall(n, {n}, even, {AlltoallAlgorithm::burst}), 0).rounds == (n > 1));
    const auto bruck = count(BruckAlltoall(n, {n}, even), n / 3);
    std::int64_t set_bits = 0;
    for (Rank i = 0; i < n; ++i) set_bits += __builtin_popcount(static_cast<unsigned>(i));
    CHECK(bruck.rounds == static_cast<std::int64_t>(std::ceil(std::log2(n))));
    CHECK(bruck.sent == bruck.rounds);
    CHECK(bruck.sent_bytes == kBytes * set_bits);
    CHECK(bruck.received_bytes == kBytes * set_bits);
    CHECK(bruck.operations <= 8 * bruck.rounds + 4);
  }
}

TEST_CASE("schedule: a million ranks cost an all-to-all nothing but their cursors" * test::in_process()) {
  constexpr Rank n = 1'000'000;
  const BruckAlltoall bruck(n, {n}, std::make_shared<UniformBlocks>(8));
  CHECK(count(bruck, n - 1).rounds == 20);
  const RingAlltoall ring(n, {n}, std::make_shared<UniformBlocks>(8), 1000);
  CHECK(count(ring, n / 3).rounds == 1000);
  Cursor cursor;
  Operation operation;
  for (int i = 0; i < 3; ++i) REQUIRE(ring.next(n - 1, cursor, operation));
  CHECK(operation.peer == n - 3);
}

TEST_CASE("schedule: all-to-alls are found by name, and wrong ones refused") {
  CHECK(alltoall_method_named("burst").algorithm == AlltoallAlgorithm::burst);
  CHECK(alltoall_method_named("bruck").algorithm == AlltoallAlgorithm::bruck);
  CHECK(alltoall_method_named("ring").k == 1);
  CHECK(alltoall_method_named("ring-12").k == 12);
  for (const auto* name : {"ring-0", "ring-", "ring-2x", "ring--2", "pairwise"})
    CHECK_THROWS_AS(alltoall_method_named(name), ConfigError);
  CHECK_THROWS_WITH_AS(alltoall_method_named("ring-99999999999"),
                       "There is no all-to-all 'ring-99999999999'. Use burst, bruck, ring or ring-K with K "
                       "from 1 to 2147483647, such as ring-4.",
                       ConfigError);
  const auto even = std::make_shared<UniformBlocks>(8);
  CHECK_THROWS_WITH_AS(
      RingAlltoall(10, {4, 1}, even, 1),
      "10 ranks cannot be divided into groups of 4 ranks with stride 1. Use a multiple of 4 x 1 ranks.",
      ConfigError);
  CHECK_THROWS_AS(BruckAlltoall(10, {5, 3}, even), ConfigError);
  CHECK_THROWS_AS(RingAlltoall(4, {4}, even, 0), ConfigError);
  CHECK_THROWS_AS(UniformBlocks(-1), ConfigError);
  CHECK_THROWS_AS(VariableBlocks(2, {1, 2, 3}), ConfigError);
  CHECK_THROWS_WITH_AS(VariableBlocks(2, {1, 2, -3, 4}),
                       "The block from rank 1 to rank 0 has -3 bytes. Give 0 or more.", ConfigError);
}
