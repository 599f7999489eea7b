#include "halcyon/schedule/sequence.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/messages.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("schedule: a sequence runs its parts one after the other, again and again" * test::in_process()) {
  const auto sum = std::make_shared<Allreduce>(5, 8, 2);
  const auto twice = std::make_shared<Sequence>(std::vector<SchedulePointer>{sum, sum});
  const auto all = repeated(twice, 3);
  CHECK(all.n_stages() == 6);
  auto memory = in_process(all, [](Rank, Memory& of_rank) { *of_rank.as<std::int64_t>(0) = 1; });
  for (auto& of_rank : memory) CHECK(*of_rank.as<std::int64_t>(0) == 5 * 5 * 5 * 5 * 5 * 5);
  std::vector<std::int32_t> stages;
  Cursor cursor;
  CHECK(all.stage(cursor) == 0);
  for (Operation operation; all.next(4, cursor, operation);) {
    if (operation.action == Action::send) stages.push_back(all.stage(cursor));
  }
  CHECK(stages == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(all.stage(cursor) == 5);
}

TEST_CASE("schedule: buffers of one name are one, computations belong to the stage that follows" *
          test::in_process()) {
  const auto blocks = std::make_shared<UniformBlocks>(8);
  const auto ring = std::make_shared<RingAlltoall>(4, RankGroups{4}, blocks, 1);
  const auto bruck = std::make_shared<BruckAlltoall>(4, RankGroups{4}, std::make_shared<UniformBlocks>(4));
  const auto work = std::make_shared<Computation>(4, 7, 0.5);
  const Sequence all({work, bruck, work, ring, work});
  CHECK(all.buffers().size() == 5);
  CHECK(all.buffer_bytes(0, 0) == 32);
  CHECK(all.n_stages() == 2);
  std::vector<std::int32_t> stages;
  Cursor cursor;
  for (Operation operation; all.next(2, cursor, operation);) {
    if (operation.action != Action::compute) continue;
    CHECK(operation.work == 7);
    CHECK(operation.seconds == 0.5);
    stages.push_back(all.stage(cursor));
  }
  CHECK(stages == std::vector<std::int32_t>{0, 1, 1});
  for (Rank rank = 0; rank < 4; ++rank) check(all, rank);
}

TEST_CASE("schedule: sequences that cannot be are refused") {
  const auto four = std::make_shared<Allreduce>(4, 8, 2), five = std::make_shared<Allreduce>(5, 8, 2);
  CHECK_THROWS_WITH_AS(
      Sequence({four, five}),
      "A sequence has schedules of 4 and of 5 ranks. Give schedules of equal numbers of ranks.", ConfigError);
  CHECK_THROWS_AS(Sequence({}), ConfigError);
  CHECK_THROWS_AS(Sequence({four}, 0), ConfigError);
  CHECK_THROWS_AS(Sequence({four}, std::int64_t{1} << 40), ConfigError);
}

TEST_CASE("schedule: messages of given volumes, at once and in order, meet" * test::in_process()) {
  for (Rank n = 1; n <= 40; ++n) {
    const auto row = [n](Rank rank) {
      std::vector<Volume> row;
      for (Rank from = 0; from < n; ++from) {
        if (from != rank && (from * rank + from + rank) % 3 == 0) row.push_back({from, 1, 4 + from % 5});
      }
      return row;
    };
    const auto received = assemble_volumes(n, row, 1);
    for (const auto order : {MessageOrder::at_once, MessageOrder::in_order, MessageOrder::unwaited}) {
      const VolumeExchange messages(received, order, std::vector<double>(n, 0.5));
      auto memory = in_process(messages, [&](Rank rank, Memory& of_rank) {
        std::ranges::fill(of_rank.bytes[0], static_cast<std::byte>(rank + 1));
      });
      const auto counted = volumes(messages);
      CHECK(counted.peers == received.peers);
      CHECK(counted.bytes == received.bytes);
      for (Rank rank = 0; rank < n; ++rank) {
        std::vector<std::byte> expected;
        for (const auto& volume : row(rank))
          expected.insert(expected.end(), volume.bytes, static_cast<std::byte>(volume.peer + 1));
        REQUIRE(memory[rank].bytes[1] == expected);
        const auto counts = count(messages, rank);
        CHECK(counts.rounds == (order == MessageOrder::at_once ? 1 : 1 + std::ssize(row(rank))));
      }
    }
  }
}

TEST_CASE("schedule: volumes that are no matrix are refused") {
  const auto check_refused = [](Volumes volumes) {
    CHECK_THROWS_AS(VolumeExchange(std::move(volumes), MessageOrder::at_once), InputError);
  };
  check_refused({.offsets = {}, .peers = {}, .messages = {}, .bytes = {}});
  check_refused({.offsets = {0, 2, 1}, .peers = {1}, .messages = {1}, .bytes = {8}});
  check_refused({.offsets = {0, 1}, .peers = {0}, .messages = {1}, .bytes = {}});
  check_refused({.offsets = {0, 1, 1}, .peers = {2}, .messages = {1}, .bytes = {8}});
  check_refused({.offsets = {0, 1, 1}, .peers = {1}, .messages = {1}, .bytes = {-8}});
}

TEST_CASE("schedule: a pipeline moves every group in and out, and overlaps them" * test::in_process()) {
  constexpr Rank n = 6;
  const RankGroups rows{3, 1}, columns{2, 3};
  for (const bool has_outgoing : {true, false}) {
    for (int n_groups = 1; n_groups <= 4; ++n_groups) {
      std::vector<FieldGroup> groups;
      for (int g = 0; g < n_groups; ++g) {
        groups.push_back({std::make_shared<UniformBlocks>(2 * (g + 1)),
                          has_outgoing ? std::make_shared<UniformBlocks>(3 * (g + 1)) : nullptr,
                          [](Rank) { return 0.25; }});
      }
      for (int prefetched_groups = 0; prefetched_groups <= 3; ++prefetched_groups) {
        const Pipeline pipeline(n, rows, columns, groups, prefetched_groups);
        std::vector<Memory> memory;
        std::vector<Buffers> spans;
        for (Rank rank = 0; rank < n; ++rank) {
          memory.emplace_back(pipeline, rank);
          for (int g = 0; g < n_groups; ++g)
            fill_blocks(rows, *groups[g].incoming, rank, memory.back().bytes[2 * g].data());
        }
        for (auto& of_rank : memory) spans.push_back(of_rank.spans());
        run_in_process(pipeline, spans, [&](Rank rank) {
          const auto work = [&, rank](std::int32_t g) {
            REQUIRE(has_blocks(rows, *groups[g].incoming, rank, memory[rank].bytes[2 * g + 1].data()));
            if (has_outgoing)
              fill_blocks(columns, *groups[g].outgoing, rank, memory[rank].bytes[2 * (n_groups + g)].data());
          };
          return Callbacks{.combine = {}, .work = work};
        });
        for (Rank rank = 0; has_outgoing && rank < n; ++rank) {
          for (int g = 0; g < n_groups; ++g)
            REQUIRE(has_blocks(columns, *groups[g].outgoing, rank,
                               memory[rank].bytes[2 * (n_groups + g) + 1].data()));
        }
      }
    }
  }
}

TEST_CASE("schedule: a pipeline of any stages moves every group through them, by any all-to-all" *
          test::in_process()) {
  constexpr Rank n = 6;
  constexpr int kGroups = 4;
  const RankGroups rows{3, 1}, columns{2, 3};
  const auto blocks = [](int bytes) {
    std::vector<BlocksPointer> all;
    for (int g = 0; g < kGroups; ++g)
      all.push_back(std::make_shared<VariableBlocks>(bytes, uneven_bytes(bytes)));
    return all;
  };
  const std::vector<std::function<double(Rank)>> work(kGroups);
  const std::vector<PipelineStage> stages{
      {.name = "first", .compute_s = work},
      {.name = "rows", .ranks = rows, .blocks = blocks(rows.size), .compute_s = work},
      {.name = "middle", .compute_s = work},
      {.name = "columns", .ranks = columns, .blocks = blocks(columns.size)}};
  for (const auto* algorithm : {"burst", "bruck", "ring-1", "ring-2"}) {
    for (int prefetched_groups = 0; prefetched_groups <= 3; ++prefetched_groups) {
      CAPTURE(algorithm);
      const Pipeline pipeline(n, alltoall_method_named(algorithm), stages, prefetched_groups);
      std::vector<Memory> memory;
      std::vector<Buffers> spans;
      for (Rank rank = 0; rank < n; ++rank) memory.emplace_back(pipeline, rank);
      for (auto& of_rank : memory) spans.push_back(of_rank.spans());
      std::vector<std::vector<std::int32_t>> done(n);
      run_in_process(pipeline, spans, [&](Rank rank) {
        const auto work_on = [&, rank](std::int32_t number) {
          const auto g = number % kGroups;
          auto& bytes = memory[rank].bytes;
          const auto rows_buffer = pipeline.first_buffer(1, g), columns_buffer = pipeline.first_buffer(3, g);
          done[rank].push_back(number);
          if (number < kGroups) fill_blocks(rows, *stages[1].blocks[g], rank, bytes[rows_buffer].data());
          if (number / kGroups == 1)
            REQUIRE(has_blocks(rows, *stages[1].blocks[g], rank, bytes[rows_buffer + 1].data()));
          if (number / kGroups == 2)
            fill_blocks(columns, *stages[3].blocks[g], rank, bytes[columns_buffer].data());
        };
        return Callbacks{.combine = {}, .work = work_on};
      });
      for (Rank rank = 0; rank < n; ++rank) {
        CHECK(done[rank].size() == 3 * kGroups);
        for (int g = 0; g < kGroups; ++g)
          REQUIRE(has_blocks(columns, *stages[3].blocks[g], rank,
                             memory[rank].bytes[pipeline.first_buffer(3, g) + 1].data()));
      }
      if (prefetched_groups == 1)  // one group is prefetched in the first stage; where no data are exchanged,
                                   // the next stage follows immediately
        CHECK(std::vector(done[0].begin(), done[0].begin() + 6) == std::vector{0, 1, 4, 8, 2, 5});
    }
  }
  const auto with_n_works = [&](std::size_t n_works) {
    return Pipeline(n, {}, {stages[1], {.name = "next", .compute_s = {n_works, nullptr}}});
  };
  CHECK_THROWS_WITH_AS(with_n_works(3),
                       "Stage 'next' has 3 groups in a pipeline of 4 groups. Give equal numbers.",
                       ConfigError);
}

TEST_CASE("schedule: while a group of a pipeline is worked on, others are under way" * test::in_process()) {
  const auto blocks = std::make_shared<UniformBlocks>(8);
  const std::vector<FieldGroup> groups(3, {blocks, blocks, {}});
  const Pipeline pipeline(4, {4}, {4}, groups);
  std::vector<int> in_flight;  // exchanges during each computation
  int open = 0;
  for (const auto& operation : operations(pipeline, 1)) {
    if (operation.action == Action::start) ++open;
    if (operation.action == Action::wait) --open;
    if (operation.action == Action::compute) in_flight.push_back(open);
  }
  CHECK(open == 0);
  CHECK(in_flight == std::vector<int>{1, 2, 2});  // one arrives; one arrives and one leaves; two leave
  int n_arriving = 0;
  const std::vector<FieldGroup> staying(3, {blocks, nullptr, {}});
  for (const auto& operation : operations(Pipeline(4, {4}, {4}, staying), 1)) {
    if (operation.action == Action::start) CHECK(++n_arriving == 1);  // no other exchange in flight
    if (operation.action == Action::wait) --n_arriving;
  }
  CHECK_THROWS_AS(Pipeline(4, {4}, {4}, {}), ConfigError);
  CHECK_THROWS_AS(Pipeline(4, {4}, {4}, {{blocks, nullptr, {}}, {blocks, blocks, {}}}), ConfigError);
  CHECK_THROWS_AS(Pipeline(4, {4}, {4}, groups, -1), ConfigError);
}

TEST_CASE("schedule: while ranks work nothing is under way in a pipeline with no groups ahead" *
          test::in_process()) {
  const std::vector<BlocksPointer> blocks(3, std::make_shared<UniformBlocks>(8));
  const std::vector<std::function<double(Rank)>> work(3);
  const PipelineStage first{.name = "first", .compute_s = work};
  const PipelineStage rows{.name = "rows", .ranks = {3, 1}, .blocks = blocks, .compute_s = work};
  const PipelineStage columns{.name = "columns", .ranks = {2, 3}, .blocks = blocks};
  const std::vector<std::vector<PipelineStage>> pipelines{
      {rows, columns}, {first, rows, columns}, {{.name = "in", .ranks = {3, 1}, .blocks = blocks}, first}};
  for (const auto* algorithm : {"burst", "bruck", "ring-1"})
    for (const auto& stages : pipelines) {
      CAPTURE(algorithm);
      const Pipeline pipeline(6, alltoall_method_named(algorithm), stages, 0);
      std::vector<int> after_start, during_work;  // exchanges in flight
      int open = 0;
      for (const auto& operation : operations(pipeline, 1)) {
        if (operation.action == Action::start) after_start.push_back(++open);
        if (operation.action == Action::wait) --open;
        if (operation.action == Action::compute) during_work.push_back(open);
      }
      CHECK(open == 0);
      CHECK(std::ranges::max(after_start) == 1);
      CHECK(during_work.size() >= 3);
      CHECK(std::ranges::max(during_work) == 0);
    }
}

TEST_CASE("schedule: the spectral pipeline moves what the first two stages of a transposition move" *
          test::in_process()) {
  const TransposedGrid grid{.nx = 16, .ny = 12, .nz = 10, .cx = 3, .cy = 4};
  for (const int n_groups : {1, 2, 3, 10}) {
    const auto pipeline = spectral_pipeline(grid, n_groups, 1e-3);
    // Bytes that a rank sends in the first two stages of a transposition.
    const auto expected_bytes = [&](Rank rank) {
      const auto bytes_to_others = [&](int state, int next) {
        const auto [groups, blocks] = exchange_between(grid, state, next);
        const auto position = groups.position(rank), group = groups.group(rank);
        return blocks->sent(group, position, groups.size - 1).end() -
               blocks->bytes(group, position, position);
      };
      return bytes_to_others(0, 1) + bytes_to_others(1, 2);
    };
    std::int64_t sent = 0, expected = 0;
    double compute_s = 0;
    for (Rank rank = 0; rank < grid.n_ranks(); ++rank) {
      check(pipeline, rank);
      sent += count(pipeline, rank).sent_bytes;
      expected += expected_bytes(rank);
      CHECK(count(pipeline, rank).rounds == 2 * n_groups);
      for (const auto& operation : operations(pipeline, rank)) compute_s += operation.seconds;
    }
    CHECK(compute_s == doctest::Approx(1e-3 * 16 * 12 * 10));
    if (n_groups == 1) CHECK(sent == expected);
    CHECK(sent <= 8 * 2 * 16 * 12 * 10);
  }
  CHECK_THROWS_WITH_AS(spectral_pipeline(grid, 11, 0),
                       "10 fields and levels cannot be divided into 11 groups. Give 1 to 10.", ConfigError);
}

TEST_CASE("schedule: a receive, a send, their start and wait are one operation for who asks so" *
          test::in_process()) {
  const auto blocks = std::make_shared<UniformBlocks>(8);
  const TransposedGrid uneven{.nx = 7, .ny = 5, .nz = 6, .cx = 3, .cy = 2, .item_bytes = 8};
  const std::vector<SchedulePointer> all{
      std::make_shared<RingAlltoall>(6, RankGroups{3, 2}, blocks, 1),
      std::make_shared<RingAlltoall>(6, RankGroups{6}, blocks, 2),
      std::make_shared<RingAlltoall>(1, RankGroups{1}, blocks, 1),
      std::make_shared<Allreduce>(8, 24, 2),
      std::make_shared<Allreduce>(11, 24, 2),
      std::make_shared<Allreduce>(9, 24, 3),
      std::make_shared<Allreduce>(4, 0, 2),
      std::make_shared<Sequence>(transposition(uneven, {AlltoallAlgorithm::ring, 1})),
      std::make_shared<Sequence>(gcr(6, {.n_iterations = 2})),
  };
  int n_found = 0;
  for (const auto& schedule : all) {
    for (Rank rank = 0; rank < schedule->n_ranks(); ++rank) {
      Cursor single, cursor;  // one operation at a time; all four at once where possible
      Operation operation, expected;
      Sendrecv sendrecv;
      const auto check_next = [&](Action action, Rank peer, std::int64_t bytes) {
        REQUIRE(schedule->next(rank, single, expected));
        CHECK(expected.action == action);
        CHECK(expected.round == sendrecv.round);
        CHECK(expected.peer == peer);
        CHECK(expected.block.total_bytes() == bytes);
      };
      for (;;) {
        if (schedule->next_sendrecv(rank, cursor, sendrecv)) {
          ++n_found;
          check_next(Action::receive, sendrecv.from, sendrecv.received_bytes);
          check_next(Action::send, sendrecv.to, sendrecv.sent_bytes);
          check_next(Action::start, kNone, 0);
          check_next(Action::wait, kNone, 0);
          CHECK(schedule->stage(cursor) == schedule->stage(single));
          continue;
        }
        const bool has_next = schedule->next(rank, cursor, operation);
        REQUIRE(schedule->next(rank, single, expected) == has_next);
        if (!has_next) break;
        CHECK(operation.action == expected.action);
        CHECK(operation.peer == expected.peer);
        CHECK(operation.block == expected.block);
      }
    }
  }
  // Rounds of rings with k = 1, and rounds in which pairs of the core exchange.
  CHECK(n_found == 6 * 2 + 8 * 3 + 8 * 3 + 6 * (2 + 1 + 2) + 4 * 4 * 2);
}
