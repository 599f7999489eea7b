#include "halcyon/base/error.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Runs a transposition, or the reverse one, in process. Returns whether every rank has its final items.
bool moves_all_items(const TransposedGrid& grid, AlltoallMethod method, bool is_reverse) {
  const auto schedule = is_reverse ? reverse_transposition(grid, method) : transposition(grid, method);
  std::vector<Memory> memory;
  std::vector<Buffers> spans;
  std::vector<std::vector<std::int64_t>> items;
  for (Rank rank = 0; rank < grid.n_ranks(); ++rank) {
    memory.emplace_back(schedule, rank);
    items.push_back(items_at(grid, is_reverse ? 3 : 0, rank));
  }
  for (auto& of_rank : memory) spans.push_back(of_rank.spans());
  run_in_process(schedule, spans, [&](Rank rank) {
    return Callbacks{.combine = {}, .work = reordering(grid, rank, spans[rank], items[rank], is_reverse)};
  });
  for (Rank rank = 0; rank < grid.n_ranks(); ++rank) {
    if (items[rank] != items_at(grid, is_reverse ? 0 : 3, rank)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("schedule: a transposition brings every item where it belongs, for all cx, cy up to 70 ranks" *
          test::in_process()) {
  for (Rank cx = 1; cx <= 8; ++cx) {
    for (Rank cy = 1; cy * cx <= 70 && cy <= 13; ++cy) {
      const TransposedGrid grid{.nx = 13, .ny = 17, .nz = 9, .cx = cx, .cy = cy};
      CAPTURE(cx);
      CAPTURE(cy);
      const auto& method = kAlltoalls[(cx + cy) % kAlltoalls.size()];
      REQUIRE(moves_all_items(grid, method, false));
      REQUIRE(moves_all_items(grid, method, true));
    }
  }
}

TEST_CASE("schedule: a transposition has three stages, messages and bytes of its closed form" *
          test::in_process()) {
  const TransposedGrid grid{.nx = 1440, .ny = 720, .nz = 256, .cx = 25, .cy = 40};
  const auto schedule = transposition(grid, {AlltoallAlgorithm::ring, 4}, 1e-9);
  CHECK(schedule.n_ranks() == 1000);
  CHECK(schedule.n_stages() == 3);
  const Rank rank = 999;
  const auto counts = count(schedule, rank);
  CHECK(counts.rounds == 6 + 10 + 6);
  CHECK(counts.sent == 24 + 39 + 24);
  const auto sent_bytes = [&](int state, int next) {  // of all items except those that stay on their rank
    const auto from = box_at(grid, state, rank), to = box_at(grid, next, rank);
    std::int64_t kept_bytes = 8;
    for (int d = 0; d < 3; ++d) {
      const auto begin = std::max(from.begin[d], to.begin[d]);
      kept_bytes *= std::min(from.begin[d] + from.size[d], to.begin[d] + to.size[d]) - begin;
    }
    return 8 * from.n_items() - kept_bytes;
  };
  CHECK(counts.sent_bytes == sent_bytes(0, 1) + sent_bytes(1, 2) + sent_bytes(2, 3));
  Cursor cursor;
  std::vector<double> compute_s;
  std::int32_t stage = 0;
  for (Operation operation; schedule.next(rank, cursor, operation);) {
    CHECK(schedule.stage(cursor) >= stage);
    stage = schedule.stage(cursor);
    if (operation.action == Action::compute) compute_s.push_back(operation.seconds);
  }
  CHECK(stage == 2);
  REQUIRE(compute_s.size() == 4);
  for (int state = 0; state < 4; ++state)
    CHECK(compute_s[state] ==
          doctest::Approx(1e-9 * static_cast<double>(box_at(grid, state, rank).n_items())));
}

TEST_CASE("schedule: the boxes of each state tile the paper's grid on a million ranks" * test::in_process()) {
  const TransposedGrid grid{.nx = 28800, .ny = 14400, .nz = 256, .cx = 250, .cy = 4000};
  for (int state = 0; state < 4; ++state) {
    std::int64_t n_items = 0;
    for (Rank rank = 0; rank < grid.n_ranks(); ++rank) n_items += box_at(grid, state, rank).n_items();
    CHECK(n_items == grid.nx * grid.ny * grid.nz);
  }
  const auto schedule = transposition(grid, {AlltoallAlgorithm::ring, 1});
  CHECK(count(schedule, 777'777).sent == 249 + 3999 + 249);
}

TEST_CASE("schedule: a transposition of too few points is refused") {
  const TransposedGrid grid{.nx = 100, .ny = 100, .nz = 8, .cx = 9, .cy = 2};
  CHECK_THROWS_WITH_AS(
      transposition(grid, {}),
      "The 8 points along z are too few for 9 ranks. Use at most min(nx, ny, nz) ranks for cx and "
      "min(nx, ny) for cy.",
      ConfigError);
  CHECK_THROWS_AS(transposition({.nx = 4, .ny = 4, .nz = 4, .cx = 0, .cy = 2}, {}), ConfigError);
}
