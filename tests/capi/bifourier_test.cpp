#include "halcyon/transform/plane/bifourier.hpp"

#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <vector>

#include "capi/error_text.hpp"
#include "halcyon/base/constants.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

using Complex = std::complex<double>;

constexpr int kFields = 5, kLastM = 11, kLastN = 8;
constexpr halcyon_plane kPlane{36, 30, 3e6, 2e6};

double* parts(std::vector<Complex>& x) {
  return reinterpret_cast<double*>(x.data());
}
const double* parts(const std::vector<Complex>& x) {
  return reinterpret_cast<const double*>(x.data());
}

/// The objects of the C interface, and the expected results of a C++ transform on one rank.
struct Case {
  explicit Case(const std::string& shape = "ellipse")
      : shape(shape),
        single({kPlane.nx, kPlane.ny, kPlane.length_x, kPlane.length_y},
               {kLastM, kLastN, transform::plane_shape_named(shape)}) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
    const auto waves_of_all = single.sets().waves(0, 0);
    for (std::size_t i = 0; i < waves_of_all.size(); ++i)
      index_of[{waves_of_all[i].m, waves_of_all[i].n}] = i;
    waves.resize(kFields * single.n_coefficients());
    back = along_x = along_y = laplacian = inverse = waves;
    single.analysis(values, waves);
    single.synthesis(waves, values);
    single.analysis(values, back);
    single.x_derivative(waves, along_x);
    single.y_derivative(waves, along_y);
    single.laplacian(waves, laplacian);
    single.inverse_laplacian(waves, inverse);
  }
  ~Case() { halcyon_bifourier_free(bifourier); }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  void share(std::int32_t v, std::int32_t w) {
    halcyon_transform_options options;
    halcyon_transform_options_default(&options);
    options.v = v, options.w = w, options.groups = 2;
    halcyon_bifourier_free(std::exchange(bifourier, nullptr));
    REQUIRE(halcyon_bifourier_create_shared(MPI_Comm_c2f(world()), &kPlane, kLastM, kLastN, shape.c_str(),
                                            &options, &bifourier) == HALCYON_OK);
    REQUIRE(halcyon_bifourier_share(bifourier, &held) == HALCYON_OK);
  }

  /// Values of all fields at this rank's points; of_waves: coefficients of this rank's waves.
  std::vector<double> at_points(const std::vector<double>& all) const {
    std::vector<double> mine;
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = 0; i < held.n_points; ++i)
        mine.push_back(all[f * single.n_points() + held.points[i]]);
    return mine;
  }
  std::vector<Complex> of_waves(const std::vector<Complex>& all) const {
    std::vector<Complex> mine;
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = 0; i < held.n_coefficients; ++i)
        mine.push_back(all[f * single.n_coefficients() + index_of.at({held.m[i], held.n[i]})]);
    return mine;
  }

  std::string shape;
  halcyon_bifourier* bifourier = nullptr;
  halcyon_bifourier_held held{};
  transform::Bifourier single;
  std::map<std::pair<int, int>, std::size_t> index_of;  ///< index of wave (m, n) among all coefficients
  std::vector<double> values = std::vector<double>(kFields * kPlane.nx * kPlane.ny);
  std::vector<Complex> waves, back, along_x, along_y, laplacian, inverse;
};

void check_all(const Case& c) {
  const auto values = c.at_points(c.values);
  const auto waves = c.of_waves(c.waves);
  std::vector<double> found(values.size());
  std::vector<Complex> derived(waves.size());
  const auto n_values = std::ssize(values), n_waves = std::ssize(waves);
  CHECK(halcyon_bifourier_synthesis(c.bifourier, n_waves, parts(waves), n_values, found.data()) ==
        HALCYON_OK);
  CHECK(found == values);
  CHECK(halcyon_bifourier_analysis(c.bifourier, n_values, values.data(), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.back));
  CHECK(halcyon_bifourier_x_derivative(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.along_x));
  CHECK(halcyon_bifourier_y_derivative(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.along_y));
  CHECK(halcyon_bifourier_laplacian(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.laplacian));
  CHECK(halcyon_bifourier_inverse_laplacian(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.inverse));
}

/// Phase k x + l y + 0.3 of the wave (3, -5) at point i of this rank.
double phase_at(const Case& c, std::int64_t i) {
  const auto x = static_cast<double>(c.held.points[i] % kPlane.nx) / kPlane.nx,
             y = static_cast<double>(c.held.points[i] / kPlane.nx) / kPlane.ny;
  return kTwoPi * (3 * x - 5 * y) + 0.3;
}

}  // namespace

TEST_CASE("capi bifourier: ranks that share one have the bits of C++ alone, by any sets") {
  for (const std::string shape : {"ellipse", "rectangle"}) {
    Case c(shape);
    CAPTURE(shape);
    for (std::int32_t w = 1; w <= world_size(); ++w) {
      if (world_size() % w != 0) continue;
      CAPTURE(w);
      c.share(world_size() / w, w);
      CHECK(c.held.v * w + c.held.w == world_rank());
      check_all(c);
      halcyon_statistics statistics;
      CHECK(halcyon_bifourier_statistics(c.bifourier, &statistics) == HALCYON_OK);
      CHECK((statistics.sent_bytes > 0) == (world_size() > 1));
    }
    c.share(0, 0);
    CHECK(c.held.v == 0);
  }
}

TEST_CASE("capi bifourier: one wave and its derivative, on any ranks") {
  Case c;
  for (const bool by_sets : {false, true}) {
    c.share(by_sets ? world_size() : 0, by_sets ? 1 : 0);
    std::vector<double> values, exact;
    for (std::int64_t i = 0; i < c.held.n_points; ++i) {
      values.push_back(std::sin(phase_at(c, i)));
      exact.push_back(3 * kTwoPi / kPlane.length_x * std::cos(phase_at(c, i)));
    }
    std::vector<Complex> waves(c.held.n_coefficients);
    const auto n = c.held.n_points, n_waves = c.held.n_coefficients;
    REQUIRE(halcyon_bifourier_analysis(c.bifourier, n, values.data(), n_waves, parts(waves)) == HALCYON_OK);
    for (std::int64_t i = 0; i < n_waves; ++i) {
      const bool is_wave = c.held.m[i] == 3 && c.held.n[i] == -5;
      CHECK(std::abs(waves[i] - (is_wave ? std::polar(0.5, 0.3 - kTwoPi / 4) : 0)) < 1e-15);
    }
    REQUIRE(halcyon_bifourier_x_derivative(c.bifourier, n_waves, parts(waves), n_waves, parts(waves)) ==
            HALCYON_OK);  // in place
    REQUIRE(halcyon_bifourier_synthesis(c.bifourier, n_waves, parts(waves), n, values.data()) == HALCYON_OK);
    for (std::int64_t i = 0; i < n; ++i) CHECK(std::abs(values[i] - exact[i]) < 1e-19);
  }
}

TEST_CASE("capi bifourier: one rank alone" * in_process()) {
  Case c("rectangle");
  REQUIRE(halcyon_bifourier_create(&kPlane, kLastM, kLastN, "rectangle", nullptr, &c.bifourier) ==
          HALCYON_OK);
  REQUIRE(halcyon_bifourier_share(c.bifourier, &c.held) == HALCYON_OK);
  CHECK(c.held.n_points == 36 * 30);
  CHECK(c.held.n_coefficients == 12 * 17);
  check_all(c);
}

TEST_CASE("capi bifourier: what cannot be is refused on all ranks") {
  Case c;
  struct Arguments {
    halcyon_plane plane = kPlane;
    int last_m = kLastM, last_n = kLastN;
    const char* shape = "ellipse";
    halcyon_transform_options options{};
  };
  const auto refused = [&](auto change, int status, const std::string& text) {
    Arguments arguments;
    halcyon_transform_options_default(&arguments.options);
    change(arguments);
    CHECK(halcyon_bifourier_create_shared(MPI_Comm_c2f(world()), &arguments.plane, arguments.last_m,
                                          arguments.last_n, arguments.shape, &arguments.options,
                                          &c.bifourier) == status);
    check_error_text(text);
    CHECK(c.bifourier == nullptr);
  };
  const int input = HALCYON_INPUT_ERROR, internal = HALCYON_INTERNAL_ERROR, last = world_size() - 1;
  refused([](auto& g) { g.last_m = 18; }, input,
          "A plane of 36 x 30 values cannot hold the truncation 18 x 8. Give 37 x 17 values or more");
  refused([](auto& g) { g.last_n = -1; }, input, "The truncation 11 x -1 was asked for. Give 0 or more");
  refused([](auto& g) { g.plane.ny = 0; }, input, "A plane of 36 x 0 values was asked for. Give 1 or more.");
  refused([](auto& g) { g.plane.length_y = 0; }, input, "A plane of 3000000 m x 0 m was asked for.");
  refused([](auto& g) { g.shape = "circle"; }, input, "is 'circle'. Use ellipse or rectangle.");
  refused([&](auto& g) { g.shape = world_rank() == last ? "circle" : g.shape; }, input, "is 'circle'.");
  refused([](auto& g) { g.shape = nullptr; }, internal, "NULL is given for shape.");
  refused([](auto& g) { g.options.method = "pigeon"; }, input, "There is no exchange method 'pigeon'");
  refused([](auto& g) { g.options.progress = nullptr; }, internal, "NULL is given for progress.");
  refused([](auto& g) { g.options.v = 5, g.options.w = 7; }, input, "5 x 7 sets are not the ");
  refused([](auto& g) { g.options.groups = 0; }, input, "Fields are exchanged in 0 groups");
  refused([](auto& g) { g.options.group = 0; }, input,
          "group is 0, the number of fields that are computed together");
  CHECK(halcyon_bifourier_create(nullptr, 3, 3, "ellipse", nullptr, &c.bifourier) == internal);
  check_error_text("NULL is given for plane.");
  c.share(1, world_size());
  std::vector<double> values(c.held.n_points);
  std::vector<Complex> waves(c.held.n_coefficients);
  const auto n = c.held.n_points, n_waves = c.held.n_coefficients;
  CHECK(halcyon_bifourier_analysis(c.bifourier, n - 1, values.data(), n_waves, parts(waves)) == input);
  check_error_text("There are " + std::to_string(n - 1) + " values and ");
  CHECK(halcyon_bifourier_synthesis(c.bifourier, n_waves, nullptr, n, values.data()) == internal);
  check_error_text("NULL is given for coefficients.");
  CHECK(halcyon_bifourier_laplacian(c.bifourier, n_waves, parts(waves), n_waves - 1, parts(waves)) == input);
  check_error_text("There are " + std::to_string(n_waves) + " and " + std::to_string(n_waves - 1) +
                   " coefficients.");
  CHECK(halcyon_bifourier_share(nullptr, &c.held) == internal);
  check_error_text("NULL is given for bifourier.");
}
