#include "halcyon/network/engine/engine.hpp"

#include <cmath>
#include <numeric>

#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr double kPicosecond = 1e-12;

bool same(double a, double b, double tolerance = 0.6 * kPicosecond) {
  return std::abs(a - b) < tolerance;
}

/// Latency of a message over a number of links of an idle network.
double latency(const Machine& m, int links) {
  return m.injection_latency + m.switch_latency + links * (m.links[0].latency + m.switch_latency) +
         m.ejection_latency;
}

int links_between(const Topology& network, Node a, Node b) {
  return network.distance(network.switch_of(a), network.switch_of(b));
}

}  // namespace

TEST_CASE("engine: a message alone takes the closed form, on every network between all nodes" *
          test::in_process()) {
  const auto machine = slow_nics();
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
        const double leaves = machine.send_overhead + bytes * 80e-12;
        const double arrives = leaves + latency(machine, links_between(*network, from, to));
        REQUIRE(same(result.finish_s[from], leaves));
        REQUIRE(same(result.finish_s[to], arrives + machine.receive_overhead));
        REQUIRE(same(result.delay_max_s, arrives - machine.send_overhead));
        REQUIRE(result.counts.byte_hops == bytes * links_between(*network, from, to));
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
      CHECK(same(result.finish_s[3], latency(machine, 3) + 1048576 * 400e-12));
    }
  }
}

TEST_CASE("engine: rendezvous asks and is cleared before the bytes go" * test::in_process()) {
  auto machine = slow_nics();
  machine.eager_bytes = 8191;
  const Torus ring({8}, 1);
  for (const std::int64_t bytes : {8191, 8192}) {
    const auto result = Simulator{ring, Method::minimal, machine}(one_message(8, 0, 3, bytes));
    const double ways = bytes > machine.eager_bytes ? 3 : 1;
    CHECK(same(result.finish_s[3], machine.send_overhead + ways * latency(machine, 3) + bytes * 80e-12 +
                                       machine.receive_overhead));
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
  CHECK(same(result.finish_s[1], 1e-3 + 2 * latency(machine, 1) + 80e-9));
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
  const double alone = 1e-6 + latency(machine, 1) + 256 * 80e-12;
  CHECK(Simulator{ring, Method::minimal, machine}(crossing).finish_s[3] > alone + 1e-8);
  machine.bypass_bytes = 256;
  for (const auto fidelity : kFidelities) {
    CHECK(
        same(Simulator{ring, Method::minimal, machine, {.fidelity = fidelity}}(crossing).finish_s[3], alone));
  }
}

TEST_CASE("engine: ranks of a node share its NIC and its memory" * test::in_process()) {
  Machine machine;
  machine.ranks_per_node = 2;
  const Torus ring({4}, 1);
  const std::int64_t bytes = 1 << 20;
  const auto across = [&](Rank to) {
    return schedule_of(4, [=](Rank rank) -> ListSchedule::Program {
      const Rank peer = (rank + to) % 4;
      if (rank < 2) return {send(peer, 0, {0, 0, bytes}), start(0), wait(0)};
      return {receive((rank - to + 4) % 4, 0, {0, 0, bytes}), start(0), wait(0)};
    });
  };
  const double wire = bytes * 80e-12;
  auto result = Simulator{ring, Method::minimal, machine}(across(2));
  CHECK(same(result.time_s, latency(machine, 1) + 2 * wire));
  machine.nics_per_node = 2;
  machine.links[0].bandwidth = 25e9;
  result = Simulator{ring, Method::minimal, machine}(across(2));
  CHECK(same(result.time_s, latency(machine, 1) + wire, 1e-6));
  CHECK(result.counts.local_messages == 0);

  const auto swap = shifts(2, {1}, bytes);
  result = Simulator{ring, Method::minimal, machine}(swap);
  CHECK(result.counts.local_messages == 2);
  CHECK(same(result.time_s, machine.memory_latency + 2 * std::floor(bytes * 10) * kPicosecond));
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
  CHECK(same(Simulator{ring, Method::minimal, machine}(busy).time_s, 1e-3 + 3500 * 10e-12));
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
      REQUIRE(same(finish, latency(machine, 0) + 24 * bytes * 80e-12));
    }
    CHECK(same(result.bounds.injection_s, 24 * bytes * 80e-12));
    CHECK(same(result.bounds.ejection_s, 24 * bytes * 80e-12));
  }
}

TEST_CASE("engine: shifts under D-mod-k meet no one" * test::in_process()) {
  const FatTree tree({3, 3, 2}, {3, 3});
  const Machine machine;
  const std::int64_t bytes = 50'000;
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    for (Rank by = 1; by < 18; ++by) {
      const auto result =
          Simulator{tree, Method::d_mod_k, machine, {.fidelity = fidelity}}(shifts(18, {by}, bytes));
      int furthest = 0;
      for (Rank rank = 0; rank < 18; ++rank) {
        furthest = std::max(furthest, links_between(tree, rank, (rank + by) % 18));
      }
      CAPTURE(by);
      CHECK(same(result.time_s, latency(machine, furthest) + bytes * 80e-12));
    }
  }
}

TEST_CASE("engine: a ring all-to-all on a fat tree comes within 5 % of the injection bound" *
          test::in_process()) {
  const FatTree tree({5, 5}, {5});
  const auto schedule = shifts(25, all_shifts(25), 1 << 20);
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    const auto result = Simulator{tree, Method::d_mod_k, {}, {.fidelity = fidelity}}(schedule);
    CAPTURE(name_of(fidelity));
    CHECK(same(result.bounds.injection_s, 24 * 1048576 * 80e-12));
    CHECK(result.time_s >= result.bounds.injection_s);
    CHECK(result.time_s <= 1.05 * result.bounds.injection_s);
  }
}

TEST_CASE("engine: bytes are kept, bounds are never beaten, equals finish together" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const Rank n = network->n_nodes();
    const auto schedule = shifts(n, all_shifts(n), 30'000, 2e-6);
    for (const auto method : {Method::minimal, Method::valiant, Method::ugal}) {
      for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
        CAPTURE(network->name());
        const auto result =
            Simulator{*network, method, {}, {.fidelity = fidelity, .record_links = true}}(schedule);
        CHECK(result.counts.messages == n * (n - 1));
        std::int64_t bytes = 0, byte_hops = 0;
        for (Rank by = 1; by < n; ++by) {
          const std::int64_t size = 30'000 + 1000 * (by - 1);
          bytes += n * size;
          for (Rank rank = 0; rank < n; ++rank)
            byte_hops += size * links_between(*network, rank, (rank + by) % n);
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
  const auto ring = Simulator{Torus({12}, 1)}(shifts(12, {1, 3, 5}, 100'000));
  for (const double finish : ring.finish_s) CHECK(finish == ring.finish_s[0]);
}

TEST_CASE("engine: chunks and reserved ways against packets" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const Rank n = network->n_nodes();
    const auto schedule = shifts(n, all_shifts(n), 200'000);
    const auto run = [&](Options options) {
      return Simulator{*network, Method::minimal, {}, options}(schedule);
    };
    const auto free = run({.fidelity = Fidelity::packet, .back_pressure = false});
    const double packets = run({.fidelity = Fidelity::packet}).time_s;
    CAPTURE(network->name());
    CHECK(run({.fidelity = Fidelity::chunk, .chunk_bytes = 4096}).finish_s == free.finish_s);
    CHECK(std::abs(run({.fidelity = Fidelity::chunk, .chunk_bytes = 16384}).time_s / free.time_s - 1) < 0.1);
    CHECK(std::abs(free.time_s / packets - 1) < 0.25);
    CHECK(std::abs(run({.fidelity = Fidelity::reserve}).time_s / packets - 1) < 0.5);
    CHECK(run({.fidelity = Fidelity::analytic}).time_s < packets);
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
  CHECK(result.pair_messages[1] == 1 + 3);  // ranks 0 .. 3 to 4 .. 7
  const auto alone = Simulator{ring, Method::minimal, {}, {.pair_bins = 2}}(one_message(12, 0, 7, 20'000));
  CHECK(alone.pair_messages == std::vector<std::int64_t>{0, 1, 0, 0});
  CHECK(alone.pair_delay_s == std::vector<double>{0, 0, 0, 0});
  CHECK(Simulator{ring}(schedule).stage_s.empty());
}
