#include "halcyon/schedule/collectives/allreduce.hpp"

#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr std::int64_t kNumbers = 3;  ///< per rank

/// The buffers of all ranks after an allreduce of `rough` numbers.
std::vector<Memory> summed(Rank n, Rank radix) {
  const Allreduce schedule(n, 8 * kNumbers, radix);
  std::vector<Memory> memory;
  std::vector<Buffers> spans;
  for (Rank rank = 0; rank < n; ++rank) {
    memory.emplace_back(schedule, rank);
    for (std::int64_t i = 0; i < kNumbers; ++i) memory.back().as<double>(0)[i] = rough(rank, i);
  }
  for (auto& of_rank : memory) spans.push_back(of_rank.spans());
  run_in_process(schedule, spans, [](Rank) { return Callbacks{.combine = sum_of<double>(), .work = {}}; });
  return memory;
}

/// floor(log_k n), in integer arithmetic.
int levels(Rank n, Rank k) {
  int p = 0;
  for (std::int64_t core = k; core <= n; core *= k) ++p;
  return p;
}

}  // namespace

TEST_CASE("schedule: recursive-k sums for 1 to 70 ranks and any radix, with the same bits everywhere" *
          test::in_process()) {
  for (Rank n = 1; n <= 70; ++n) {
    double expected[kNumbers]{};
    for (Rank rank = 0; rank < n; ++rank) {
      for (std::int64_t i = 0; i < kNumbers; ++i) expected[i] += rough(rank, i);
    }
    for (Rank radix = 2; radix <= 32; ++radix) {
      CAPTURE(n);
      CAPTURE(radix);
      auto memory = summed(n, radix);
      for (std::int64_t i = 0; i < kNumbers; ++i)
        REQUIRE(memory[0].as<double>(0)[i] == doctest::Approx(expected[i]).epsilon(1e-13));
      for (Rank rank = 1; rank < n; ++rank) REQUIRE(memory[rank].bytes[0] == memory[0].bytes[0]);
    }
  }
}

TEST_CASE("schedule: the order in which recursive-k combines is that of the ranks" * test::in_process()) {
  // (2^53 + 1) + 1 = 2^53 in double precision: each 1 is lost, unless the two are added first.
  const Allreduce schedule(3, 8, 3);
  auto memory = in_process(schedule, [](Rank rank, Memory& m) { *m.as<std::int64_t>(0) = rank + 1; });
  CHECK(*memory[2].as<std::int64_t>(0) == 6);
  std::vector<Memory> rough_memory;
  std::vector<Buffers> spans;
  for (Rank rank = 0; rank < 3; ++rank) {
    rough_memory.emplace_back(schedule, rank);
    *rough_memory.back().as<double>(0) = rank == 0 ? 9007199254740992.0 : 1.0;
  }
  for (auto& of_rank : rough_memory) spans.push_back(of_rank.spans());
  run_in_process(schedule, spans, [](Rank) { return Callbacks{.combine = sum_of<double>(), .work = {}}; });
  for (auto& of_rank : rough_memory) CHECK(*of_rank.as<double>(0) == 9007199254740992.0);
}

TEST_CASE("schedule: stages and bytes of recursive-k are those of its closed form, n > 2 k^p included" *
          test::in_process()) {
  for (Rank n = 1; n <= 200; ++n) {
    for (Rank radix = 2; radix <= 32; ++radix) {
      const Allreduce schedule(n, 8, radix);
      const auto k = std::min(radix, std::max(n, 2));
      const auto p = levels(n, k);  // rounds of the core's k^p ranks
      const auto core = static_cast<Rank>(std::lround(std::pow(k, p)));
      REQUIRE(schedule.n_core_ranks() == core);
      REQUIRE(schedule.n_rounds() == p + (core < n ? 2 : 0));
      std::int64_t sent = 0, received = 0;
      for (Rank rank = 0; rank < n; ++rank) {
        const auto counts = count(schedule, rank);
        REQUIRE(counts.rounds == schedule.n_rounds());
        sent += counts.sent_bytes;
        received += counts.received_bytes;
        if (rank >= core) REQUIRE(counts.sent == 1);
        if (rank < core) REQUIRE(counts.sent <= p * (k - 1) + k - 1);
      }
      REQUIRE(sent == 8 * (std::int64_t{core} * p * (k - 1) + 2 * (n - core)));
      REQUIRE(received == sent);
    }
  }
}

TEST_CASE("schedule: where the paper's fold is right, a rank folds on the one that it names" *
          test::in_process()) {
  const Allreduce schedule(13, 8, 3);  // core of 9 ranks, rank i sends to i - 4
  for (Rank rank = 9; rank < 13; ++rank) {
    Cursor cursor;
    Operation operation;
    REQUIRE(schedule.next(rank, cursor, operation));
    CHECK(operation.action == Action::send);
    CHECK(operation.peer == rank - 4);
  }
}

TEST_CASE("schedule: GCR makes 2 N allreduces of min(i, k) numbers and of 2" * test::in_process()) {
  const auto schedule = gcr(8, {.radix = 8});
  CHECK(schedule.n_stages() == 50);
  const auto counts = count(schedule, 3);
  CHECK(counts.rounds == 50);
  CHECK(counts.sent_bytes == 7 * 8 * ((1 + 2 + 23 * 3) + 25 * 2));
  CHECK(count(gcr(8, {.radix = 8, .n_numbers = 3}), 0).sent_bytes == 7 * 8 * 3 * 50);
  const auto with_work = gcr(8, {.radix = 2, .compute_s = 1e-3});
  double compute_s = 0;
  std::int32_t stage = 0;
  Cursor cursor;
  for (Operation operation; with_work.next(5, cursor, operation);) {
    compute_s += operation.seconds;
    CHECK(with_work.stage(cursor) - stage <= 1);
    stage = with_work.stage(cursor);
  }
  CHECK(compute_s == doctest::Approx(0.05));
  CHECK(stage == 49);
  for (Rank rank = 0; rank < 8; ++rank) check(with_work, rank);
}

TEST_CASE("schedule: an allreduce of nothing, and bad ones") {
  check(Allreduce(5, 0, 2), 4);
  CHECK(count(Allreduce(5, 0, 2), 0).sent == 0);
  CHECK_THROWS_WITH_AS(Allreduce(4, 8, 1), "The radix of an allreduce is 1. Give 2 or more.", ConfigError);
  CHECK_THROWS_AS(Allreduce(0, 8, 2), ConfigError);
  CHECK_THROWS_AS(Allreduce(4, -8, 2), ConfigError);
  CHECK_THROWS_AS(gcr(4, {.n_iterations = 0}), ConfigError);
}
