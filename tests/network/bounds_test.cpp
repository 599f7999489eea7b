#include <cmath>
#include <numeric>

#include "halcyon/network/topology/topologies.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr double kPerByte_s = 80e-12;  ///< time per byte at 12.5 GB/s

bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a / b - 1) < tolerance;
}

/// Rank 0 sends `number` messages to rank `to` at once.
ListSchedule many_messages(Rank n, Rank to, int number, std::int64_t bytes) {
  return schedule_of(n, [=](Rank rank) {
    ListSchedule::Program program;
    for (int i = 0; i < number; ++i) {
      if (rank == 0) program.push_back(send(to, 0, {0, 0, bytes}));
      if (rank == to) program.push_back(receive(0, 0, {0, 0, bytes}));
    }
    if (!program.empty()) program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

/// Number of links from the first to the second half of a network.
std::int64_t links_across(const Topology& topology) {
  std::int64_t n = 0;
  for (Link link = 0; link < topology.n_links(); ++link) {
    const auto ends = topology.ends(link);
    n += !topology.is_in_second_half(ends.from) && topology.is_in_second_half(ends.to);
  }
  return n;
}

Node nodes_in_second_half(const Topology& topology) {
  Node n = 0;
  for (Node node = 0; node < topology.n_nodes(); ++node)
    n += topology.is_in_second_half(topology.switch_of(node));
  return n;
}

/// Every node sends 30,000 bytes to each other node.
Result run_all_to_all(const Topology& network, Method method, const Machine& machine, Options options) {
  const Rank n = network.n_nodes();
  return Simulator{network, method, machine, options}(shifts(n, all_distances(n), 30'000));
}

}  // namespace

TEST_CASE("engine: messages that bypass the network load no link, and their bytes are counted" *
          test::in_process()) {
  Machine machine;
  machine.bypass_bytes = 256;
  machine.links[0].bandwidth = 1e6;  // a message takes 0.25 ms, 80 over a link would take 20 ms
  const Torus ring({4}, 1);
  for (const auto fidelity : kFidelities) {
    for (const int threads : {1, 2}) {
      if (threads == 2 && fidelity != Fidelity::chunk && fidelity != Fidelity::packet) continue;
      const Options options{
          .fidelity = fidelity, .chunk_bytes = 4096, .threads = threads, .record_links = true};
      const auto result = Simulator{ring, Method::minimal, machine, options}(many_messages(4, 2, 80, 250));
      CAPTURE(name_of(fidelity));
      CHECK(result.counts.byte_hops == 2 * 80 * 250);
      CHECK(result.counts.bytes == 80 * 250);
      CHECK(result.bounds.link_s == 0);
      CHECK(result.bounds.bisection_s == 0);
      CHECK(std::accumulate(result.link_bytes.begin(), result.link_bytes.end(), std::int64_t{0}) == 0);
      CHECK(near(result.bounds.injection_s, 80 * 250 * kPerByte_s));
      CHECK(result.time_s >= result.bounds.injection_s);
      CHECK(result.time_s < 3e-4);
    }
  }
}

TEST_CASE("engine: all that crosses a switch shares its crossbar" * test::in_process()) {
  // Sixteen simultaneous messages share the crossbar piece by piece; the tail of the last one arrives at the
  // NIC's bandwidth.
  const HyperX one_switch({1}, 16);
  const std::int64_t bytes = 1'048'576;
  const auto pairs = shifts(16, {8}, bytes);
  for (const double factor : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    Machine machine;
    machine.crossbar_factor = factor;
    const double crossbar_s = 16 * bytes * kPerByte_s / factor;
    for (const auto& [fidelity, piece] :
         {std::pair{Fidelity::packet, 4096}, {Fidelity::chunk, 16384}, {Fidelity::reserve, 1048576}}) {
      const auto result = Simulator{one_switch, Method::minimal, machine, {.fidelity = fidelity}}(pairs);
      CAPTURE(name_of(fidelity));
      CAPTURE(factor);
      CHECK(near(result.bounds.crossbar_s, crossbar_s));
      const double tail_s = piece * kPerByte_s * std::max(0.0, 1 - 1 / factor);
      CHECK(near(result.time_s, 1e-6 + crossbar_s + tail_s));
    }
    machine.crossbar_factor = 0;
    CHECK(Simulator{one_switch, Method::minimal, machine}(pairs).bounds.crossbar_s == 0);
  }
}

TEST_CASE("engine: a crossbar slower than a link sets the pace of a message alone, in every fidelity" *
          test::in_process()) {
  const Torus ring({8}, 1);
  Machine machine;
  machine.crossbar_factor = 0.25;
  for (const auto fidelity : kFidelities) {
    const auto result = Simulator{ring, Method::minimal, machine, {.fidelity = fidelity, .pair_bins = 1}}(
        one_message(8, 0, 3, 1 << 20));
    CAPTURE(name_of(fidelity));
    CHECK(near(result.time_s, 1.3e-6 + 4 * 1048576 * kPerByte_s));
    CHECK(std::abs(result.pair_delay_s[0]) < 1e-12);  // excess over an idle network
  }
}

TEST_CASE("engine: crossbars on every network: bounds, bits on threads, and none that is wide" *
          test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
      Machine machine;
      const Options options{.fidelity = fidelity};
      const auto unlimited = run_all_to_all(*network, Method::minimal, machine, options);
      machine.crossbar_factor = 1e6;
      CAPTURE(network->name());
      CHECK(near(run_all_to_all(*network, Method::minimal, machine, options).time_s, unlimited.time_s, 0.05));
      machine.crossbar_factor = 0.5;
      const auto result = run_all_to_all(*network, Method::minimal, machine, options);
      CHECK(result.time_s >= result.bounds.crossbar_s);
      CHECK(result.bounds.crossbar_s > unlimited.bounds.link_s);
      if (fidelity == Fidelity::reserve) continue;
      const auto on_two_threads =
          run_all_to_all(*network, Method::minimal, machine, {.fidelity = fidelity, .threads = 2});
      CHECK(on_two_threads.finish_s == result.finish_s);
      CHECK(on_two_threads.bounds.crossbar_s == result.bounds.crossbar_s);
    }
  }
}

TEST_CASE("network: halves, and the links between them, of table 1's networks" * test::in_process()) {
  const std::pair<const char*, std::int64_t> published[]{
      {"torus-M", 1'250},     {"torus-L", 1'250},       {"fattree-M", 187'500},
      {"fattree-L", 574'992}, {"dragonfly-MM", 97'500}, {"dragonfly-ML", 292'500},
  };
  for (const auto& [name, links] : published) CHECK(links_across(*named_network(name)) == links);
  CHECK(links_across(Torus({2, 6}, 1)) == 4);
  CHECK(links_across(HyperX({2, 5}, 1)) == 5);
  CHECK(links_across(Dragonfly({{4}, 9, 2, 2})) == 20);
  CHECK(links_across(Dragonfly({{6}, 1, 0, 2})) == 9);
  CHECK(links_across(HyperX({1}, 7)) == 0);
  for (const auto& network : one_of_each_type()) {
    CAPTURE(network->name());
    const Node n_second_half = nodes_in_second_half(*network);
    CHECK(3 * n_second_half >= network->n_nodes());
    CHECK(2 * n_second_half <= network->n_nodes());
  }
}

// Closed form: the bytes that the nodes of one half send to the other half, over the links between the
// halves.
TEST_CASE("engine: the bound of the links across the middle" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const double n = network->n_nodes();
    const double n_second_half = nodes_in_second_half(*network);
    for (const auto method : {Method::minimal, Method::valiant, Method::ugal}) {
      CAPTURE(network->name());
      const auto result = run_all_to_all(*network, method, {}, {});
      const double least_s = n_second_half * (n - n_second_half) * 30'000 * kPerByte_s /
                             static_cast<double>(links_across(*network));
      if (method == Method::minimal)
        CHECK(near(result.bounds.bisection_s, least_s));
      else
        CHECK(result.bounds.bisection_s >= least_s * (1 - 1e-12));
      CHECK(result.bounds.bisection_s <= result.bounds.link_s * (1 + 1e-12));
      CHECK(result.time_s >= result.bounds.bisection_s);
    }
  }
}
