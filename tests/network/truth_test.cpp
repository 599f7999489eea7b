#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"
#include "network/messages.hpp"
#include "network/networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

// Closed forms of whole exchanges, and properties of routings under load.

namespace {

constexpr double kPerByte_s = 80e-12;        ///< time per byte sent at 12.5 GB/s
constexpr double kPerCopiedByte_s = 10e-12;  ///< time per byte copied in memory

bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a / b - 1) < tolerance;
}

/// Checks that all ranks finish at the same time, and returns it.
double common_finish(const Result& result) {
  const auto [first, last] = std::minmax_element(result.finish_s.begin(), result.finish_s.end());
  CHECK(*first == *last);
  return *last;
}

constexpr Rank kRanks = 25;
const HyperX kCrossbar({1}, kRanks);

double time_on_crossbar(const Schedule& schedule, Fidelity fidelity) {
  return common_finish(Simulator{kCrossbar, Method::minimal, {}, {.fidelity = fidelity}}(schedule));
}

std::shared_ptr<const Schedule> uniform_alltoall(const std::string& algorithm, std::int64_t bytes) {
  return alltoall(kRanks, {kRanks}, std::make_shared<UniformBlocks>(bytes), alltoall_method_named(algorithm));
}

/// Time of a rank's copies and combinations in memory, and of its messages at the NIC's bandwidth.
struct Work {
  double copied_s = 0, sent_s = 0;
};
Work work_of(const Schedule& schedule, Rank rank) {
  Work work;
  Cursor cursor;
  for (Operation operation; schedule.next(rank, cursor, operation);) {
    const auto bytes = static_cast<double>(operation.block.total_bytes());
    if (operation.action == Action::copy || operation.action == Action::combine)
      work.copied_s += bytes * kPerCopiedByte_s;
    if (operation.action == Action::send) work.sent_s += bytes * kPerByte_s;
  }
  return work;
}

}  // namespace

TEST_CASE("engine: burst, ring-k and Bruck of equal blocks on one crossbar take their closed forms" *
          test::in_process()) {
  const double latency = 1e-6;
  for (const std::int64_t bytes : {8, 5'000, 65'536}) {
    const double block_s = bytes * kPerByte_s;
    const double copy_s = bytes * kPerCopiedByte_s;  // a rank copies its own block
    for (const auto fidelity : kFidelities) {
      CAPTURE(name_of(fidelity));
      CAPTURE(bytes);
      CHECK(near(time_on_crossbar(*uniform_alltoall("burst", bytes), fidelity),
                 24 * block_s + latency + copy_s));
      for (const int k : {1, 5, 7}) {
        const int rounds = (24 + k - 1) / k;
        const auto ring = uniform_alltoall("ring-" + std::to_string(k), bytes);
        CHECK(near(time_on_crossbar(*ring, fidelity), rounds * latency + 24 * block_s + copy_s));
      }
      const auto bruck = uniform_alltoall(
          "bruck", bytes);  // 54 blocks in five messages: the number of bits that are set in 1 .. 24
      const auto work = work_of(*bruck, 3);
      CHECK(near(work.sent_s, 54 * block_s));
      CHECK(near(time_on_crossbar(*bruck, fidelity), 5 * latency + 54 * block_s + work.copied_s));
    }
  }
}

TEST_CASE("engine: recursive-k on one crossbar takes p stages of k - 1 messages, and two to fold" *
          test::in_process()) {
  const std::pair<Rank, int> powers[]{{2, 4}, {4, 2}, {16, 1}};
  const HyperX crossbar({1}, 16);
  Machine machine;
  machine.memory_bandwidth = 1e18;  // ranks copy different amounts, because of the order of the sum
  for (const std::int64_t bytes : {24, 100'000}) {
    for (const auto& [radix, stages] : powers) {
      for (const auto fidelity : kFidelities) {
        const Allreduce schedule(16, bytes, radix);
        const auto result = Simulator{crossbar, Method::minimal, machine, {.fidelity = fidelity}}(schedule);
        CAPTURE(radix);
        CAPTURE(name_of(fidelity));
        CHECK(result.counts.messages == 16 * stages * (radix - 1));
        CHECK(near(common_finish(result), stages * (1e-6 + (radix - 1) * bytes * kPerByte_s)));
      }
    }
  }
  // 13 = 9 + 4 ranks: four send their data to one core rank each, and receive the result at the end
  const auto folded = Simulator{HyperX({1}, 13), Method::minimal, machine}(Allreduce(13, 1000, 3));
  CHECK(folded.counts.messages == 9 * 2 * 2 + 2 * 4);
  CHECK(near(folded.time_s, 4 * 1e-6 + (1 + 2 * 2 + 1) * 1000 * kPerByte_s));
}

TEST_CASE("engine: a ring or shift on symmetric networks ends on all ranks together, at its closed form" *
          test::in_process()) {
  const std::int64_t bytes = 50'000;
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    CAPTURE(name_of(fidelity));
    // No contention: each rank to itself, rings to neighbours, and all to all in a full mesh.
    const auto torus = Simulator{Torus({5, 4}, 1), Method::minimal, {}, {.fidelity = fidelity}};
    CHECK(
        near(common_finish(torus(shifts(20, {20}, bytes))), bytes * 10e-12 + 0.2e-6));  // each rank to itself
    const auto ring = Simulator{Torus({7}, 1), Method::minimal, {}, {.fidelity = fidelity}};
    CHECK(near(common_finish(ring(shifts(7, {1, 6, 1}, bytes))), 3 * (1.1e-6 + bytes * kPerByte_s)));
    const auto mesh = Simulator{HyperX({12}, 1), Method::minimal, {}, {.fidelity = fidelity}};
    CHECK(
        near(common_finish(mesh(shifts(12, all_distances(12), bytes))), 11 * (1.1e-6 + bytes * kPerByte_s)));
  }
}

TEST_CASE("engine: rings on fat trees by d_mod_k come within 5 % of the bound of injection" *
          test::in_process()) {
  for (const FatTree& tree : {FatTree({3, 3, 3}, {3, 3}), FatTree({4, 8}, {4}), FatTree::of_radix(3, 6)}) {
    const Rank n = tree.n_nodes();
    for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
      const auto result =
          Simulator{tree, Method::d_mod_k, {}, {.fidelity = fidelity}}(shifts(n, all_distances(n), 1 << 19));
      CAPTURE(tree.name());
      CAPTURE(name_of(fidelity));
      CHECK(near(result.bounds.injection_s, (n - 1) * (1 << 19) * kPerByte_s));
      CHECK(result.time_s >= result.bounds.injection_s);
      CHECK(result.time_s <= 1.05 * result.bounds.injection_s);
    }
  }
}

namespace {

/// All nodes of a switch send messages to the nodes of the switch `distance` positions further at once: the
/// worst case for minimal routes.
ListSchedule switch_shift(const Topology& network, Switch distance, std::int64_t bytes, int n_messages) {
  const Node n = network.n_nodes(), shift = distance * (n / network.n_switches());
  return schedule_of(n, [=](Rank rank) {
    ListSchedule::Program program;
    for (int i = 0; i < n_messages; ++i) {
      program.push_back(send((rank + shift) % n, 0, {0, 0, bytes}));
      program.push_back(receive((rank - shift + n) % n, 0, {0, 0, bytes}));
    }
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

std::vector<std::unique_ptr<Topology>> networks_with_many_paths() {
  std::vector<std::unique_ptr<Topology>> all;
  all.push_back(std::make_unique<HyperX>(std::vector<std::int32_t>{9}, 8));
  all.push_back(std::make_unique<Dragonfly>(
      DragonflyShape{.group = {4}, .n_groups = 9, .global_links = 2, .nodes_per_switch = 2}));
  return all;
}

}  // namespace

// One message on an idle network: the route is chosen while all queues are empty.
TEST_CASE("engine: UGAL sends by minimal ways on an idle network" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
      const Rank n = network->n_nodes();
      const auto message = one_message(n, 0, n - 1, 1 << 20);
      const auto minimal = Simulator{*network, Method::minimal, {}, {.fidelity = fidelity}}(message);
      const auto ugal = Simulator{*network, Method::ugal, {}, {.fidelity = fidelity}}(message);
      CAPTURE(network->name());
      CHECK(ugal.finish_s == minimal.finish_s);
      CHECK(ugal.counts.byte_hops == minimal.counts.byte_hops);
    }
  }
}

// All messages of a switch, or of a dragonfly's group, share one minimal link; non-minimal paths lead through
// every other switch or group.
TEST_CASE("engine: UGAL under heavy load lies between minimal and Valiant" * test::in_process()) {
  for (const auto& network : networks_with_many_paths()) {
    const Switch group = dynamic_cast<const Dragonfly*>(network.get()) ? 4 : 1;
    const auto worst = switch_shift(*network, group, 40'000, 12);
    const Rank n = network->n_nodes();
    const auto uniform =
        alltoall(n, {n}, std::make_shared<UniformBlocks>(20'000), alltoall_method_named("burst"));
    for (const auto fidelity : {Fidelity::packet, Fidelity::chunk}) {
      const auto simulated = [&](Method method, const Schedule& schedule) {
        return Simulator{*network, method, {}, {.fidelity = fidelity}}(schedule);
      };
      const auto minimal = simulated(Method::minimal, worst), valiant = simulated(Method::valiant, worst),
                 ugal = simulated(Method::ugal, worst);
      CAPTURE(network->name());
      CAPTURE(name_of(fidelity));
      CHECK(valiant.time_s < minimal.time_s);
      CHECK(ugal.time_s < minimal.time_s);
      CHECK(minimal.counts.byte_hops < ugal.counts.byte_hops);
      CHECK(ugal.counts.byte_hops < valiant.counts.byte_hops);
      CHECK(simulated(Method::ugal, *uniform).time_s < simulated(Method::valiant, *uniform).time_s);
    }
  }
}

TEST_CASE("engine: Valiant's messages go about twice as far" * test::in_process()) {
  const Torus torus({6, 6}, 1);
  const HyperX hyperx({6, 6}, 1);
  for (const Topology* network :
       {static_cast<const Topology*>(&torus), static_cast<const Topology*>(&hyperx)}) {
    const auto all = shifts(36, all_distances(36), 1000);
    const auto hops = [&](Method method) {
      return static_cast<double>(Simulator{*network, method}(all).counts.byte_hops);
    };
    CHECK(hops(Method::valiant) / hops(Method::minimal) == doctest::Approx(2).epsilon(0.03));
  }
}

// Messages from switch 3 to 0 and from 3 to 4 share a link on two channels. The former continue on a link
// that fifteen others saturate, at a sixteenth of the bandwidth; the latter use the rest. They close no ring,
// so that chance gives them either channel: the test takes a rank with the other one.
TEST_CASE("engine: a channel without room leaves the link to another" * test::in_process()) {
  const Torus ring({5}, 16);
  const std::int64_t bytes = 1 << 20;
  const auto routing = make_routing(ring, Method::minimal, 5);
  const auto channel = [&](Node source, Node target) {
    return hops_between(*routing, source, target, 0)[0].channel;
  };
  Rank free = 63;
  while (channel(free, 64) == channel(48, 0)) --free;
  REQUIRE(free > 48);
  std::vector<std::pair<Rank, Rank>> pairs{{48, 0}, {free, 64}};
  for (Rank i = 1; i < 16; ++i) pairs.push_back({64 + i, i});
  const auto crossing = schedule_of(80, [=](Rank rank) {
    ListSchedule::Program program;
    for (const auto& [from, to] : pairs) {
      if (rank == from) program.push_back(send(to, 0, {0, 0, bytes}));
      if (rank == to) program.push_back(receive(from, 0, {0, 0, bytes}));
    }
    if (!program.empty()) program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
  Machine machine;
  machine.buffer_packets = 4;
  const auto result = Simulator{ring, Method::minimal, machine, {.fidelity = Fidelity::packet}}(crossing);
  const double alone_s = bytes * kPerByte_s;
  CHECK(near(result.finish_s[0], 16 * alone_s, 0.02));
  CHECK(near(result.finish_s[64] - 1.1e-6, 16.0 / 15 * alone_s, 0.01));
}

// Three messages leave switch 0 one after the other, two for switch 1, the last for switch 2. A later message
// from switch 1 to 2 waits for at most the time of one message, not until the last of the three has passed.
TEST_CASE("engine: reserved ways leave no gaps that others could use" * test::in_process()) {
  const Torus ring({9}, 3);
  const std::int64_t bytes = 1 << 20;
  const auto crossing = schedule_of(27, [=](Rank rank) -> ListSchedule::Program {
    const auto sends = [=](Rank to, double after_s) -> ListSchedule::Program {
      return {{.seconds = after_s}, send(to, 0, {0, 0, bytes}), start(0), wait(0)};
    };
    const auto receives = [=](Rank from) -> ListSchedule::Program {
      return {receive(from, 0, {0, 0, bytes}), start(0), wait(0)};
    };
    if (rank < 2) return sends(rank + 3, 0);
    if (rank == 2) return sends(6, 0);
    if (rank == 5) return sends(7, 1e-7);
    if (rank == 3 || rank == 4) return receives(rank - 3);
    if (rank == 6) return receives(2);
    if (rank == 7) return receives(5);
    return {};
  });
  const auto result = Simulator{ring, Method::minimal, {}, {.fidelity = Fidelity::reserve}}(crossing);
  const double alone_s = bytes * kPerByte_s;
  CHECK(near(result.finish_s[6], 3 * alone_s, 0.02));
  CHECK(near(result.finish_s[7], 2 * alone_s, 0.02));
}
