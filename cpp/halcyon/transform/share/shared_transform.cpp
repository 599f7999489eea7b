#include "halcyon/transform/share/shared_transform.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {

void check_ranks(const comm::Communicator* comm, SetCounts counts) {
  const Rank n_ranks = comm ? comm->size() : 1;
  require<ConfigError>(counts.v >= 1 && counts.w >= 1 && counts.n_ranks() == n_ranks,
                       "{} x {} sets are not the {} ranks of the communicator. Give V and W whose product is "
                       "the number of ranks.",
                       counts.v, counts.w, n_ranks);
}

template <class Real>
BasicSharedTransform<Real>::BasicSharedTransform(ExtentsPointer extents, const comm::Communicator* comm,
                                                 int max_batch, bool share_coefficients,
                                                 ExchangeSettings settings)
    : extents_(std::move(extents)),
      comm_(comm ? std::optional(*comm) : std::nullopt),
      v_(comm ? extents_->v_of(comm->rank()) : 0),
      w_(comm ? extents_->w_of(comm->rank()) : 0),
      max_batch_(max_batch),
      parts_(extents_->coefficients(w_).n, share_coefficients ? extents_->counts().v : 1) {
  require<ConfigError>(max_batch >= 1,
                       "group is {}, the number of fields that are computed together. Give 1 or more.",
                       max_batch);
  set_exchange(std::move(settings));
}

template <class Real>
int BasicSharedTransform<Real>::n_fields(std::size_t n_values, std::size_t n_coefficients) const {
  const std::size_t size = this->n_coefficients();
  const bool shares_fields = extents_->counts().v > parts_.parts;
  const int n = static_cast<int>(n_values / n_points()), n_sets = shares_fields ? extents_->counts().v : 1;
  const FieldGroups fields{.n = n, .n_sets = n_sets, .n_groups = 1};
  require<InputError>(
      fields.n * n_points() == n_values && fields.size(shares_fields ? v_ : 0) * size == n_coefficients,
      "There are {} values and {} coefficients. A field has {} values and {} coefficients on this rank: give "
      "the same number of complete fields of both{}.",
      n_values, n_coefficients, n_points(), size,
      shares_fields ? ", and coefficients of the fields of this V set only" : "");
  return fields.n;
}

template <class Real>
std::size_t BasicSharedTransform<Real>::n_fields_of_coefficients(std::size_t n, std::size_t n_other) const {
  const std::size_t size = n_coefficients(), n_fields = size > 0 ? n / size : 0;
  require<InputError>(n == n_other && n_fields * size == n,
                      "There are {} and {} coefficients. A field has {} coefficients on this rank: give the "
                      "same number of complete fields in both arrays.",
                      n, n_other, size);
  return n_fields;
}

/// A synthesis or analysis of scalar fields.
template <class Real>
auto BasicSharedTransform<Real>::call(Direction direction, const Complex* coefficients,
                                      std::size_t n_coefficients, const Real* values, std::size_t n_values)
    -> Call {
  return {{.direction = direction, .n_fields = n_fields(n_values, n_coefficients)},
          {{const_cast<Real*>(values)}, {const_cast<Complex*>(coefficients)}},
          [this, direction](CallPlan& plan, const StageTask& task) { compute_stage(direction, plan, task); }};
}

template <class Real>
void BasicSharedTransform<Real>::synthesis(std::span<const Complex> coefficients, std::span<Real> values) {
  run(call(Direction::synthesis, coefficients.data(), coefficients.size(), values.data(), values.size()));
}

template <class Real>
void BasicSharedTransform<Real>::analysis(std::span<const Real> values, std::span<Complex> coefficients) {
  run(call(Direction::analysis, coefficients.data(), coefficients.size(), values.data(), values.size()));
}

template <class Real>
auto BasicSharedTransform<Real>::start_synthesis(std::span<const Complex> coefficients,
                                                 std::span<Real> values) -> PendingCall {
  return start(
      call(Direction::synthesis, coefficients.data(), coefficients.size(), values.data(), values.size()));
}

template <class Real>
auto BasicSharedTransform<Real>::start_analysis(std::span<const Real> values, std::span<Complex> coefficients)
    -> PendingCall {
  return start(
      call(Direction::analysis, coefficients.data(), coefficients.size(), values.data(), values.size()));
}

template <class Real>
void BasicSharedTransform<Real>::compute(Direction direction, std::span<Complex> coefficients,
                                         std::span<Real> values) {
  const auto [kind, arrays, work] =
      call(direction, coefficients.data(), coefficients.size(), values.data(), values.size());
  if (kind.n_fields == 0) return;
  const auto lock = this->lock();
  auto& plan = this->plan(kind);
  plan.compute(arrays, memory_, [&](const StageTask& task) { work(plan, task); });
}

/// Starts a call, with the lock held. Returns its plan; null without fields.
template <class Real>
auto BasicSharedTransform<Real>::start_plan(Call call) -> CallPlan* {
  require_idle();
  if (call.kind.n_fields == 0) return nullptr;
  auto& plan = this->plan(call.kind);
  plan.start(std::move(call.arrays), memory_,
             [&plan, work = std::move(call.work)](const StageTask& task) { work(plan, task); });
  return &plan;
}

template <class Real>
void BasicSharedTransform<Real>::run(Call call) {
  const auto lock = this->lock();
  if (auto* plan = start_plan(std::move(call))) plan->finish();
}

template <class Real>
auto BasicSharedTransform<Real>::start(Call call) -> PendingCall {
  const auto lock = this->lock();
  pending_plan_ = start_plan(std::move(call));
  in_flight_ = true;
  return PendingCall(*this);
}

template <class Real>
void BasicSharedTransform<Real>::finish() {
  const auto lock = this->lock();
  in_flight_ = false;
  if (auto* plan = std::exchange(pending_plan_, nullptr)) plan->finish();
}

template <class Real>
void BasicSharedTransform<Real>::advance() {
  const auto lock = this->lock();
  if (pending_plan_) pending_plan_->advance();
}

/// @throws InternalError during a started call
template <class Real>
void BasicSharedTransform<Real>::require_idle() const {
  require<InternalError>(!in_flight_,
                         "A started call of this transform is in flight. Wait for it before other calls.");
}

template <class Real>
void BasicSharedTransform<Real>::set_exchange(ExchangeSettings settings) {
  require<ConfigError>(settings.groups >= 1 && settings.ahead >= 0,
                       "Fields are to be exchanged in {} groups, with {} groups in flight ahead of the "
                       "computation. Give 1 or more groups, and 0 or more groups ahead.",
                       settings.groups, settings.ahead);
  const auto lock = this->lock();
  require_idle();
  settings_ = std::move(settings);
  plans_.clear();
}

/// On a single rank, each batch of fields is a group, which keeps the panels small.
template <class Real>
CallLayout BasicSharedTransform<Real>::layout(const CallKind& kind) const {
  const auto counts = extents_->counts();
  const int n_groups = std::min(settings_.groups, max_groups(kind.n_fields));
  const FieldGroups exchanged{.n = kind.n_fields, .n_sets = counts.v, .n_groups = n_groups};
  return {kind.direction,
          extents_,
          counts.n_ranks() == 1 ? split_into_batches(kind.n_fields, max_batch_) : exchanged,
          kind.n_components,
          kind.n_arrays,
          shares_coefficients()};
}

/// Collective at the first call of a kind, which creates the plan. Returns the plan.
template <class Real>
auto BasicSharedTransform<Real>::plan(const CallKind& kind) -> CallPlan& {
  require_idle();
  auto plan = plans_.find(kind);
  if (plan == plans_.end())
    plan = plans_.emplace(kind, std::make_unique<CallPlan>(layout(kind), max_batch_, comm_, settings_)).first;
  return *plan->second;
}

template <class Real>
schedule::Pipeline BasicSharedTransform<Real>::schedule(Direction direction, int n_fields) const {
  require<ConfigError>(extents_->counts().n_ranks() > 1, "One rank exchanges nothing. Give more ranks.");
  require<ConfigError>(n_fields >= 1, "A schedule of {} fields was requested. Give 1 or more.", n_fields);
  const auto lock = this->lock();
  return pipeline(layout({.direction = direction, .n_fields = n_fields}), settings_.algorithm,
                  settings_.ahead);
}

template <class Real>
comm::Statistics BasicSharedTransform<Real>::statistics() const {
  const auto lock = this->lock();
  comm::Statistics sum;
  for (const auto& [kind, plan] : plans_) sum += plan->statistics();
  return sum;
}

template <class Real>
Times BasicSharedTransform<Real>::times() const {
  const auto lock = this->lock();
  Times sum;
  for (const auto& [kind, plan] : plans_) sum += plan->times();
  return sum;
}

template <class Real>
std::vector<CallKind> BasicSharedTransform<Real>::calls() const {
  const auto lock = this->lock();
  std::vector<CallKind> kinds;
  for (const auto& [kind, plan] : plans_) kinds.push_back(kind);
  return kinds;
}

template <class Real>
std::array<double, 3> BasicSharedTransform<Real>::sent_numbers_per_field() const {
  const auto [n_v, n_w] = extents_->counts();
  const double sent_share = 1 - 1.0 / n_v;  // fraction of the data that is sent to other V sets
  double n_coefficients = 0, n_blocks = 0, n_points = 0;
  for (int w = 0; w < n_w; ++w) {
    n_coefficients += 2.0 * static_cast<double>(extents_->coefficients(w).n);
    n_points += static_cast<double>(extents_->points_before(n_v, w));
    for (int other = 0; other < n_w; ++other)
      if (other != w) n_blocks += static_cast<double>(extents_->n_blocks(w, other));
  }
  return {shares_coefficients() ? sent_share * n_coefficients : 0, n_blocks * extents_->block_size(),
          sent_share * n_points};
}

template class BasicSharedTransform<double>;
template class BasicSharedTransform<float>;

}  // namespace halcyon::transform
