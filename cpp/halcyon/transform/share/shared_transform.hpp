#pragma once

#include <array>
#include <compare>
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/transform/share/call_plan.hpp"

namespace halcyon::transform {

/// A kind of call, with `n_components` arrays of values and `n_arrays` arrays of coefficients.
struct CallKind {
  Direction direction;
  int n_components = 1, n_arrays = 1, n_fields = 1;  ///< n_fields: per array
  auto operator<=>(const CallKind&) const = default;
};

/// Base class of the transforms on the sphere and on a plane. V x W sets of ranks (extents.hpp) may share a
/// transform. Each rank then holds the values of all fields at its points, and coefficients at its
/// wavenumbers: all coefficients of the fields of its V set, or part v of the coefficients of all fields. The
/// bits of a field depend on no other field, nor on sets or exchange settings. Concurrent calls take turns.
template <class Real>
class BasicSharedTransform {
 public:
  using Complex = std::complex<Real>;
  using CallPlan = BasicCallPlan<Real>;
  using StageTask = BasicStageTask<Real>;
  using Arrays = BasicArrays<Real>;

  /// A call in flight. Until `wait` or the destructor has completed it, its arrays must exist: results may be
  /// neither read nor written, inputs only read; the transform is not moved and makes no other call.
  class [[nodiscard]] PendingCall {
   public:
    explicit PendingCall(BasicSharedTransform& transform) : transform_(&transform) {}
    PendingCall(PendingCall&& other) noexcept : transform_(std::exchange(other.transform_, nullptr)) {}
    PendingCall& operator=(PendingCall&&) = delete;
    ~PendingCall() { wait(); }

    /// Collective. Completes the call. A second call does nothing.
    void wait() {
      if (auto* transform = std::exchange(transform_, nullptr)) transform->finish();
    }
    /// Progresses messages, and computes the stages whose data have arrived, without blocking
    /// (comm::PendingExchange::advance): a computation calls it from time to time.
    void advance() {
      if (transform_) transform_->advance();
    }

   private:
    BasicSharedTransform* transform_;  ///< null after `wait`
  };

  virtual ~BasicSharedTransform() = default;

  int v() const { return v_; }                                         ///< V set of this rank
  int w() const { return w_; }                                         ///< W set of this rank
  std::size_t n_points() const { return extents_->n_points(v_, w_); }  ///< grid points of this rank
  /// Number of coefficients per field on this rank: all coefficients of its W set, or part v.
  std::size_t n_coefficients() const { return parts_.size(v_); }
  /// Index of this rank's first coefficient among the coefficients of its W set.
  std::size_t first_coefficient() const { return shares_coefficients() ? parts_.begin(v_) : 0; }
  /// Whether V sets share the coefficients of each field, which are then exchanged in each call.
  bool shares_coefficients() const { return parts_.parts > 1; }
  /// The distribution over ranks.
  const Extents& extents() const { return *extents_; }

  /// Computes values from coefficients (synthesis) or coefficients from values (analysis); the number of
  /// fields follows from the number of values.
  void synthesis(std::span<const Complex> coefficients, std::span<Real> values);
  void analysis(std::span<const Real> values, std::span<Complex> coefficients);
  /// Collective. Start a call, which computes up to the first wait for messages: groups whose data this rank
  /// has in the first stage are computed and sent, at most `ahead` of them.
  PendingCall start_synthesis(std::span<const Complex> coefficients, std::span<Real> values);
  PendingCall start_analysis(std::span<const Real> values, std::span<Complex> coefficients);
  /// Runs only the computation of a synthesis or analysis, on arbitrary data, for measurements.
  void compute(Direction direction, std::span<Complex> coefficients, std::span<Real> values);

  /// Collective. Sets how subsequent calls exchange data.
  /// @throws ConfigError for fewer than 1 group
  void set_exchange(ExchangeSettings settings);
  /// Returns the exchange schedule of a synthesis or analysis, for measurements and simulations.
  /// @throws ConfigError for a single rank, which exchanges nothing
  schedule::Pipeline schedule(Direction direction, int n_fields) const;
  /// Statistics and times of all calls since the last `set_exchange`.
  comm::Statistics statistics() const;
  Times times() const;

  /// The kinds of calls since the last `set_exchange`, each once.
  std::vector<CallKind> calls() const;
  /// Maximum number of groups per component for `n_fields` fields: the number of fields of the largest V set.
  int max_groups(int n_fields) const { return FieldGroups{n_fields, extents_->counts().v, 1}.size(0); }
  /// Numbers per field sent to other ranks, summed over ranks: [coefficients, panels, grid-point values].
  std::array<double, 3> sent_numbers_per_field() const;

 protected:
  /// Collective if ranks share the transform.
  /// @param comm null for a single rank  @param max_batch maximum number of fields that are computed together
  /// @param share_coefficients whether V sets share the coefficients of each field (extents.hpp)
  /// @throws ConfigError for max_batch < 1, and the errors of `set_exchange`
  BasicSharedTransform(ExtentsPointer extents, const comm::Communicator* comm, int max_batch,
                       bool share_coefficients, ExchangeSettings settings);
  BasicSharedTransform(BasicSharedTransform&&) = default;

  /// Computes one task of a synthesis or analysis of scalar fields.
  virtual void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) = 0;

  /// A call of n_fields >= 0 fields: work(plan, task) computes a task.
  struct Call {
    CallKind kind;
    Arrays arrays;
    std::function<void(CallPlan& plan, const StageTask& task)> work;
  };
  /// Collective. Makes a call, or starts it.
  void run(Call call);
  PendingCall start(Call call);
  /// Returns the number of fields. @throws InputError for incomplete fields, or different numbers of fields
  int n_fields(std::size_t n_values, std::size_t n_coefficients) const;
  /// Returns the number of fields of two arrays of coefficients. @throws InputError as `n_fields`
  std::size_t n_fields_of_coefficients(std::size_t n, std::size_t n_other) const;

 private:
  /// Serializes threads, since all calls use the same memory.
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(*mutex_); }
  CallPlan& plan(const CallKind& kind);
  Call call(Direction direction, const Complex* coefficients, std::size_t n_coefficients, const Real* values,
            std::size_t n_values);
  CallPlan* start_plan(Call call);
  void finish();
  void advance();
  void require_idle() const;
  CallLayout layout(const CallKind& kind) const;

  ExtentsPointer extents_;
  std::optional<comm::Communicator> comm_;
  int v_, w_, max_batch_;
  schedule::BlockDistribution parts_;  ///< coefficients of W set w, over the V sets that share them
  ExchangeSettings settings_;
  BasicBuffer<Real> memory_;
  std::map<CallKind, std::unique_ptr<CallPlan>> plans_;  ///< created at the first call of each kind
  bool in_flight_ = false;                               ///< a call has been started and not completed
  CallPlan* pending_plan_ = nullptr;                     ///< of the call in flight; null without fields
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};
using SharedTransform = BasicSharedTransform<double>;

/// @throws ConfigError unless the communicator (null: a single rank) has V x W ranks
void check_ranks(const comm::Communicator* comm, SetCounts counts);

}  // namespace halcyon::transform
