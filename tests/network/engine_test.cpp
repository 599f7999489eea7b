#include "halcyon/network/engine/engine.hpp"

#include <cmath>
#include <numeric>

#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr double kPicosecond = 1e-12;

bool is_near(double a, double b, double tolerance = 0.6 * kPicosecond) {
  return std::abs(a - b) < tolerance;
}

/// Latency [s] of a message over a number of links of an idle network.
double latency(const Machine& machine, int n_links) {
  return machine.injection_latency + machine.switch_latency +
         n_links * (machine.links[0].latency + machine.switch_latency) + machine.ejection_latency;
}

int n_links_between(const Topology& network, Node a, Node b) {
  return network.distance(network.switch_of(a), network.switch_of(b));
}

}  // namespace

TEST_CASE("engine: a message alone takes the closed form, on every network between all nodes" *
          test::in_process()) {
  const auto machine = machine_with_overheads();
  const std::int64_t bytes = 100'000;
  for (const auto& network : one_of_each_type()) {
    for (const auto fidelity : kFidelities) {
      const Simulator run{*network, Method::minimal, machine, {.fidelity = fidelity}};
      const Node n = network->n_nodes();
      for (int pair = 0; pair < n * n; ++pair) {
        const Node from = pair / n, to = pair % n;
        if (from == to) continue;
        const auto result = run(one_message(n, from, to, bytes));
        CAPTURE(network->name());
        CAPTURE(name_of(fidelity));
        CAPTURE(from);
        CAPTURE(to);
        const double sent_s = machine.send_overhead + bytes * 80e-12;
        const double arrival_s = sent_s + latency(machine, n_links_between(*network, from, to));
        REQUIRE(is_near(result.finish_s[from], sent_s));
        REQUIRE(is_near(result.finish_s[to], arrival_s + machine.receive_overhead));
        REQUIRE(is_near(result.delay_max_s, arrival_s - machine.send_overhead));
        REQUIRE(result.counts.byte_hops == bytes * n_links_between(*network, from, to));
      }
    }
  }
}

TEST_CASE("engine: the slowest part of the way sets the pace" * test::in_process()) {
  const Torus ring({8}, 1);
  for (const auto fidelity : kFidelities) {
    for (const int slow : {0, 1, 2}) {
      Machine machine;
      (slow == 0   ? machine.links[0].bandwidth
       : slow == 1 ? machine.injection_bandwidth
                   : machine.ejection_bandwidth) = 2.5e9;
      const auto result =
          Simulator{ring, Method::minimal, machine, {.fidelity = fidelity}}(one_message(8, 0, 3, 1 << 20));
      CAPTURE(name_of(fidelity));
      CHECK(is_near(result.finish_s[3], latency(machine, 3) + 1048576 * 400e-12));
    }
  }
}

TEST_CASE("engine: rendezvous asks and is cleared before the bytes go" * test::in_process()) {
  auto machine = machine_with_overheads();
  machine.eager_bytes = 8191;
  const Torus ring({8}, 1);
  for (const std::int64_t bytes : {8191, 8192}) {
    const auto result = Simulator{ring, Method::minimal, machine}(one_message(8, 0, 3, bytes));
    const double n_latencies = bytes > machine.eager_bytes ? 3 : 1;  // request, answer, message
    CHECK(is_near(result.finish_s[3], machine.send_overhead + n_latencies * latency(machine, 3) +
                                          bytes * 80e-12 + machine.receive_overhead));
  }
}

TEST_CASE("engine: a receive that starts late clears late" * test::in_process()) {
  Machine machine;
  machine.eager_bytes = 0;
  const Torus ring({8}, 1);
  const auto late = schedule_of(8, [](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {send(1, 0, {0, 0, 1000}), start(0), wait(0)};
    if (rank == 1) return {{.seconds = 1e-3}, receive(0, 4, {0, 0, 1000}), start(4), wait(4)};
    return {};
  });
  const auto result = Simulator{ring, Method::minimal, machine}(late);
  CHECK(is_near(result.finish_s[1], 1e-3 + 2 * latency(machine, 1) + 80e-9));
}

TEST_CASE("engine: small messages pass the queues where the machine says so" * test::in_process()) {
  Machine machine;
  const Torus ring({4}, 2);
  const auto crossing = schedule_of(8, [](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {send(2, 0, {0, 0, 1 << 20}), start(0), wait(0)};
    if (rank == 1) return {{.seconds = 1e-6}, send(3, 0, {0, 0, 256}), start(0), wait(0)};
    if (rank == 2) return {receive(0, 0, {0, 0, 1 << 20}), start(0), wait(0)};
    if (rank == 3) return {receive(1, 0, {0, 0, 256}), start(0), wait(0)};
    return {};
  });
  const double alone_s = 1e-6 + latency(machine, 1) + 256 * 80e-12;
  CHECK(Simulator{ring, Method::minimal, machine}(crossing).finish_s[3] > alone_s + 1e-8);
  machine.bypass_bytes = 256;
  for (const auto fidelity : kFidelities) {
    CHECK(is_near(Simulator{ring, Method::minimal, machine, {.fidelity = fidelity}}(crossing).finish_s[3],
                  alone_s));
  }
}

TEST_CASE("engine: ranks of a node share its NIC and its memory" * test::in_process()) {
  Machine machine;
  machine.ranks_per_node = 2;
  const Torus ring({4}, 1);
  const std::int64_t bytes = 1 << 20;
  // Ranks 0 and 1 of one node send to the ranks of another node.
  const auto to_other_node = [&](Rank distance) {
    return schedule_of(4, [=](Rank rank) -> ListSchedule::Program {
      const Rank peer = (rank + distance) % 4;
      if (rank < 2) return {send(peer, 0, {0, 0, bytes}), start(0), wait(0)};
      return {receive((rank - distance + 4) % 4, 0, {0, 0, bytes}), start(0), wait(0)};
    });
  };
  const double wire_s = bytes * 80e-12;
  auto result = Simulator{ring, Method::minimal, machine}(to_other_node(2));
  CHECK(is_near(result.time_s, latency(machine, 1) + 2 * wire_s));
  machine.nics_per_node = 2;
  machine.links[0].bandwidth = 25e9;
  result = Simulator{ring, Method::minimal, machine}(to_other_node(2));
  CHECK(is_near(result.time_s, latency(machine, 1) + wire_s, 1e-6));
  CHECK(result.counts.local_messages == 0);

  const auto swap = shifts(2, {1}, bytes);
  result = Simulator{ring, Method::minimal, machine}(swap);
  CHECK(result.counts.local_messages == 2);
  CHECK(is_near(result.time_s, machine.memory_latency + 2 * std::floor(bytes * 10) * kPicosecond));
}

TEST_CASE("engine: work, copies and combinations take their time" * test::in_process()) {
  Machine machine;
  const Torus ring({4}, 1);
  const auto busy = schedule_of(1, [](Rank) -> ListSchedule::Program {
    return {{.seconds = 1e-3},
            copy({.size_bytes = 1000, .count = 3, .stride_bytes = 2000},
                 {.offset_bytes = 9000, .size_bytes = 1000, .count = 3, .stride_bytes = 1000}),
            combine({0, 0, 500}, {0, 1000, 500})};
  });
  CHECK(is_near(Simulator{ring, Method::minimal, machine}(busy).time_s, 1e-3 + 3500 * 10e-12));
}

TEST_CASE("engine: burst on one crossbar takes (g - 1) m / B + L, on all ranks alike" * test::in_process()) {
  const Torus crossbar({1}, 25);
  const Machine machine;
  const std::int64_t bytes = 65'536;
  const auto burst = schedule_of(25, [=](Rank rank) {
    ListSchedule::Program program;
    for (Rank d = 1; d < 25; ++d) {
      program.push_back(send((rank + d) % 25, 0, {0, 0, bytes}));
      program.push_back(receive((rank - d + 25) % 25, 0, {0, 0, bytes}));
    }
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
  for (const auto fidelity : kFidelities) {
    const auto result = Simulator{crossbar, Method::minimal, machine, {.fidelity = fidelity}}(burst);
    for (const double finish : result.finish_s) {
      REQUIRE(is_near(finish, latency(machine, 0) + 24 * bytes * 80e-12));
    }
    CHECK(is_near(result.bounds.injection_s, 24 * bytes * 80e-12));
    CHECK(is_near(result.bounds.ejection_s, 24 * bytes * 80e-12));
  }
}

TEST_CASE("engine: shifts under D-mod-k meet no one" * test::in_process()) {
  const FatTree tree({3, 3, 2}, {3, 3});
  const Machine machine;
  const std::int64_t bytes = 50'000;
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    for (Rank distance = 1; distance < 18; ++distance) {
      const auto result =
          Simulator{tree, Method::d_mod_k, machine, {.fidelity = fidelity}}(shifts(18, {distance}, bytes));
      int max_links = 0;
      for (Rank rank = 0; rank < 18; ++rank) {
        max_links = std::max(max_links, n_links_between(tree, rank, (rank + distance) % 18));
      }
      CAPTURE(distance);
      CHECK(is_near(result.time_s, latency(machine, max_links) + bytes * 80e-12));
    }
  }
}

TEST_CASE("engine: a ring all-to-all on a fat tree comes within 5 % of the injection bound" *
          test::in_process()) {
  const FatTree tree({5, 5}, {5});
  const auto schedule = shifts(25, all_distances(25), 1 << 20);
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    const auto result = Simulator{tree, Method::d_mod_k, {}, {.fidelity = fidelity}}(schedule);
    CAPTURE(name_of(fidelity));
    CHECK(is_near(result.bounds.injection_s, 24 * 1048576 * 80e-12));
    CHECK(result.time_s >= result.bounds.injection_s);
    CHECK(result.time_s <= 1.05 * result.bounds.injection_s);
  }
}

TEST_CASE("engine: bytes are kept, bounds are never beaten, equals finish together" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const Rank n = network->n_nodes();
    const auto schedule = shifts(n, all_distances(n), 30'000, 2e-6);
    for (const auto method : {Method::minimal, Method::valiant, Method::ugal}) {
      for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
        CAPTURE(network->name());
        const auto result =
            Simulator{*network, method, {}, {.fidelity = fidelity, .record_links = true}}(schedule);
        CHECK(result.counts.messages == n * (n - 1));
        std::int64_t bytes = 0, byte_hops = 0;
        for (Rank distance = 1; distance < n; ++distance) {
          const std::int64_t size = 30'000 + 1000 * (distance - 1);
          bytes += n * size;
          for (Rank rank = 0; rank < n; ++rank)
            byte_hops += size * n_links_between(*network, rank, (rank + distance) % n);
        }
        CHECK(result.counts.bytes == bytes);
        CHECK(result.counts.byte_hops ==
              std::accumulate(result.link_bytes.begin(), result.link_bytes.end(), std::int64_t{0}));
        if (method == Method::minimal) CHECK(result.counts.byte_hops == byte_hops);
        if (method == Method::valiant) CHECK(result.counts.byte_hops > byte_hops);
        CHECK(result.time_s >= result.bounds.injection_s);
        CHECK(result.time_s >= result.bounds.ejection_s);
        CHECK(result.time_s >= result.bounds.link_s);
        CHECK(std::accumulate(result.delay_messages.begin(), result.delay_messages.end(), std::int64_t{0}) ==
              n * (n - 1));
        CHECK(result.delay_edges_s.size() == result.delay_messages.size() + 1);
        CHECK(result.delay_edges_s.back() > result.delay_max_s);
      }
    }
  }
  const Torus even({5, 5}, 1);
  const auto result = Simulator{even}(shifts(25, {1, 7, 12}, 100'000));
  std::int64_t bytes = 0, byte_hops = 0;
  for (const Rank distance : {1, 7, 12}) {
    const std::int64_t size = 100'000;
    bytes += 25 * size;
    for (Rank rank = 0; rank < 25; ++rank)
      byte_hops += size * n_links_between(even, rank, (rank + distance) % 25);
  }
  CHECK(result.counts.messages == 3 * 25);
  CHECK(result.counts.bytes == bytes);
  CHECK(result.counts.byte_hops == byte_hops);
  CHECK(is_near(result.bounds.injection_s, 3 * 100'000 * 80e-12));
  CHECK(result.time_s >= std::max(result.bounds.injection_s, result.bounds.link_s));
  const auto ring = Simulator{
      Torus({12}, 1), Method::minimal, {}, {.back_pressure = false}}(shifts(12, {1, 3, 5}, 100'000));
  for (const double finish : ring.finish_s) CHECK(finish == ring.finish_s[0]);
}

TEST_CASE("engine: chunks and reserved ways against packets" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const Rank n = network->n_nodes();
    const auto schedule = shifts(n, all_distances(n), 200'000);
    const auto run = [&](Options options) {
      return Simulator{*network, Method::minimal, {}, options}(schedule);
    };
    const auto without_back_pressure = run({.fidelity = Fidelity::packet, .back_pressure = false});
    const double packets_s = run({.fidelity = Fidelity::packet}).time_s;
    CAPTURE(network->name());
    CHECK(run({.fidelity = Fidelity::chunk, .chunk_bytes = 4096}).finish_s ==
          run({.fidelity = Fidelity::packet}).finish_s);
    CHECK(run({.fidelity = Fidelity::chunk, .chunk_bytes = 4096, .back_pressure = false}).finish_s ==
          without_back_pressure.finish_s);
    CHECK(std::abs(run({.fidelity = Fidelity::chunk, .chunk_bytes = 16384}).time_s / packets_s - 1) < 0.1);
    CHECK(std::abs(without_back_pressure.time_s / packets_s - 1) < 0.25);
    CHECK(std::abs(run({.fidelity = Fidelity::reserve}).time_s / packets_s - 1) < 0.5);
    CHECK(run({.fidelity = Fidelity::analytic}).time_s < packets_s);
  }
}

TEST_CASE("engine: stages, ranks and pairs are told apart on request" * test::in_process()) {
  const Torus ring({6}, 2);
  const auto schedule = shifts(12, {1, 5}, 20'000, 1e-6);
  const auto result = Simulator{ring, Method::minimal, {}, {.record_ranks = true, .pair_bins = 3}}(schedule);
  REQUIRE(result.stages.size() == 1);
  CHECK(result.stage_s == result.finish_s);
  CHECK(result.stages[0].last_s == result.time_s);
  CHECK(result.stages[0].first_s <= result.stages[0].mean_s);
  CHECK(std::accumulate(result.pair_messages.begin(), result.pair_messages.end(), std::int64_t{0}) == 24);
  CHECK(result.pair_messages[1] ==
        1 + 3);  // from ranks 0 .. 3 to 4 .. 7: one at distance 1, three at distance 5
  const auto alone = Simulator{ring, Method::minimal, {}, {.pair_bins = 2}}(one_message(12, 0, 7, 20'000));
  CHECK(alone.pair_messages == std::vector<std::int64_t>{0, 1, 0, 0});
  CHECK(alone.pair_delay_s == std::vector<double>{0, 0, 0, 0});
  CHECK(Simulator{ring}(schedule).stage_s.empty());
}
