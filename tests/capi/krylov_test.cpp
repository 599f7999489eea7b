#include <cmath>
#include <string>
#include <vector>

#include "capi/error_text.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/krylov/gcr.hpp"
#include "halcyon/krylov/helmholtz.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr std::int64_t kRows = 12, kLongitudes = 24;
constexpr double kLengthSquared = 0.1;

/// The right side and the solution of the Helmholtz equation on one rank, in C++.
struct Case {
  explicit Case(const std::string& variant = "fused") : variant(variant) {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(0.37 * static_cast<double>(i));
    const comm::Communicator self(MPI_COMM_SELF);
    krylov::Helmholtz equation(self, kRows, kLongitudes, kLengthSquared);
    const auto jacobi = equation.jacobi();
    krylov::Gcr gcr(self, b.size(), {.variant = krylov::variant_named(variant)});
    result = gcr.solve([&](auto from, auto to) { equation.apply(from, to); },
                       [&](auto from, auto to) { jacobi.apply(from, to); }, b, x);
    REQUIRE(result.outcome == krylov::Outcome::converged);
    REQUIRE(halcyon_helmholtz_create(MPI_Comm_c2f(world()), kRows, kLongitudes, kLengthSquared, &helmholtz) ==
            HALCYON_OK);
    std::int64_t n_rows = 0;
    REQUIRE(halcyon_helmholtz_rows(helmholtz, &first_row, &n_rows) == HALCYON_OK);
    n = n_rows * kLongitudes;
    REQUIRE(halcyon_helmholtz_operator(helmholtz, &a) == HALCYON_OK);
    REQUIRE(halcyon_helmholtz_jacobi(helmholtz, &m) == HALCYON_OK);
    halcyon_gcr_options options;
    halcyon_gcr_options_default(&options);
    options.variant = variant.c_str();
    REQUIRE(halcyon_gcr_create(MPI_Comm_c2f(world()), n, &options, &gcr_handle) == HALCYON_OK);
  }
  ~Case() {
    halcyon_gcr_free(gcr_handle);
    halcyon_map_free(m);
    halcyon_map_free(a);
    halcyon_helmholtz_free(helmholtz);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// The items of this rank.
  std::vector<double> here(const std::vector<double>& all) const {
    return {all.begin() + first_row * kLongitudes, all.begin() + first_row * kLongitudes + n};
  }
  /// Solves with these maps; checks the bits of solution and record.
  void check_solution(const halcyon_map* operator_map, const halcyon_map* preconditioner) const {
    const auto right_side = here(b);
    std::vector<double> found(n);
    halcyon_solution solution;
    REQUIRE(halcyon_gcr_solve(gcr_handle, operator_map, preconditioner, n, right_side.data(), n, found.data(),
                              &solution) == HALCYON_OK);
    CHECK(found == here(x));
    CHECK(solution.outcome == HALCYON_CONVERGED);
    CHECK(std::string(solution.explanation) == "The tolerance is reached.");
    CHECK(std::vector(solution.residuals, solution.residuals + solution.n_iterations) == result.residuals);
    CHECK(solution.residual == result.residual);
    CHECK(solution.n_operator_calls == result.n_operator_calls);
    CHECK(solution.n_preconditioner_calls == result.n_preconditioner_calls);
    CHECK(solution.n_allreduces == result.n_allreduces);
    CHECK(solution.n_exposed == result.n_exposed);
    CHECK(solution.n_replaced == result.n_replaced);
    CHECK(solution.waited_s >= 0);
  }

  std::string variant;
  std::vector<double> b = std::vector<double>(kRows * kLongitudes), x = std::vector<double>(b.size());
  krylov::Result result;  ///< of one rank
  halcyon_helmholtz* helmholtz = nullptr;
  halcyon_map *a = nullptr, *m = nullptr;
  halcyon_gcr* gcr_handle = nullptr;
  std::int64_t first_row = 0, n = 0;  ///< rows and items of this rank
};

/// The functions of a program: a map of the library, called through the caller's function; it counts its
/// calls and fails in the given one.
struct Counted {
  const halcyon_map* map;
  int n_calls = 0, failing_call = -1;
};
int apply_counted(void* context, std::int64_t n, const double* x, double* y) {
  auto& counted = *static_cast<Counted*>(context);
  const int status = halcyon_map_apply(counted.map, n, x, n, y);
  return ++counted.n_calls == counted.failing_call ? 42 : status;
}

}  // namespace

TEST_CASE("capi krylov: GCR has the bits of C++ alone, in all variants, also with the caller's functions") {
  for (const std::string variant : {"classical", "fused", "pipelined"}) {
    CAPTURE(variant);
    Case c(variant);
    c.check_solution(c.a, c.m);
    Counted counted_a{c.a}, counted_m{c.m};
    halcyon_map *a = nullptr, *m = nullptr;
    REQUIRE(halcyon_map_create(c.n, apply_counted, &counted_a, &a) == HALCYON_OK);
    REQUIRE(halcyon_map_create(c.n, apply_counted, &counted_m, &m) == HALCYON_OK);
    halcyon_helmholtz_free(std::exchange(c.helmholtz, nullptr));  // its maps do not need it
    c.check_solution(a, m);
    CHECK(counted_a.n_calls == c.result.n_operator_calls);
    CHECK(counted_m.n_calls == c.result.n_preconditioner_calls);

    const auto right_side = c.here(c.b);
    std::vector<double> found(c.n);
    if (world_rank() == world_size() - 1) counted_a.failing_call = counted_a.n_calls + 3;
    CHECK(halcyon_gcr_solve(c.gcr_handle, a, m, c.n, right_side.data(), c.n, found.data(), nullptr) ==
          HALCYON_RUN_ERROR);
    check_error_text("The operator returned status 42 on rank " + std::to_string(world_size() - 1) + ".");
    c.check_solution(a, m);
    if (world_rank() == 0) counted_m.failing_call = counted_m.n_calls + 2;
    CHECK(halcyon_gcr_solve(c.gcr_handle, a, m, c.n, right_side.data(), c.n, found.data(), nullptr) ==
          HALCYON_RUN_ERROR);
    check_error_text("The preconditioner returned status 42 on rank 0.");
    halcyon_map_free(m);
    halcyon_map_free(a);
  }
}

TEST_CASE("capi krylov: preconditioners, and iterations that do not converge") {
  Case c;
  halcyon_map *line = nullptr, *identity = nullptr;
  REQUIRE(halcyon_helmholtz_zonal_line(c.helmholtz, &line) == HALCYON_OK);
  const auto right_side = c.here(c.b);
  std::vector<double> found(c.n), again(c.n);
  halcyon_solution solution;
  REQUIRE(halcyon_gcr_solve(c.gcr_handle, c.a, line, c.n, right_side.data(), c.n, found.data(), &solution) ==
          HALCYON_OK);
  CHECK(solution.outcome == HALCYON_CONVERGED);
  CHECK(solution.n_iterations < c.result.n_iterations());
  const auto expected = c.here(c.x);
  for (std::int64_t i = 0; i < c.n; ++i) CHECK(std::abs(found[i] - expected[i]) < 1e-8);
  REQUIRE(halcyon_gcr_solve(c.gcr_handle, c.a, line, c.n, right_side.data(), c.n, found.data(), &solution) ==
          HALCYON_OK);  // from the solution
  CHECK(solution.n_iterations == 0);
  halcyon_map_free(line);

  // Without preconditioner, as with the identity, in three iterations.
  const std::vector<double> ones(c.n, 1);
  REQUIRE(halcyon_map_jacobi(c.n, ones.data(), &identity) == HALCYON_OK);
  halcyon_gcr_options options;
  halcyon_gcr_options_default(&options);
  options.most_iterations = 3;
  halcyon_gcr_free(std::exchange(c.gcr_handle, nullptr));
  REQUIRE(halcyon_gcr_create(MPI_Comm_c2f(world()), c.n, &options, &c.gcr_handle) == HALCYON_OK);
  std::ranges::fill(found, 0);
  REQUIRE(halcyon_gcr_solve(c.gcr_handle, c.a, nullptr, c.n, right_side.data(), c.n, found.data(),
                            &solution) == HALCYON_OK);
  CHECK(solution.outcome == HALCYON_MOST_ITERATIONS);
  CHECK(std::string(solution.explanation).find("maximum number of iterations") != std::string::npos);
  CHECK(solution.n_iterations == 3);
  CHECK(solution.residual > 1e-10);
  REQUIRE(halcyon_gcr_solve(c.gcr_handle, c.a, identity, c.n, right_side.data(), c.n, again.data(),
                            nullptr) == HALCYON_OK);
  CHECK(found == again);
  halcyon_map_free(identity);

  // A zonal line preconditioner of the program: 1 y_(i-1) + 4 y_i + 1 y_(i+1) = 6 for y = 1.
  const std::vector<double> diagonal(10, 4), off(10, 1), sixes(10, 6);
  std::vector<double> y(10);
  REQUIRE(halcyon_map_zonal_line(2, 5, 10, off.data(), diagonal.data(), off.data(), &line) == HALCYON_OK);
  REQUIRE(halcyon_map_apply(line, 10, sixes.data(), 10, y.data()) == HALCYON_OK);
  for (const double value : y) CHECK(value == doctest::Approx(1).epsilon(1e-14));
  halcyon_map_free(line);
}

TEST_CASE("capi krylov: what cannot be is refused on all ranks") {
  Case c;
  halcyon_gcr* gcr = nullptr;
  halcyon_map* map = nullptr;
  halcyon_helmholtz* helmholtz = nullptr;
  const auto check_refused = [&](auto change, int status, const std::string& text) {
    halcyon_gcr_options options;
    halcyon_gcr_options_default(&options);
    change(options);
    CHECK(halcyon_gcr_create(MPI_Comm_c2f(world()), 4, &options, &gcr) == status);
    check_error_text(text);
    CHECK(gcr == nullptr);
  };
  check_refused([](auto& options) { options.variant = "fast"; }, HALCYON_INPUT_ERROR,
                "The variant of GCR is 'fast'");
  check_refused([](auto& options) { options.variant = nullptr; }, HALCYON_INTERNAL_ERROR,
                "NULL is given for variant.");
  check_refused([](auto& options) { options.k = 0; }, HALCYON_INPUT_ERROR, "GCR keeps 0 directions");
  check_refused([](auto& options) { options.tolerance = 2; }, HALCYON_INPUT_ERROR,
                "The tolerance of GCR is 2.");
  check_refused([](auto& options) { options.most_iterations = 0; }, HALCYON_INPUT_ERROR,
                "GCR may make 0 iterations.");
  CHECK(halcyon_gcr_create(MPI_Comm_c2f(world()), world_rank() == 0 ? -1 : 4, nullptr, &gcr) ==
        HALCYON_INPUT_ERROR);
  check_error_text("n_owned is -1. Give 0 or more.");
  CHECK(halcyon_helmholtz_create(MPI_Comm_c2f(world()), 2, 8, 1, &helmholtz) == HALCYON_INPUT_ERROR);
  check_error_text("a grid of 2 x 8 boxes.");
  CHECK(halcyon_helmholtz_create(MPI_Comm_c2f(world()), 8, 8, -1, &helmholtz) == HALCYON_INPUT_ERROR);
  CHECK(helmholtz == nullptr);
  const double zero[] = {1, 0, 2};
  CHECK(halcyon_map_jacobi(3, zero, &map) == HALCYON_INPUT_ERROR);
  check_error_text("The diagonal of the Jacobi preconditioner is 0 at item 1");
  CHECK(halcyon_map_zonal_line(1, 2, 3, zero, zero, zero, &map) == HALCYON_INPUT_ERROR);
  CHECK(halcyon_map_zonal_line(1, -3, 3, zero, zero, zero, &map) == HALCYON_INTERNAL_ERROR);
  CHECK(halcyon_map_create(3, nullptr, nullptr, &map) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for apply.");
  CHECK(halcyon_map_create(-3, apply_counted, nullptr, &map) == HALCYON_INTERNAL_ERROR);
  CHECK(map == nullptr);
  std::vector<double> b(c.n + 1, 1), x(c.n + 1);
  CHECK(halcyon_map_apply(c.m, c.n + 1, b.data(), c.n + 1, x.data()) == HALCYON_INPUT_ERROR);
  check_error_text("are given to a linear map of size ");
  const bool is_last = world_rank() == world_size() - 1;  // the rank that makes the mistake
  CHECK(halcyon_gcr_solve(c.gcr_handle, c.a, c.m, is_last ? c.n + 1 : c.n, b.data(), c.n, x.data(),
                          nullptr) == HALCYON_INPUT_ERROR);
  check_error_text("The right side has ");
  CHECK(halcyon_gcr_solve(c.gcr_handle, c.a, nullptr, c.n, b.data(), is_last ? 0 : c.n, x.data(), nullptr) ==
        HALCYON_INPUT_ERROR);
  check_error_text("The first guess has 0 items");
  REQUIRE(halcyon_map_jacobi(is_last ? 1 : c.n, b.data(), &map) == HALCYON_OK);
  CHECK(halcyon_gcr_solve(c.gcr_handle, c.a, map, c.n, b.data(), c.n, x.data(), nullptr) ==
        HALCYON_INPUT_ERROR);
  check_error_text("The preconditioner has 1 items");
  halcyon_map_free(map);
  CHECK(halcyon_gcr_solve(c.gcr_handle, nullptr, nullptr, c.n, b.data(), c.n, x.data(), nullptr) ==
        HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for a.");
  b[0] = std::nan("");
  halcyon_solution solution;
  CHECK(halcyon_gcr_solve(c.gcr_handle, c.a, c.m, c.n, b.data(), c.n, x.data(), &solution) == HALCYON_OK);
  CHECK(solution.outcome == HALCYON_NOT_FINITE);
}
