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

constexpr int kFields = 5, kMaxM = 11, kMaxN = 8;
constexpr halcyon_plane kPlane{36, 30, 3e6, 2e6};

/// Complex numbers as alternating real and imaginary parts.
double* parts(std::vector<Complex>& numbers) {
  return reinterpret_cast<double*>(numbers.data());
}
const double* parts(const std::vector<Complex>& numbers) {
  return reinterpret_cast<const double*>(numbers.data());
}

/// A transform of the C interface, and the expected results of a C++ transform on one rank.
struct Case {
  explicit Case(const std::string& shape = "ellipse")
      : shape(shape),
        single({kPlane.nx, kPlane.ny, kPlane.length_x, kPlane.length_y},
               {kMaxM, kMaxN, transform::plane_shape_named(shape)}) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
    const auto all_waves = single.sets().waves(0, 0);
    for (std::size_t i = 0; i < all_waves.size(); ++i) index_of[{all_waves[i].m, all_waves[i].n}] = i;
    waves.resize(kFields * single.n_coefficients());
    back = x_derivative = y_derivative = laplacian = inverse = waves;
    single.analysis(values, waves);
    single.synthesis(waves, values);
    single.analysis(values, back);
    single.x_derivative(waves, x_derivative);
    single.y_derivative(waves, y_derivative);
    single.laplacian(waves, laplacian);
    single.inverse_laplacian(waves, inverse);
  }
  ~Case() { halcyon_bifourier_free(bifourier); }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// Creates the transform on all ranks, in v x w sets (0: default).
  void create_shared(std::int32_t v, std::int32_t w) {
    halcyon_transform_options options;
    halcyon_transform_options_default(&options);
    options.v = v, options.w = w, options.groups = 2;
    halcyon_bifourier_free(std::exchange(bifourier, nullptr));
    REQUIRE(halcyon_bifourier_create_shared(MPI_Comm_c2f(world()), &kPlane, kMaxM, kMaxN, shape.c_str(),
                                            &options, &bifourier) == HALCYON_OK);
    REQUIRE(halcyon_bifourier_share(bifourier, &share) == HALCYON_OK);
  }

  /// The values at this rank's points, from those of one rank.
  std::vector<double> at_points(const std::vector<double>& all) const {
    std::vector<double> mine;
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = 0; i < share.n_points; ++i)
        mine.push_back(all[f * single.n_points() + share.points[i]]);
    return mine;
  }
  /// The coefficients of this rank's waves, from those of one rank.
  std::vector<Complex> of_waves(const std::vector<Complex>& all) const {
    std::vector<Complex> mine;
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = 0; i < share.n_coefficients; ++i)
        mine.push_back(all[f * single.n_coefficients() + index_of.at({share.m[i], share.n[i]})]);
    return mine;
  }

  std::string shape;
  halcyon_bifourier* bifourier = nullptr;
  halcyon_bifourier_held share{};  ///< points and waves of this rank
  transform::Bifourier single;
  std::map<std::pair<int, int>, std::size_t> index_of;  ///< index of wave (m, n) among all coefficients
  std::vector<double> values = std::vector<double>(kFields * kPlane.nx * kPlane.ny);
  std::vector<Complex> waves, back, x_derivative, y_derivative, laplacian, inverse;  ///< of one rank
};

/// All results of the C interface have the bits of one rank.
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
  std::ranges::fill(found, 0);
  CHECK(halcyon_bifourier_start_synthesis(c.bifourier, n_waves, parts(waves), n_values, found.data()) ==
        HALCYON_OK);
  CHECK(halcyon_bifourier_progress(c.bifourier) == HALCYON_OK);
  CHECK(halcyon_bifourier_wait(c.bifourier) == HALCYON_OK);
  CHECK(found == values);
  std::ranges::fill(derived, 0);
  CHECK(halcyon_bifourier_start_analysis(c.bifourier, n_values, values.data(), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(halcyon_bifourier_wait(c.bifourier) == HALCYON_OK);
  CHECK(derived == c.of_waves(c.back));
  CHECK(halcyon_bifourier_x_derivative(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.x_derivative));
  CHECK(halcyon_bifourier_y_derivative(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.y_derivative));
  CHECK(halcyon_bifourier_laplacian(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.laplacian));
  CHECK(halcyon_bifourier_inverse_laplacian(c.bifourier, n_waves, parts(waves), n_waves, parts(derived)) ==
        HALCYON_OK);
  CHECK(derived == c.of_waves(c.inverse));
}

/// Phase k x + l y + 0.3 of the wave (3, -5) at point i of this rank.
double phase_at(const Case& c, std::int64_t i) {
  const auto x = static_cast<double>(c.share.points[i] % kPlane.nx) / kPlane.nx,
             y = static_cast<double>(c.share.points[i] / kPlane.nx) / kPlane.ny;
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
      c.create_shared(world_size() / w, w);
      CHECK(c.share.v * w + c.share.w == world_rank());
      check_all(c);
      halcyon_statistics statistics;
      CHECK(halcyon_bifourier_statistics(c.bifourier, &statistics) == HALCYON_OK);
      CHECK((statistics.sent_bytes > 0) == (world_size() > 1));
    }
    c.create_shared(0, 0);
    CHECK(c.share.v == 0);
  }
}

TEST_CASE("capi bifourier: one wave and its derivative, on any ranks") {
  Case c;
  for (const bool has_v_sets : {false, true}) {
    c.create_shared(has_v_sets ? world_size() : 0, has_v_sets ? 1 : 0);
    std::vector<double> values, exact;
    for (std::int64_t i = 0; i < c.share.n_points; ++i) {
      values.push_back(std::sin(phase_at(c, i)));
      exact.push_back(3 * kTwoPi / kPlane.length_x * std::cos(phase_at(c, i)));
    }
    std::vector<Complex> waves(c.share.n_coefficients);
    const auto n = c.share.n_points, n_waves = c.share.n_coefficients;
    REQUIRE(halcyon_bifourier_analysis(c.bifourier, n, values.data(), n_waves, parts(waves)) == HALCYON_OK);
    for (std::int64_t i = 0; i < n_waves; ++i) {
      const bool is_wave = c.share.m[i] == 3 && c.share.n[i] == -5;
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
  REQUIRE(halcyon_bifourier_create(&kPlane, kMaxM, kMaxN, "rectangle", nullptr, &c.bifourier) == HALCYON_OK);
  REQUIRE(halcyon_bifourier_share(c.bifourier, &c.share) == HALCYON_OK);
  CHECK(c.share.n_points == 36 * 30);
  CHECK(c.share.n_coefficients == 12 * 17);
  check_all(c);
}

TEST_CASE("capi bifourier: what cannot be is refused on all ranks") {
  Case c;
  struct Arguments {
    halcyon_plane plane = kPlane;
    int max_m = kMaxM, max_n = kMaxN;
    const char* shape = "ellipse";
    halcyon_transform_options options{};
  };
  const auto check_refused = [&](auto change, int status, const std::string& text) {
    Arguments arguments;
    halcyon_transform_options_default(&arguments.options);
    change(arguments);
    CHECK(halcyon_bifourier_create_shared(MPI_Comm_c2f(world()), &arguments.plane, arguments.max_m,
                                          arguments.max_n, arguments.shape, &arguments.options,
                                          &c.bifourier) == status);
    check_error_text(text);
    CHECK(c.bifourier == nullptr);
  };
  const int input = HALCYON_INPUT_ERROR, internal = HALCYON_INTERNAL_ERROR, last_rank = world_size() - 1;
  check_refused([](auto& arguments) { arguments.max_m = 18; }, input,
                "A plane of 36 x 30 values cannot hold the truncation 18 x 8. Give 37 x 17 values or more");
  check_refused([](auto& arguments) { arguments.max_n = -1; }, input,
                "The truncation 11 x -1 was asked for. Give 0 or more");
  check_refused([](auto& arguments) { arguments.plane.ny = 0; }, input,
                "A plane of 36 x 0 values was asked for. Give 1 or more.");
  check_refused([](auto& arguments) { arguments.plane.length_y = 0; }, input,
                "A plane of 3000000 m x 0 m was asked for.");
  check_refused([](auto& arguments) { arguments.shape = "circle"; }, input,
                "is 'circle'. Use ellipse or rectangle.");
  check_refused(
      [&](auto& arguments) { arguments.shape = world_rank() == last_rank ? "circle" : arguments.shape; },
      input, "is 'circle'.");
  check_refused([](auto& arguments) { arguments.shape = nullptr; }, internal, "NULL is given for shape.");
  check_refused([](auto& arguments) { arguments.options.method = "pigeon"; }, input,
                "There is no exchange method 'pigeon'");
  check_refused([](auto& arguments) { arguments.options.progress = nullptr; }, internal,
                "NULL is given for progress.");
  check_refused([](auto& arguments) { arguments.options.v = 5, arguments.options.w = 7; }, input,
                "5 x 7 sets are not the ");
  check_refused([](auto& arguments) { arguments.options.groups = 0; }, input,
                "Fields are to be exchanged in 0 groups");
  check_refused([](auto& arguments) { arguments.options.group = 0; }, input,
                "group is 0, the number of fields that are computed together");
  CHECK(halcyon_bifourier_create(nullptr, 3, 3, "ellipse", nullptr, &c.bifourier) == internal);
  check_error_text("NULL is given for plane.");
  c.create_shared(1, world_size());
  std::vector<double> values(c.share.n_points);
  std::vector<Complex> waves(c.share.n_coefficients);
  const auto n = c.share.n_points, n_waves = c.share.n_coefficients;
  CHECK(halcyon_bifourier_analysis(c.bifourier, n - 1, values.data(), n_waves, parts(waves)) == input);
  check_error_text("There are " + std::to_string(n - 1) + " values and ");
  CHECK(halcyon_bifourier_synthesis(c.bifourier, n_waves, nullptr, n, values.data()) == internal);
  check_error_text("NULL is given for coefficients.");
  CHECK(halcyon_bifourier_laplacian(c.bifourier, n_waves, parts(waves), n_waves - 1, parts(waves)) == input);
  check_error_text("There are " + std::to_string(n_waves) + " and " + std::to_string(n_waves - 1) +
                   " coefficients.");
  CHECK(halcyon_bifourier_share(nullptr, &c.share) == internal);
  check_error_text("NULL is given for bifourier.");
}
