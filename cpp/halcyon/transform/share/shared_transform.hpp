#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/transform/share/section.hpp"

namespace halcyon::transform {

/// Base class of the transforms on the sphere and on a plane. V x W sets of ranks may share a transform: each
/// rank holds values of all fields at its points, and coefficients of its wavenumbers: all of them for the
/// fields of its V set, or part v of them for all fields. The bits of a field depend neither on other fields,
/// nor on the sets, nor on the exchange. Threads of a single rank may share a transform: calls are
/// serialized.
class SharedTransform {
 public:
  virtual ~SharedTransform() = default;

  int v() const { return v_; }
  int w() const { return w_; }
  std::size_t n_points() const { return extents_->n_points(v_, w_); }  ///< of this rank
  /// Number of coefficients per field on this rank: part v of the coefficients of its W set, or all of them.
  std::size_t n_coefficients() const { return parts_.size(v_); }
  /// Index of this rank's first coefficient among the coefficients of its W set.
  std::size_t first_coefficient() const { return shares_coefficients() ? parts_.begin(v_) : 0; }
  /// Whether V sets share the coefficients of all fields, which are then exchanged in each call.
  bool shares_coefficients() const { return parts_.parts > 1; }
  /// Global indices of points and sizes of sets, for any rank.
  const Extents& extents() const { return *extents_; }

  /// Computes values of fields; the number of fields follows from the number of values.
  void synthesis(std::span<const Complex> coefficients, std::span<double> values);
  void analysis(std::span<const double> values, std::span<Complex> coefficients);
  /// Runs the computation of a synthesis or analysis without its exchanges, on arbitrary data: for
  /// measurements.
  void compute(Direction direction, std::span<Complex> coefficients, std::span<double> values);

  /// Collective. Sets the exchange of subsequent calls.
  /// @throws ConfigError for fewer than 1 group
  void set_exchange(ExchangeSettings settings);
  /// Returns the exchange schedule of a synthesis or analysis of `n_fields` fields, for measurements and
  /// simulations.
  /// @throws ConfigError for a single rank, which exchanges nothing
  schedule::Pipeline schedule(Direction direction, int n_fields) const;
  /// Statistics and times of all calls since the last `set_exchange`.
  comm::Statistics statistics() const;
  Times times() const;

  /// A kind of call: its direction, the number of arrays of values and of coefficients, and the fields per
  /// array.
  struct Call {
    Direction direction;
    int n_components, n_arrays, n_fields;
    auto operator<=>(const Call&) const = default;
  };
  /// The kinds of calls since the last `set_exchange`, each once.
  std::vector<Call> calls() const;
  /// Maximum number of groups per component for `n_fields` fields: the fields of the largest V set.
  int most_groups(int n_fields) const { return FieldGroups{n_fields, extents_->counts().v, 1}.size(0); }
  /// Doubles per field that are sent to other ranks, summed over ranks: coefficients, panels and grid points.
  std::array<double, 3> sent() const;

 protected:
  /// Collective if ranks share the transform.
  /// @param comm null for a single rank  @param group maximum number of fields that are computed together
  /// @param columns_of_coefficients whether V sets share the coefficients of all fields rather than the
  ///        fields
  /// @throws ConfigError for a group of less than one field, and the errors of `set_exchange`
  SharedTransform(ExtentsPointer extents, const comm::Communicator* comm, int group,
                  bool columns_of_coefficients, ExchangeSettings settings);
  SharedTransform(SharedTransform&&) = default;

  /// Computes one task of a synthesis or analysis of scalar fields.
  virtual void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) = 0;

  /// Collective. Runs work(plan, task) for all tasks of a call, in both stages.
  template <class Work>
  void run(const Call& call, const Arrays& arrays, const Work& work) {
    const auto lock = this->lock();
    auto& plan = this->plan(call);
    plan.run(arrays, memory_, [&](const StageTask& task) { work(plan, task); });
  }
  /// Returns the number of fields. @throws InputError unless values and coefficients belong to the same
  /// number of complete fields
  int n_fields(std::size_t n_values, std::size_t n_coefficients) const;
  /// The same for two arrays of coefficients.
  std::size_t n_fields_of_coefficients(std::size_t n, std::size_t other) const;

 private:
  /// Serializes threads, since all calls use the same memory.
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(*mutex_); }
  CallPlan& plan(const Call& call);
  CallLayout layout(const Call& call) const;

  ExtentsPointer extents_;
  std::optional<comm::Communicator> comm_;
  int v_, w_, group_;
  schedule::BlockDistribution parts_;  ///< parts of the coefficients of w, over the V sets that share them
  ExchangeSettings settings_;
  Buffer memory_;
  std::map<Call, std::unique_ptr<CallPlan>> plans_;  ///< created at the first call of each kind
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

/// @throws ConfigError unless there are V x W ranks
void check_ranks(const comm::Communicator* comm, SetCounts counts);

}  // namespace halcyon::transform
