#include "halcyon/schedule/pipeline.hpp"

#include <mpi.h>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/comm/threads.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

const std::array kMethods{comm::method_named("isend_recv"), comm::method_named("isend_irecv"),
                          comm::method_named("persistent"), comm::method_named("neighbor"),
                          comm::method_named("ineighbor"),  comm::method_named("alltoallv"),
                          comm::method_named("ialltoallv"), comm::method_named("shared")};
constexpr std::array kProgress{comm::ProgressMode::none, comm::ProgressMode::poll,
                               comm::ProgressMode::thread};

/// A pipeline that receives fields within rows of cx ranks and sends them within columns, in `n_groups`
/// groups of uneven sizes.
Pipeline rows_to_columns(Rank cx, int n_groups, int prefetch) {
  const Rank n = world_size();
  const TransposedGrid grid{.nx = 12 + n, .ny = 9 + n, .nz = 5 + n_groups + n, .cx = cx, .cy = n / cx};
  return spectral_pipeline(grid, n_groups, 0, prefetch);
}

/// Fills the blocks that a rank sends before the work of each group.
void fill(Rank rank, Memory& memory, int n_groups) {
  for (int g = 0; g < n_groups; ++g)
    for (std::size_t i = 0; i < memory.bytes[2 * g].size(); ++i)
      memory.bytes[2 * g][i] = static_cast<std::byte>(31 * rank + 7 * g + i);
}

/// Computes the outgoing blocks from all incoming blocks.
void work(Memory& memory, int n_groups, std::int32_t g) {
  const auto& incoming = memory.bytes[2 * g + 1];
  auto& outgoing = memory.bytes[2 * (n_groups + g)];
  for (std::size_t i = 0; i < outgoing.size(); ++i)
    outgoing[i] = incoming[(5 * i + 3) % incoming.size()] ^ static_cast<std::byte>(i);
}

/// Runs the pipeline of all ranks in this process. @returns a buffer of this rank
std::vector<std::byte> in_one_process(const Schedule& schedule, int n_groups, std::int32_t buffer) {
  std::vector<Memory> memory;
  std::vector<Buffers> spans;
  for (Rank rank = 0; rank < world_size(); ++rank) fill(rank, memory.emplace_back(schedule, rank), n_groups);
  for (auto& of_rank : memory) spans.push_back(of_rank.spans());
  run_in_process(schedule, spans, [&](Rank rank) {
    return Callbacks{.combine = {}, .work = [&, rank](std::int32_t g) { work(memory[rank], n_groups, g); }};
  });
  return memory[world_rank()].bytes[buffer];
}

/// Runs the pipeline twice; the work calls Exchange::progress, in all progress modes.
void check_pipeline(const comm::Communicator& comm, const Pipeline& pipeline, int n_groups,
                    comm::Method method, const std::shared_ptr<const comm::Progress>& progress) {
  Memory memory(pipeline, comm.rank());
  std::unique_ptr<comm::Exchange> exchange;
  const Callbacks callbacks{.combine = {}, .work = [&](std::int32_t g) {
                              exchange->progress();
                              work(memory, n_groups, g);
                              exchange->progress();
                            }};
  exchange = std::make_unique<comm::Exchange>(comm, pipeline, method, callbacks,
                                              comm::BufferPlacement::anywhere, progress);
  for (int repeat = 0; repeat < 2; ++repeat) {
    memory = Memory(pipeline, comm.rank());
    fill(comm.rank(), memory, n_groups);
    auto pending = exchange->start(memory.spans());
    exchange->progress();
    pending.wait();
  }
  for (int g = 0; g < n_groups; ++g) {
    const auto received_buffer = 2 * (n_groups + g) + 1;
    CHECK(memory.bytes[received_buffer] == in_one_process(pipeline, n_groups, received_buffer));
  }
}

}  // namespace

TEST_CASE("comm: a pipeline by every method and progress, in any groups, leaves the bytes of one process") {
  const comm::Communicator comm(world());
  for (const auto mode : kProgress) {
    const auto progress = std::make_shared<comm::Progress>(comm, mode);
    for (Rank cx = 1; cx <= comm.size(); ++cx) {
      if (comm.size() % cx != 0) continue;
      for (const int n_groups : {1, 5}) {
        const auto pipeline = rows_to_columns(cx, n_groups, n_groups > 3 ? 2 : 1);
        for (const auto method : kMethods) {
          CAPTURE(method->name);
          CAPTURE(progress->description());
          check_pipeline(comm, pipeline, n_groups, method, progress);
        }
      }
    }
  }
}

TEST_CASE("comm: blocking receives carry a pipeline among the same ranks, whether its groups stay or leave") {
  // Groups with outgoing blocks make two all-to-alls each, groups without make one.
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  const auto blocks = std::make_shared<UniformBlocks>(8);
  const auto pipeline = [&](const BlocksPointer& outgoing) {
    return Pipeline(comm.size(), {comm.size()}, {comm.size()},
                    {{blocks, outgoing, {}}, {blocks, outgoing, {}}});
  };
  for (const BlocksPointer& outgoing : {BlocksPointer(), BlocksPointer(blocks)}) {
    Memory memory(pipeline(outgoing), comm.rank());
    comm::Exchange exchange(comm, pipeline(outgoing), comm::method_named("isend_recv"));
    const int n_alltoalls = outgoing ? 4 : 2;
    for (int g = 0; g < n_alltoalls; ++g)
      fill_blocks({comm.size()}, *blocks, comm.rank(), memory.bytes[2 * g].data());
    exchange.start(memory.spans()).wait();
    for (int g = 0; g < n_alltoalls; ++g)
      CHECK(has_blocks({comm.size()}, *blocks, comm.rank(), memory.bytes[2 * g + 1].data()));
  }
}

TEST_CASE("comm: collectives run within the groups that a round joins, also where blocks are empty") {
  const auto n = world_size(), rank = world_rank();
  for (Rank size = 1; size <= n; ++size) {
    if (n % size != 0) continue;
    for (const auto& groups : {RankGroups{size, 1}, RankGroups{size, n / size}}) {
      const auto blocks = std::make_shared<VariableBlocks>(size, uneven_bytes(size));
      for (const auto* algorithm : {"burst", "ring", "bruck"}) {
        const auto schedule = alltoall(n, groups, blocks, alltoall_method_named(algorithm));
        for (const auto method : {comm::method_named("alltoallv"), comm::method_named("ialltoallv")}) {
          CAPTURE(algorithm);
          const comm::Communicator comm(world());
          comm::Exchange exchange(comm, *schedule, method);
          Memory memory(*schedule, rank);
          fill_blocks(groups, *blocks, rank, memory.bytes[0].data());
          exchange.start(memory.spans()).wait();
          CHECK(has_blocks(groups, *blocks, rank, memory.bytes[1].data()));
        }
      }
    }
  }
}
