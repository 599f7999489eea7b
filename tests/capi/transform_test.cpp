#include "halcyon/transform/sphere/transform.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "capi/error_text.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

using Complex = std::complex<double>;

constexpr int kTruncation = 21, kFields = 5;

/// A grid and a transform of the C interface, and the expected results of a C++ transform on one rank.
struct Case {
  Case() {
    REQUIRE(halcyon_grid_full(32, 64, &grid) == HALCYON_OK);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
    single.analysis(values, vorticity);
    single.synthesis(vorticity, values);
    single.analysis(values, back);
    std::ranges::transform(vorticity, divergence.begin(), [](Complex x) { return 0.3 * x; });
    single.winds(vorticity, divergence, u, v);
    single.gradient(vorticity, east, north);
    single.laplacian(vorticity, laplacian);
    single.inverse_laplacian(laplacian, inverse);
    single.vorticity_divergence(u, v, wind_vorticity, wind_divergence);
  }
  ~Case() {
    halcyon_transform_free(transform);
    halcyon_grid_free(grid);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// Creates the transform on all ranks, in v x w sets (0: default).
  /// @param core core of a progress thread; null: no progress thread
  void create_shared(std::int32_t v, std::int32_t w, const char* core = nullptr,
                     const char* method = "isend_irecv", bool share_coefficients = false) {
    halcyon_transform_options options;
    halcyon_transform_options_default(&options);
    options.v = v, options.w = w, options.groups = 2;
    options.method = method, options.share_coefficients = share_coefficients;
    if (core != nullptr) options.progress = "thread", options.core = core;
    halcyon_transform_free(std::exchange(transform, nullptr));
    REQUIRE(halcyon_transform_create_shared(MPI_Comm_c2f(world()), grid, kTruncation, &options, &transform) ==
            HALCYON_OK);
    REQUIRE(halcyon_transform_share(transform, &share) == HALCYON_OK);
    REQUIRE(halcyon_transform_fields(transform, kFields, &first_field, &n_fields) == HALCYON_OK);
  }

  /// The values at this rank's points, from those of one rank.
  std::vector<double> at_points(const std::vector<double>& all) const {
    std::vector<double> mine;
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = 0; i < share.n_points; ++i)
        mine.push_back(all[f * single.n_points() + share.points[i]]);
    return mine;
  }
  /// The coefficients of this rank's fields and wavenumbers, from those of one rank.
  std::vector<Complex> of_terms(const std::vector<Complex>& all) const {
    std::vector<Complex> mine;
    for (int f = first_field; f < first_field + n_fields; ++f)
      for (std::int64_t i = 0; i < share.n_coefficients; ++i)
        mine.push_back(all[f * single.n_coefficients() + single.triangle().first(share.wavenumbers[i]) +
                           (share.degrees[i] - share.wavenumbers[i])]);
    return mine;
  }

  halcyon_grid* grid = nullptr;
  halcyon_transform* transform = nullptr;
  halcyon_transform_held share{};  ///< points and wavenumbers of this rank
  std::int32_t first_field = 0, n_fields = 0;

  transform::Transform single{transform::Grid::full(32, 64), kTruncation};
  std::vector<double> values = std::vector<double>(kFields * 32 * 64), u = values, v = values, east = values,
                      north = values;
  std::vector<Complex> vorticity = std::vector<Complex>(kFields * single.n_coefficients()), back = vorticity,
                       divergence = vorticity, wind_vorticity = vorticity, wind_divergence = vorticity,
                       laplacian = vorticity, inverse = vorticity;
};

/// Complex numbers as alternating real and imaginary parts.
double* parts(std::vector<Complex>& numbers) {
  return reinterpret_cast<double*>(numbers.data());
}
const double* parts(const std::vector<Complex>& numbers) {
  return reinterpret_cast<const double*>(numbers.data());
}

/// All results of the C interface have the bits of one rank.
void check_all(const Case& c) {
  const auto values = c.at_points(c.values);
  const auto vorticity = c.of_terms(c.vorticity), divergence = c.of_terms(c.divergence);
  std::vector<double> found(values.size()), other(values.size());
  std::vector<Complex> terms(vorticity.size()), others(vorticity.size());
  const auto n_values = std::ssize(values), n_terms = std::ssize(terms);
  CHECK(halcyon_transform_synthesis(c.transform, n_terms, parts(vorticity), n_values, found.data()) ==
        HALCYON_OK);
  CHECK(found == values);
  CHECK(halcyon_transform_analysis(c.transform, n_values, values.data(), n_terms, parts(terms)) ==
        HALCYON_OK);
  CHECK(terms == c.of_terms(c.back));
  CHECK(halcyon_transform_winds(c.transform, n_terms, parts(vorticity), n_terms, parts(divergence), n_values,
                                found.data(), n_values, other.data()) == HALCYON_OK);
  CHECK(found == c.at_points(c.u));
  CHECK(other == c.at_points(c.v));
  CHECK(halcyon_transform_vorticity_divergence(c.transform, n_values, found.data(), n_values, other.data(),
                                               n_terms, parts(terms), n_terms, parts(others)) == HALCYON_OK);
  CHECK(terms == c.of_terms(c.wind_vorticity));
  CHECK(others == c.of_terms(c.wind_divergence));
  CHECK(halcyon_transform_gradient(c.transform, n_terms, parts(vorticity), n_values, found.data(), n_values,
                                   other.data()) == HALCYON_OK);
  CHECK(found == c.at_points(c.east));
  CHECK(other == c.at_points(c.north));
  CHECK(halcyon_transform_laplacian(c.transform, n_terms, parts(vorticity), n_terms, parts(terms)) ==
        HALCYON_OK);
  CHECK(terms == c.of_terms(c.laplacian));
  CHECK(halcyon_transform_inverse_laplacian(c.transform, n_terms, parts(terms), n_terms, parts(terms)) ==
        HALCYON_OK);
  CHECK(terms == c.of_terms(c.inverse));
}

/// What the rank does between start and wait of a call.
enum class Between { nothing, one_progress, progress_to_the_end };

/// Waits for a started call, after the work of the rank in between.
void complete(halcyon_transform* transform, Between between) {
  if (between == Between::one_progress) CHECK(halcyon_transform_progress(transform) == HALCYON_OK);
  if (between == Between::progress_to_the_end)
    for (int i = 0; i < 20; ++i) {
      CHECK(halcyon_transform_progress(transform) == HALCYON_OK);
      sched_yield();
    }
  CHECK(halcyon_transform_wait(transform) == HALCYON_OK);
}

/// All started calls have the bits of one rank.
void check_started(const Case& c, Between between) {
  const auto values = c.at_points(c.values), u = c.at_points(c.u), v = c.at_points(c.v);
  const auto vorticity = c.of_terms(c.vorticity), divergence = c.of_terms(c.divergence);
  std::vector<double> found(values.size()), other(values.size());
  std::vector<Complex> terms(vorticity.size()), others(vorticity.size());
  const auto n_values = std::ssize(values), n_terms = std::ssize(terms);
  CHECK(halcyon_transform_start_synthesis(c.transform, n_terms, parts(vorticity), n_values, found.data()) ==
        HALCYON_OK);
  complete(c.transform, between);
  CHECK(found == values);
  CHECK(halcyon_transform_start_analysis(c.transform, n_values, values.data(), n_terms, parts(terms)) ==
        HALCYON_OK);
  complete(c.transform, between);
  CHECK(terms == c.of_terms(c.back));
  CHECK(halcyon_transform_start_winds(c.transform, n_terms, parts(vorticity), n_terms, parts(divergence),
                                      n_values, found.data(), n_values, other.data()) == HALCYON_OK);
  complete(c.transform, between);
  CHECK(found == u);
  CHECK(other == v);
  CHECK(halcyon_transform_start_vorticity_divergence(c.transform, n_values, u.data(), n_values, v.data(),
                                                     n_terms, parts(terms), n_terms,
                                                     parts(others)) == HALCYON_OK);
  complete(c.transform, between);
  CHECK(terms == c.of_terms(c.wind_vorticity));
  CHECK(others == c.of_terms(c.wind_divergence));
  CHECK(halcyon_transform_start_gradient(c.transform, n_terms, parts(vorticity), n_values, found.data(),
                                         n_values, other.data()) == HALCYON_OK);
  complete(c.transform, between);
  CHECK(found == c.at_points(c.east));
  CHECK(other == c.at_points(c.north));
}

using Cores = std::set<int>;

/// Allowed cores of each thread of this process, by thread id.
std::map<int, Cores> cores_of_threads() {
  std::map<int, Cores> cores_by_id;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const int thread_id = std::stoi(thread.path().filename());
    cpu_set_t cores;
    REQUIRE(sched_getaffinity(thread_id, sizeof cores, &cores) == 0);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &cores)) cores_by_id[thread_id].insert(core);
  }
  return cores_by_id;
}

}  // namespace

TEST_CASE("capi transform: ranks that share one have the bits of C++ alone, by any sets") {
  Case c;
  for (std::int32_t w = 1; w <= world_size(); ++w) {
    if (world_size() % w != 0) continue;
    CAPTURE(w);
    c.create_shared(world_size() / w, w);
    CHECK(c.share.v * w + c.share.w == world_rank());
    check_all(c);
    halcyon_statistics statistics;
    CHECK(halcyon_transform_statistics(c.transform, &statistics) == HALCYON_OK);
    CHECK((statistics.sent_bytes > 0) == (world_size() > 1));
  }
  c.create_shared(0, 0);
  CHECK(c.share.v == 0);
  CHECK(c.n_fields == kFields);
}

TEST_CASE("capi transform: V sets that share coefficients have whole columns, with the bits of C++ alone") {
  Case c;
  for (std::int32_t w = 1; w <= world_size(); ++w) {
    if (world_size() % w != 0) continue;
    CAPTURE(w);
    c.create_shared(world_size() / w, w, nullptr, "isend_irecv", /*share_coefficients=*/true);
    CHECK(c.first_field == 0);
    CHECK(c.n_fields == kFields);
    // each coefficient is on one rank
    std::vector<std::int64_t> n_ranks(c.single.n_coefficients());
    for (std::int64_t i = 0; i < c.share.n_coefficients; ++i)
      ++n_ranks[c.single.triangle().first(c.share.wavenumbers[i]) + c.share.degrees[i] -
                c.share.wavenumbers[i]];
    comm::Communicator(world()).sum(n_ranks);
    CHECK(n_ranks == std::vector<std::int64_t>(n_ranks.size(), 1));
    check_all(c);
    check_started(c, Between::one_progress);
    check_started(c, Between::progress_to_the_end);
  }
  REQUIRE(halcyon_transform_tune(c.transform, 1, 1, nullptr) == HALCYON_OK);
  check_all(c);
}

TEST_CASE("capi transform: started calls have the bits of C++ alone, by any method") {
  Case c;
  for (const auto& method : comm::methods()) {
    if (method.name == "auto") continue;
    CAPTURE(method.name);
    c.create_shared(world_size() % 2 == 0 ? 2 : 1, world_size() % 2 == 0 ? world_size() / 2 : world_size(),
                    nullptr, method.name.c_str());
    check_started(c, Between::one_progress);
  }
  c.create_shared(world_size(), 1, "shared");  // with a progress thread
  check_started(c, Between::nothing);
}

TEST_CASE("capi transform: one call is in flight at a time, and free completes it") {
  Case c;
  c.create_shared(1, world_size());
  const auto vorticity = c.of_terms(c.vorticity);
  const auto values = c.at_points(c.values);
  std::vector<double> found(values.size());
  const auto start = [&] {
    REQUIRE(halcyon_transform_start_synthesis(c.transform, std::ssize(vorticity), parts(vorticity),
                                              std::ssize(found), found.data()) == HALCYON_OK);
  };
  start();
  // Other calls need the memory of the started call. The rank may free its transform instead of waiting.
  CHECK(halcyon_transform_synthesis(c.transform, std::ssize(vorticity), parts(vorticity), std::ssize(found),
                                    found.data()) == HALCYON_INTERNAL_ERROR);
  check_error_text("A started call of this transform is in flight. Wait for it before other calls.");
  CHECK(halcyon_transform_start_synthesis(c.transform, std::ssize(vorticity), parts(vorticity),
                                          std::ssize(found), found.data()) == HALCYON_INTERNAL_ERROR);
  CHECK(halcyon_transform_tune(c.transform, kFields, 1, nullptr) ==
        (world_size() > 1 ? HALCYON_INTERNAL_ERROR : HALCYON_OK));
  std::vector<Complex> laplacian(vorticity.size());
  CHECK(halcyon_transform_laplacian(c.transform, std::ssize(vorticity), parts(vorticity),
                                    std::ssize(laplacian), parts(laplacian)) == HALCYON_OK);
  CHECK(laplacian == c.of_terms(c.laplacian));
  CHECK(halcyon_transform_wait(c.transform) == HALCYON_OK);
  CHECK(found == values);
  CHECK(halcyon_transform_wait(c.transform) == HALCYON_OK);  // nothing is in flight
  CHECK(halcyon_transform_progress(c.transform) == HALCYON_OK);
  CHECK(halcyon_transform_progress(nullptr) == HALCYON_INTERNAL_ERROR);
  CHECK(halcyon_transform_start_synthesis(c.transform, 0, nullptr, 0, nullptr) == HALCYON_OK);
  CHECK(halcyon_transform_wait(c.transform) == HALCYON_OK);
  CHECK(halcyon_transform_start_synthesis(c.transform, 1, parts(vorticity), 0, nullptr) ==
        HALCYON_INPUT_ERROR);
  check_error_text("There are 0 values and 1 coefficients.");
  start();
  halcyon_transform_free(std::exchange(c.transform, nullptr));
  CHECK(found == values);
}

TEST_CASE("capi transform: all transpositions of a started call are completed by progress alone") {
  Case c;
  for (std::int32_t w = 1; w <= world_size(); ++w) {
    if (world_size() % w != 0) continue;
    CAPTURE(w);
    c.create_shared(world_size() / w, w, nullptr, "isend_irecv", /*share_coefficients=*/true);
    const auto vorticity = c.of_terms(c.vorticity);
    const auto values = c.at_points(c.values);
    std::vector<double> found(values.size());
    REQUIRE(halcyon_transform_start_synthesis(c.transform, std::ssize(vorticity), parts(vorticity),
                                              std::ssize(found), found.data()) == HALCYON_OK);
    while (found != values) REQUIRE(halcyon_transform_progress(c.transform) == HALCYON_OK);
    CHECK(comm::Communicator(world()).min(found == values) == 1);  // no rank has called wait
    CHECK(halcyon_transform_wait(c.transform) == HALCYON_OK);
  }
}

TEST_CASE("capi transform: tuning chooses alike on all ranks, and changes no bits") {
  Case c;
  c.create_shared(world_size(), 1);
  halcyon_tried best;
  REQUIRE(halcyon_transform_tune(c.transform, kFields, 1, &best) == HALCYON_OK);
  CHECK(best.groups >= 1);
  CHECK(best.groups <= 4);
  CHECK((best.seconds > 0) == (world_size() > 1));
  CHECK(comm::Communicator(world()).max(best.groups) == best.groups);
  CHECK(comm::method_named(best.method) != comm::method_named("auto"));
  CHECK_NOTHROW(comm::progress_mode_named(best.progress));
  CHECK_NOTHROW(schedule::alltoall_method_named(best.algorithm));
  CHECK(best.ahead >= 1);
  CHECK(best.ahead <= 2);
  CHECK(comm::Communicator(world()).max(best.ahead) == best.ahead);
  check_all(c);
}

TEST_CASE("capi transform: threads run on the core that is asked for") {
  const auto of_rank = cores_of_threads().at(getpid());
  const auto cores_of_thread = [&](const char* core) {
    CAPTURE(core);
    Case c;
    const auto earlier = cores_of_threads();
    c.create_shared(1, world_size(), core);
    auto started = cores_of_threads();
    std::erase_if(started, [&](const auto& thread) { return earlier.contains(thread.first); });
    REQUIRE(started.size() == 1);
    check_all(c);
    return started.begin()->second;
  };
  CHECK(cores_of_thread("0") == Cores{0});
  const auto shared = cores_of_thread("shared");
  CHECK(shared.size() == 1);
  CHECK(std::ranges::includes(of_rank, shared));
  const auto chosen = cores_of_thread("auto");
  CHECK((chosen == of_rank || chosen.size() == 1));
}

TEST_CASE("capi transform: one rank alone, and its grids" * in_process()) {
  Case c;
  REQUIRE(halcyon_transform_create(c.grid, kTruncation, nullptr, &c.transform) == HALCYON_OK);
  REQUIRE(halcyon_transform_share(c.transform, &c.share) == HALCYON_OK);
  REQUIRE(halcyon_transform_fields(c.transform, kFields, &c.first_field, &c.n_fields) == HALCYON_OK);
  CHECK(c.share.n_points == 32 * 64);
  CHECK(c.share.n_coefficients == 22 * 23 / 2);
  check_all(c);
  halcyon_rows rows;
  halcyon_grid* other = nullptr;
  const std::vector<std::int32_t> lengths{20, 24, 24, 20};
  REQUIRE(halcyon_grid_octahedral(2, &other) == HALCYON_OK);
  REQUIRE(halcyon_grid_rows(other, &rows) == HALCYON_OK);
  CHECK(std::vector(rows.row_lengths, rows.row_lengths + rows.n_rows) == lengths);
  CHECK(rows.n_points == 88);
  CHECK(std::accumulate(rows.weights, rows.weights + 4, 0.0) == doctest::Approx(2).epsilon(1e-15));
  CHECK(rows.sines[0] == -rows.sines[3]);
  CHECK(std::hypot(rows.sines[1], rows.cosines[1]) == doctest::Approx(1).epsilon(1e-15));
  halcyon_grid_free(other);
  REQUIRE(halcyon_grid_reduced(32, 21, 3, &other) == HALCYON_OK);
  REQUIRE(halcyon_grid_rows(other, &rows) == HALCYON_OK);
  CHECK(rows.row_lengths[16] == 64);
  halcyon_grid_free(other);
  REQUIRE(halcyon_grid_create(4, lengths.data(), &other) == HALCYON_OK);
  halcyon_grid_free(other);
}

TEST_CASE("capi transform: what cannot be is refused on all ranks") {
  Case c;
  halcyon_grid* none = nullptr;
  const std::int32_t lengths[] = {20, 24, 22};
  CHECK(halcyon_grid_create(3, lengths, &none) == HALCYON_INPUT_ERROR);
  check_error_text("Rows 0 and 2 of the Gaussian grid have 20 and 22 values.");
  CHECK(halcyon_grid_full(0, 4, &none) == HALCYON_INPUT_ERROR);
  check_error_text("A Gaussian grid of 0 latitudes was asked for. Give 1 to 100000.");
  CHECK(halcyon_grid_create(-1, lengths, &none) == HALCYON_INTERNAL_ERROR);
  check_error_text("The number of row_lengths is -1, but must be at least 0.");
  CHECK(none == nullptr);
  const auto check_refused = [&](auto change, int status, const std::string& text,
                                 int truncation = kTruncation) {
    halcyon_transform_options options;
    halcyon_transform_options_default(&options);
    change(options);
    CHECK(halcyon_transform_create_shared(MPI_Comm_c2f(world()), c.grid, truncation, &options,
                                          &c.transform) == status);
    check_error_text(text);
    CHECK(c.transform == nullptr);
  };
  check_refused([](auto&) {}, HALCYON_INPUT_ERROR, "cannot hold T40.", 40);
  check_refused([](auto& options) { options.method = "pigeon"; }, HALCYON_INPUT_ERROR,
                "There is no exchange method 'pigeon'");
  check_refused([](auto& options) { options.algorithm = "star"; }, HALCYON_INPUT_ERROR,
                "There is no all-to-all 'star'");
  check_refused([](auto& options) { options.progress = nullptr; }, HALCYON_INTERNAL_ERROR,
                "NULL is given for progress.");
  check_refused([](auto& options) { options.v = 5, options.w = 7; }, HALCYON_INPUT_ERROR,
                "5 x 7 sets are not the ");
  check_refused([](auto& options) { options.core = "warm"; }, HALCYON_INPUT_ERROR,
                "There is no core 'warm' for progress");
  check_refused([](auto& options) { options.progress = "thread", options.core = "99999"; },
                HALCYON_INPUT_ERROR, "There is no core 99999 for progress threads");
  check_refused([](auto& options) { options.core = nullptr; }, HALCYON_INTERNAL_ERROR,
                "NULL is given for core.");
  check_refused([](auto& options) { options.memory = -1; }, HALCYON_INPUT_ERROR,
                "memory of -1 bytes was given.");
  check_refused([](auto& options) { options.groups = 0; }, HALCYON_INPUT_ERROR,
                "Fields are to be exchanged in 0 groups");
  c.create_shared(1, world_size());
  CHECK(halcyon_transform_tune(c.transform, 0, 1, nullptr) == HALCYON_INPUT_ERROR);
  check_error_text("0 fields were given. Give 1 or more.");
  CHECK(halcyon_transform_tune(c.transform, 1, 0, nullptr) == HALCYON_INPUT_ERROR);
  check_error_text("0 repetitions were given. Give 1 or more.");
  std::vector<double> values(c.share.n_points);
  std::vector<Complex> terms(c.share.n_coefficients);
  const auto n = c.share.n_points, n_terms = c.share.n_coefficients;
  CHECK(halcyon_transform_analysis(c.transform, n - 1, values.data(), n_terms, parts(terms)) ==
        HALCYON_INPUT_ERROR);
  check_error_text("There are " + std::to_string(n - 1) + " values and ");
  CHECK(halcyon_transform_synthesis(c.transform, n_terms, nullptr, n, values.data()) ==
        HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for coefficients.");
  CHECK(halcyon_transform_winds(c.transform, n_terms, parts(terms), 0, nullptr, n, values.data(), 0,
                                nullptr) == HALCYON_INPUT_ERROR);
  check_error_text("There are 1 fields of one component and 0 of the other.");
  CHECK(halcyon_transform_share(nullptr, &c.share) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for transform.");
}
