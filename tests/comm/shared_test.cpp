#include <cstring>
#include <numeric>

#include "comm/no_shared_memory.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/comm/node.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr int kItems = 12;

/// Every rank sends all its items of two fields, packed into one message, to all ranks, which unpack them in
/// another order. The order in which the first field is packed differs between ranks. Buffers: field 0, field
/// 1, "send", "receive".
/// @param overlapping whether items received from rank 0 overwrite the items that the rank itself sends
ListSchedule everyone_to_everyone(Rank n, bool overlapping = false) {
  const auto program = [=](Rank rank) {
    ListSchedule::Program program;
    const auto staged = [](std::int32_t buffer, Rank peer, int item, int count = 1) {
      return Block{buffer, 8 * (2 * kItems * peer + item), 8 * count};
    };
    const auto owned = [](std::int32_t field, int item) { return Block{field, 8 * item, 8}; };
    const auto halo = [=](std::int32_t field, Rank peer, int item) {
      return Block{field, 8 * (kItems * (overlapping ? peer : peer + 1) + item), 8};
    };
    for (Rank peer = 0; peer < n; ++peer) {
      for (int item = 0; item < kItems; ++item) {
        program.push_back(copy(owned(0, (item + rank) % kItems), staged(2, peer, item)));
        program.push_back(copy(owned(1, item), staged(2, peer, kItems + item)));
      }
      program.push_back(send(peer, 0, staged(2, peer, 0, 2 * kItems)));
      program.push_back(receive(peer, 0, staged(3, peer, 0, 2 * kItems)));
    }
    program.push_back(start(0));
    program.push_back(wait(0));
    for (Rank peer = 0; peer < n; ++peer) {
      for (int item = 0; item < kItems; ++item) {
        program.push_back(copy(staged(3, peer, item), halo(0, peer, kItems - 1 - item)));
        program.push_back(copy(staged(3, peer, kItems + item), halo(1, peer, item)));
      }
    }
    return program;
  };
  const std::int64_t field_bytes = 8 * kItems * (n + 1), staging_bytes = 16 * kItems * n;
  return {n,
          {{"field 0"}, {"field 1"}, {"send", true}, {"receive", true}},
          {field_bytes, field_bytes, staging_bytes, staging_bytes},
          program};
}

void fill_fields(Rank rank, Memory& memory) {
  for (std::int32_t field : {0, 1}) {
    auto* values = memory.as<std::int64_t>(field);
    std::iota(values, values + kItems, 1000 * rank + 100 * field);
  }
}

/// Exchanges several times, with the chosen fields in NodeMemory; compares with the in-process executor.
void check_fields(const comm::Communicator& comm, const ListSchedule& schedule, bool shared_0,
                  bool shared_1) {
  const auto expected = in_process(schedule, fill_fields);
  comm::Exchange exchange(comm, schedule, comm::method_named("shared"));
  Memory memory(schedule, comm.rank());
  const std::int64_t bytes = std::ssize(memory.bytes[0]);
  const comm::NodeMemory fields[] = {{comm, bytes}, {comm, bytes}};
  for (int repeat = 0; repeat < 3; ++repeat) {
    Memory start(schedule, comm.rank());
    fill_fields(comm.rank(), start);
    memory.bytes = start.bytes;
    auto spans = memory.spans();
    if (shared_0) spans[0] = fields[0].bytes();
    if (shared_1) spans[1] = fields[1].bytes();
    for (const int field : {0, 1}) std::ranges::copy(start.bytes[field], spans[field].begin());
    exchange.start(spans).wait();
    for (const int field : {0, 1})
      CHECK(std::ranges::equal(spans[field], expected[comm.rank()].bytes[field]));
  }
}

}  // namespace

TEST_CASE("comm: shared leaves the same fields wherever they lie, within and between nodes") {
  // "Wherever": each of the two fields in NodeMemory or in private memory, also differently on different
  // ranks.
  for (const Rank max_node_ranks : {0, 1, 2, 3}) {
    const comm::Communicator comm(world(), max_node_ranks);
    CAPTURE(max_node_ranks);
    const auto schedule = everyone_to_everyone(comm.size());
    for (const int flags : {0, 1, 2, 3}) check_fields(comm, schedule, flags & 1, flags & 2);
    check_fields(comm, schedule, comm.rank() % 2 == 0, true);
  }
}

TEST_CASE("comm: shared copies nothing ahead of time that a partner may still read") {
  const comm::Communicator comm(world());
  // Messages from rank 0 are received into the items that the other ranks send.
  check_fields(comm, everyone_to_everyone(comm.size(), true), true, true);
}

TEST_CASE("comm: nodes of at most so many ranks") {
  // Ranks are grouped into nodes of at most 2 consecutive ranks.
  const comm::Communicator comm(world(), 2);
  const auto& ranks = comm.node()->ranks();
  CHECK(ranks.front() == comm.rank() / 2 * 2);
  CHECK(std::ssize(ranks) == std::min<Rank>(2, comm.size() - ranks.front()));
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    CHECK(comm.node()->node_rank_of(rank) == (rank / 2 == comm.rank() / 2 ? rank % 2 : kNone));
  }
}

TEST_CASE("comm: forwarding and combining schedules by shared within and between nodes") {
  const comm::Communicator comm(world(), 2);
  for (const auto& schedule : {bruck(comm.size()), ring_sum(comm.size())}) {
    const auto fill = [&](Rank rank, Memory& m) {
      for (Rank to = 0; to < std::ssize(m.bytes[0]) / 8; ++to) m.as<std::int64_t>(0)[to] = 1000 * rank + to;
    };
    Memory mine(schedule, comm.rank());
    fill(comm.rank(), mine);
    comm::Exchange exchange(comm, schedule, comm::method_named("shared"),
                            {.combine = add_integers, .work = {}});
    exchange.start(mine.spans()).wait();
    CHECK(mine.bytes == in_process(schedule, fill)[comm.rank()].bytes);
  }
}

TEST_CASE("comm: node memory is read by the whole node, and found again") {
  // "Found again": location_of finds the allocation and offset of any part of it.
  const comm::Communicator comm(world());
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::int64_t bytes = 100 + 8 * comm.rank();
    comm::NodeMemory memory(comm, bytes), empty(comm, 0);
    REQUIRE(std::ssize(memory.bytes()) == bytes);
    std::ranges::fill(memory.bytes(), static_cast<std::byte>(comm.rank()));
    comm::check(MPI_Barrier(comm.get()), "MPI_Barrier");
    for (const auto rank : comm.node()->ranks()) {
      const auto* theirs =
          comm.node()->address(comm.node()->node_rank_of(rank), *comm.node()->location_of(memory.bytes()));
      CHECK(theirs[99] == static_cast<std::byte>(rank));
    }
    const auto location = comm.node()->location_of(memory.bytes().subspan(40));
    REQUIRE(location);
    CHECK(location->offset_bytes == 40);
    CHECK(comm.node()->address(comm.rank(), *location) == memory.bytes().data() + 40);
    const comm::NodeMemory moved = std::move(memory);
    CHECK(memory.bytes().empty());
    CHECK(std::ssize(moved.bytes()) == bytes);
  }
  std::vector<std::byte> foreign(8);
  CHECK(!comm.node()->location_of(foreign));
}

TEST_CASE("comm: partners that disagree are refused by shared, too") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const auto wrong = [&](std::int64_t sent_bytes, std::int64_t expected_bytes) {
    return ListSchedule(comm.size(), {{"data"}}, {64}, [=](Rank rank) {
      ListSchedule::Program program;
      if (rank == 0 && sent_bytes > 0) program.push_back(send(1, 0, {0, 0, sent_bytes}));
      if (rank == 1 && expected_bytes > 0) program.push_back(receive(0, 0, {0, 0, expected_bytes}));
      program.push_back(start(0));
      program.push_back(wait(0));
      return program;
    });
  };
  for (const auto& [sent, expected] : {std::pair{8, 16}, {0, 16}, {8, 0}}) {
    CHECK_THROWS_AS(comm::Exchange(comm, wrong(sent, expected), comm::method_named("shared")), InternalError);
  }
}

TEST_CASE("comm: packing is folded into messages only where that changes nothing") {
  // Copies disappear from the program where no received item overwrites an item that is sent, else stay.
  const auto n_steps_and_ranges = [](const ListSchedule& schedule) {
    comm::Program program(operations(schedule, 0));
    const auto folded = omit_copies_within_node(program, schedule.buffers(), [](Rank) { return true; });
    std::int64_t n_ranges = 0;
    for (const auto& ranges : folded[0].sends) n_ranges += std::ssize(ranges);
    return std::pair(std::ssize(program.steps), n_ranges);
  };
  const auto foldable = everyone_to_everyone(2);
  CHECK(n_steps_and_ranges(foldable) == std::pair<std::ptrdiff_t, std::int64_t>(2, 2 * 2 * kItems));
  const auto overlapping = everyone_to_everyone(2, true);
  CHECK(n_steps_and_ranges(overlapping) ==
        std::pair<std::ptrdiff_t, std::int64_t>(2 + 2 * 2 * 2 * kItems, 2));
}

TEST_CASE("comm: node memory begins on a cache line, of any size") {
  const comm::Communicator comm(world());
  for (const std::int64_t bytes : {0, 1, 64, 1000}) {
    const comm::NodeMemory memory(comm, bytes + comm.rank());
    CHECK(std::ssize(memory.bytes()) == bytes + comm.rank());
    CHECK(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 64 == 0);
  }
}

TEST_CASE("comm: node memory that one node lacks is refused on all ranks, and later smaller memory is not") {
  const comm::Communicator comm(world(), 2);  // nodes of two ranks
  if (comm.size() < 2) return;
  const std::int64_t too_many_bytes = std::int64_t{1} << 50;
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::string text;
    try {
      const comm::NodeMemory memory(comm, comm.rank() == 0 ? too_many_bytes : 64);
    } catch (const ConfigError& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.starts_with("Shared memory of 1.23849e+09 MB is needed on a node, but "));
    CHECK(text.ends_with(
        "Enlarge it, or use another exchange method than 'shared' and 'put', such as isend_irecv."));
    CHECK(comm::NodeMemory(comm, 64).bytes().size() == 64);
  }
}

TEST_CASE("comm: without shared memory, auto takes another method and says so, and shared is refused") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const NoSharedMemory none;
  const auto schedule = ring_sum(comm.size());
  const Callbacks callbacks{.combine = add_integers, .work = {}};
  for (const auto placement : {comm::BufferPlacement::anywhere, comm::BufferPlacement::node_memory}) {
    comm::Exchange exchange(comm, schedule, comm::method_named("auto"), callbacks, placement);
    CHECK(exchange.method() != comm::method_named("shared"));
    CAPTURE(exchange.description());
    CHECK(exchange.description().find("shared: Shared memory of ") != std::string::npos);
  }
  CHECK_THROWS_AS(comm::Exchange(comm, schedule, comm::method_named("shared"), callbacks), ConfigError);
}
