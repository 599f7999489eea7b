#include "halcyon/halo/with_halo.hpp"

#include <vector>

#include "decomposition/grids.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// A field on the part of a grid on this rank: the global id of each owned cell, -1 on halo cells.
struct IdField {
  IdField()
      : comm(world()),
        part(decompose_all(longitude_latitude(24, 12), comm.size(), 1)[comm.rank()]),
        halo(comm, part, {{0, sizeof(double)}}, comm::method_named("isend_irecv")),
        values(part.cells().size(), -1.0) {
    const auto& cells = part.cells();
    std::copy_n(cells.to_global.begin(), cells.n_owned, values.begin());
  }

  bool has_arrived() const {
    return std::ranges::equal(values, part.cells().to_global,
                              [](double value, GlobalIndex id) { return value == static_cast<double>(id); });
  }

  comm::Communicator comm;
  decomposition::Decomposition part;
  halo::Halo halo;
  std::vector<double> values;
};

/// What for_tiles needs of a tile: whether all its cells are inner cells.
struct Tile {
  bool is_inner() const { return inner; }

  bool inner;
  int number;
};

}  // namespace

TEST_CASE("halo: what is late has the halo, with overlap and without") {
  // The boundary call (is_inner false) finds the halo values received; without overlap the inner call does,
  // too.
  for (const bool overlap : {true, false}) {
    IdField ids;
    const std::span<std::byte> field = std::as_writable_bytes(std::span(ids.values));
    double exchange_s = 0;
    std::vector<bool> calls;
    halo::with_halo(ids.halo, {&field, 1}, overlap, exchange_s, [&](bool is_inner) {
      calls.push_back(is_inner);
      if (!is_inner || !overlap) CHECK(ids.has_arrived());
    });
    CHECK(calls == std::vector{true, false});
    CHECK(exchange_s > 0);
  }
}

TEST_CASE("halo: tiles come early and late, one after the other, and one waits between") {
  // Tiles 0 and 1, and the inner cells of tile 2, are visited while messages are under way; then the exchange
  // is completed.
  IdField ids;
  const std::span<std::byte> field = std::as_writable_bytes(std::span(ids.values));
  double exchange_s = 0;
  using Visits = std::vector<std::pair<int, bool>>;
  Visits visits;
  std::vector<Tile> tiles{{true, 0}, {true, 1}, {false, 2}, {false, 3}};
  const auto visit = [&](const Tile& tile, bool is_inner) {
    visits.emplace_back(tile.number, is_inner);
    if (tile.number == 3 || (tile.number == 2 && !is_inner)) CHECK(ids.has_arrived());
  };
  halo::for_tiles(ids.halo, {&field, 1}, true, exchange_s, std::span(tiles), visit);
  CHECK(visits ==
        Visits{{0, true}, {0, false}, {1, true}, {1, false}, {2, true}, {2, false}, {3, true}, {3, false}});
  visits.clear();
  halo::for_tiles(ids.halo, {&field, 1}, true, exchange_s, std::span(tiles).first(1), visit);
  CHECK(visits == Visits{{0, true}, {0, false}});
}
