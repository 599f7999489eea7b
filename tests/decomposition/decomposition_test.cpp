#include "halcyon/decomposition/decomposition.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE(
    "decomposition: every cell, edge and vertex is owned once, and every rank holds what its cells touch") {
  const auto topology = longitude_latitude(24, 11);
  for (const Rank n_ranks : {1, 2, 3, 7, 40}) {
    const auto all = decompose_all(topology, n_ranks, 2);
    for (std::size_t kind = 0; kind < 3; ++kind) {
      std::vector<GlobalIndex> owned;
      for (const auto& part : all) {
        const auto& index_map = part.index_maps[kind];
        owned.insert(owned.end(), index_map.to_global.begin(),
                     index_map.to_global.begin() + index_map.n_owned);
        auto local = index_map.to_global;
        std::ranges::sort(local);
        CHECK(std::ranges::adjacent_find(local) == local.end());
      }
      std::ranges::sort(owned);
      std::vector<GlobalIndex> expected;
      const auto n = kind == 0 ? topology.n_cells() : topology.shared[kind - 1].cells_on.size();
      for (GlobalIndex i = 0; i < n; ++i) expected.push_back(i);
      CHECK(owned == expected);
    }
  }
}

TEST_CASE("decomposition: inner cells touch no halo, boundary cells do, and layers grow outwards by one") {
  const auto topology = longitude_latitude(30, 20);
  for (const auto& part : decompose_all(topology, 5, 3)) {
    std::set<GlobalIndex> known;
    const auto& ids = part.cells().to_global;
    const auto insert = [&](LocalIndex begin, LocalIndex end) {
      for (auto i = begin; i < end; ++i) known.insert(ids[i]);
    };
    const auto touches_unknown = [&](LocalIndex i) {
      return std::ranges::any_of(topology.cells_on_cell[static_cast<LocalIndex>(ids[i])],
                                 [&](auto other) { return !known.contains(other); });
    };
    insert(0, part.cells().n_owned);
    for (LocalIndex i = 0; i < part.n_inner; ++i) CHECK_FALSE(touches_unknown(i));
    for (auto i = part.n_inner; i < part.cells().n_owned; ++i) CHECK(touches_unknown(i));
    CHECK(std::ranges::is_sorted(ids.begin(), ids.begin() + part.n_inner));
    CHECK(std::ranges::is_sorted(ids.begin() + part.n_inner, ids.begin() + part.cells().n_owned));
    const auto& layers = part.cells().layer_offsets;
    REQUIRE(layers.size() == 4);
    CHECK(layers.front() == part.cells().n_owned);
    for (int layer = 0; layer < 3; ++layer) {
      for (auto i = layers[layer]; i < layers[layer + 1]; ++i) {
        CHECK_FALSE(known.contains(ids[i]));
        CHECK(std::ranges::any_of(topology.cells_on_cell[static_cast<LocalIndex>(ids[i])],
                                  [&](auto other) { return known.contains(other); }));
      }
      insert(layers[layer], layers[layer + 1]);
    }
    CHECK(layers.back() == part.cells().size());
  }
}

TEST_CASE("decomposition: an edge or vertex is in the layer of the first cells that touch it") {
  const auto topology = longitude_latitude(30, 20);
  for (const auto& part : decompose_all(topology, 5, 3)) {
    const auto& cells = part.cells();
    for (std::size_t kind = 1; kind < part.index_maps.size(); ++kind) {
      const auto& index_map = part.index_maps[kind];
      REQUIRE(index_map.layer_offsets.size() == 4);
      CHECK(index_map.layer_offsets.front() == index_map.n_owned);
      CHECK(index_map.layer_offsets.back() == index_map.size());
      std::map<GlobalIndex, int> first_layer;
      for (LocalIndex i = 0; i < cells.size(); ++i) {
        int layer = 0;
        while (layer < 2 && i >= cells.layer_offsets[layer + 1]) ++layer;
        for (const auto entity :
             topology.shared[kind - 1].on_cell[static_cast<LocalIndex>(cells.to_global[i])])
          first_layer.emplace(entity, layer);
      }
      for (int layer = 0; layer < 3; ++layer) {
        for (auto i = index_map.layer_offsets[layer]; i < index_map.layer_offsets[layer + 1]; ++i)
          CHECK(first_layer.at(index_map.to_global[i]) == layer);
      }
    }
  }
}

TEST_CASE("decomposition: a halo needs a layer") {
  const auto topology = longitude_latitude(4, 3);
  CHECK_THROWS_WITH_AS(decompose(topology, owners_of(topology, 2), 0, 0),
                       "A halo needs at least 1 layer, not 0.", ConfigError);
}
