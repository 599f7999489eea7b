#include "halcyon/transform/share/transpositions.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/transform/sphere/sets.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace halcyon::transform;

namespace {

constexpr int kTruncation = 60;

/// Ranks simulated in one process. Each stage fills its send buffers with numbers that identify field, stripe
/// and wavenumber, and checks that its receive buffers hold the numbers that it expects.
class SimulatedRanks {
 public:
  /// @param n_arrays arrays of coefficients that V sets share; 0: V sets share fields
  SimulatedRanks(SetCounts counts, Direction direction, int n_fields, const std::string& algorithm,
                 int n_arrays)
      : sets_(std::make_shared<SphereSets>(grid_, stripes_, kTruncation, counts)),
        layout_{direction, sets_, {n_fields, counts.v, 3}, 1, n_arrays, n_arrays > 0},
        pipeline_(transform::pipeline(layout_, schedule::alltoall_method_named(algorithm), 1)) {
    for (Rank rank = 0; rank < counts.n_ranks(); ++rank) memory_.emplace_back(pipeline_, rank);
  }

  void run() {
    std::vector<schedule::Buffers> spans;
    for (Rank rank = 0; rank < std::ssize(memory_); ++rank) {
      const auto fill = [](double& number, double id) { number = id; };
      if (is_synthesis()) {
        for_columns_of_spectra(rank, 0, fill);
      } else {
        for_columns(rank, 0, fill);
      }
      spans.push_back(memory_[rank].spans());
    }
    schedule::run_in_process(pipeline_, spans, [this](Rank rank) {
      return schedule::Callbacks{.combine = {},
                                 .work = [this, rank](std::int32_t number) { work(rank, number); }};
    });
    for (Rank rank = 0; rank < std::ssize(memory_); ++rank) {
      const auto compare = [](double number, double id) { REQUIRE(number == id); };
      if (is_synthesis()) {
        for_columns(rank, 1, compare);
      } else {
        for_columns_of_spectra(rank, 1, compare);
      }
    }
  }

 private:
  bool is_synthesis() const { return layout_.direction == Direction::synthesis; }
  /// A number that identifies a field, and a and b: stripe and wavenumber, or 0 and point, or array with W
  /// set and coefficient.
  static double id_of(int field, std::int64_t a, std::int64_t b) {
    return 1e10 * (field + 1) + 1e5 * static_cast<double>(a) + static_cast<double>(b);
  }
  /// @param end of the exchange: 0 its send buffer, 1 its receive buffer
  double* buffer(Rank rank, int stage, int group, int end) {
    return reinterpret_cast<double*>(memory_[rank].bytes[pipeline_.first_buffer(stage, group) + end].data());
  }

  /// Checks the input of a stage, and writes its output.
  void work(Rank rank, std::int32_t number) {
    const int group = number % layout_.n_groups();
    const bool is_legendre = (number < layout_.n_groups()) == is_synthesis();
    const auto fill = [](double& number, double id) { number = id; };
    const auto compare = [](double number, double id) { REQUIRE(number == id); };
    if (is_legendre && is_synthesis()) {
      for_spectra(rank, group, 1, compare);
      for_panels(rank, group, 0, fill);
    } else if (is_legendre) {
      for_panels(rank, group, 1, compare);
      for_spectra(rank, group, 0, fill);
    } else if (is_synthesis()) {
      for_blocks(rank, group, 1, compare);
      for_rows(rank, group, 0, fill);
    } else {
      for_rows(rank, group, 1, compare);
      for_blocks(rank, group, 0, fill);
    }
  }

  /// Calls visit(field, index in the group, fields in the group) for the fields of the V set of a rank.
  template <class Visit>
  void for_fields(Rank rank, int group, const Visit& visit) {
    const int v = sets_->v_of(rank), n = layout_.fields.size(v, group);
    const int first = layout_.fields.first(v) + layout_.fields.first(v, group);
    for (int f = 0; f < n; ++f) visit(first + f, f, n);
  }

  /// Visits real and imaginary parts of the coefficients that V set v gets of the fields of rank `from`, from
  /// `at` on; returns the end.
  template <class Visit>
  double* for_terms(Rank from, int v, int group, double* at, const Visit& visit) {
    const int w = sets_->w_of(from);
    const auto shares = sets_->coefficients(w);
    for (int array = 0; array < layout_.n_arrays; ++array)
      for_fields(from, group, [&](int field, int, int) {
        for (auto i = shares.begin(v); i < shares.begin(v + 1); ++i, at += 2) {
          visit(at[0], id_of(field, 100 * array + w, i));
          visit(at[1], -id_of(field, 100 * array + w, i));
        }
      });
    return at;
  }

  /// For the Legendre stage: coefficients (V set, array, field, coefficient of the V set).
  template <class Visit>
  void for_spectra(Rank rank, int group, int end, const Visit& visit) {
    if (!layout_.exchanges_spectra()) return;
    double* at = buffer(rank, layout_.spectrum_stage(), group, end);
    for (int v = 0; v < sets_->counts().v; ++v) at = for_terms(rank, v, group, at, visit);
  }

  /// For the caller: the coefficients of this rank, of all fields.
  template <class Visit>
  void for_columns_of_spectra(Rank rank, int end, const Visit& visit) {
    if (!layout_.exchanges_spectra()) return;
    const auto& sets = *sets_;
    for (int group = 0; group < layout_.n_groups(); ++group) {
      double* at = buffer(rank, layout_.spectrum_stage(), group, end);
      for (int v = 0; v < sets.counts().v; ++v)
        at = for_terms(v * sets.counts().w + sets.w_of(rank), sets.v_of(rank), group, at, visit);
    }
  }

  /// For the Legendre stage: blocks of the wavenumbers of this rank, at all stripes.
  template <class Visit>
  void for_panels(Rank rank, int group, int end, const Visit& visit) {
    if (!layout_.exchanges_panels()) return;
    const int w = sets_->w_of(rank);
    const auto& panels = sets_->panels(w);
    const auto& wavenumbers = sets_->wavenumbers(w);
    double* at = buffer(rank, layout_.panel_stage(), group, end);
    for_fields(rank, group, [&](int field, int f, int n) {
      for (int s = 0; s < stripes_.n(); ++s)
        for (int index = 0;
             index < std::ssize(wavenumbers) && wavenumbers[index] <= stripes_.largest_wavenumber(s); ++index)
          visit(at[panels.block_offset(s, index, n) + f * kBlockSize], id_of(field, s, wavenumbers[index]));
    });
  }

  /// For the Fourier stage: blocks of all wavenumbers, at the stripes of this rank.
  template <class Visit>
  void for_blocks(Rank rank, int group, int end, const Visit& visit) {
    if (!layout_.exchanges_panels()) return;
    const auto& sets = *sets_;
    const int w = sets.w_of(rank);
    double* at = buffer(rank, layout_.panel_stage(), group, end);
    for_fields(rank, group, [&](int field, int f, int n) {
      for (int s = sets.first_stripe(w); s < sets.first_stripe(w + 1); ++s)
        for (int m = 0; m <= stripes_.largest_wavenumber(s); ++m)
          visit(at[sets.block_offset(w, s, m, {f, 1, n})], id_of(field, s, m));
    });
  }

  /// For the Fourier stage: values (V set, field, point) at the rows of this rank.
  template <class Visit>
  void for_rows(Rank rank, int group, int end, const Visit& visit) {
    if (!layout_.exchanges_columns()) return;
    const auto& sets = *sets_;
    const int w = sets.w_of(rank);
    double* at = buffer(rank, layout_.column_stage(), group, end);
    for (int v = 0; v < sets.counts().v; ++v) {
      const auto points = sets.points(v, w);
      for_fields(rank, group, [&](int field, int f, int n) {
        double* part = at + sets.points_before(v, w) * n + f * points.size();
        for (std::size_t i = 0; i < points.size(); ++i) visit(part[i], id_of(field, 0, points[i]));
      });
    }
  }

  /// For the caller: values (field, point) of all fields at the points of this rank.
  template <class Visit>
  void for_columns(Rank rank, int end, const Visit& visit) {
    if (!layout_.exchanges_columns()) return;
    const auto& sets = *sets_;
    const auto points = sets.points(sets.v_of(rank), sets.w_of(rank));
    for (int group = 0; group < layout_.n_groups(); ++group)
      for (int v = 0; v < sets.counts().v; ++v)
        for_fields(sets.counts().w * v, group, [&](int field, int, int) {
          double* at = buffer(rank, layout_.column_stage(), group, end) + field * points.size();
          for (std::size_t i = 0; i < points.size(); ++i) visit(at[i], id_of(field, 0, points[i]));
        });
  }

  Grid grid_ = Grid::octahedral(43);
  Stripes stripes_{grid_, kTruncation};
  std::shared_ptr<const SphereSets> sets_;
  CallLayout layout_;
  schedule::Pipeline pipeline_;
  std::vector<Memory> memory_;
};

}  // namespace

TEST_CASE("transform: while ranks work on winds in one group nothing is under way with none ahead" *
          test::in_process()) {
  const Grid grid = Grid::octahedral(43);
  const Stripes stripes(grid, kTruncation);
  const auto max_in_flight = [&](SetCounts counts, Direction direction, int ahead) {
    const auto sets = std::make_shared<SphereSets>(grid, stripes, kTruncation, counts);
    const auto exchange_pipeline = transform::pipeline({direction, sets, {40, counts.v, 1}, 2, 2, true},
                                                       {schedule::AlltoallAlgorithm::burst}, ahead);
    int in_flight = 0, max_in_flight = 0;
    for (const auto& operation : operations(exchange_pipeline, 0)) {
      if (operation.action == schedule::Action::start) ++in_flight;
      if (operation.action == schedule::Action::wait) --in_flight;
      if (operation.action == schedule::Action::compute) max_in_flight = std::max(max_in_flight, in_flight);
    }
    return max_in_flight;
  };
  for (const auto counts : {SetCounts{1, 3}, SetCounts{3, 1}, SetCounts{2, 3}})
    for (const auto direction : {Direction::synthesis, Direction::analysis}) {
      CAPTURE(counts.v);
      CAPTURE(counts.w);
      CHECK(max_in_flight(counts, direction, 0) == 0);
      CHECK(max_in_flight(counts, direction, 1) > 0);
    }
}

TEST_CASE("transform: what V x W sets exchange arrives where the next stage looks for it" * in_process()) {
  for (const auto counts : {SetCounts{1, 11}, SetCounts{7, 1}, SetCounts{2, 3}, SetCounts{5, 7}})
    for (const auto direction : {Direction::synthesis, Direction::analysis})
      for (const int n_fields : {3, 16})
        for (const auto* algorithm : {"burst", "bruck", "ring-2"})
          for (const int n_arrays : {0, 1, 2}) {
            CAPTURE(counts.v);
            CAPTURE(counts.w);
            CAPTURE(algorithm);
            CAPTURE(n_arrays);
            SimulatedRanks(counts, direction, n_fields, algorithm, n_arrays).run();
          }
}

TEST_CASE("transform: sets hold everything once, and have as much to do" * in_process()) {
  const auto grid = Grid::reduced(128, 127);
  const Stripes stripes(grid, 127);
  for (const auto counts : {SetCounts{1, 16}, SetCounts{3, 5}, SetCounts{8, 2}}) {
    const SphereSets sets(grid, stripes, 127, counts);
    std::vector<int> points(grid.n_points()), wavenumbers(128);  // numbers of sets that have each
    std::size_t most_terms = 0, most_values = 0;
    for (int w = 0; w < counts.w; ++w) {
      std::size_t terms = 0;
      for (int m : sets.wavenumbers(w)) ++wavenumbers[m], terms += 128 - m;
      most_terms = std::max(most_terms, terms);
      most_values = std::max(most_values, sets.points_before(counts.v, w));
      CHECK(std::size_t(sets.coefficients(w).n) == terms);
      for (int v = 0; v < counts.v; ++v)
        for (auto point : sets.points(v, w)) ++points[point];
    }
    CHECK(std::ranges::all_of(points, [](int n) { return n == 1; }));
    CHECK(std::ranges::all_of(wavenumbers, [](int n) { return n == 1; }));
    CHECK(static_cast<double>(most_terms) < 1.01 * 128 * 129 / 2 / counts.w);
    if (counts.w < 16)  // 16 sets have one stripe each
      CHECK(static_cast<double>(most_values) < 1.3 * static_cast<double>(grid.n_points()) / counts.w);
  }
  CHECK_THROWS_AS(SphereSets(grid, stripes, 127, {1, 17}), ConfigError);
  CHECK_THROWS_AS(SphereSets(grid, stripes, 127, {257, 1}), ConfigError);
  CHECK_THROWS_AS(SphereSets(grid, stripes, 127, {0, 1}), ConfigError);
}
