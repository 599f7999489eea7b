#include <algorithm>
#include <string>
#include <vector>

#include "capi/grid.hpp"
#include "halcyon/comm/methods/method.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Sets all levels of owned items to their global ids, and the halo to -1.
template <class T>
void fill(const halcyon_share& share, std::int32_t levels, T* values) {
  for (std::int32_t i = 0; i < share.n_local * levels; ++i)
    values[i] = i < share.n_owned * levels ? static_cast<T>(share.to_global[i / levels]) : T{-1};
}

/// Number of values of the first `n` items that differ from the global ids.
template <class T>
std::int64_t n_wrong(const halcyon_share& share, std::int32_t n, std::int32_t levels, const T* values) {
  std::int64_t count = 0;
  for (std::int32_t i = 0; i < n * levels; ++i)
    count += values[i] != static_cast<T>(share.to_global[i / levels]);
  return count;
}

/// Exchanges heat and wind twice, and checks that halos have the global ids that their owners have set.
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

TEST_CASE("capi: halo values are their owners', by every method, wherever fields lie") {
  Grid grid;
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  for (const auto& name : options::names_of(comm::methods())) {
    CAPTURE(name);
    REQUIRE(grid.make_halo(name.c_str(), name == "auto") == HALCYON_OK);
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
  halcyon_statistics statistics;
  CHECK(halcyon_halo_statistics(grid.halo, &statistics) == HALCYON_OK);
  std::int32_t n_neighbours = 0;
  const std::int32_t* ranks = nullptr;
  CHECK(halcyon_decomposition_neighbours(grid.part, &n_neighbours, &ranks) == HALCYON_OK);
  CHECK(statistics.n_exchanges == 3);
  CHECK(statistics.n_sent == 3 * n_neighbours);
  CHECK(statistics.n_received == 3 * n_neighbours);
  const std::int64_t halo_edges = edges.layer_offsets[1] - edges.n_owned;
  CHECK(statistics.received_bytes == 3 * (8 * (cells.n_local - cells.n_owned) + 4 * kLevels * halo_edges));
  CHECK(statistics.pack_s >= 0);
  CHECK(statistics.pack_s + statistics.transfer_s + statistics.wait_s + statistics.unpack_s > 0);
}

TEST_CASE("capi: groups that cannot be are refused on all ranks") {
  Grid grid;
  CHECK(grid.make_halo("post") == HALCYON_INPUT_ERROR);
  check_error_text("There is no exchange method 'post'");
  grid.fields[1].variable = "heat";
  CHECK(grid.make_halo("auto") == HALCYON_INPUT_ERROR);
  check_error_text("Two fields of a halo exchange are named heat");
  grid.fields[1] = {"wind", HALCYON_EDGE, HALCYON_FLOAT32, 0, 1};
  CHECK(grid.make_halo("auto") == HALCYON_INPUT_ERROR);
  check_error_text("The field wind has 0 levels, but must have at least 1.");
  grid.fields[1] = {"wind", static_cast<halcyon_location>(3), HALCYON_FLOAT32, 1, 1};
  CHECK(grid.make_halo("auto") == HALCYON_INTERNAL_ERROR);
  check_error_text("Unknown location 3. Give HALCYON_CELL");
  grid.fields[1] = {"wind", HALCYON_EDGE, HALCYON_FLOAT32, 1, 3};
  if (world_size() > 1) {
    CHECK(grid.make_halo("isend_irecv") == HALCYON_INPUT_ERROR);
    check_error_text("A field needs 3 halo layers, but the decomposition has 2.");
  }
  CHECK(grid.halo == nullptr);
}

TEST_CASE("capi: arrays that are not those of the group are refused") {
  Grid grid;
  REQUIRE(grid.make_halo("isend_irecv") == HALCYON_OK);
  const auto cells = grid.share(HALCYON_CELL), edges = grid.share(HALCYON_EDGE);
  std::vector<double> heat(cells.n_local);
  std::vector<float> wind(edges.n_local * kLevels);
  const std::vector<halcyon_target> valid{{"heat", HALCYON_FLOAT64, heat.data(), std::ssize(heat)},
                                          {"wind", HALCYON_FLOAT32, wind.data(), std::ssize(wind)}};
  const auto check_refused = [&](auto change, const std::string& text, std::int32_t n = 2) {
    auto arrays = valid;
    change(arrays);
    CHECK(halcyon_halo_start(grid.halo, n, arrays.data()) == HALCYON_INTERNAL_ERROR);
    check_error_text(text);
  };
  check_refused([](auto&) {}, "1 arrays are given, but the halo has 2 fields.", 1);
  check_refused([](auto& arrays) { std::swap(arrays[0], arrays[1]); },
                "The array wind is given, but the next field of the halo is heat.");
  check_refused([](auto& arrays) { arrays[0].type = HALCYON_INT64; },
                "heat has the type int64, but float64 in the group");
  check_refused([](auto& arrays) { arrays[1].count -= 1; },
                "wind needs " + std::to_string(wind.size()) + " values, 3 levels at each of ");
  check_refused([](auto& arrays) { arrays[1].data = nullptr; }, "NULL is given for wind.");
  check_refused([](auto& arrays) { arrays[1].variable = nullptr; }, "NULL is given for an array's variable.");
  CHECK(halcyon_halo_progress(grid.halo) == HALCYON_OK);
  CHECK(halcyon_halo_start(grid.halo, 2, valid.data()) == HALCYON_OK);
  CHECK(halcyon_halo_progress(grid.halo) == HALCYON_OK);
  CHECK(halcyon_halo_start(grid.halo, 2, valid.data()) == HALCYON_INTERNAL_ERROR);
  check_error_text("An exchange of heat is pending. Wait for it before the next start.");
  CHECK(halcyon_halo_wait(grid.halo) == HALCYON_OK);
  halcyon_target cold{"cold", HALCYON_FLOAT64, nullptr, 0};
  CHECK(halcyon_halo_allocate(grid.halo, 1, &cold) == HALCYON_INTERNAL_ERROR);
  check_error_text("The halo has no field cold.");
}
