#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "capi/said.hpp"
#include "decomposition/grids.hpp"
#include "halcyon/comm/method.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr std::int32_t kLevels = 3, kLayers = 2;

/// A longitude-latitude grid of the C ABI, decomposed, with the same of C++.
class Grid {
 public:
  explicit Grid(const std::int32_t* owners = nullptr) {
    const auto& cells = whole.cells_on_cell;
    REQUIRE(halcyon_topology_create(cells.size(), cells.offsets.data(), cells.values.data(), &topology) ==
            HALCYON_OK);
    for (const auto location : {HALCYON_EDGE, HALCYON_VERTEX}) {
      const auto& [on_cell, cells_on] = whole.shared[location - 1];
      REQUIRE(halcyon_topology_share(topology, location, cells_on.size(), on_cell.offsets.data(),
                                     on_cell.values.data()) == HALCYON_OK);
    }
    REQUIRE(decompose(owners, kLayers) == HALCYON_OK);
  }
  Grid(const Grid&) = delete;
  ~Grid() {
    halcyon_halo_free(halo);
    halcyon_decomposition_free(part);
    halcyon_topology_free(topology);
  }

  int decompose(const std::int32_t* owners, std::int32_t n_layers) {
    halcyon_decomposition_free(part);
    part = nullptr;
    return halcyon_decomposition_create(MPI_Comm_c2f(world()), topology, owners, n_layers, &part);
  }
  halcyon_share share(halcyon_location location) const {
    halcyon_share found;
    CHECK(halcyon_decomposition_share(part, location, &found) == HALCYON_OK);
    return found;
  }
  int make_halo(const char* method, int node_memory = 0) {
    halcyon_halo_free(halo);
    halo = nullptr;
    return halcyon_halo_create(part, 2, fields.data(), method, node_memory, &halo);
  }

  decomposition::Topology whole = longitude_latitude(24, 12);
  halcyon_topology* topology = nullptr;
  halcyon_decomposition* part = nullptr;
  halcyon_halo* halo = nullptr;
  std::vector<halcyon_field> fields{{"heat", HALCYON_CELL, HALCYON_FLOAT64, 1, 0},
                                    {"wind", HALCYON_EDGE, HALCYON_FLOAT32, kLevels, 1}};
};

/// Gives owned items their global ids; `levels` numbers each.
template <class T>
void fill(const halcyon_share& share, std::int32_t levels, T* values) {
  for (std::int32_t i = 0; i < share.n_local * levels; ++i)
    values[i] = i < share.n_owned * levels ? static_cast<T>(share.to_global[i / levels]) : T{-1};
}

/// How many of the first `n` items do not hold their global ids.
template <class T>
std::int64_t n_wrong(const halcyon_share& share, std::int32_t n, std::int32_t levels, const T* values) {
  std::int64_t found = 0;
  for (std::int32_t i = 0; i < n * levels; ++i)
    found += values[i] != static_cast<T>(share.to_global[i / levels]);
  return found;
}

void exchange_and_check(Grid& grid, std::vector<halcyon_target>& arrays) {
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  auto* heat = static_cast<double*>(arrays[0].data);
  auto* wind = static_cast<float*>(arrays[1].data);
  for (int repeat = 0; repeat < 2; ++repeat) {
    fill(cells, 1, heat);
    fill(edges, kLevels, wind);
    CHECK(halcyon_halo_start(grid.halo, 2, arrays.data()) == HALCYON_OK);
    CHECK(halcyon_halo_wait(grid.halo) == HALCYON_OK);
    CHECK(halcyon_halo_wait(grid.halo) == HALCYON_OK);
    CHECK(n_wrong(cells, cells.n_local, 1, heat) == 0);
    CHECK(n_wrong(edges, edges.layer_offsets[1], kLevels, wind) == 0);
  }
}

}  // namespace

TEST_CASE("capi: a decomposition is that of C++") {
  const Grid grid;
  const auto owners = owners_of(grid.whole, world_size());
  const auto due = decomposition::decompose(grid.whole, owners, world_rank(), kLayers);
  std::int32_t n = 0;
  CHECK(halcyon_decomposition_n_inner(grid.part, &n) == HALCYON_OK);
  CHECK(n == due.n_inner);
  for (const auto location : {HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX}) {
    const auto found = grid.share(location);
    const auto& share = due.shares[location];
    CHECK(found.n_owned == share.n_owned);
    CHECK(found.n_layers == kLayers);
    REQUIRE(found.n_local == share.size());
    CHECK(std::equal(share.to_global.begin(), share.to_global.end(), found.to_global));
    CHECK(std::equal(share.layer_offsets.begin(), share.layer_offsets.end(), found.layer_offsets));
  }
  const std::int32_t* ranks = nullptr;
  CHECK(halcyon_decomposition_neighbours(grid.part, &n, &ranks) == HALCYON_OK);
  REQUIRE(n == std::ssize(due.neighbours));
  for (std::int32_t i = 0; i < n; ++i) CHECK(ranks[i] == due.neighbours[i].rank);
}

TEST_CASE("capi: global ids become local ones") {
  const Grid grid;
  const auto cells = grid.share(HALCYON_CELL);
  std::vector<std::int64_t> ids(grid.whole.n_cells());
  std::iota(ids.rbegin(), ids.rend(), 0);
  std::vector<std::int32_t> local(ids.size(), 77);
  CHECK(halcyon_decomposition_to_local(grid.part, HALCYON_CELL, std::ssize(ids), ids.data(), local.data()) ==
        HALCYON_OK);
  std::int32_t n_held = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (local[i] == -1) continue;
    ++n_held;
    REQUIRE((local[i] >= 0 && local[i] < cells.n_local));
    CHECK(cells.to_global[local[i]] == ids[i]);
  }
  CHECK(n_held == cells.n_local);
}

TEST_CASE("capi: a partition by options, and given owners") {
  const Grid first;
  std::vector<std::int32_t> owners(first.whole.n_cells(), -1);
  halcyon_partition_options options;
  halcyon_partition_options_default(&options);
  CHECK(halcyon_partition(first.topology, 5, nullptr, owners.data()) == HALCYON_OK);
  CHECK(owners == owners_of(first.whole, 5));
  options.method = "recursive";
  options.contiguous = 1;
  options.seed = 3;
  CHECK(halcyon_partition(first.topology, 6, &options, owners.data()) == HALCYON_OK);
  CHECK(std::ranges::max(owners) == 5);
  options.ranks_per_node = 3;
  CHECK(halcyon_partition(first.topology, 6, &options, owners.data()) == HALCYON_OK);
  CHECK(std::ranges::max(owners) == 5);
  options.method = "round";
  CHECK(halcyon_partition(first.topology, 6, &options, owners.data()) == HALCYON_INPUT_ERROR);
  all_say("'round'");

  for (std::size_t cell = 0; cell < owners.size(); ++cell)
    owners[cell] = static_cast<std::int32_t>(cell) % world_size();
  const Grid dealt(owners.data());
  const auto cells = dealt.share(HALCYON_CELL);
  for (std::int32_t i = 0; i < cells.n_owned; ++i) CHECK(cells.to_global[i] % world_size() == world_rank());
}

TEST_CASE("capi: halo values are their owners', by every method, wherever fields lie") {
  Grid grid;
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  for (const auto& [name, method] : comm::kMethods) {
    CAPTURE(name);
    REQUIRE(grid.make_halo(name.data(), method == comm::Method::automatic) == HALCYON_OK);
    std::vector<halcyon_target> arrays{{"heat", HALCYON_FLOAT64, nullptr, 0},
                                       {"wind", HALCYON_FLOAT32, nullptr, 0}};
    REQUIRE(halcyon_halo_allocate(grid.halo, 2, arrays.data()) == HALCYON_OK);
    CHECK(arrays[0].count == cells.n_local);
    CHECK(arrays[1].count == edges.n_local * kLevels);
    CHECK(std::count(static_cast<double*>(arrays[0].data),
                     static_cast<double*>(arrays[0].data) + cells.n_local, 0.0) == cells.n_local);
    exchange_and_check(grid, arrays);
    std::vector<double> heat(cells.n_local);
    arrays[0].data = heat.data();
    exchange_and_check(grid, arrays);
    const char* description = nullptr;
    CHECK(halcyon_halo_description(grid.halo, &description) == HALCYON_OK);
    CHECK(std::string(description).starts_with(name));
  }
  REQUIRE(grid.make_halo(nullptr) == HALCYON_OK);
  const char* description = nullptr;
  CHECK(halcyon_halo_description(grid.halo, &description) == HALCYON_OK);
  CHECK(std::string(description).starts_with("auto: "));
}

TEST_CASE("capi: statistics count what was exchanged") {
  Grid grid;
  REQUIRE(grid.make_halo("isend_irecv") == HALCYON_OK);
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  std::vector<double> heat(cells.n_local);
  std::vector<float> wind(edges.n_local * kLevels);
  const std::vector<halcyon_target> arrays{{"heat", HALCYON_FLOAT64, heat.data(), std::ssize(heat)},
                                           {"wind", HALCYON_FLOAT32, wind.data(), std::ssize(wind)}};
  for (int repeat = 0; repeat < 3; ++repeat)
    CHECK(halcyon_halo_exchange(grid.halo, 2, arrays.data()) == HALCYON_OK);
  halcyon_statistics found;
  CHECK(halcyon_halo_statistics(grid.halo, &found) == HALCYON_OK);
  std::int32_t n_neighbours = 0;
  const std::int32_t* ranks = nullptr;
  CHECK(halcyon_decomposition_neighbours(grid.part, &n_neighbours, &ranks) == HALCYON_OK);
  CHECK(found.n_exchanges == 3);
  CHECK(found.n_sent == 3 * n_neighbours);
  CHECK(found.n_received == 3 * n_neighbours);
  const std::int64_t halo_edges = edges.layer_offsets[1] - edges.n_owned;
  CHECK(found.received_bytes == 3 * (8 * (cells.n_local - cells.n_owned) + 4 * kLevels * halo_edges));
  CHECK(found.pack_s >= 0);
  CHECK(found.pack_s + found.transfer_s + found.wait_s + found.unpack_s > 0);
}

TEST_CASE("capi: groups that cannot be are refused on all ranks") {
  Grid grid;
  CHECK(grid.make_halo("post") == HALCYON_INPUT_ERROR);
  all_say("There is no exchange method 'post'");
  grid.fields[1].variable = "heat";
  CHECK(grid.make_halo("auto") == HALCYON_INPUT_ERROR);
  all_say("Two fields of a halo exchange are named heat");
  grid.fields[1] = {"wind", HALCYON_EDGE, HALCYON_FLOAT32, 0, 1};
  CHECK(grid.make_halo("auto") == HALCYON_INPUT_ERROR);
  all_say("The field wind has 0 levels, but must have at least 1.");
  grid.fields[1] = {"wind", static_cast<halcyon_location>(3), HALCYON_FLOAT32, 1, 1};
  CHECK(grid.make_halo("auto") == HALCYON_INTERNAL_ERROR);
  all_say("The location 3 is none of HALCYON_CELL");
  grid.fields[1] = {"wind", HALCYON_EDGE, HALCYON_FLOAT32, 1, 3};
  if (world_size() > 1) {
    CHECK(grid.make_halo("isend_irecv") == HALCYON_INPUT_ERROR);
    all_say("A field needs 3 halo layers, but the decomposition has 2.");
  }
  CHECK(grid.halo == nullptr);
  std::vector<std::int32_t> owners(grid.whole.n_cells(), 0);
  owners[7] = world_size();
  CHECK(grid.decompose(owners.data(), 1) == HALCYON_INPUT_ERROR);
  all_say("Cell 7 is owned by rank " + std::to_string(world_size()) + ", but there are only 0 to ");
  CHECK(grid.decompose(nullptr, 0) == HALCYON_INPUT_ERROR);
  all_say("A halo needs at least 1 layer, not 0.");
}

TEST_CASE("capi: arrays that are not those of the group are refused") {
  Grid grid;
  REQUIRE(grid.make_halo("isend_irecv") == HALCYON_OK);
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  std::vector<double> heat(cells.n_local);
  std::vector<float> wind(edges.n_local * kLevels);
  const std::vector<halcyon_target> right{{"heat", HALCYON_FLOAT64, heat.data(), std::ssize(heat)},
                                          {"wind", HALCYON_FLOAT32, wind.data(), std::ssize(wind)}};
  const auto refused = [&](auto change, const std::string& text, std::int32_t n = 2) {
    auto wrong = right;
    change(wrong);
    CHECK(halcyon_halo_start(grid.halo, n, wrong.data()) == HALCYON_INTERNAL_ERROR);
    all_say(text);
  };
  refused([](auto&) {}, "1 arrays are given, but the group of the halo has 2 fields.", 1);
  refused([](auto& a) { std::swap(a[0], a[1]); }, "wind is given where the group of the halo has heat.");
  refused([](auto& a) { a[0].type = HALCYON_INT64; }, "heat is of int64, but of float64 in the group");
  refused([](auto& a) { a[1].count -= 1; },
          "wind needs " + std::to_string(wind.size()) + " numbers, 3 levels at each of ");
  refused([](auto& a) { a[1].data = nullptr; }, "NULL is given for wind.");
  refused([](auto& a) { a[1].variable = nullptr; }, "NULL is given for an array's variable.");
  CHECK(halcyon_halo_start(grid.halo, 2, right.data()) == HALCYON_OK);
  CHECK(halcyon_halo_start(grid.halo, 2, right.data()) == HALCYON_INTERNAL_ERROR);
  all_say("An exchange of heat is under way. Wait for it before the next start.");
  CHECK(halcyon_halo_wait(grid.halo) == HALCYON_OK);
  halcyon_target cold{"cold", HALCYON_FLOAT64, nullptr, 0};
  CHECK(halcyon_halo_allocate(grid.halo, 1, &cold) == HALCYON_INTERNAL_ERROR);
  all_say("The group of the halo has no field cold.");
}

TEST_CASE("capi: meshes that cannot be are refused" * in_process()) {
  halcyon_topology* topology = nullptr;
  const std::vector<std::int32_t> offsets{0, 1, 2}, across{1, 0};
  const auto create = [&](const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& cells) {
    return halcyon_topology_create(2, from.data(), cells.data(), &topology);
  };
  CHECK(create(offsets, {1, 2}) == HALCYON_INPUT_ERROR);
  all_say("Cell 1 has the cell 2, but there are only 0 to 1.");
  CHECK(create(offsets, {1, -1}) == HALCYON_INPUT_ERROR);
  all_say("Cell 0 has the neighbour 1, but not the reverse.");
  CHECK(create({0, 3, 2}, {1, 0, 0}) == HALCYON_INPUT_ERROR);
  all_say("The offsets of cell on cell 1 run backwards, from 3 to 2.");
  CHECK(halcyon_topology_create(-1, offsets.data(), across.data(), &topology) == HALCYON_INTERNAL_ERROR);
  all_say("The count of cells is -1");
  CHECK(halcyon_topology_create(2, nullptr, across.data(), &topology) == HALCYON_INTERNAL_ERROR);
  all_say("NULL is given for offsets.");
  CHECK(halcyon_topology_read("nowhere/mesh.nc", &topology) == HALCYON_INPUT_ERROR);
  all_say("nowhere/mesh.nc");
  CHECK(topology == nullptr);
  REQUIRE(create(offsets, across) == HALCYON_OK);
  CHECK(halcyon_topology_share(topology, HALCYON_EDGE, 2, offsets.data(), std::vector{0, 2}.data()) ==
        HALCYON_INPUT_ERROR);
  all_say("Cell 1 has the edge 2, but there are only 0 to 1.");
  halcyon_topology_free(topology);
}
