#include "halcyon/network/mapping/placement.hpp"

#include <algorithm>
#include <set>

#include "halcyon/base/error.hpp"
#include "networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;
using test::in_process;

namespace {

/// A periodic grid of nx x ny ranks, each of which sends 8 bytes to its neighbours along x and 4 along y;
/// rank i of the grid has the number numbers[i].
schedule::Volumes halo_volumes(Rank nx, Rank ny, const std::vector<Rank>& numbers) {
  std::vector<std::vector<schedule::Volume>> rows(numbers.size());
  for (Rank y = 0; y < ny; ++y)
    for (Rank x = 0; x < nx; ++x) {
      auto& row = rows[numbers[y * nx + x]];
      row = {{numbers[y * nx + (x + 1) % nx], 1, 8},
             {numbers[y * nx + (x + nx - 1) % nx], 1, 8},
             {numbers[(y + 1) % ny * nx + x], 1, 4},
             {numbers[(y + ny - 1) % ny * nx + x], 1, 4}};
      std::ranges::sort(row, {}, &schedule::Volume::peer);
    }
  return schedule::assemble_volumes(nx * ny, [&](Rank rank) { return rows[rank]; }, 1);
}

/// The numbers 0 .. n - 1 in order.
std::vector<Rank> in_order(Rank n) {
  std::vector<Rank> numbers(n);
  for (Rank rank = 0; rank < n; ++rank) numbers[rank] = rank;
  return numbers;
}

std::vector<Rank> shuffled(Rank n) {
  auto numbers = in_order(n);
  for (Rank i = 0; i < n; ++i)
    std::swap(numbers[i], numbers[i + random_below(random_number(5, std::uint32_t(i), 0), n - i)]);
  return numbers;
}

}  // namespace

TEST_CASE("placement: linear, in blocks" * in_process()) {
  const Torus torus({3, 2}, 2);
  const auto one_per_node = linear_placement(torus, 5);
  CHECK(one_per_node.nodes() == std::vector<Node>{0, 1, 2, 3, 4});
  CHECK(one_per_node.slot(3) == 0);
  const auto three_per_node = linear_placement(torus, 8, 3);
  CHECK(three_per_node.nodes() == std::vector<Node>{0, 0, 0, 1, 1, 1, 2, 2});
  CHECK((three_per_node.slot(0) == 0 && three_per_node.slot(2) == 2 && three_per_node.slot(7) == 1));
}

TEST_CASE("placement: random, by the seed" * in_process()) {
  const Torus torus({10, 10}, 3);
  const auto first = random_placement(torus, 200, 1, 1), repeated = random_placement(torus, 200, 1, 1);
  CHECK(first.nodes() == repeated.nodes());
  CHECK(first.nodes() != random_placement(torus, 200, 1, 2).nodes());
  CHECK(std::set(first.nodes().begin(), first.nodes().end()).size() == 200);
  const auto blocks = random_placement(torus, 1200, 4);
  for (Rank rank = 0; rank < 1200; ++rank) CHECK(blocks.node(rank) == blocks.node(rank / 4 * 4));
  CHECK(std::set(blocks.nodes().begin(), blocks.nodes().end()).size() == 300);
}

TEST_CASE("placement: given ones are checked" * in_process()) {
  const Torus torus({3}, 1);
  CHECK(Placement(torus, {2, 0, 2}, 2).slot(2) == 1);
  CHECK(Placement(torus, {1, 0}, 1).end_node() == 2);
  CHECK(linear_placement(torus, 3, 2).end_node() == 2);
  CHECK_THROWS_WITH_AS(Placement(torus, {0, 3}, 1), "Rank 1 is placed on node 3, but the nodes are 0 to 2.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(Placement(torus, {0, 1, 0}, 1),
                       "Node 0 holds at most 1 rank, but rank 2 is placed on it in addition. Place it on "
                       "another node, or raise ranks_per_node.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(linear_placement(torus, 7, 2),
                       "There are 7 ranks, but torus 3 with 1 node per switch has 6 slots: 3 nodes with 2 "
                       "ranks each. Use fewer ranks, more ranks per node or a larger network.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(linear_placement(Torus({1}, 1), 2),
                       "There are 2 ranks, but torus 1 with 1 node per switch has 1 slot: "
                       "1 node with 1 rank each. Use fewer ranks, more ranks per node or a larger network.",
                       ConfigError);
  CHECK_THROWS_AS(linear_placement(torus, 0), ConfigError);
  CHECK_THROWS_AS(random_placement(torus, 4), ConfigError);
  CHECK_THROWS_AS(linear_placement(torus, 2, 0), ConfigError);
}

TEST_CASE("placement: hop bytes of a grid that lies as its torus" * in_process()) {
  const Torus torus({6, 4}, 1);
  const auto volumes = halo_volumes(6, 4, in_order(24));
  CHECK(hop_bytes(torus, linear_placement(torus, 24), volumes) == 24 * (8 + 8 + 4 + 4));
}

TEST_CASE("placement: mapping brings a shuffled grid together, on every network" * in_process()) {
  const auto volumes = halo_volumes(12, 8, shuffled(96));
  // Hop bytes of the linear placement over those of the mapped one.
  const auto gain = [&](const Topology& topology) {
    const auto mapped = mapped_placement(topology, volumes);
    CHECK(mapped.nodes() == mapped_placement(topology, volumes).nodes());
    auto nodes = mapped.nodes();
    std::ranges::sort(nodes);
    CHECK(nodes == linear_placement(topology, 96).nodes());
    return hop_bytes(topology, linear_placement(topology, 96), volumes) /
           hop_bytes(topology, mapped, volumes);
  };
  CHECK(gain(Torus({12, 8}, 1)) > 1.9);
  CHECK(gain(Torus({4, 4}, 6)) > 2.5);
  CHECK(gain(HyperX({4, 4}, 6)) > 2);
  CHECK(gain(FatTree({6, 4, 4}, {6, 4})) > 2);
  CHECK(gain(Dragonfly({{4}, 5, 1, 6})) > 2);
}

TEST_CASE("placement: mapping keeps what is best already, and fills nodes of several ranks" * in_process()) {
  const Torus torus({6, 4}, 1);
  const auto volumes = halo_volumes(6, 4, in_order(24));
  CHECK(hop_bytes(torus, mapped_placement(torus, volumes), volumes) == 24 * 24);
  const auto shared = mapped_placement(torus, halo_volumes(8, 6, shuffled(48)), 2);
  for (Node node = 0; node < 24; ++node) CHECK(std::ranges::count(shared.nodes(), node) == 2);
}
