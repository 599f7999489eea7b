#include "halcyon/transform/share/call_plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "halcyon/base/flush_denormals.hpp"

namespace halcyon::transform {
namespace {

// The rank belongs to V set v_ (a part of the fields) and W set w_ (a part of the wavenumbers and rows).
// Blocks, panels, groups and batches are defined in extents.hpp.

constexpr int kSend = 0, kReceive = 1;  // buffers of an all-to-all, which follow each other in the pipeline

/// Returns the number of numbers in complete cache lines (64 bytes) that hold `bytes`.
template <class Real>
std::size_t padded_numbers(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + 63) / 64 * (64 / sizeof(Real));
}

}  // namespace

template <class Real>
BasicCallPlan<Real>::BasicCallPlan(const CallLayout& layout, int max_batch,
                                   const std::optional<comm::Communicator>& comm,
                                   const ExchangeSettings& settings)
    : layout_(layout), max_batch_(max_batch) {
  layout_.number_bytes = sizeof(Real);
  const auto& sets = *layout_.sets;
  if (comm) v_ = sets.v_of(comm->rank()), w_ = sets.w_of(comm->rank());
  n_points_ = sets.n_points(v_, w_);
  n_coefficients_ = sets.coefficients(w_).n;
  if (!layout_.exchanges_panels())
    size_ = sets.panel_offset(w_, sets.counts().w) * sets.block_size() *
            padded_fields(layout_.fields.size(v_, 0));
  if (!layout_.has_exchanges()) return;
  const auto exchange_pipeline = pipeline(layout_, settings.algorithm, settings.ahead);
  if (layout_.exchanges_panels())
    lay_out_stage(exchange_pipeline, layout_.panel_stage(), exchange_pipeline.prefetched_groups());
  if (layout_.exchanges_columns())
    lay_out_stage(exchange_pipeline, layout_.column_stage(), exchange_pipeline.prefetched_groups());
  if (layout_.exchanges_spectra()) {
    lay_out_stage(exchange_pipeline, layout_.spectrum_stage(), exchange_pipeline.prefetched_groups());
    spectra_offset_ = size_;
    size_ += 2 * layout_.n_arrays * layout_.fields.size(v_, 0) * n_coefficients_;
  }
  exchange_ =
      std::make_unique<comm::Exchange>(*comm, exchange_pipeline, settings.method, schedule::Callbacks{},
                                       comm::BufferPlacement::anywhere, settings.progress);
}

/// Reserves the buffers of a stage in the memory, except for the caller's columns (grid-point values).
template <class Real>
void BasicCallPlan<Real>::lay_out_stage(const schedule::Pipeline& exchange_pipeline, int stage, int ahead) {
  const Rank rank = layout_.sets->counts().w * v_ + w_;
  const bool is_columns = stage == layout_.column_stage() && layout_.exchanges_columns();
  const int n_groups = layout_.n_groups(), caller_buffer = synthesises() ? kReceive : kSend;
  slots_.resize(exchange_pipeline.buffers().size());
  for (int g = 0; g < n_groups; ++g)
    first_buffers_[stage].push_back(exchange_pipeline.first_buffer(stage, g));
  for (int b = 0; b < exchange_pipeline.buffers_per_alltoall(); ++b) {
    const int n = n_slots(stage, b, ahead);  // group g uses slot g % n
    std::vector<std::size_t> sizes(n), offsets;
    for (int g = 0; g < n_groups; ++g)
      sizes[g % n] =
          std::max(sizes[g % n],
                   padded_numbers<Real>(exchange_pipeline.buffer_bytes(rank, first_buffers_[stage][g] + b)));
    for (std::size_t offset = size_; const auto size : sizes) offsets.push_back(offset), offset += size;
    for (int g = 0; g < n_groups; ++g) {
      auto& slot = slots_[first_buffers_[stage][g] + b];
      slot = is_columns && b == caller_buffer ? BufferSlot{.component = g % layout_.n_components}
                                              : BufferSlot{.offset = offsets[g % n], .size = sizes[g % n]};
    }
    if (!is_columns || b != caller_buffer) size_ = std::accumulate(sizes.begin(), sizes.end(), size_);
  }
}

/// Returns the number of slots that the groups of a stage use in turn: one for the computed group and one for
/// each of the `ahead` groups in flight. There is one slot per group in the last stage (nothing is computed)
/// and for the coefficients that a synthesis sends (all groups are packed before the first send).
template <class Real>
int BasicCallPlan<Real>::n_slots(int stage, int buffer, int ahead) const {
  const int n_groups = layout_.n_groups();
  const bool is_last = stage == 2, sends_spectra = stage == 0 && synthesises() && buffer == kSend;
  return is_last || sends_spectra ? n_groups : std::min(n_groups, ahead + 1);
}

template <class Real>
void BasicCallPlan<Real>::start(Arrays arrays, Buffer& memory, StageWork work) {
  if (!exchange_) return compute(std::move(arrays), memory, std::move(work));
  call_ = {std::move(arrays), memory.reserve(size_), std::move(work)};
  const std::size_t n_values = layout_.fields.n * n_points_;
  std::vector<std::span<std::byte>> buffers;
  for (const auto& [component, offset, size] : slots_)
    buffers.push_back(std::as_writable_bytes(component < 0
                                                 ? std::span(call_.memory + offset, size)
                                                 : std::span(call_.arrays.values[component], n_values)));
  if (layout_.exchanges_spectra() && synthesises()) copy_caller_coefficients(Copy::to_messages);
  pending_.emplace(exchange_->start(buffers, &stage_work_));
}

template <class Real>
void BasicCallPlan<Real>::finish() {
  if (!pending_) return;
  pending_->wait();
  pending_.reset();
  if (layout_.exchanges_spectra() && !synthesises()) copy_caller_coefficients(Copy::from_messages);
}

template <class Real>
void BasicCallPlan<Real>::compute(Arrays arrays, Buffer& memory, StageWork work) {
  call_ = {std::move(arrays), memory.reserve(size_), std::move(work)};
  const int n = layout_.n_groups();
  for (int g = 0; g < n; ++g) compute_stage(g), compute_stage(n + g);
}

template <class Real>
void BasicCallPlan<Real>::compute_stage(std::int32_t index) {
  const bool meridional = is_meridional(index), copies = meridional && layout_.exchanges_spectra();
  std::optional<FlushDenormals> flush;  // in 32 bits, Legendre functions near the poles are subnormal
  if constexpr (std::is_same_v<Real, float>) flush.emplace();
  const ScopedTimer timer(meridional ? meridional_s_ : zonal_s_);
  const int group = index % layout_.n_groups();
  if (copies && synthesises()) copy_complete_coefficients(group, Copy::from_messages);
  for (const auto& task : tasks(index)) call_.work(task);
  if (copies && !synthesises()) copy_complete_coefficients(group, Copy::to_messages);
}

/// Copies between message buffers, [v][array][field of V set v][coefficient], and the caller's coefficients.
template <class Real>
void BasicCallPlan<Real>::copy_caller_coefficients(Copy direction) const {
  const auto& fields = layout_.fields;
  const auto n = static_cast<std::size_t>(layout_.sets->coefficients(w_).size(v_));
  for (int g = 0; g < layout_.n_groups(); ++g) {
    const int field_group = g / layout_.n_components;
    auto* buffer = reinterpret_cast<Complex*>(
        buffer_data(layout_.spectrum_stage(), g, synthesises() ? kSend : kReceive));
    for (int v = 0; v < layout_.sets->counts().v; ++v)
      for (int array = 0; array < layout_.n_arrays_with(g); ++array) {
        Complex* local = call_.arrays.spectra[array] + (fields.first(v) + fields.first(v, field_group)) * n;
        const std::size_t size = fields.size(v, field_group) * n;
        direction == Copy::to_messages ? std::copy_n(local, size, buffer) : std::copy_n(buffer, size, local);
        buffer += size;
      }
  }
}

/// Copies between message buffers, [v][array][field][coefficient of part v], and complete fields.
template <class Real>
void BasicCallPlan<Real>::copy_complete_coefficients(int group, Copy direction) const {
  const auto parts = layout_.sets->coefficients(w_);
  const int field_group = group / layout_.n_components;
  const std::size_t n_fields = layout_.n_arrays_with(group) * layout_.fields.size(v_, field_group);
  auto* buffer = reinterpret_cast<Complex*>(
      buffer_data(layout_.spectrum_stage(), group, synthesises() ? kReceive : kSend));
  auto* complete = reinterpret_cast<Complex*>(call_.memory + spectra_offset_);
  for (int v = 0; v < layout_.sets->counts().v; ++v)
    for (std::size_t field = 0; field < n_fields; ++field) {
      Complex* part = complete + field * n_coefficients_ + parts.begin(v);
      const auto size = static_cast<std::size_t>(parts.size(v));
      direction == Copy::to_messages ? std::copy_n(part, size, buffer) : std::copy_n(buffer, size, part);
      buffer += size;
    }
}

/// Returns pointers to the coefficients of a batch, in the memory of complete fields or the caller's arrays.
/// @param first index of the first field of the batch in its V set
template <class Real>
auto BasicCallPlan<Real>::spectra(const Batch& batch, int first) const -> std::vector<Complex*> {
  auto* complete = reinterpret_cast<Complex*>(call_.memory + spectra_offset_);
  std::vector<Complex*> spectra;
  for (int array = 0; array < layout_.n_arrays; ++array)
    spectra.push_back(layout_.exchanges_spectra()
                          ? complete + (array * batch.group_size + batch.first) * n_coefficients_
                          : call_.arrays.spectra[array] + first * n_coefficients_);
  return spectra;
}

template <class Real>
void BasicCallPlan<Real>::progress() {
  if (!exchange_) return;
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - last_poll_).count() < comm::Progress::kPollInterval_s) return;
  last_poll_ = now;
  exchange_->progress();
}

/// Returns the number of fields per wavenumber in the blocks of a group. If nothing is exchanged, an even
/// number is padded by 1: blocks whose distance is a power of 2 would map to the same cache sets.
template <class Real>
int BasicCallPlan<Real>::padded_fields(int n_fields) const {
  return layout_.has_exchanges() ? n_fields : n_fields | 1;
}

template <class Real>
Real* BasicCallPlan<Real>::buffer_data(int stage, int group, int buffer) const {
  return call_.memory + slots_[first_buffers_[stage][group] + buffer].offset;
}

/// Returns the locations of the values of a batch, one part per V set. @param first as in `spectra`
template <class Real>
std::vector<Part<Real>> BasicCallPlan<Real>::parts(const Batch& batch, int group, int first) const {
  if (!layout_.exchanges_columns())
    return {{call_.arrays.values[group % layout_.n_components] + first * n_points_, n_points_}};
  Real* values = buffer_data(layout_.column_stage(), group, synthesises() ? kSend : kReceive);
  std::vector<Part<Real>> parts;
  for (int v = 0; v < layout_.sets->counts().v; ++v) {
    const std::size_t before = layout_.sets->points_before(v, w_), n = layout_.sets->n_points(v, w_);
    parts.push_back({values + before * batch.group_size + batch.first * n, n});
  }
  return parts;
}

/// Returns the tasks of a computation, one per batch of its group. @param index as in `is_meridional`
template <class Real>
auto BasicCallPlan<Real>::tasks(std::int32_t index) const -> std::vector<StageTask> {
  const bool meridional = is_meridional(index);
  const int group = index % layout_.n_groups(), field_group = group / layout_.n_components;
  const int first = layout_.fields.first(v_, field_group), n_fields = layout_.fields.size(v_, field_group);
  const int buffer = meridional == synthesises() ? kSend : kReceive;
  Real* const blocks =
      layout_.exchanges_panels() ? buffer_data(layout_.panel_stage(), group, buffer) : call_.memory;
  std::vector<StageTask> tasks;
  const auto batches = split_into_batches(n_fields, max_batch_);
  for (int b = 0; b < batches.n_groups; ++b) {
    const Batch batch{batches.first(0, b), batches.size(0, b), padded_fields(n_fields)};
    auto& task = tasks.emplace_back(StageTask{meridional, group % layout_.n_components, batch, blocks});
    if (meridional) task.spectra = spectra(batch, first + batch.first);
    if (!meridional) task.parts = parts(batch, group, first + batch.first);
  }
  return tasks;
}

template class BasicCallPlan<double>;
template class BasicCallPlan<float>;

}  // namespace halcyon::transform
