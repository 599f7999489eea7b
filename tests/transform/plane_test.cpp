#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/plane/stages.hpp"
#include "halcyon/transform/share/transpositions.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace halcyon::transform;

namespace {

schedule::Pipeline burst_pipeline(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts,
                                  Direction direction, int n_fields, int n_groups) {
  const CallLayout layout{
      direction, std::make_shared<PlaneSets>(plane, truncation, counts), {n_fields, counts.v, n_groups}, 1, 1,
      true};
  return transform::pipeline(layout, {schedule::AlltoallAlgorithm::burst}, 1);
}

/// Returns the receiver and bytes of each message of a rank, sorted; `receiver_number` maps the receivers.
template <class Map>
std::vector<std::pair<Rank, std::int64_t>> sorted_sends(const schedule::Schedule& schedule, Rank rank,
                                                        const Map& receiver_number) {
  std::vector<std::pair<Rank, std::int64_t>> messages;
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(rank, cursor, operation);)
    if (operation.action == schedule::Action::send)
      messages.emplace_back(receiver_number(operation.peer), operation.block.total_bytes());
  std::ranges::sort(messages);
  return messages;
}

/// The stages of a plane transform on ranks that one process simulates; results are compared with one rank.
class SimulatedRanks {
 public:
  SimulatedRanks(SetCounts counts, int n_fields)
      : sets_(std::make_shared<PlaneSets>(plane_, truncation_, counts)),
        fields_{n_fields, counts.v, 3},
        values_(n_fields * plane_.n_points()),
        coefficients_(n_fields * truncation_.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = std::sin(1.7 * static_cast<double>(i));
    for (int w = 0; w < counts.w; ++w) {
      zonal_.emplace_back(plane_, sets_, w);
      meridional_.emplace_back(plane_, truncation_, sets_->wavenumbers(w));
    }
  }

  void check(schedule::AlltoallMethod algorithm, Direction direction) {
    const bool is_synthesis = direction == Direction::synthesis;
    Bifourier alone(plane_, truncation_);
    is_synthesis ? alone.synthesis(coefficients_, values_) : alone.analysis(values_, coefficients_);
    const auto exchange_pipeline = transform::pipeline({direction, sets_, fields_, 1, 1, true}, algorithm, 1);
    std::vector<Memory> memory;
    for (Rank rank = 0; rank < sets_->counts().n_ranks(); ++rank)
      memory.emplace_back(exchange_pipeline, rank);
    const auto fill = [](double& number, double expected) { number = expected; };
    const auto compare = [](double number, double expected) { REQUIRE(number == expected); };
    is_synthesis ? for_terms(exchange_pipeline, memory, 0, kSend, fill)
                 : for_points(exchange_pipeline, memory, 0, kSend, fill);
    std::vector<schedule::Buffers> spans;
    for (auto& each : memory) spans.push_back(each.spans());
    schedule::run_in_process(exchange_pipeline, spans, [&](Rank rank) {
      const auto work = [&, rank](std::int32_t number) {
        const int group = number % fields_.n_groups;
        const bool is_first_stage = number < fields_.n_groups;
        const auto buffer = [&, rank](int stage, int end) {
          return memory[rank].as<double>(exchange_pipeline.first_buffer(stage, group) + end);
        };
        is_synthesis ? synthesis(rank, group, is_first_stage, buffer)
                     : analysis(rank, group, is_first_stage, buffer);
      };
      return schedule::Callbacks{.combine = {}, .work = work};
    });
    is_synthesis ? for_points(exchange_pipeline, memory, 2, kReceive, compare)
                 : for_terms(exchange_pipeline, memory, 2, kReceive, compare);
  }

 private:
  static constexpr int kSend = 0, kReceive = 1;  ///< `end` of an exchange: its send or receive buffer

  /// Calls visit(number in the buffer, value of one rank) for the points of each rank, stored as (field,
  /// point).
  template <class Each>
  void for_points(const schedule::Pipeline& exchange_pipeline, std::vector<Memory>& memory, int stage,
                  int end, const Each& visit) {
    for_fields(exchange_pipeline, memory, stage, end, [&](Rank rank, int field, double*, double* buffer) {
      const auto own = own_values(rank, field);
      for (std::size_t i = 0; i < own.size(); ++i) visit(buffer[field * own.size() + i], own[i]);
      return std::size_t{0};
    });
  }

  /// Calls visit(number in the buffer, number of one rank) for the coefficients of each rank, stored as
  /// (V set of the field, field, coefficient).
  template <class Each>
  void for_terms(const schedule::Pipeline& exchange_pipeline, std::vector<Memory>& memory, int stage, int end,
                 const Each& visit) {
    for_fields(exchange_pipeline, memory, stage, end, [&](Rank rank, int field, double* position, double*) {
      const auto own = own_terms(rank, field);
      for (std::size_t i = 0; i < own.size(); ++i) visit(position[i], own[i]);
      return own.size();
    });
  }

  /// Calls visit(rank, field, position in the buffer, buffer), which returns the number of values that it has
  /// used from the position on.
  template <class Visit>
  void for_fields(const schedule::Pipeline& exchange_pipeline, std::vector<Memory>& memory, int stage,
                  int end, const Visit& visit) {
    for (Rank rank = 0; rank < std::ssize(memory); ++rank)
      for (int group = 0; group < fields_.n_groups; ++group) {
        double* const buffer = memory[rank].as<double>(exchange_pipeline.first_buffer(stage, group) + end);
        double* position = buffer;
        for (int v = 0; v < fields_.n_sets; ++v)
          for (int f = 0; f < fields_.size(v, group); ++f)
            position += visit(rank, fields_.first(v) + fields_.first(v, group) + f, position, buffer);
      }
  }

  std::vector<double> own_values(Rank rank, int field) const {
    std::vector<double> own;
    for (auto point : sets_->points(sets_->v_of(rank), sets_->w_of(rank)))
      own.push_back(values_[field * plane_.n_points() + point]);
    return own;
  }

  std::vector<double> own_terms(Rank rank, int field) const {
    std::vector<double> own;
    for (const auto& [m, n] : sets_->waves(sets_->v_of(rank), sets_->w_of(rank))) {
      std::size_t index = field * truncation_.size() + n + truncation_.largest_n(m);
      for (int smaller_m = 0; smaller_m < m; ++smaller_m) index += truncation_.count(smaller_m);
      own.insert(own.end(), {coefficients_[index].real(), coefficients_[index].imag()});
    }
    return own;
  }

  /// Batches of two fields from the n fields of a group.
  static std::vector<Batch> batches(int n) {
    std::vector<Batch> result;
    for (int first = 0; first < n; first += 2) result.push_back({first, std::min(2, n - first), n});
    return result;
  }

  template <class StageBuffer>
  void synthesis(Rank rank, int group, bool is_first_stage, const StageBuffer& buffer) {
    const int w = sets_->w_of(rank), n = fields_.size(sets_->v_of(rank), group);
    if (is_first_stage) {
      std::vector<Complex> whole(n * sets_->coefficients(w).n);
      copy(w, n, buffer(0, kReceive), whole, true);
      for (const auto& batch : batches(n))
        meridional_[w].synthesis(&whole[batch.first * sets_->coefficients(w).n], batch, buffer(1, kSend),
                                 [] {});
      return;
    }
    for (const auto& batch : batches(n))
      for (int row = 0; row < zonal_[w].n_rows(); ++row)
        zonal_[w].synthesis(row, buffer(1, kReceive), batch, points(w, batch, buffer(2, kSend)));
  }

  template <class StageBuffer>
  void analysis(Rank rank, int group, bool is_first_stage, const StageBuffer& buffer) {
    const int w = sets_->w_of(rank), n = fields_.size(sets_->v_of(rank), group);
    if (!is_first_stage) {
      std::vector<Complex> whole(n * sets_->coefficients(w).n);
      for (const auto& batch : batches(n))
        meridional_[w].analysis(buffer(1, kReceive), batch, &whole[batch.first * sets_->coefficients(w).n],
                                [] {});
      copy(w, n, buffer(2, kSend), whole, false);
      return;
    }
    for (const auto& batch : batches(n))
      for (int row = 0; row < zonal_[w].n_rows(); ++row)
        zonal_[w].analysis(row, read_only(points(w, batch, buffer(0, kReceive))), batch, buffer(1, kSend));
  }

  /// Copies between `parts` (v, field, coefficient of v) and `whole` (field, coefficient).
  void copy(int w, int n, double* parts, std::vector<Complex>& whole, bool to_whole) const {
    auto* part = reinterpret_cast<Complex*>(parts);
    const auto shares = sets_->coefficients(w);
    for (int v = 0; v < fields_.n_sets; ++v)
      for (int f = 0; f < n; ++f)
        for (auto i = shares.begin(v); i < shares.begin(v + 1); ++i, ++part) {
          auto& coefficient = whole[f * shares.n + i];
          to_whole ? coefficient = *part : * part = coefficient;
        }
  }

  /// The points of a batch in a column buffer, one part per V set.
  std::vector<Part<double>> points(int w, const Batch& batch, double* buffer) const {
    std::vector<Part<double>> parts;
    for (int v = 0; v < fields_.n_sets; ++v) {
      const auto n = sets_->n_points(v, w);
      parts.push_back({buffer + batch.group_size * sets_->points_before(v, w) + batch.first * n, n});
    }
    return parts;
  }

  Plane plane_{50, 41, 1, 1};
  PlaneTruncation truncation_{16, 13, PlaneShape::ellipse};
  std::shared_ptr<const PlaneSets> sets_;
  FieldGroups fields_;
  std::vector<double> values_;
  std::vector<Complex> coefficients_;
  std::vector<Zonal> zonal_;
  std::vector<Meridional> meridional_;
};

}  // namespace

TEST_CASE("transform plane: an ellipse and a rectangle of waves" * in_process()) {
  const PlaneTruncation ellipse(20, 10, PlaneShape::ellipse), rectangle(20, 10, PlaneShape::rectangle);
  CHECK(rectangle.size() == 21 * 21);
  for (int m = 0; m <= 20; ++m) {
    const int n = ellipse.largest_n(m);
    CHECK(m * m * 100 + n * n * 400 <= 40000);
    CHECK(m * m * 100 + (n + 1) * (n + 1) * 400 > 40000);
    CHECK(rectangle.largest_n(m) == 10);
  }
  CHECK(PlaneTruncation(0, 3, PlaneShape::ellipse).size() == 7);
  CHECK(PlaneTruncation(3, 0, PlaneShape::ellipse).size() == 4);
  CHECK_THROWS_AS(PlaneTruncation(-1, 3, PlaneShape::ellipse), ConfigError);
}

TEST_CASE("transform plane: the schedule is that of the three transpositions of figure 3" * in_process()) {
  const Plane plane{24, 15, 1, 1};
  const PlaneTruncation all(11, 7, PlaneShape::rectangle);  // as many doubles in coefficients as in values
  for (const int v : {1, 3, 5})
    for (const int w : {1, 2, 3, 4})
      for (const auto direction : {Direction::synthesis, Direction::analysis}) {
        if (v * w == 1) continue;
        CAPTURE(v);
        CAPTURE(w);
        const auto transform_schedule = burst_pipeline(plane, all, {v, w}, direction, 7, 1);
        const schedule::TransposedGrid grid{.nx = 24, .ny = 15, .nz = 7, .cx = v, .cy = w};
        const schedule::AlltoallMethod algorithm{schedule::AlltoallAlgorithm::burst};
        const auto expected_schedule = direction == Direction::analysis
                                           ? schedule::transposition(grid, algorithm)
                                           : schedule::reverse_transposition(grid, algorithm);
        for (Rank rank = 0; rank < v * w; ++rank) {
          const auto grid_rank = [v, w](Rank rank) { return rank / w + rank % w * v; };  // x + cx y
          CHECK(sorted_sends(transform_schedule, rank, grid_rank) ==
                sorted_sends(expected_schedule, grid_rank(rank), [](Rank receiver) { return receiver; }));
        }
      }
}

TEST_CASE("transform plane: pretended V x W sets give the bits of one rank" * in_process()) {
  for (const auto counts : {SetCounts{2, 3}, SetCounts{3, 2}, SetCounts{5, 7}})
    for (const int n_fields : {3, 16})
      for (const auto* algorithm : {"burst", "bruck", "ring-2"}) {
        CAPTURE(counts.v);
        CAPTURE(counts.w);
        CAPTURE(algorithm);
        SimulatedRanks ranks(counts, n_fields);
        for (const auto direction : {Direction::analysis, Direction::synthesis})
          ranks.check(schedule::alltoall_method_named(algorithm), direction);
      }
}

TEST_CASE("transform plane: sets hold everything once, and have as much to do" * in_process()) {
  const Plane plane{96, 80, 1, 1};
  const PlaneTruncation truncation(31, 26, PlaneShape::ellipse);
  for (const auto counts : {SetCounts{1, 8}, SetCounts{3, 5}, SetCounts{7, 2}}) {
    const PlaneSets sets(plane, truncation, counts);
    std::vector<int> points(plane.n_points());
    std::vector<std::pair<int, int>> waves;
    std::size_t max_waves = 0;
    for (int v = 0; v < counts.v; ++v)
      for (int w = 0; w < counts.w; ++w) {
        for (auto point : sets.points(v, w)) ++points[point];  // number of ranks that have the point
        const auto own_waves = sets.waves(v, w);
        CHECK(std::ssize(own_waves) == sets.coefficients(w).size(v));
        for (const auto& [m, n] : own_waves) waves.emplace_back(m, n);
        max_waves = std::max(max_waves, own_waves.size());
      }
    CHECK(std::ranges::all_of(points, [](int n) { return n == 1; }));
    std::ranges::sort(waves);
    CHECK(std::ranges::adjacent_find(waves) == waves.end());
    CHECK(waves.size() == truncation.size());
    CHECK(static_cast<double>(max_waves) < 1.1 * static_cast<double>(truncation.size()) / counts.n_ranks());
  }
  CHECK_THROWS_AS(PlaneSets(plane, truncation, {1, 33}), ConfigError);
  CHECK_THROWS_AS(PlaneSets(plane, truncation, {97, 1}), ConfigError);
  CHECK_THROWS_AS(PlaneSets(plane, truncation, {0, 1}), ConfigError);
}

TEST_CASE("transform plane: waves there and back, and arrays that do not fit" * in_process()) {
  const PlaneTruncation truncation(5, 4, PlaneShape::ellipse);
  Bifourier transform({12, 10, 3e6, 2e6}, truncation);
  std::vector<Complex> coefficients(2 * transform.n_coefficients()), back(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    coefficients[i] = {1 / (1.0 + static_cast<double>(i)), std::sin(static_cast<double>(i))};
  for (int f = 0; f < 2; ++f)  // makes the fields real
    for (int n = 0; n <= 4; ++n) {
      auto* const mean = coefficients.data() + f * transform.n_coefficients() + 4;
      mean[-n] = n == 0 ? mean[0].real() : std::conj(mean[n]);
    }
  std::vector<double> values(2 * 120);
  transform.synthesis(coefficients, values);
  transform.analysis(values, back);
  for (std::size_t i = 0; i < coefficients.size(); ++i) CHECK(std::abs(back[i] - coefficients[i]) < 1e-15);
  CHECK_THROWS_AS(transform.synthesis(std::span(coefficients).first(3), values), InputError);
  CHECK_THROWS_AS(transform.laplacian(std::span(coefficients).first(3), back), InputError);
  CHECK_THROWS_AS(transform.schedule(Direction::synthesis, 1), ConfigError);
  CHECK_THROWS_AS(Bifourier({10, 10, 1, 1}, truncation), ConfigError);
  CHECK_THROWS_AS(Bifourier({12, 10, 0, 1}, truncation), ConfigError);
  CHECK_THROWS_AS(Bifourier({12, 10, 1, 1}, truncation, 0), ConfigError);
}
