#include "schedule/workloads.hpp"

#include <mpi.h>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/messages.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// The methods that support any schedule.
const std::vector kAnyMethods{comm::method_named("isend_irecv"), comm::method_named("persistent"),
                              comm::method_named("shared"), comm::method_named("auto")};
std::vector<comm::Method> all_methods() {
  std::vector<comm::Method> methods;
  for (const auto& method : comm::methods()) methods.push_back(&method);
  return methods;
}

/// Runs a schedule by MPI twice, and fills its memory before each run.
Memory by_mpi(const Schedule& schedule, comm::Method method, const std::function<void(Memory&)>& fill,
              const std::function<Callbacks(Memory&)>& callbacks = {}) {
  const comm::Communicator comm(world());
  Memory memory(schedule, comm.rank());
  comm::Exchange exchange(comm, schedule, method, callbacks ? callbacks(memory) : Callbacks{});
  for (int repeat = 0; repeat < 2; ++repeat) {
    fill(memory);
    exchange.start(memory.spans()).wait();
  }
  return memory;
}

/// The blocks that MPI_Alltoallv delivers to a rank.
std::vector<std::byte> by_alltoallv(const VariableBlocks& blocks, Rank rank,
                                    const std::vector<std::byte>& send, std::size_t received_bytes) {
  std::vector<int> send_sizes, send_offsets, receive_sizes, receive_offsets;
  for (Rank other = 0; other < world_size(); ++other) {
    send_sizes.push_back(static_cast<int>(blocks.bytes(0, rank, other)));
    send_offsets.push_back(static_cast<int>(blocks.sent(0, rank, other).offset_bytes));
    receive_sizes.push_back(static_cast<int>(blocks.bytes(0, other, rank)));
    receive_offsets.push_back(static_cast<int>(blocks.received(0, other, rank).offset_bytes));
  }
  std::vector<std::byte> received(received_bytes);
  MPI_Alltoallv(send.data(), send_sizes.data(), send_offsets.data(), MPI_BYTE, received.data(),
                receive_sizes.data(), receive_offsets.data(), MPI_BYTE, world());
  return received;
}

}  // namespace

TEST_CASE("comm: every all-to-all by every method leaves what MPI_Alltoallv leaves") {
  const auto n = world_size(), rank = world_rank();
  const auto uneven = std::make_shared<VariableBlocks>(n, uneven_bytes(n));
  const auto even = std::make_shared<VariableBlocks>(n, std::vector<std::int64_t>(n * n, 24));
  for (const auto& algorithm : kAlltoalls) {
    for (const auto method : all_methods()) {
      CAPTURE(method->name);
      for (const auto& given : {uneven, even}) {
        const auto schedule = alltoall(n, {n}, given, algorithm);
        auto memory =
            by_mpi(*schedule, method, [&](Memory& m) { fill_blocks({n}, *given, rank, m.bytes[0].data()); });
        CHECK(memory.bytes[1] == by_alltoallv(*given, rank, memory.bytes[0], memory.bytes[1].size()));
        CHECK(has_blocks({n}, *given, rank, memory.bytes[1].data()));
      }
    }
  }
}

TEST_CASE("comm: recursive-k by every method agrees with MPI_Allreduce, and has the bits of one process") {
  // Expected: the sums of MPI_Allreduce to 1e-14, and the bits of the in-process executor.
  const auto n = world_size(), rank = world_rank();
  constexpr std::int64_t kNumbers = 5;
  for (const Rank radix : {2, 3, 4}) {
    const Allreduce schedule(n, 8 * kNumbers, radix);
    const auto fill = [](Rank r, Memory& m) {
      for (std::int64_t i = 0; i < kNumbers; ++i) m.as<double>(0)[i] = rough(r, i);
    };
    std::vector<Memory> in_one_process;
    std::vector<Buffers> spans;
    for (Rank r = 0; r < n; ++r) fill(r, in_one_process.emplace_back(schedule, r));
    for (auto& of_rank : in_one_process) spans.push_back(of_rank.spans());
    run_in_process(schedule, spans, [](Rank) { return Callbacks{.combine = sum_of<double>(), .work = {}}; });
    double mine[kNumbers], sum[kNumbers];
    for (std::int64_t i = 0; i < kNumbers; ++i) mine[i] = rough(rank, i);
    MPI_Allreduce(mine, sum, kNumbers, MPI_DOUBLE, MPI_SUM, world());
    for (const auto method : all_methods()) {
      CAPTURE(method->name);
      auto memory = by_mpi(
          schedule, method, [&](Memory& m) { fill(rank, m); },
          [](Memory&) { return Callbacks{.combine = sum_of<double>(), .work = {}}; });
      for (std::int64_t i = 0; i < kNumbers; ++i)
        CHECK(memory.as<double>(0)[i] == doctest::Approx(sum[i]).epsilon(1e-14));
      CHECK(memory.bytes[0] == in_one_process[rank].bytes[0]);
    }
  }
}

TEST_CASE("comm: recursive-k combines with any operator, and whole numbers as MPI_Allreduce does") {
  const auto n = world_size(), rank = world_rank();
  const Allreduce schedule(n, 8, 2);
  const auto largest = elementwise<std::int64_t>([](auto a, auto b) { return std::max(a, b); });
  for (const auto& [combine, operation] :
       {std::pair(sum_of<std::int64_t>(), MPI_SUM), std::pair(CombineOperator(largest), MPI_MAX)}) {
    const std::int64_t mine = (rank * 7 + 3) % 5;
    std::int64_t expected = 0;
    MPI_Allreduce(&mine, &expected, 1, MPI_INT64_T, operation, world());
    auto memory = by_mpi(
        schedule, comm::method_named("persistent"), [&](Memory& m) { *m.as<std::int64_t>(0) = mine; },
        [&](Memory&) { return Callbacks{.combine = combine, .work = {}}; });
    CHECK(*memory.as<std::int64_t>(0) == expected);
  }
  std::vector<std::byte> seven(7);
  CHECK_THROWS_AS(sum_of<double>()(seven, seven), InternalError);
}

TEST_CASE("comm: a transposition by every method brings every item where it belongs") {
  // The items of state a (index 0; see schedule/pipeline.hpp) come through states b and c to state d (index
  // 3).
  const auto n = world_size(), rank = world_rank();
  for (Rank cx = 1; cx <= n; ++cx) {
    if (n % cx != 0) continue;
    const TransposedGrid grid{.nx = 7 + n, .ny = 9 + n, .nz = 5 + n, .cx = cx, .cy = n / cx};
    for (const auto& algorithm : kAlltoalls) {
      const auto schedule = transposition(grid, algorithm);
      for (const auto method : all_methods()) {
        CAPTURE(method->name);
        std::vector<std::int64_t> items;
        by_mpi(
            schedule, method, [&](Memory&) { items = items_at(grid, 0, rank); },
            [&](Memory& m) {
              return Callbacks{.combine = {}, .work = reordering(grid, rank, m.spans(), items)};
            });
        CHECK(items == items_at(grid, 3, rank));
      }
    }
  }
}

TEST_CASE("comm: halos of grids hold what the grid has there") {
  // The received halo equals the values of the global field there.
  const auto n = world_size(), rank = world_rank();
  for (const std::int64_t width : {1, 4}) {
    for (const auto order : {HaloOrder::sweeps, HaloOrder::at_once}) {
      const Rank py = n % 2 ? 1 : 2;
      const HaloGrid grid{.nx = std::max(7, n), .ny = 5, .px = n / py, .py = py, .width = width};
      for (const auto method : kAnyMethods) {
        CAPTURE(method->name);
        const auto owned = field_of(grid, rank, false), expected = field_of(grid, rank, true);
        auto memory = by_mpi(GridHalo(grid, order), method,
                             [&](Memory& m) { std::ranges::copy(owned, m.as<std::int64_t>(0)); });
        CHECK(std::equal(expected.begin(), expected.end(), memory.as<std::int64_t>(0)));
      }
    }
  }
  // With one message per pair of ranks, neighbourhood collectives and blocking receives support the sweeps.
  const HaloGrid line{
      .nx = 2 * std::max(6, n), .ny = 3, .px = n, .py = 1, .width = 2, .periodic = {false, false}};
  for (const auto method : all_methods()) {
    CAPTURE(method->name);
    const auto expected = field_of(line, rank, true);
    auto memory = by_mpi(GridHalo(line, HaloOrder::sweeps), method, [&](Memory& m) {
      std::ranges::copy(field_of(line, rank, false), m.as<std::int64_t>(0));
    });
    CHECK(std::equal(expected.begin(), expected.end(), memory.as<std::int64_t>(0)));
  }
}

TEST_CASE("comm: messages of given volumes arrive, at once by every method, in order by point to point") {
  const auto n = world_size(), rank = world_rank();
  // The messages that a rank receives: their senders and bytes.
  const auto received_by = [n](Rank to) {
    std::vector<Volume> row;
    for (Rank from = 0; from < n; ++from) {
      if (from != to) row.push_back({from, 1, 3 * from + to + 1});
    }
    return row;
  };
  for (const auto order : {MessageOrder::at_once, MessageOrder::in_order}) {
    const VolumeExchange messages(assemble_volumes(n, received_by, 1), order);
    for (const auto method : order == MessageOrder::at_once ? all_methods() : kAnyMethods) {
      CAPTURE(method->name);
      const auto memory = by_mpi(messages, method, [&](Memory& m) {
        std::ranges::fill(m.bytes[0], static_cast<std::byte>(rank + 1));
      });
      std::vector<std::byte> expected;
      for (const auto& message : received_by(rank))
        expected.insert(expected.end(), message.bytes, static_cast<std::byte>(message.peer + 1));
      CHECK(memory.bytes[1] == expected);
    }
  }
}

TEST_CASE("comm: a pipeline by every method that overlaps moves its groups in and out") {
  const auto n = world_size(), rank = world_rank();
  constexpr int kGroups = 3;
  std::vector<FieldGroup> groups;
  for (int g = 0; g < kGroups; ++g)
    groups.push_back(
        {std::make_shared<UniformBlocks>(8 * g), std::make_shared<UniformBlocks>(3 * (g + 1)), {}});
  const Pipeline pipeline(n, {n}, {n}, groups);
  auto methods = kAnyMethods;
  methods.insert(methods.end(), {comm::method_named("neighbor"), comm::method_named("ineighbor")});
  for (const auto method : methods) {
    CAPTURE(method->name);
    const auto work = [&](Memory& m, std::int32_t g) {
      CHECK(has_blocks({n}, *groups[g].incoming, rank, m.bytes[2 * g + 1].data()));
      fill_blocks({n}, *groups[g].outgoing, rank, m.bytes[2 * (kGroups + g)].data());
    };
    const auto memory = by_mpi(
        pipeline, method,
        [&](Memory& m) {
          for (int g = 0; g < kGroups; ++g)
            fill_blocks({n}, *groups[g].incoming, rank, m.bytes[2 * g].data());
        },
        [&](Memory& m) { return Callbacks{.combine = {}, .work = [&](std::int32_t g) { work(m, g); }}; });
    for (int g = 0; g < kGroups; ++g)
      CHECK(has_blocks({n}, *groups[g].outgoing, rank, memory.bytes[2 * (kGroups + g) + 1].data()));
  }
}
