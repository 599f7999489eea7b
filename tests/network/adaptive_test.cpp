#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/arrivals.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

// Routing by packet, buffers that are counted in bytes, and packets that arrive in any order.

namespace {

constexpr double kByteTime_s = 80e-12;  // at 12.5 GB/s

/// Mean finish over the time in which a NIC sends the bytes.
double slowdown(const Result& result, std::int64_t bytes) {
  const double sum = std::accumulate(result.finish_s.begin(), result.finish_s.end(), 0.0);
  return sum / static_cast<double>(result.finish_s.size()) / (static_cast<double>(bytes) * kByteTime_s);
}

}  // namespace

// Kim et al. (2008): if each group sends to the next, minimal routes reach 1 / (a h) of the bandwidth, and
// Valiant's 1/2, as each packet uses two global links.
TEST_CASE("engine: a dragonfly's groups that send to the next one" * test::in_process()) {
  const Dragonfly dragonfly({.group = {4}, .n_groups = 9, .global_links = 2, .nodes_per_switch = 2});
  const std::int64_t bytes = 2 << 20;
  const auto to_next_group = shifts(72, {8}, bytes);
  const auto simulated = [&](Method method, Fidelity fidelity) {
    return slowdown(Simulator{dragonfly, method, {}, {.fidelity = fidelity}}(to_next_group), bytes);
  };
  const auto minimal =
      Simulator{dragonfly, Method::minimal, {}, {.fidelity = Fidelity::packet}}(to_next_group);
  CHECK(minimal.time_s == doctest::Approx(8 * bytes * kByteTime_s).epsilon(0.02));
  for (const auto method : {Method::valiant, Method::ugal, Method::ugal_g}) {
    CAPTURE(name_of(method));
    CHECK(std::abs(simulated(method, Fidelity::packet) - 2) < 0.25);
    CHECK(std::abs(simulated(method, Fidelity::chunk) - 2) < 0.3);
  }
}

// Each leaf switch sends to the next one: adaptive uplinks carry equal loads, random ones do not.
TEST_CASE("engine: adaptive uplinks of a fat tree" * test::in_process()) {
  const FatTree tree({8, 8}, {8});
  const std::int64_t bytes = 1 << 20;
  const auto to_next_switch = shifts(64, {8}, bytes);
  const auto simulated = [&](Method method) {
    return Simulator{tree, method, {}, {.fidelity = Fidelity::packet}}(to_next_switch).time_s /
           (static_cast<double>(bytes) * kByteTime_s);
  };
  CHECK(simulated(Method::d_mod_k) < 1.03);
  CHECK(simulated(Method::adaptive) < 1.06);
  CHECK(simulated(Method::minimal) > simulated(Method::adaptive));
}

TEST_CASE("engine: small messages share the room of a packet" * test::in_process()) {
  const Dragonfly dragonfly({.group = {8}, .n_groups = 9, .global_links = 1, .nodes_per_switch = 4});
  const Allreduce allreduce(dragonfly.n_nodes(), 24, 17);
  const auto simulated = [&](bool back_pressure) {
    return Simulator{
        dragonfly, Method::minimal, {}, {.fidelity = Fidelity::packet, .back_pressure = back_pressure}}(
               allreduce)
        .time_s;
  };
  CHECK(simulated(true) == simulated(false));
}

TEST_CASE("engine: several receives of one size from one rank, among others" * test::in_process()) {
  const auto twice = schedule_of(3, [](Rank rank) -> ListSchedule::Program {
    const Block block{0, 0, 100};
    if (rank > 0) return {send(0, 0, block), send(0, 0, block), start(0), wait(0)};
    return {receive(1, 0, block),
            receive(1, 0, block),
            receive(2, 0, block),
            receive(2, 0, block),
            start(0),
            wait(0)};
  });
  CHECK(Simulator{Torus({3}, 1)}(twice).counts.messages == 4);
}

TEST_CASE("engine: a NIC starts a message per gap" * test::in_process()) {
  Machine machine;
  machine.message_gap = 2e-7;
  const auto time_s = [&](std::int64_t bytes) {
    const auto ten = schedule_of(2, [=](Rank rank) {
      ListSchedule::Program program;
      for (int i = 0; i < 10; ++i)
        program.push_back(rank == 0 ? send(1, 0, {0, 0, bytes}) : receive(0, 0, {0, 0, bytes}));
      program.insert(program.end(), {start(0), wait(0)});
      return program;
    });
    return Simulator{HyperX({1}, 2), Method::minimal, machine, {.fidelity = Fidelity::packet}}(ten).time_s;
  };
  CHECK(time_s(8) == doctest::Approx(9 * 2e-7 + 1e-6 + 8 * kByteTime_s).epsilon(1e-9));
  CHECK(time_s(100'000) ==
        doctest::Approx(1e-6 + 1'000'000 * kByteTime_s).epsilon(1e-9));  // longer than gaps
}

TEST_CASE("engine: a routing that reads all queues needs one thread" * test::in_process()) {
  const Torus ring({8}, 1);
  CHECK_THROWS_WITH_AS(Simulator({ring, Method::ugal_g, {}, {.threads = 2}})(shifts(8, {1}, 8)),
                       "threads is 2, but routing ugal_g reads the queues of all switches, which needs one "
                       "thread. Set threads to 1, or routing to ugal.",
                       ConfigError);
}

TEST_CASE("engine: a message is complete with its last byte, and messages do not overtake" *
          test::in_process()) {
  Arrivals arrivals(0);
  std::vector<std::pair<std::uint32_t, Time>> received;  // sequence number, completion
  const auto add = [&](std::uint32_t sequence, std::uint32_t size, std::uint32_t bytes, Time arrival) {
    Packet packet;
    packet.source = 1;
    packet.target = 2;
    packet.sequence = sequence;
    packet.message_bytes = size;
    packet.bytes = bytes;
    arrivals.add(packet, arrival, [&](const Packet& last, Time completion) {
      received.emplace_back(last.sequence, completion);
    });
  };
  using Received = decltype(received);
  add(5, 30, 10, 100);
  add(6, 30, 20, 110);
  add(7, 40, 30, 120);
  add(6, 30, 10, 130);  // complete, but held: message 5 of the same size is not
  CHECK(received.empty());
  add(7, 40, 10, 140);  // of another size
  CHECK(received == Received{{7, 140}});
  add(5, 30, 20, 150);
  CHECK(received == Received{{7, 140}, {5, 150}, {6, 150}});
  received.clear();
  for (std::uint32_t sequence = 0; sequence < 500; ++sequence) {  // many at once: the table grows
    Packet packet;
    packet.source = static_cast<Rank>(sequence);
    packet.target = 3;
    packet.message_bytes = 2;
    packet.bytes = 1;
    arrivals.add(packet, sequence, [](const Packet&, Time) { FAIL("is not complete"); });
  }
  int n_complete = 0;
  for (std::uint32_t sequence = 500; sequence-- > 0;) {
    Packet packet;
    packet.source = static_cast<Rank>(sequence);
    packet.target = 3;
    packet.message_bytes = 2;
    packet.bytes = 1;
    arrivals.add(packet, 1000, [&](const Packet& last, Time completion) {
      n_complete += last.source == static_cast<Rank>(sequence) && completion == 1000;
    });
  }
  CHECK(n_complete == 500);
}
