#include "halcyon/graph/partition.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

namespace {

Adjacency grid(LocalIndex n_longitudes, LocalIndex n_latitudes) {
  const auto lists = test::longitude_latitude(n_longitudes, n_latitudes).cells_on_cell;
  return make_adjacency(lists.offsets, lists.values);
}

constexpr PartitionMethod kMethods[] = {PartitionMethod::kway, PartitionMethod::recursive};

}  // namespace

TEST_CASE("graph: no part is empty, whatever the number of parts") {
  const auto adjacency = grid(8, 5);
  for (const auto method : kMethods) {
    for (int n_parts = 1; n_parts <= 40; ++n_parts) {
      const auto parts = partition(adjacency, n_parts, {.method = method});
      REQUIRE(std::ssize(parts) == 40);
      for (Rank part = 0; part < n_parts; ++part) CHECK(std::ranges::count(parts, part) > 0);
      CHECK(*std::ranges::max_element(parts) == n_parts - 1);
    }
  }
}

TEST_CASE("graph: a partition is balanced, cuts little, and is the same each time") {
  const auto adjacency = grid(40, 20);
  const auto parts = partition(adjacency, 4);
  for (Rank part = 0; part < 4; ++part) CHECK(std::ranges::count(parts, part) <= 1.04 * 200);
  CHECK(edge_cut(adjacency, parts) <= 160);  // four strips of 10 columns cut 80
  CHECK(parts == partition(adjacency, 4));
}

TEST_CASE("graph: contiguous parts are in one piece, whatever their number") {
  const auto adjacency = grid(12, 9);
  for (const auto method : kMethods) {
    for (int n_parts = 1; n_parts <= 108; n_parts += n_parts < 20 ? 1 : 11) {
      const auto parts = partition(adjacency, n_parts, {.method = method, .contiguous = true});
      const auto report = partition_report(adjacency, parts, n_parts);
      CHECK(report.n_split == 0);
      CHECK(report.n_empty == 0);
    }
  }
}

TEST_CASE("graph: what nodes weigh is balanced, not their number") {
  const LocalIndex n = 16;
  const auto lists = test::longitude_latitude(n, n).cells_on_cell;
  std::vector<std::int64_t> work(n * n, 1);
  std::fill_n(work.begin(), n * n / 2, 7);
  const auto adjacency = make_adjacency(lists.offsets, lists.values, {work, {}});
  const auto parts = partition(adjacency, 4);
  CHECK(partition_report(adjacency, parts, 4).imbalance < 1.1);
  const auto unweighted = partition_report(make_adjacency(lists.offsets, lists.values), parts, 4);
  CHECK(unweighted.most_weight > 2 * unweighted.least_weight);
}

TEST_CASE("graph: heavy edges are not cut") {
  const LocalIndex n = 16;
  const auto lists = test::longitude_latitude(n, n).cells_on_cell;
  std::vector<std::int64_t> traffic(lists.values.size(), 1);
  for (LocalIndex cell = 0; cell < n * n; ++cell)
    for (LocalIndex entry = lists.offsets[cell]; entry < lists.offsets[cell + 1]; ++entry)
      if (lists.values[entry] / n == cell / n) traffic[entry] = 100;  // along a row
  const auto adjacency = make_adjacency(lists.offsets, lists.values, {{}, traffic});
  const auto n_heavy_cut = [&](const std::vector<Rank>& parts) { return edge_cut(adjacency, parts) / 100; };
  CHECK(n_heavy_cut(partition(adjacency, 4)) < 0.1 * n * n);
  CHECK(n_heavy_cut(partition(adjacency, 4)) <
        n_heavy_cut(partition(make_adjacency(lists.offsets, lists.values), 4)) / 4);
}

TEST_CASE("graph: two levels: every rank has nodes, and the last computer as many ranks as remain") {
  const auto adjacency = grid(8, 5);
  for (const auto method : kMethods) {
    for (const int ranks_per_node : {1, 3, 4, 50}) {
      for (int n_ranks = 1; n_ranks <= 40; ++n_ranks) {
        for (const bool contiguous : {false, true}) {
          const PartitionOptions options{.method = method, .contiguous = contiguous};
          const auto owners = two_level_partition(adjacency, n_ranks, ranks_per_node, options);
          const auto report = partition_report(adjacency, owners, n_ranks);
          CHECK(report.n_empty == 0);
          CHECK((!contiguous || report.n_split == 0));
        }
      }
    }
  }
  const auto wide = grid(40, 21);
  const auto owners = two_level_partition(wide, 7, 3, {.contiguous = true});
  const auto report = partition_report(wide, owners, 7);
  CHECK(report.imbalance < 1.08);
  CHECK(report.n_split == 0);
  CHECK(owners == two_level_partition(wide, 7, 3, {.contiguous = true}));
  CHECK(two_level_partition(wide, 7, 7) == partition(wide, 7));
}

TEST_CASE("graph: two levels keep weights") {
  const auto lists = test::longitude_latitude(20, 20).cells_on_cell;
  std::vector<std::int64_t> work(400);
  std::iota(work.begin(), work.end(), 1);
  const auto adjacency = make_adjacency(lists.offsets, lists.values, {work, {}});
  CHECK(partition_report(adjacency, two_level_partition(adjacency, 8, 4), 8).imbalance < 1.1);
}

TEST_CASE("graph: a partition leaves the program's handlers as they were, for every signal that comes") {
  // METIS restores the handlers that it replaces with SA_RESETHAND: they would work for one signal only.
  struct sigaction ours{}, before{}, after{};
  ours.sa_handler = [](int) {};
  sigaction(SIGTERM, &ours, &before);
  partition(grid(40, 20), 4);
  sigaction(SIGTERM, &before, &after);
  CHECK((after.sa_handler == ours.sa_handler));
  CHECK((after.sa_flags & (SA_RESETHAND | SA_NODEFER)) == 0);
}

TEST_CASE("graph: impossible partitions and neighbours are refused") {
  CHECK_THROWS_WITH_AS(
      partition(grid(3, 2), 7),
      "The run has 7 ranks but the mesh only 6 cells. Start at most 6 ranks, or use a finer mesh.",
      ConfigError);
  const std::vector<LocalIndex> offsets{0, 1, 2}, neighbours{1, 2};
  CHECK_THROWS_AS(make_adjacency(offsets, neighbours), InputError);
  CHECK_THROWS_WITH_AS(partition(grid(3, 2), 0), "A partition needs at least 1 part, not 0.", ConfigError);
  CHECK_THROWS_WITH_AS(two_level_partition(grid(3, 2), 2, 0), "A compute node needs at least 1 rank, not 0.",
                       ConfigError);
  const std::vector<LocalIndex> no_neighbours{0, 0, 0};
  CHECK_THROWS_WITH_AS(partition(make_adjacency(no_neighbours, {}), 2, {.contiguous = true}),
                       "Parts must be contiguous, but the graph itself has 2 connected components. Omit the "
                       "option contiguous.",
                       ConfigError);
  CHECK(partition(make_adjacency(no_neighbours, {}), 2).size() == 2);
}

TEST_CASE("graph: impossible weights are refused") {
  const std::vector<LocalIndex> offsets{0, 1, 2}, neighbours{1, 0};
  using Values = std::vector<std::int64_t>;
  const auto refused = [&](const Values& nodes, const Values& edges, const char* text) {
    CHECK_THROWS_WITH_AS(make_adjacency(offsets, neighbours, {nodes, edges}), text, ConfigError);
  };
  refused({1}, {}, "There are 1 node weights for 2 nodes. Give one for each.");
  refused({1, -2}, {}, "The node weight 1 is -2. Give whole numbers, at least 0.");
  refused({0, 0}, {}, "All node weights are 0. Give at least one node a positive weight.");
  refused({}, {1, 1, 1}, "There are 3 edge weights for 2 edges. Give one for each.");
  refused({}, {1, 0}, "The edge weight 1 is 0. Give whole numbers, at least 1.");
  refused({}, {1, 2}, "The edge from node 0 to 1 weighs 1, but 2 the other way. Give it one weight.");
  const std::vector<LocalIndex> one_way{0, 1, 1}, to{1};
  CHECK_THROWS_WITH_AS(make_adjacency(one_way, to, {{}, Values{1}}),
                       "Node 0 has the neighbour 1, but not vice versa.", InputError);
  const Values huge{1LL << 30, 1LL << 30};
  CHECK_THROWS_WITH_AS(
      partition(make_adjacency(offsets, neighbours, {huge, {}}), 2),
      "The node weights add up to more than 2147483647, the most that METIS counts. Make them "
      "smaller.",
      ConfigError);
  CHECK_THROWS_WITH_AS(partition_method_named("kwy"),
                       "There is no partition method 'kwy'. Use kway or recursive.", ConfigError);
}
