#include <cmath>

#include "halcyon/schedule/messages.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using schedule::MessageList;
using ListedMessage = schedule::Message;

namespace {

constexpr std::int64_t kChunkBytes = 4096, kChunksPerMessage = 10;
constexpr double kChunk_s = kChunkBytes * 80e-12;  ///< time of a chunk at a NIC of 12.5 GB/s

/// Rank 0 sends ten chunks to each other rank.
MessageList one_to_all(Rank n_ranks) {
  std::vector<ListedMessage> list;
  for (Rank to = 1; to < n_ranks; ++to) list.push_back({0, 0, to, kChunksPerMessage * kChunkBytes});
  return {n_ranks, list};
}

/// Every rank sends to all others, in the order of their numbers, so that all begin at the same receiver.
MessageList all_to_all(Rank n_ranks, std::int64_t bytes) {
  std::vector<ListedMessage> list;
  for (Rank from = 0; from < n_ranks; ++from)
    for (Rank to = 0; to < n_ranks; ++to)
      if (to != from) list.push_back({0, from, to, bytes + 100 * to});
  return {n_ranks, list};
}

/// Time at which each rank of a crossbar receives its last chunk, in units of kChunk_s after the latency of
/// an idle network.
std::vector<double> chunks_until_done(const MessageList& schedule, const Machine& machine) {
  const HyperX crossbar({1}, schedule.n_ranks() / machine.ranks_per_node);
  const auto result = Simulator{crossbar, Method::minimal, machine, {.chunk_bytes = kChunkBytes}}(schedule);
  std::vector<double> chunks;
  for (const double end_s : result.finish_s) {
    chunks.push_back(std::round((end_s - machine.injection_latency) / kChunk_s * 1000) / 1000);
  }
  return chunks;
}

}  // namespace

TEST_CASE("engine: messages go one after the other, or take turns chunk by chunk" * test::in_process()) {
  Machine machine;
  const auto end_chunks = [&](std::int32_t at_once, Rank n_ranks) {
    machine.messages_at_once = at_once;
    auto chunks = chunks_until_done(one_to_all(n_ranks), machine);
    return std::vector<double>(chunks.begin() + 1, chunks.end());
  };
  CHECK(end_chunks(1, 4) == std::vector<double>{10, 20, 30});
  CHECK(end_chunks(2, 3) == std::vector<double>{19, 20});
  CHECK(end_chunks(5, 4) == std::vector<double>{28, 29, 30});
  CHECK(end_chunks(2, 4) == std::vector<double>{19, 21, 30});  // the third begins when the first has finished
}

TEST_CASE("engine: ranks that share a NIC take turns, too" * test::in_process()) {
  const MessageList schedule(6, std::vector<ListedMessage>{{0, 0, 2, kChunksPerMessage * kChunkBytes},
                                                           {0, 1, 4, kChunksPerMessage * kChunkBytes}});
  Machine machine;
  machine.ranks_per_node = 2;
  const auto whole = chunks_until_done(schedule, machine);
  CHECK(std::vector{whole[2], whole[4]} == std::vector<double>{10, 20});
  machine.messages_at_once = 2;
  const auto turns = chunks_until_done(schedule, machine);
  CHECK(std::vector{turns[2], turns[4]} == std::vector<double>{19, 20});
}

TEST_CASE("engine: in turns or not, no message is lost, no bound beaten, and threads change nothing" *
          test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    for (const auto fidelity : {Fidelity::chunk, Fidelity::packet}) {
      for (const int at_once : {1, 3}) {
        auto machine = machine_with_overheads();
        machine.eager_bytes = 20'100;  // some messages of a round are eager, others are not
        machine.messages_at_once = at_once;
        const Rank n = network->n_nodes();
        const auto schedule = all_to_all(n, 20'000);
        Options options{.fidelity = fidelity, .chunk_bytes = kChunkBytes};
        const auto one = Simulator{*network, Method::minimal, machine, options}(schedule);
        options.threads = 2;
        const auto two = Simulator{*network, Method::minimal, machine, options}(schedule);
        CAPTURE(network->name());
        CHECK(one.counts.messages == std::int64_t{n} * (n - 1));
        CHECK(one.time_s >= one.bounds.injection_s);
        CHECK(one.time_s >= one.bounds.ejection_s);
        CHECK(one.finish_s == two.finish_s);
      }
    }
  }
}

TEST_CASE("engine: turns spread a crowd at one receiver" * test::in_process()) {
  const HyperX crossbar({1}, 4);
  Machine machine;
  const auto schedule = all_to_all(4, 1 << 20);
  const Options options{.chunk_bytes = kChunkBytes};
  const double whole_s = Simulator{crossbar, Method::minimal, machine, options}(schedule).time_s;
  machine.messages_at_once = 3;
  const auto turns = Simulator{crossbar, Method::minimal, machine, options}(schedule);
  CHECK(turns.time_s < 1.02 * turns.bounds.injection_s);
  CHECK(whole_s > 1.3 * turns.bounds.injection_s);
}

TEST_CASE("engine: long messages between ranks of a node ask first" * test::in_process()) {
  const HyperX one_node({1}, 1);
  Machine machine;
  machine.ranks_per_node = 2;
  machine.memory_eager_bytes = 4095;
  for (const std::int64_t bytes : {4095, 4096}) {
    const MessageList schedule(2, std::vector<ListedMessage>{{0, 0, 1, bytes}});
    const auto result = Simulator{one_node, Method::minimal, machine}(schedule);
    const int latencies = bytes > machine.memory_eager_bytes ? 3 : 1;  // request, answer, message
    CHECK(std::abs(result.time_s - latencies * machine.memory_latency - bytes / machine.memory_bandwidth) <
          1e-11);
  }
}

TEST_CASE("engine: ranks of a node take its memory in turn, or each has a channel" * test::in_process()) {
  const HyperX one_node({1}, 1);
  const std::vector<ListedMessage> list{{0, 0, 1, 1 << 20}, {0, 1, 0, 1 << 20}, {0, 2, 3, 1 << 20}};
  const MessageList schedule(4, list);
  for (const int channels : {1, 2, 4}) {
    Machine machine;
    machine.ranks_per_node = 4;
    machine.memory_channels = channels;
    const auto result = Simulator{one_node, Method::minimal, machine}(schedule);
    const double n_in_turn = channels == 1   ? 3
                             : channels == 2 ? 2
                                             : 1;  // ranks 0 and 2 share one of two channels
    CAPTURE(channels);
    CHECK(std::abs(result.time_s - machine.memory_latency -
                   n_in_turn * (1 << 20) / machine.memory_bandwidth) < 1e-11);
  }
}
