#include <cmath>
#include <string>
#include <vector>

#include "capi/error_text.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/semi_lagrangian/advection.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr int kRows = 16, kLongitudes = 32, kLevels = 3, kFields = 2, kIterations = 3;
constexpr double kStep = 7200;

using Values = std::vector<double>;  // (point, level)

/// Winds and fields at all points, and the results of an advection in C++ on one rank.
struct Case {
  explicit Case(const std::string& interpolation = "quasi_cubic")
      : single(comm::Communicator(MPI_COMM_SELF), grid, semi_lagrangian::Division(grid, 1, 1),
               {.sizes = {.n_fields = kFields, .n_levels = kLevels},
                .halo = semi_lagrangian::HaloKind::on_demand,
                .interpolation = semi_lagrangian::interpolation_named(interpolation)}) {
    REQUIRE(halcyon_grid_full(kRows, kLongitudes, &c_grid) == HALCYON_OK);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const auto k = static_cast<double>(i);
      u[i] = 60 * std::sin(0.1 * k), v[i] = 60 * std::cos(0.07 * k);
      heat[i] = std::sin(1.3 * k), dust[i] = std::cos(0.9 * k);
    }
    single.find_departures(u, v, kStep, kIterations);
    Values first = heat, second = dust;
    single.advance(std::array{std::span(first), std::span(second)});
    new_heat = first, new_dust = second;
  }
  ~Case() {
    halcyon_advection_free(advection);
    halcyon_grid_free(c_grid);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  static halcyon_advection_options defaults() {
    halcyon_advection_options options;
    halcyon_advection_options_default(&options);
    options.levels = kLevels, options.fields = kFields;
    return options;
  }
  /// Creates the advection on all ranks.
  void create(const halcyon_advection_options& options) {
    halcyon_advection_free(std::exchange(advection, nullptr));
    REQUIRE(halcyon_advection_create(MPI_Comm_c2f(world()), c_grid, &options, &advection) == HALCYON_OK);
    REQUIRE(halcyon_advection_share(advection, &held) == HALCYON_OK);
  }
  /// The values at this rank's points.
  Values here(const Values& all) const {
    Values mine;
    for (std::int64_t i = 0; i < held.n_points; ++i)
      for (int level = 0; level < kLevels; ++level) mine.push_back(all[held.points[i] * kLevels + level]);
    return mine;
  }
  int find_departures(double factor = 1) const {
    auto east = here(u);
    for (auto& value : east) value *= factor;
    const auto north = here(v);
    return halcyon_advection_find_departures(advection, std::ssize(east), east.data(), std::ssize(north),
                                             north.data(), kStep, kIterations);
  }

  transform::Grid grid = transform::Grid::full(kRows, kLongitudes);
  halcyon_grid* c_grid = nullptr;
  halcyon_advection* advection = nullptr;
  halcyon_advection_held held{};  ///< points of this rank
  semi_lagrangian::Advection single;
  Values u = Values(kRows * kLongitudes * kLevels), v = u, heat = u, dust = u, new_heat{}, new_dust{};
};

/// This rank's fields of a case.
struct Fields {
  explicit Fields(const Case& c) : c(c), heat(c.here(c.heat)), dust(c.here(c.dust)) {}

  std::vector<halcyon_target> targets() {
    return {{"heat", HALCYON_FLOAT64, heat.data(), std::ssize(heat)},
            {"dust", HALCYON_FLOAT64, dust.data(), std::ssize(dust)}};
  }
  void check_advected() const {
    CHECK(heat == c.here(c.new_heat));
    CHECK(dust == c.here(c.new_dust));
  }
  void check_unchanged() const {
    CHECK(heat == c.here(c.heat));
    CHECK(dust == c.here(c.dust));
  }

  const Case& c;
  Values heat, dust;
};

void check_all(const Case& c) {
  REQUIRE(c.find_departures() == HALCYON_OK);
  Fields advanced(c), stepped(c), started(c);
  CHECK(halcyon_advection_advance(c.advection, kFields, advanced.targets().data()) == HALCYON_OK);
  advanced.check_advected();
  const auto u = c.here(c.u), v = c.here(c.v);
  CHECK(halcyon_advection_step(c.advection, std::ssize(u), u.data(), std::ssize(v), v.data(), kStep,
                               kIterations, kFields, stepped.targets().data()) == HALCYON_OK);
  stepped.check_advected();
  CHECK(halcyon_advection_start(c.advection, kFields, started.targets().data()) == HALCYON_OK);
  started.check_unchanged();
  CHECK(halcyon_advection_progress(c.advection) == HALCYON_OK);
  CHECK(halcyon_advection_wait(c.advection) == HALCYON_OK);
  started.check_advected();
}

}  // namespace

TEST_CASE("capi advection: ranks have the bits of C++ alone, by any division, halo and groups") {
  for (const std::string interpolation : {"linear", "quasi_cubic", "cubic"}) {
    Case c(interpolation);
    auto options = Case::defaults();
    options.interpolation = interpolation.c_str();
    REQUIRE(halcyon_advection_width_for(c.c_grid, 85, kStep, options.radius, &options.width) == HALCYON_OK);
    for (std::int32_t px = 1; px <= world_size(); ++px) {
      if (world_size() % px != 0) continue;
      for (const auto* halo : {"wide", "on_demand"}) {
        CAPTURE(px);
        CAPTURE(halo);
        options.px = px, options.py = world_size() / px, options.halo = halo;
        options.groups = px % 2 + 1, options.progress = px % 2 == 0 ? "poll" : "none";
        c.create(options);
        check_all(c);
      }
    }
  }
}

TEST_CASE("capi advection: points and departure points in degrees") {
  Case c;
  auto options = Case::defaults();
  options.halo = "on_demand";
  c.create(options);
  const auto latitudes = c.grid.latitudes().sines;
  for (std::int64_t i = 0; i < c.held.n_points; ++i) {
    CHECK(std::sin(c.held.latitudes[i] * kDegree) ==
          doctest::Approx(latitudes[c.held.points[i] / kLongitudes]).epsilon(1e-14));
    CHECK(c.held.longitudes[i] ==
          doctest::Approx(360.0 / kLongitudes * static_cast<double>(c.held.points[i] % kLongitudes)));
  }
  REQUIRE(c.find_departures() == HALCYON_OK);
  Values north(c.held.n_points * kLevels), east = north;
  const auto n = std::ssize(north);
  REQUIRE(halcyon_advection_departures(c.advection, n, north.data(), n, east.data()) == HALCYON_OK);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& point = c.single.departures()[c.held.points[i / kLevels] * kLevels + i % kLevels];
    CHECK(north[i] == 90 - point.colatitude * (180 / kPi));
    CHECK(east[i] >= 0);
    CHECK(east[i] < 360);
  }
  Fields fields(c);
  CHECK(halcyon_advection_set_departures(c.advection, n, north.data(), n, east.data()) == HALCYON_OK);
  CHECK(halcyon_advection_advance(c.advection, kFields, fields.targets().data()) == HALCYON_OK);
  const auto expected = c.here(c.new_heat);
  for (std::int64_t i = 0; i < n; ++i) CHECK(fields.heat[i] == doctest::Approx(expected[i]).epsilon(1e-10));
}

TEST_CASE("capi advection: departure points may be found while fields are in flight") {
  Case c;
  auto options = Case::defaults();
  options.width = kRows, options.groups = 2;
  c.create(options);
  Fields fields(c);
  CHECK(halcyon_advection_start(c.advection, kFields, fields.targets().data()) == HALCYON_OK);
  CHECK(halcyon_advection_wait(c.advection) == HALCYON_INPUT_ERROR);
  check_error_text("There are no departure points yet: call find_departures or set_departures.");
  CHECK(c.find_departures(1e9) == HALCYON_INPUT_ERROR);  // a storm; the fields stay in flight
  CHECK(c.find_departures() == HALCYON_OK);
  CHECK(halcyon_advection_advance(c.advection, kFields, fields.targets().data()) == HALCYON_INTERNAL_ERROR);
  check_error_text("An advance is in flight. Wait for it first.");
  fields.check_unchanged();
  CHECK(halcyon_advection_wait(c.advection) == HALCYON_OK);
  fields.check_advected();
  CHECK(halcyon_advection_wait(c.advection) == HALCYON_OK);  // nothing is in flight
  fields.check_advected();

  options.halo = "on_demand";  // its halo is planned for the departure points
  c.create(options);
  Fields others(c);
  CHECK(halcyon_advection_start(c.advection, kFields, others.targets().data()) == HALCYON_INPUT_ERROR);
  CHECK(c.find_departures() == HALCYON_OK);
  CHECK(halcyon_advection_start(c.advection, kFields, others.targets().data()) == HALCYON_OK);
  CHECK(c.find_departures() == HALCYON_INTERNAL_ERROR);
  check_error_text("An advance is in flight. Wait for it first.");
  CHECK(halcyon_advection_wait(c.advection) == HALCYON_OK);
  others.check_advected();
  CHECK(halcyon_advection_start(c.advection, kFields, others.targets().data()) == HALCYON_OK);
  halcyon_advection_free(std::exchange(c.advection, nullptr));  // also with messages in flight
}

TEST_CASE("capi advection: tuning changes no bits, and costs are counted") {
  Case c;
  auto options = Case::defaults();
  options.width = 8;
  c.create(options);
  halcyon_tried found;
  CHECK(halcyon_advection_tune(c.advection, 1, &found) == HALCYON_INPUT_ERROR);
  check_error_text("There are no departure points yet");
  REQUIRE(c.find_departures() == HALCYON_OK);
  REQUIRE(halcyon_advection_tune(c.advection, 1, &found) == HALCYON_OK);
  CHECK(found.groups >= 1);
  CHECK(found.groups <= kLevels);
  CHECK((found.seconds > 0) == (world_size() > 1));
  check_all(c);
  halcyon_advection_costs_held costs;
  CHECK(halcyon_advection_costs(c.advection, &costs) == HALCYON_OK);
  CHECK(costs.interpolate_s > 0);
  CHECK((costs.n_halo > 0) == (world_size() > 1));
  CHECK((costs.n_neighbours > 0) == (world_size() > 1));
  CHECK(costs.received_bytes == 8 * kFields * kLevels * costs.n_halo);
}

TEST_CASE("capi advection: what cannot be is refused on all ranks") {
  Case c;
  const auto check_refused = [&](auto change, int status, const std::string& text) {
    auto options = Case::defaults();
    change(options);
    CHECK(halcyon_advection_create(MPI_Comm_c2f(world()), c.c_grid, &options, &c.advection) == status);
    check_error_text(text);
    CHECK(c.advection == nullptr);
  };
  check_refused([](auto& options) { options.halo = "thin"; }, HALCYON_INPUT_ERROR,
                "There is no halo 'thin'.");
  check_refused([](auto& options) { options.interpolation = "quintic"; }, HALCYON_INPUT_ERROR, "quintic");
  check_refused([](auto& options) { options.method = "post"; }, HALCYON_INPUT_ERROR,
                "There is no exchange method 'post'");
  check_refused([](auto& options) { options.core = "warm"; }, HALCYON_INPUT_ERROR, "There is no core 'warm'");
  check_refused([](auto& options) { options.progress = nullptr; }, HALCYON_INTERNAL_ERROR,
                "NULL is given for progress.");
  check_refused([](auto& options) { options.px = 5, options.py = 2; }, HALCYON_INPUT_ERROR,
                "The grid is divided among 10 ranks");
  check_refused([](auto& options) { options.px = -1; }, HALCYON_INPUT_ERROR, "-1 x 0 ranks");
  check_refused([](auto& options) { options.width = 2; }, HALCYON_INPUT_ERROR, "The halo has width 2");
  check_refused([](auto& options) { options.levels = 0; }, HALCYON_INPUT_ERROR, "2 fields of 0 levels");
  check_refused([](auto& options) { options.groups = 4; }, HALCYON_INPUT_ERROR, "3 levels in 4 groups.");
  check_refused([](auto& options) { options.radius = -1; }, HALCYON_INPUT_ERROR,
                "The radius of the sphere is -1 m.");
  std::int32_t width = 0;
  CHECK(halcyon_advection_width_for(c.c_grid, -1, kStep, 1, &width) == HALCYON_INPUT_ERROR);
  check_error_text("The wind is -1 m s-1");
  CHECK(halcyon_advection_width_for(c.c_grid, 1e4, kStep, 1e6, &width) == HALCYON_INPUT_ERROR);
  check_error_text("carries air around a planet");
  c.create(Case::defaults());
  CHECK(c.find_departures(10) == HALCYON_INPUT_ERROR);
  check_error_text("which a halo of width 3 does not hold. Give width=");
  Values few(2), north(c.held.n_points * kLevels), east(north.size());
  CHECK(halcyon_advection_find_departures(c.advection, 2, few.data(), 2, few.data(), 60, 3) ==
        HALCYON_INPUT_ERROR);
  check_error_text("Winds of 2 values were given to a rank that owns ");
  CHECK(halcyon_advection_set_departures(c.advection, 2, few.data(), 1, few.data()) == HALCYON_INPUT_ERROR);
  check_error_text("2 latitudes and 1 longitudes were given.");
  CHECK(halcyon_advection_departures(c.advection, 2, few.data(), 2, few.data()) == HALCYON_INTERNAL_ERROR);
  north.back() = world_rank() == 0 ? 91 : 0;
  CHECK(halcyon_advection_set_departures(c.advection, std::ssize(north), north.data(), std::ssize(east),
                                         east.data()) == HALCYON_INPUT_ERROR);
  check_error_text("invalid: give a finite longitude and a latitude of -90 to 90.");
  Fields fields(c);
  auto targets = fields.targets();
  CHECK(halcyon_advection_advance(c.advection, kFields, targets.data()) == HALCYON_INPUT_ERROR);
  if (world_rank() == world_size() - 1) targets[1].type = HALCYON_FLOAT32;  // an error of one rank
  CHECK(halcyon_advection_advance(c.advection, kFields, targets.data()) == HALCYON_INTERNAL_ERROR);
  check_error_text("The field dust is not float64.");
  CHECK(halcyon_advection_start(c.advection, 1, targets.data()) == HALCYON_INPUT_ERROR);
  check_error_text("1 fields were given to an advection of 2.");
  CHECK(halcyon_advection_progress(c.advection) == HALCYON_OK);
  CHECK(halcyon_advection_wait(nullptr) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for advection.");
}
