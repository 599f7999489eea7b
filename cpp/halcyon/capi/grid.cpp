#include "halcyon/capi/transform_handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

int halcyon_grid_create(int32_t n_rows, const int32_t* row_lengths, halcyon_grid** grid) {
  return guarded([&] {
    auto& into = given(grid, "grid");
    const auto lengths = given_list(row_lengths, n_rows, "row_lengths");
    into = new halcyon_grid{transform::Grid({lengths.begin(), lengths.end()})};
  });
}

int halcyon_grid_full(int32_t n_rows, int32_t n_longitudes, halcyon_grid** grid) {
  return guarded(
      [&] { given(grid, "grid") = new halcyon_grid{transform::Grid::full(n_rows, n_longitudes)}; });
}

int halcyon_grid_reduced(int32_t n_rows, int32_t truncation, int32_t points_per_wave, halcyon_grid** grid) {
  return guarded([&] {
    given(grid, "grid") = new halcyon_grid{transform::Grid::reduced(n_rows, truncation, points_per_wave)};
  });
}

int halcyon_grid_octahedral(int32_t n, halcyon_grid** grid) {
  return guarded([&] { given(grid, "grid") = new halcyon_grid{transform::Grid::octahedral(n)}; });
}

int halcyon_grid_rows(const halcyon_grid* grid, halcyon_rows* rows) {
  return guarded([&] {
    const auto& ours = given(grid, "grid").grid;
    const auto& latitudes = ours.latitudes();
    given(rows, "rows") = {.n_rows = ours.n_rows(),
                           .n_points = static_cast<std::int64_t>(ours.n_points()),
                           .row_lengths = ours.row_lengths().data(),
                           .sines = latitudes.sines.data(),
                           .cosines = latitudes.cosines.data(),
                           .weights = latitudes.weights.data()};
  });
}

void halcyon_grid_free(halcyon_grid* grid) {
  delete grid;
}
