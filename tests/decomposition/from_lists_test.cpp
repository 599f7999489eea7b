#include "halcyon/decomposition/from_lists.hpp"

#include "decomposition/grids.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

bool same(const decomposition::Lists& one, const decomposition::Lists& other) {
  return one.offsets == other.offsets && one.values == other.values;
}

}  // namespace

TEST_CASE("decomposition: a topology from lists, with edges and vertices" * in_process()) {
  const auto expected = longitude_latitude(8, 5);
  auto found = decomposition::topology_of(expected.cells_on_cell.offsets, expected.cells_on_cell.values);
  CHECK(same(found.cells_on_cell, expected.cells_on_cell));
  REQUIRE(found.shared.size() == 2);
  for (const int kind : {1, 2}) {
    const auto& [on_cell, cells_on] = expected.shared[kind - 1];
    decomposition::set_shared(found, kind, on_cell.offsets, on_cell.values, cells_on.size());
    CHECK(same(found.shared[kind - 1].on_cell, on_cell));
    CHECK(same(found.shared[kind - 1].cells_on, cells_on));
  }
}

TEST_CASE("decomposition: without edges and vertices, cells alone have a halo" * in_process()) {
  const auto whole = longitude_latitude(8, 5);
  const auto topology = decomposition::topology_of(whole.cells_on_cell.offsets, whole.cells_on_cell.values);
  const auto owners = owners_of(topology, 3);
  for (const Rank rank : {0, 1, 2}) {
    const auto part = decomposition::decompose(topology, owners, rank, 1);
    REQUIRE(part.index_maps.size() == 3);
    CHECK(part.cells().to_global == decomposition::decompose(whole, owners, rank, 1).cells().to_global);
    CHECK(part.index_maps[1].size() == 0);
    CHECK(part.index_maps[2].size() == 0);
  }
}

TEST_CASE("decomposition: negative neighbours are none" * in_process()) {
  const auto topology = decomposition::topology_of(std::vector<LocalIndex>{0, 2, 4, 5},
                                                   std::vector<LocalIndex>{kNone, 1, 0, kNone, kNone});
  CHECK(topology.cells_on_cell.offsets == std::vector<LocalIndex>{0, 1, 2, 2});
  CHECK(topology.cells_on_cell.values == std::vector<LocalIndex>{1, 0});
}

TEST_CASE("decomposition: lists that make no mesh are refused" * in_process()) {
  using Values = std::vector<LocalIndex>;
  const auto refused = [](const Values& offsets, const Values& cells, const char* text) {
    CHECK_THROWS_WITH_AS(decomposition::topology_of(offsets, cells), text, InputError);
  };
  refused({}, {}, "The offsets of cells_on_cell are empty.");
  refused({1, 2}, {0, 0}, "The offsets of the cell lists run from 1 to 2, but must run from 0 to 2.");
  refused({0, 1}, {0}, "Cell 0 is its own neighbour.");
  refused({0, 1, 1}, {1}, "Cell 0 has the neighbour 1, but not vice versa.");
  auto topology = longitude_latitude(4, 2);
  CHECK_THROWS_WITH_AS(decomposition::set_shared(topology, 2, Values{0, 1}, Values{0}, 1),
                       "There are 2 offsets of vertex lists, but 8 cells. Give one offset more than cells.",
                       InputError);
  CHECK_THROWS_WITH_AS(decomposition::require_owners(topology, Values(8, -1), 2),
                       "Cell 0 is owned by rank -1, but the ranks are 0 to 1.", InputError);
  CHECK_THROWS_WITH_AS(decomposition::require_owners(topology, Values(7, 0), 2),
                       "There are 7 owners for 8 cells.", InputError);
}
