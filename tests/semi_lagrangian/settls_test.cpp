#include "halcyon/semi_lagrangian/settls.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::semi_lagrangian;
using transform::Grid;

namespace {

constexpr double kStep = 3600, kWind = 40;
const std::vector<double> kEta{0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95};

/// Fields and velocities (level, point) of this rank.
struct Air {
  Air(const Grid& grid, SettlsOptions options)
      : rows(grid), division(grid, 1, comm.size()), n_levels(options.eta.size()) {
    settls.emplace(&comm, grid, division, std::move(options));
    for (const auto [row, column] : division.owned(comm.rank()))
      points.push_back({kTwoPi * column / division.row_length(row), rows.colatitude(row)});
    for (auto* values : {&east, &north, &vertical}) values->resize(n_levels * points.size());
    fields.resize(settls->n_fields() * n_levels * points.size());
    results = fields;
  }
  /// Solid rotation about an axis, with kWind at its equator, at all levels.
  void rotate(Vector3 axis) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto p = vector_of(points[i]);
      const auto [u, v] = wind_components(p, kWind * cross(axis, p));
      for (std::size_t k = 0; k < n_levels; ++k) at(east, k, i) = u, at(north, k, i) = v;
    }
  }
  double& at(std::vector<double>& values, std::size_t level, std::size_t point) const {
    return values[level * points.size() + point];
  }
  double& field(std::vector<double>& values, std::size_t number, std::size_t level, std::size_t point) const {
    return values[(number * n_levels + level) * points.size() + point];
  }
  void advance() {
    const Settls::Velocity velocity{east, north, vertical};
    settls->advance(velocity, velocity, kStep, fields, results);
  }

  comm::Communicator comm{test::world()};
  Rows rows;
  Division division;
  std::size_t n_levels;
  std::optional<Settls> settls;
  std::vector<Point> points;
  std::vector<double> east, north, vertical, fields, results;
};

}  // namespace

// A rotation about an axis through the equator carries air over both poles. A smooth scalar moves by the
// angle of the rotation; winds are those at the departure point, transported in parallel.
TEST_CASE("semi_lagrangian settls: solid rotation over the poles moves winds and scalars") {
  for (const auto& grid : {Grid::full(48, 96), Grid::octahedral(24)}) {
    Air air(grid, {.n_scalars = 1});
    const Vector3 axis{1, 0, 0};
    air.rotate(axis);
    const auto smooth = [](Vector3 p) { return p.x + p.y * p.z + p.z * p.z * p.z; };
    for (std::size_t i = 0; i < air.points.size(); ++i) {
      air.field(air.fields, 0, 0, i) = air.east[i], air.field(air.fields, 1, 0, i) = air.north[i];
      air.field(air.fields, 2, 0, i) = smooth(vector_of(air.points[i]));
    }
    air.advance();
    double wind_error = 0, scalar_error = 0;
    const double angle = kWind * kStep / kEarthRadius;
    for (std::size_t i = 0; i < air.points.size(); ++i) {
      const auto p = vector_of(air.points[i]);
      const Vector3 before{p.x, std::cos(angle) * p.y + std::sin(angle) * p.z,
                           std::cos(angle) * p.z - std::sin(angle) * p.y};
      scalar_error = std::max(scalar_error, std::abs(air.field(air.results, 2, 0, i) - smooth(before)));
      const auto [u, v] = wind_components(p, transported(before, p, kWind * cross(axis, before)));
      wind_error = std::max(
          wind_error, std::hypot(air.field(air.results, 0, 0, i) - u, air.field(air.results, 1, 0, i) - v));
    }
    CHECK(scalar_error < 2e-4);
    // Rows of 20 points next to the poles resolve wind components less well.
    CHECK(wind_error < (grid.row_length(0) == 20 ? 0.05 : 0.01));
  }
}

// With a uniform d(eta)/dt, cubic functions of eta move exactly, where four levels surround the departure
// point.
TEST_CASE("semi_lagrangian settls: air that rises brings the values from below") {
  Air air(Grid::full(12, 24),
          {.eta = kEta, .n_scalars = 1, .has_flat = true, .interpolation = Interpolation::cubic});
  const double rate = -0.02 / kStep;
  std::ranges::fill(air.vertical, rate);
  const auto profile = [](double eta) { return 3 - eta + 2 * eta * eta - 5 * eta * eta * eta; };
  for (std::size_t k = 0; k < kEta.size(); ++k)
    for (std::size_t i = 0; i < air.points.size(); ++i)
      air.field(air.fields, 2, k, i) = air.field(air.fields, 3, k, i) = profile(kEta[k]);
  air.advance();
  for (std::size_t k = 0; k < kEta.size(); ++k) {
    const bool is_inside = k >= 1 && k + 2 < kEta.size();
    for (std::size_t i = 0; i < air.points.size(); ++i) {
      if (is_inside)
        CHECK(air.field(air.results, 2, k, i) == doctest::Approx(profile(kEta[k] + 0.02)).epsilon(1e-13));
      CHECK(air.field(air.results, 3, k, i) == doctest::Approx(profile(kEta[k])).epsilon(1e-14));  // flat
    }
  }
}

// Interpolation across a jump makes new extremes, unless it is monotone.
TEST_CASE("semi_lagrangian settls: monotone interpolation makes no new extremes") {
  for (const bool monotone : {false, true}) {
    Air air(Grid::full(24, 48), {.eta = kEta, .n_scalars = 1, .monotone = monotone});
    air.rotate(normalized(Vector3{0.3, 0.2, 1}));
    for (std::size_t k = 0; k < kEta.size(); ++k)
      for (std::size_t i = 0; i < air.points.size(); ++i)
        air.field(air.fields, 2, k, i) = std::sin(air.points[i].longitude) > 0.2 && kEta[k] < 0.6 ? 1 : 0;
    std::ranges::fill(air.vertical, 0.03 / kStep);
    air.advance();
    double lowest = 0, highest = 1;
    for (std::size_t k = 0; k < kEta.size(); ++k)
      for (std::size_t i = 0; i < air.points.size(); ++i) {
        lowest = std::min(lowest, air.field(air.results, 2, k, i));
        highest = std::max(highest, air.field(air.results, 2, k, i));
      }
    const auto excess = static_cast<double>(air.comm.max(std::llround(1e6 * (highest - 1 - lowest))));
    CHECK((monotone ? excess == 0 : excess > 1e4));
  }
}

TEST_CASE("semi_lagrangian settls: winds that it cannot follow are refused on all ranks") {
  Air air(Grid::full(12, 24), {.n_scalars = 0});
  if (air.comm.rank() == air.comm.size() - 1) air.east.back() = std::nan("");
  CHECK_THROWS_AS(air.advance(), InputError);
  std::ranges::fill(air.east, 1e4);
  CHECK_THROWS_AS(air.advance(), ConfigError);
  CHECK_THROWS_AS(Settls(&air.comm, Grid::full(12, 24), Division(Grid::full(12, 24), 1, air.comm.size()),
                         {.eta = kEta, .n_groups = 9}),
                  ConfigError);
}
