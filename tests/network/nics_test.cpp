#include <memory>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/network/topology/attached_nics.hpp"
#include "network/messages.hpp"
#include "network/networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

std::vector<const Topology*> copies(const Topology& part, int n) {
  return std::vector<const Topology*>(n, &part);
}

Machine machine_with_nics(std::int32_t nics, NicChoice choice, std::int32_t ranks_per_node = 1) {
  auto machine = machine_with_overheads();
  machine.nics_per_node = nics;
  machine.nic_choice = choice;
  machine.ranks_per_node = ranks_per_node;
  return machine;
}

/// Time of a message of `bytes` that one NIC carries over `n_links` links of `machine_with_overheads`.
double message_s(std::int64_t bytes, int n_links) {
  return 3e-7 + 1e-6 + n_links * (100e-9 + 5e-8) + 5e-8 + 4e-7 + 80e-12 * static_cast<double>(bytes) + 2e-7;
}

}  // namespace

TEST_CASE("attached NICs: routes join the NICs of one number, within their part" * test::in_process()) {
  for (const auto& part : small_networks()) {
    const auto* graph = dynamic_cast<const Graph*>(part.get());
    for (const int n_parts : {1, 3}) {
      if (n_parts == 1 && (graph || part->n_edge_switches() < 3)) continue;
      const AttachedNics network(copies(*part, n_parts), 3);
      CAPTURE(network.name());
      CHECK(network.n_end_points() == 3 * network.n_nodes());
      CHECK(network.first_link(network.n_switches()) == network.n_links());
      for (const auto method : methods_of(*part)) {
        const auto routing = make_routing(network, method, 7);
        for (Node node = 0; node < network.n_nodes(); ++node)
          for (std::int32_t nic = 0; nic < 3; ++nic) {
            const Node from = node + nic * network.n_nodes();
            const Node to = (node * 5 + 1) % network.n_nodes() + nic * network.n_nodes();
            const auto hops = hops_between(*routing, from, to, 3, UnevenLoads());
            Switch current = network.switch_of(from);
            for (const auto& hop : hops) {
              REQUIRE(network.ends(hop.link) == LinkEnds{current, hop.to});
              REQUIRE(hop.channel < routing->n_channels());
              current = hop.to;
            }
            REQUIRE(current == network.switch_of(to));
            if (method == Method::minimal)
              REQUIRE(std::ssize(hops) == network.distance(network.switch_of(from), network.switch_of(to)));
          }
      }
    }
  }
}

TEST_CASE("attached NICs: the NICs of a node are at neighbouring switches" * test::in_process()) {
  const Dragonfly dragonfly({.group = {4}, .n_groups = 3, .global_links = 1, .nodes_per_switch = 2});
  const AttachedNics network({&dragonfly}, 2);
  REQUIRE(network.n_nodes() == 12);
  for (const auto& [node, nic, expected] :
       {std::tuple{0, 0, 0}, {1, 1, 1}, {2, 0, 2}, {3, 1, 3}, {4, 1, 5}, {11, 1, 11}})
    CHECK(network.switch_of(node + nic * network.n_nodes()) == expected);
}

TEST_CASE("attached NICs: a message over all NICs takes a part of the time" * test::in_process()) {
  const FatTree tree({4, 4}, {4});
  const HyperX crossbar({1}, 16);  // all NICs of a node at its switch
  const AttachedNics rails(copies(tree, 4), 4), leaves({&tree}, 4);
  for (const auto fidelity : kFidelities) {
    const auto time_s = [&](const Topology& network, NicChoice choice, std::int64_t bytes) {
      return Simulator{network, Method::minimal, machine_with_nics(4, choice), {.fidelity = fidelity}}(
                 one_message(network.n_nodes(), 0, network.n_nodes() - 1, bytes))
          .time_s;
    };
    CAPTURE(name_of(fidelity));
    for (const std::int64_t bytes : {0, 1000, 16'384, 40'000, 1'000'000, 1'000'002}) {
      const auto n_stripes = std::clamp<std::int64_t>(bytes / 16'384, 1, 4);
      const auto stripe = (bytes + n_stripes - 1) / n_stripes;
      CHECK(time_s(rails, NicChoice::striped, bytes) == doctest::Approx(message_s(stripe, 2)).epsilon(1e-12));
      CHECK(time_s(crossbar, NicChoice::striped, bytes) ==
            doctest::Approx(message_s(stripe, 0)).epsilon(1e-12));
      CHECK(time_s(rails, NicChoice::by_rank, bytes) == doctest::Approx(message_s(bytes, 2)).epsilon(1e-12));
      const int links = leaves.n_nodes() > 4 ? 2 : 0;
      CHECK(time_s(leaves, NicChoice::striped, bytes) ==
            doctest::Approx(message_s(stripe, links)).epsilon(1e-12));
    }
  }
}

TEST_CASE("attached NICs: messages in a row keep all NICs busy" * test::in_process()) {
  const FatTree tree({2, 2}, {2});
  const AttachedNics rails(copies(tree, 4), 4);
  ListSchedule work = schedule_of(2, [](Rank rank) {
    ListSchedule::Program program;
    for (int round = 0; round < 12; ++round)
      program.push_back(rank == 0 ? send(1, round, {0, 0, 80'000}) : receive(0, round, {0, 0, 80'000}));
    for (int round = 0; round < 12; ++round) program.push_back(start(round));
    for (int round = 0; round < 12; ++round) program.push_back(wait(round));
    return program;
  });
  auto machine = machine_with_nics(4, NicChoice::striped);
  machine.send_overhead = machine.receive_overhead = 0;
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    const auto result = Simulator{rails, Method::d_mod_k, machine, {.fidelity = fidelity}}(work);
    CHECK(result.time_s == doctest::Approx(message_s(12 * 20'000, 0) - 5e-7).epsilon(1e-12));
    CHECK(result.nic_bytes == std::vector<std::int64_t>(4, 240'000));
    CHECK(result.counts.messages == 12);
  }
}

TEST_CASE("attached NICs: any number of threads gives the same bits" * test::in_process()) {
  const FatTree tree({3, 3, 2}, {3, 2});
  const Dragonfly dragonfly({.group = {4}, .n_groups = 3, .global_links = 1, .nodes_per_switch = 3});
  const AttachedNics rails(copies(tree, 2), 2), spread({&dragonfly}, 2);
  for (const Topology* network :
       {static_cast<const Topology*>(&rails), static_cast<const Topology*>(&spread)})
    for (const auto method : {Method::minimal, Method::ugal})
      for (const auto choice : {NicChoice::by_rank, NicChoice::per_socket, NicChoice::striped}) {
        auto machine = machine_with_nics(2, choice, 4);
        machine.sockets_per_node = 2;
        machine.eager_bytes = 20'000;
        const Rank n = 4 * network->n_nodes();
        const auto work = shifts(n, {1, n / 2, 3, n - 1}, 33'000, 1e-6);
        Options options{
            .fidelity = Fidelity::packet, .record_links = true, .record_slowdown = true, .pair_bins = 4};
        const auto one = Simulator{*network, method, machine, options}(work);
        CHECK(one.slowdown_edges.front() >= 0.98);
        for (options.threads = 2; options.threads < 4; ++options.threads) {
          const auto more = Simulator{*network, method, machine, options}(work);
          CHECK(one.finish_s == more.finish_s);
          CHECK(one.link_bytes == more.link_bytes);
          CHECK(one.delay_messages == more.delay_messages);
          CHECK(one.slowdown_messages == more.slowdown_messages);
          CHECK(one.pair_delay_s == more.pair_delay_s);
        }
      }
}

TEST_CASE("attached NICs: a rail with all messages is as its network alone" * test::in_process()) {
  const Dragonfly dragonfly({.group = {4}, .n_groups = 9, .global_links = 2, .nodes_per_switch = 2});
  const AttachedNics rails(copies(dragonfly, 2), 2);
  const auto work = shifts(dragonfly.n_nodes(), {8}, 40'000, 1e-6);
  const Options options{.fidelity = Fidelity::packet};
  for (const auto method : {Method::minimal, Method::valiant, Method::ugal, Method::ugal_g}) {
    const auto alone = Simulator{dragonfly, method, machine_with_nics(1, NicChoice::by_rank), options}(work);
    const auto rail = Simulator{rails, method, machine_with_nics(2, NicChoice::by_rank), options}(work);
    CHECK(alone.finish_s == rail.finish_s);
  }
}

TEST_CASE("NICs: a rank of a socket uses the NICs of its socket" * test::in_process()) {
  const HyperX crossbar({1}, 2);
  // Ranks 0 to 7 of node 0 send equal bytes to node 1: two sockets with two of four NICs each.
  const auto work = [](Rank first, Rank n) {
    return schedule_of(16, [=](Rank rank) {
      ListSchedule::Program program;
      if (rank >= first && rank < first + n) program.push_back(send(rank + 8, 0, {0, 0, 1000}));
      if (rank >= first + 8 && rank < first + 8 + n) program.push_back(receive(rank - 8, 0, {0, 0, 1000}));
      if (!program.empty()) program.insert(program.end(), {start(0), wait(0)});
      return program;
    });
  };
  auto machine = machine_with_nics(4, NicChoice::per_socket, 8);
  machine.sockets_per_node = 2;
  const auto bytes = [&](Rank first, Rank n) {
    return Simulator{crossbar, Method::minimal, machine}(work(first, n)).nic_bytes;
  };
  CHECK(bytes(0, 4) == std::vector<std::int64_t>{2000, 2000, 0, 0});
  CHECK(bytes(5, 1) == std::vector<std::int64_t>{0, 0, 0, 1000});
  machine.nic_choice = NicChoice::by_rank;
  CHECK(bytes(0, 4) == std::vector<std::int64_t>{1000, 1000, 1000, 1000});
  machine.nic_choice = NicChoice::per_socket;
  machine.sockets_per_node = 8;  // two sockets share a NIC
  CHECK(bytes(0, 2) == std::vector<std::int64_t>{2000, 0, 0, 0});
}

TEST_CASE("NICs: impossible attachments and choices are refused" * test::in_process()) {
  const FatTree tree({2, 2}, {2}), other({2, 3}, {2});
  const auto uneven = ring_with_chord();
  CHECK_THROWS_WITH_AS(AttachedNics({&tree, &other}, 2), doctest::Contains("equal numbers of nodes"),
                       ConfigError);
  CHECK_THROWS_WITH_AS(AttachedNics({&tree}, 3), doctest::Contains("as many switches"), ConfigError);
  CHECK_THROWS_WITH_AS(AttachedNics({&uneven}, 2), doctest::Contains("different numbers of nodes"),
                       ConfigError);
  CHECK_THROWS_WITH_AS(AttachedNics({&tree, &tree}, 3), doctest::Contains("one for each NIC"), ConfigError);
  const AttachedNics rails({&tree, &tree}, 2);
  CHECK_THROWS_WITH_AS(require_possible(rails, {}, 1, {}), doctest::Contains("nics_per_node = 1"),
                       ConfigError);
  auto machine = machine_with_nics(2, NicChoice::striped);
  machine.messages_at_once = 2;
  CHECK_THROWS_WITH_AS(require_possible(rails, machine, 1, {}), doctest::Contains("messages_at_once is 2"),
                       ConfigError);
  machine = machine_with_nics(2, NicChoice::per_socket);
  machine.sockets_per_node = 3;
  CHECK_THROWS_WITH_AS(require_possible(rails, machine, 1, {}), doctest::Contains("sockets_per_node = 3"),
                       ConfigError);
}
