#include "halcyon/schedule/halo/grid_halo.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Fills the halos in process. Returns whether every rank's halo has the values of the grid.
bool halos_are_right(const HaloGrid& grid, HaloOrder order) {
  const GridHalo halo(grid, order);
  auto memory = in_process(halo, [&](Rank rank, Memory& of_rank) {
    std::ranges::copy(field_of(grid, rank, false), of_rank.as<std::int64_t>(0));
  });
  for (Rank rank = 0; rank < grid.n_ranks(); ++rank) {
    const auto expected = field_of(grid, rank, true);
    if (!std::equal(expected.begin(), expected.end(), memory[rank].as<std::int64_t>(0))) return false;
  }
  return true;
}

/// Checks the halos for periodic and other boundaries, in both message orders.
void check_all(HaloGrid grid) {
  for (const auto periodic : {std::array{true, true}, std::array{true, false}, std::array{false, false}}) {
    for (const auto order : {HaloOrder::sweeps, HaloOrder::at_once}) {
      grid.periodic = periodic;
      CAPTURE(grid.px);
      CAPTURE(grid.py);
      CAPTURE(grid.width);
      CAPTURE(periodic[0] + periodic[1]);
      REQUIRE(halos_are_right(grid, order));
    }
  }
}

}  // namespace

TEST_CASE("schedule: thin and wide halos hold what the grid has there, for 1 to 70 ranks" *
          test::in_process()) {
  for (Rank px = 1; px <= 10; ++px) {
    for (Rank py = 1; py <= 7; ++py) {
      const auto width = 1 + (3 * px + py) % 5;  // some wider than the boxes of 1 to 3 columns
      check_all({.nx = 2 * px + 1, .ny = 2 * py + px % 2, .px = px, .py = py, .width = width});
    }
  }
}

TEST_CASE("schedule: a halo that reaches around the grid, more than once" * test::in_process()) {
  check_all({.nx = 5, .ny = 3, .px = 2, .py = 3, .width = 12});
  check_all({.nx = 2, .ny = 2, .px = 2, .py = 1, .width = 5});
}

TEST_CASE("schedule: messages and bytes of a halo are those of its closed form" * test::in_process()) {
  for (const std::int64_t width : {3, 20, 30}) {
    const HaloGrid grid{.nx = 28800, .ny = 14400, .px = 1000, .py = 1000, .width = width, .item_bytes = 2048};
    const Rank rank = 123'456;
    const GridHalo sweeps(grid, HaloOrder::sweeps), at_once(grid, HaloOrder::at_once);
    const auto nx = sweeps.division(0).size(rank % grid.px), ny = sweeps.division(1).size(rank / grid.px);
    const auto halo = (nx + 2 * width) * (ny + 2 * width) - nx * ny;
    const auto sweep_counts = count(sweeps, rank), at_once_counts = count(at_once, rank);
    CHECK(sweep_counts.received_bytes == 2048 * halo);
    CHECK(at_once_counts.received_bytes == 2048 * halo);
    // neighbours in both directions along an axis, if all their boxes have the same size
    const auto n_neighbours = [width](std::int64_t points) { return 2 * ((width + points - 1) / points); };
    const auto in_x = n_neighbours(nx), in_y = n_neighbours(ny);
    CHECK(sweep_counts.rounds == 2);
    CHECK(sweep_counts.sent == in_x + in_y);
    CHECK(at_once_counts.rounds == 1);
    CHECK(at_once_counts.sent == (in_x + 1) * (in_y + 1) - 1);
  }
}

TEST_CASE("schedule: bad halos of grids are refused") {
  const HaloGrid grid{.nx = 8, .ny = 8, .px = 2, .py = 2};
  const auto check_refused = [&](auto change) {
    auto changed = grid;
    change(changed);
    CHECK_THROWS_AS(GridHalo(changed, HaloOrder::sweeps), ConfigError);
  };
  check_refused([](HaloGrid& changed) { changed.width = 0; });
  check_refused([](HaloGrid& changed) { changed.px = 9; });
  check_refused([](HaloGrid& changed) { changed.item_bytes = 0; });
  check_refused([](HaloGrid& changed) { changed.width = 1'000'000; });
}

TEST_CASE("schedule: halos of absurd width are refused") {
  const auto check_error = [](const HaloGrid& grid, HaloOrder order, const char* text) {
    CHECK_THROWS_WITH_AS(GridHalo(grid, order), text, ConfigError);
  };
  HaloGrid around{.nx = 100, .ny = 200, .px = 2, .py = 2, .width = 10'000};
  CHECK_NOTHROW(GridHalo(around, HaloOrder::sweeps));
  around.width = 10'001;
  check_error(
      around, HaloOrder::sweeps,
      "A halo of 10001 columns wraps around a grid of 100 x 200 columns more than 100 times. Make the "
      "halo narrower or the grid larger.");
  HaloGrid fine{.nx = 1000, .ny = 1000, .px = 1000, .py = 1000, .width = 150};
  CHECK_NOTHROW(GridHalo(fine, HaloOrder::at_once));
  fine.width = 500;
  CHECK_NOTHROW(GridHalo(fine, HaloOrder::sweeps));
  check_error(
      fine, HaloOrder::at_once,
      "A halo of 500 columns on 1000 x 1000 ranks needs up to 1006008 simultaneous messages per rank, "
      "more than the maximum of 100000. Make the halo narrower, or use order: sweeps.");
  check_error({.nx = 1000, .ny = 1000, .width = 10'000, .item_bytes = std::int64_t{1} << 40},
              HaloOrder::sweeps,
              "A rank's columns with a halo of 10000 have 4.85e+20 bytes, more than the maximum of 4.61e+18. "
              "Make the halo narrower or the columns smaller.");
}
