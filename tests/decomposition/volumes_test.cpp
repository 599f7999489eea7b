#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using schedule::HaloField;

namespace {

const std::vector<HaloField> kCells{{0, 8}};  // one field of 8 bytes per cell

void check_equal(const schedule::Volumes& found, const schedule::Volumes& expected) {
  CHECK(found.offsets == expected.offsets);
  CHECK(found.peers == expected.peers);
  CHECK(found.messages == expected.messages);
  CHECK(found.bytes == expected.bytes);
}

}  // namespace

TEST_CASE("volumes: those of a halo are those of its schedule, for any kinds, layers and ranks" *
          in_process()) {
  const auto topology = longitude_latitude(24, 11);
  const std::vector<HaloField> mixed{{0, 4}, {0, 8, 1}, {1, 8}, {1, 16, 1}, {2, 2, 1}};
  for (const auto& group : {kCells, mixed, {{1, 16}}, {{2, 1}}}) {
    for (const Rank n_ranks : {1, 2, 7, 40}) {
      for (const int n_layers : {1, 2, 3}) {
        const auto parts = decompose_all(topology, n_ranks, n_layers);
        const schedule::Halo halo(n_ranks, group,
                                  [&](Rank rank) -> const auto& { return parts[rank].neighbours; });
        check_equal(
            decomposition::halo_volumes(topology, owners_of(topology, n_ranks), n_ranks, n_layers, group),
            schedule::volumes(halo));
      }
    }
  }
}

TEST_CASE("volumes: strips of a grid that is closed in longitude hear from the strips beside them" *
          in_process()) {
  constexpr LocalIndex kWidth = 4, kLatitudes = 5;
  constexpr Rank kRanks = 300;  // halo_volumes counts them in several blocks of ranks
  const auto topology = longitude_latitude(kWidth * kRanks, kLatitudes);
  std::vector<Rank> owners;
  for (LocalIndex cell = 0; cell < topology.n_cells(); ++cell) {
    owners.push_back(cell % (kWidth * kRanks) / kWidth);
  }
  for (const int n_layers : {1, 2}) {
    const auto found = decomposition::halo_volumes(topology, owners, kRanks, n_layers, kCells);
    REQUIRE(found.n_ranks() == kRanks);
    CHECK(found.peers.size() == 2 * kRanks);
    for (std::size_t i = 0; i < found.peers.size(); ++i) {
      const auto rank = static_cast<Rank>(i / 2);
      const auto distance = (found.peers[i] - rank + kRanks) % kRanks;
      CHECK((distance == 1 || distance == kRanks - 1));
      CHECK(found.messages[i] == 1);
      CHECK(found.bytes[i] == 8 * kLatitudes * n_layers);
    }
    check_equal(decomposition::halo_volumes(topology, owners, kRanks, n_layers, kCells, 1), found);
    check_equal(decomposition::halo_volumes(topology, owners, kRanks, n_layers, kCells, 3), found);
  }
}

TEST_CASE("volumes: a rank that owns nothing hears from no one" * in_process()) {
  const auto topology = longitude_latitude(6, 4);
  std::vector<Rank> owners(topology.n_cells(), 2);
  owners[0] = 0;
  const auto found = decomposition::halo_volumes(topology, owners, 3, 1, kCells);
  CHECK(found.offsets == std::vector<std::int64_t>{0, 1, 1, 2});
  CHECK(found.peers == std::vector<Rank>{2, 0});
  CHECK(found.bytes == std::vector<std::int64_t>{24, 8});
}

TEST_CASE("volumes: mistakes" * in_process()) {
  const auto topology = longitude_latitude(4, 3);
  std::vector<Rank> owners(topology.n_cells(), 1);
  const auto volumes = [&](Rank n_ranks, int n_layers) {
    return decomposition::halo_volumes(topology, owners, n_ranks, n_layers, kCells);
  };
  CHECK_THROWS_WITH_AS(volumes(2, 0), "A halo needs at least 1 layer, not 0.", ConfigError);
  CHECK_THROWS_WITH_AS(volumes(0, 1), "A decomposition needs at least 1 rank, not 0.", ConfigError);
  CHECK_THROWS_WITH_AS(volumes(1, 1), "Cell 0 is owned by rank 1, but the ranks are 0 to 0.", InputError);
  CHECK_THROWS_WITH_AS(decomposition::halo_volumes(topology, owners, 2, 1, std::vector<HaloField>{{1, 8, 2}}),
                       "A field needs 2 halo layers, but the decomposition has 1.", ConfigError);
  owners.pop_back();
  CHECK_THROWS_WITH_AS(volumes(2, 1), "There are 11 owners of 12 cells. Give one per cell.", InputError);
}
