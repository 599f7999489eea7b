#include "halcyon/network/topology/topology.hpp"

#include <map>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/network/topology/topologies.hpp"
#include "networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;
using test::in_process;

namespace {

using Sizes = std::vector<std::int32_t>;

/// Number of links of the shortest path from a switch to each switch, with at most `max_global` global links
/// (the last kind); any number if 0.
std::vector<int> breadth_first(const Topology& topology, Switch from, int max_global) {
  const int n_states = max_global + 1, global = static_cast<int>(topology.kinds().size()) - 1;
  std::vector<int> steps(std::size_t(topology.n_switches()) * n_states, -1);
  std::vector<int> reached{from * n_states};  // switch * n_states + number of global links on the path
  steps[reached[0]] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Switch current = reached[i] / n_states;
    for (Link link = topology.first_link(current); link < topology.first_link(current + 1); ++link) {
      const int n_global = reached[i] % n_states + (max_global > 0 && topology.kind(link) == global);
      const int next = topology.ends(link).to * n_states + n_global;
      if (n_global >= n_states || steps[next] >= 0) continue;
      steps[next] = steps[reached[i]] + 1;
      reached.push_back(next);
    }
  }
  std::vector<int> shortest(topology.n_switches(), 1 << 20);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] >= 0) shortest[i / n_states] = std::min(shortest[i / n_states], steps[i]);
  return shortest;
}

struct Counts {
  Switch switches;
  Node nodes;
  Link links;
  int radix;  ///< ports of the largest switch
};

Counts counts_of(const Topology& topology) {
  int max_links = 0;
  for (Switch i = 0; i < topology.n_switches(); ++i)
    max_links = std::max(max_links, topology.first_link(i + 1) - topology.first_link(i));
  const Node nodes_per_switch = topology.n_nodes() / topology.n_edge_switches();
  const int leaf_radix = topology.first_link(1) - topology.first_link(0) + nodes_per_switch;
  return {topology.n_switches(), topology.n_nodes(), topology.n_links(), std::max(max_links, leaf_radix)};
}

void check_counts(const Topology& topology, const Counts& expected) {
  INFO(topology.name());
  const Counts found = counts_of(topology);
  CHECK(found.switches == expected.switches);
  CHECK(found.nodes == expected.nodes);
  CHECK(found.links == expected.links);
  CHECK(found.radix == expected.radix);
}

}  // namespace

TEST_CASE("network: links are numbered switch by switch, and each has one back" * in_process()) {
  for (const auto& topology : test::small_networks()) {
    INFO(topology->name());
    std::map<std::pair<Switch, Switch>, int> links;
    CHECK(topology->first_link(0) == 0);
    CHECK(topology->first_link(topology->n_switches()) == topology->n_links());
    for (Switch from = 0; from < topology->n_switches(); ++from) {
      for (Link link = topology->first_link(from); link < topology->first_link(from + 1); ++link) {
        const LinkEnds ends = topology->ends(link);
        REQUIRE(ends.from == from);
        REQUIRE((ends.to >= 0 && ends.to < topology->n_switches() && ends.to != from));
        REQUIRE((topology->kind(link) >= 0 && topology->kind(link) < std::ssize(topology->kinds())));
        ++links[{ends.from, ends.to}];
      }
    }
    bool is_symmetric = true;
    for (const auto& [ends, n] : links) is_symmetric = is_symmetric && links[{ends.second, ends.first}] == n;
    CHECK(is_symmetric);
  }
}

TEST_CASE("network: nodes of a switch are consecutive, and edge switches are those that have some" *
          in_process()) {
  for (const auto& topology : test::small_networks()) {
    INFO(topology->name());
    std::vector<int> nodes(topology->n_switches());
    for (Node node = 0; node < topology->n_nodes(); ++node) ++nodes[topology->switch_of(node)];
    for (Node node = 1; node < topology->n_nodes(); ++node)
      CHECK(topology->switch_of(node) >= topology->switch_of(node - 1));
    Switch n_edge = 0;
    for (Switch i = 0; i < topology->n_switches(); ++i)
      if (nodes[i] > 0) CHECK(topology->edge_switch(n_edge++) == i);
    CHECK(n_edge == topology->n_edge_switches());
  }
}

TEST_CASE("network: distances are those of a breadth-first search" * in_process()) {
  for (const auto& topology : test::small_networks()) {
    INFO(topology->name());
    const auto* dragonfly = dynamic_cast<const Dragonfly*>(topology.get());
    int max_distance = 0;
    for (Switch i = 0; i < topology->n_edge_switches(); ++i) {
      const Switch from = topology->edge_switch(i);
      const auto steps = breadth_first(*topology, from, dragonfly ? 1 : 0);
      for (Switch j = 0; j < topology->n_edge_switches(); ++j) {
        const Switch to = topology->edge_switch(j);
        REQUIRE(topology->distance(from, to) == steps[to]);
        max_distance = std::max(max_distance, steps[to]);
      }
    }
    CHECK(max_distance <= topology->diameter());
    if (!dragonfly || dragonfly->links_per_pair() == 1) CHECK(max_distance == topology->diameter());
  }
}

TEST_CASE("network: counts of closed forms" * in_process()) {
  check_counts(Torus({4, 3, 5}, 7), {60, 420, 60 * 6, 13});
  check_counts(Torus({2, 4}, 1), {8, 8, 8 * 3, 4});
  check_counts(HyperX({4, 3, 5}, 7), {60, 420, 60 * 9, 16});
  // k-ary n-trees (Petrini and Vanneschi 1997): k^n nodes, n k^(n-1) switches
  check_counts(FatTree({3, 3, 3}, {3, 3}), {27, 27, 2 * 2 * 27, 6});
  // (Al-Fares et al. 2008): k^3/4 nodes, 5 k^2/4 switches of k ports
  check_counts(FatTree::of_radix(3, 8), {80, 128, 2 * 2 * 128, 8});
  check_counts(FatTree::of_radix(3, 12, 2), {144, 8 * 6 * 12, 2 * 2 * 72 * 4, 12});
  // (Kim et al. 2008): a h + 1 groups of a switches of p nodes
  check_counts(Dragonfly({{4}, 9, 2, 2}), {36, 72, 36 * 5, 7});
  check_counts(Dragonfly({{4, 3}, 7, 1, 2}), {84, 168, 84 * 6, 8});
  check_counts(Dragonfly({{4}, 6, 2, 2}),
               {24, 48, 24 * 3 + 6 * 5, 7});  // three of eight global links are surplus
  check_counts(test::ring_with_chord(), {5, 6, 14, 4});
}

TEST_CASE("network: table 1 of Zheng and Marguinaud, by name" * in_process()) {
  const std::map<std::string_view, Counts> published{
      {"torus-M", {15625, 390625, 15625 * 6, 31}},
      {"torus-L", {46875, 1171875, 46875 * 6, 31}},
      {"dragonfly-MM", {15625, 390625, 15625 * 72, 97}},
      {"dragonfly-SL", {78125, 390625, 78125 * 172, 177}},
      {"dragonfly-LS", {78125, 390625, 78125 * 252, 257}},
      {"dragonfly-ML", {46875, 1171875, 46875 * 122, 147}},
      {"fattree-M", {62500, 390625, 6 * 390625, 50}},
      {"fattree-L", {143748, 1185921, 6 * 1185921, 66}},
  };
  CHECK(network_names().size() == published.size());
  for (const auto name : network_names()) check_counts(*named_network(name), published.at(name));
  CHECK_THROWS_WITH_AS(named_network("torus-S"),
                       "There is no network 'torus-S'. Use torus-M, fattree-M, dragonfly-MM, dragonfly-SL, "
                       "dragonfly-LS, torus-L, fattree-L, dragonfly-ML.",
                       ConfigError);
}

TEST_CASE("network: mean distances of table 1's networks" * in_process()) {
  // a ring of odd size k: (k^2 - 1) / 4k, a row of k: (k - 1) / k; a tree goes up one more level with
  // probability (p - 1) / p
  const auto ring = [](double k) { return (k * k - 1) / (4 * k); };
  const auto row = [](double k) { return (k - 1) / k; };
  const auto tree = [&](double p) { return 2 * row(p * p * p) + 2 * row(p * p) + 2 * row(p); };
  const std::map<std::string_view, double> expected{
      {"torus-M", 3 * ring(25)},
      {"torus-L", ring(75) + 2 * ring(25)},
      {"fattree-M", tree(25)},
      {"fattree-L", tree(33)},
      {"dragonfly-MM", 3 * row(25)},
      {"dragonfly-SL", 2 * row(25) + row(125)},
      {"dragonfly-LS", 2 * row(125) + row(5)},
      {"dragonfly-ML", 2 * row(25) + row(75)},
  };
  for (const auto& [name, mean] : expected) {
    const auto topology = named_network(name);
    double sum = 0;
    for (Switch to = 0; to < topology->n_edge_switches(); ++to) sum += topology->distance(0, to);
    CHECK(sum / topology->n_edge_switches() == doctest::Approx(mean).epsilon(1e-12));
  }
}

TEST_CASE("network: three levels of switches with 25 ports each way join 31,250 nodes at most" *
          in_process()) {
  // as for the table's 46,875 switches of fattree-M: the highest level with all 50 ports down
  CHECK(FatTree::of_radix(3, 50).n_nodes() == 31250);
}

TEST_CASE("network: a dragonfly whose switches have a link to every group is a HyperX" * in_process()) {
  const HyperX hyperx({3, 4, 5}, 2);
  for (const auto arrangement : {Arrangement::absolute, Arrangement::relative, Arrangement::circulant}) {
    const Dragonfly dragonfly({{3, 4}, 5, 4, 2, arrangement});
    REQUIRE(dragonfly.n_links() == hyperx.n_links());
    for (Switch from = 0; from < 60; ++from) {
      const auto neighbours = [&](const Topology& topology) {
        std::vector<Switch> to;
        for (Link link = topology.first_link(from); link < topology.first_link(from + 1); ++link)
          to.push_back(topology.ends(link).to);
        std::ranges::sort(to);
        return to;
      };
      CHECK(neighbours(dragonfly) == neighbours(hyperx));
      for (Switch to = 0; to < 60; ++to) CHECK(dragonfly.distance(from, to) == hyperx.distance(from, to));
    }
  }
}

TEST_CASE("network: arrangements of global links" * in_process()) {
  const auto groups = [](Arrangement arrangement, int group) {
    std::vector<int> others;
    for (int position = 0; position < 5; ++position)
      others.push_back(group_at(arrangement, 6, group, position));
    return others;
  };
  CHECK(groups(Arrangement::absolute, 2) == std::vector{0, 1, 3, 4, 5});
  CHECK(groups(Arrangement::relative, 2) == std::vector{3, 4, 5, 0, 1});
  CHECK(groups(Arrangement::circulant, 2) == std::vector{3, 1, 4, 0, 5});
  CHECK(arrangement_named("relative") == Arrangement::relative);
  CHECK_THROWS_WITH_AS(arrangement_named("palm"),
                       "There is no arrangement of global links 'palm'. Use absolute, relative or circulant.",
                       ConfigError);
}

TEST_CASE("network: division by a number known at run time" * in_process()) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t d : {1, 2, 3, 7, 25, 625, 15625, 46341, 65536, 1 << 30, kMax - 1, kMax}) {
    const Divisor divisor(d);
    for (const std::int32_t n : {0, 1, d - 1, d, kMax / d * d - 1, kMax / d * d, kMax - 1, kMax}) {
      CHECK(quotient(n, divisor) == n / d);
      CHECK(remainder(n, divisor) == n % d);
    }
  }
}
