#include "halcyon/semi_lagrangian/columns.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"
#include "halcyon/semi_lagrangian/trajectory.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::semi_lagrangian;
using transform::Grid;

namespace {

std::vector<Grid> all_grids() {
  return {Grid::full(24, 48), Grid::octahedral(13), Grid::reduced(26, 25), Grid::full(7, 5)};
}

/// Returns the position of a column of the grid.
Point position_of(const Rows& rows, ColumnIndex index) {
  return {kTwoPi * index.column / rows.grid().row_length(index.row), rows.colatitude(index.row)};
}

/// Returns the point at a distance [rad] from a start, in a direction anticlockwise from east [rad].
Point point_at(Point start, double distance, double direction) {
  const auto up = vector_of(start);
  const auto east = vector_of({start.longitude + kPi / 2, kPi / 2});
  const auto towards = std::cos(direction) * east + std::sin(direction) * cross(up, east);
  return point_of(std::cos(distance) * up + std::sin(distance) * towards);
}

}  // namespace

// Rows -1, -2, ... and n, n + 1, ... are rows on the other side of the pole.
TEST_CASE("semi_lagrangian rows: they go on over the poles and around the globe" * test::in_process()) {
  for (const auto& grid : all_grids()) {
    const Rows rows(grid);
    const int n = rows.n_rows();
    for (int row = 0; row < n; ++row) {
      CHECK(rows.fold(row).row == row);
      CHECK(!rows.fold(row).across_pole);
      CHECK(rows.fold(-1 - row).row == row);
      CHECK(rows.fold(-1 - row).across_pole);
      CHECK(rows.fold(2 * n - 1 - row).row == row);
      CHECK(rows.fold(row + 4 * n).row == row);
      CHECK(rows.row_north_of(rows.colatitude(row)) == row);
      CHECK(rows.row_north_of(std::nextafter(rows.colatitude(row), 0.0)) == row - 1);
    }
    CHECK(rows.row_north_of(0) == -1);
    CHECK(rows.row_north_of(kPi) == n - 1);
    for (int row = -1; row < n + 2; ++row) CHECK(rows.colatitude(row) > rows.colatitude(row - 1));
    CHECK(rows.locate(-1, 0.3).column(0, 8) == rows.locate(0, 0.3 + kPi).column(0, 8));
    CHECK(rows.locate(1, -1e-18).west == 0);
    CHECK(rows.locate(1, -1e-18).fraction == 0);
  }
}

TEST_CASE("semi_lagrangian division: each column has one owner" * test::in_process()) {
  for (const auto& grid : all_grids())
    for (const auto& [px, py] : {std::pair{1, 1}, {1, 7}, {3, 2}, {5, 4}, {2, 3}}) {
      const Division division(grid, px, py);
      std::vector<int> n_owners(grid.n_points());
      for (Rank rank = 0; rank < division.n_ranks(); ++rank) {
        const auto owned = division.owned(rank);
        CHECK(!owned.empty());
        for (const auto index : owned) {
          CHECK(division.owner(index) == rank);
          const auto id = division.id(index);
          CHECK(division.column_index(id).row == index.row);
          CHECK(division.column_index(id).column == index.column);
          ++n_owners[id];
        }
      }
      CHECK(std::ranges::all_of(n_owners, [](int n) { return n == 1; }));
    }
  CHECK_THROWS_AS(Division(Grid::full(4, 8), 1, 5), ConfigError);
  CHECK_THROWS_AS(Division(Grid::full(4, 8), 9, 1), ConfigError);
}

// Otherwise a rank whose parts lie at different longitudes would need halos around the globe.
TEST_CASE("semi_lagrangian division: part v of a row of any length lies at v/V of the circle" *
          test::in_process()) {
  for (const auto& grid : all_grids())
    for (const int n_parts : {1, 3, 20, 40}) {
      const Division division(grid, std::vector<Rank>(grid.n_rows(), 0), {.v = n_parts, .w = 1});
      for (int row = 0; row < grid.n_rows(); ++row)
        for (Rank v = 0; v < n_parts; ++v) {
          const auto [begin, end] = division.columns(v, row);
          for (int column = begin; column < end; ++column) {
            const std::int64_t position = std::int64_t{column} * n_parts;  // in circles / (V row length)
            CHECK(position >= std::int64_t{v} * grid.row_length(row));
            CHECK(position < std::int64_t{v + 1} * grid.row_length(row));
            CHECK(division.owner({row, column}) == v);
          }
        }
    }
}

// The stencil of any point within max_distance of an owned column is owned or in the halo; of points farther
// away, some are not.
TEST_CASE("semi_lagrangian wide halo: it holds all that its reach needs, and not much more" *
          test::in_process()) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& grid : all_grids())
    for (const auto& [px, py] : {std::pair{1, 6}, {2, 3}, {5, 4}, {3, 24}})
      for (const int width : {3, 4, 7}) {
        if (py > grid.n_rows()) continue;
        const Rows rows(grid);
        const Division division(grid, px, py);
        for (Rank rank = 0; rank < division.n_ranks(); ++rank) {
          const auto ids = wide_halo(rows, division, rank, width);
          CHECK(std::ranges::is_sorted(ids));
          const Columns columns(division, rank, ids);
          CHECK(columns.n_local() == columns.n_owned() + std::ssize(ids));
          int n_missing = 0, n_missing_beyond = 0;
          for (const auto index : division.owned(rank))
            for (int i = 0; i < 20; ++i) {
              const double distance = max_distance(rows, width) * (i % 4 == 0 ? 1 : uniform(generator));
              const double direction = i < 8 ? i * kPi / 4 : kTwoPi * uniform(generator);
              const auto has_stencil = [&](double d) {
                const auto rows_around = stencil_rows(rows, point_at(position_of(rows, index), d, direction));
                return std::ranges::all_of(kStencil, [&](auto point) {
                  return columns.position(rows_around.column_index(rows, point)) != kNone;
                });
              };
              n_missing += !has_stencil(distance);
              n_missing_beyond += !has_stencil(max_distance(rows, width) * 1.5 + 4 * rows.spacing());
            }
          CHECK(n_missing == 0);
          if (width == 3 && px == 1 && rank == 2 && grid.n_rows() > 7) CHECK(n_missing_beyond > 0);
        }
      }
}

// The columns are those of the stencils of three points, without columns that rank 3 owns.
TEST_CASE("semi_lagrangian on demand: no column that is not needed, none twice" * test::in_process()) {
  const Rows rows(Grid::octahedral(13));
  const Division division(rows.grid(), 2, 3);
  const std::vector<Point> points{{0, 0}, {-0.1, 1.5}, {3, kPi}};
  ColumnSet columns(division);
  add_columns(rows, points, Interpolation::quasi_cubic, columns);
  std::set<GlobalIndex> expected;
  for (const auto point : points)
    for (int k = 0; k < 12; ++k)
      expected.insert(division.id(stencil_rows(rows, point).column_index(rows, kStencil[k])));
  std::erase_if(expected, [&](auto id) { return division.owner(division.column_index(id)) == 3; });
  CHECK(columns.not_owned_by(3) == std::vector<GlobalIndex>(expected.begin(), expected.end()));
}

TEST_CASE("semi_lagrangian stencil: exact for what its polynomials hold" * test::in_process()) {
  const Rows rows(Grid::full(24, 48));
  const Division division(rows.grid(), 1, 1);
  const Columns columns(division, 0, {});
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& [interpolation, degree] :
       {std::pair{Interpolation::linear, 1}, {Interpolation::quasi_cubic, 3}, {Interpolation::cubic, 3}})
    for (int i = 0; i < 200; ++i) {
      const Point point{kTwoPi * (2 + 43 * uniform(generator)) / 48, 0.5 + 2 * uniform(generator)};
      const Stencils stencil(rows, columns, std::array{point}, interpolation);
      double value = 0, sum = 0;
      // Degree 3 in colatitude, and in longitude except for the outer rows of quasi-cubic interpolation.
      const auto polynomial = [&](Point p) {
        const int power = interpolation == Interpolation::quasi_cubic ? 1 : degree;
        return std::pow(p.colatitude, degree) + std::pow(p.longitude, power) * (1 + p.colatitude);
      };
      for (int k = 0; k < stencil.n_points; ++k) {
        const auto index = division.column_index(stencil.positions[k]);
        value += stencil.weights[k] * polynomial(position_of(rows, index));
        sum += stencil.weights[k];
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-14));
      CHECK(value == doctest::Approx(polynomial(point)).epsilon(1e-12));
    }
}

// Values encode column, field and level.
TEST_CASE("semi_lagrangian halo: each column comes from its owner, in groups of levels") {
  const comm::Communicator comm(test::world());
  const Grid grid = Grid::octahedral(13);
  const Rows rows(grid);
  const Division division(grid, 1, comm.size());
  const Columns columns(division, comm.rank(), wide_halo(rows, division, comm.rank(), 9));
  const ColumnHalo::Sizes sizes{2, 5, 3};
  ColumnHalo halo(&comm, division, columns, sizes, comm::method_named("persistent"));
  const auto value = [](GlobalIndex id, int field, int level) { return 100.0 * id + 10 * field + level; };
  std::vector<double> fields[2];
  for (int field = 0; field < 2; ++field)
    for (const auto index : division.owned(comm.rank()))
      for (int level = 0; level < 5; ++level)
        fields[field].push_back(value(division.id(index), field, level));
  const std::array<ColumnField, 2> field_views{
      {{.data = fields[0].data(), .column_stride = 5, .level_stride = 1},
       {.data = fields[1].data(), .column_stride = 5, .level_stride = 1}}};
  for (int group = 0; group < 3; ++group) halo.start(group, field_views);
  int n_wrong = 0;
  for (int group = 2; group >= 0; --group) {
    halo.wait(group);
    const auto levels = halo.levels(group);
    for (std::size_t i = 0; i < columns.halo().size(); ++i)
      for (int field = 0; field < 2; ++field)
        for (int level = levels.begin; level < levels.end; ++level)
          n_wrong += halo.values(group)(columns.n_owned() + i, field, level - levels.begin) !=
                     value(columns.halo()[i], field, level);
  }
  CHECK(n_wrong == 0);
  CHECK(halo.received_bytes() == 80 * std::ssize(columns.halo()));
}
