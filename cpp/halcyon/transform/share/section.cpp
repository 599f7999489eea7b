#include "halcyon/transform/share/section.hpp"

#include <algorithm>
#include <numeric>

namespace halcyon::transform {
namespace {

constexpr int kSend = 0, kReceive = 1;  // buffers of an all-to-all

/// Whole cache lines.
std::size_t numbers(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + 63) / 64 * 8;
}

}  // namespace

Section::Section(const Passage& passage, int batch, const std::optional<comm::Communicator>& comm,
                 const Communication& how)
    : passage_(passage), batch_(batch) {
  const auto& sets = *passage_.sets;
  if (comm) v_ = sets.v_of(comm->rank()), w_ = sets.w_of(comm->rank());
  n_points_ = sets.n_points(v_, w_);
  n_coefficients_ = sets.coefficients(w_).n;
  if (!passage_.moves_panels())
    size_ = sets.panels_before(w_, sets.counts().w) * sets.block_numbers() *
            side_by_side(passage_.fields.size(v_, 0));
  if (!passage_.moves()) return;
  const auto moves = pipeline(passage_, how.by, how.ahead);
  if (passage_.moves_panels()) take_stage(moves, passage_.panel_stage(), moves.ahead());
  if (passage_.moves_columns()) take_stage(moves, passage_.column_stage(), moves.ahead());
  if (passage_.moves_spectra()) {
    take_stage(moves, passage_.spectrum_stage(), moves.ahead());
    spectra_at_ = size_;
    size_ += 2 * passage_.n_arrays * passage_.fields.size(v_, 0) * n_coefficients_;
  }
  exchange_ = std::make_unique<comm::Exchange>(*comm, moves, how.method, schedule::Actors{},
                                               comm::Placement::anywhere, how.progress);
}

void Section::take_stage(const schedule::Pipeline& moves, int stage, int ahead) {
  const Rank rank = passage_.sets->counts().w * v_ + w_;
  const bool columns = stage == passage_.column_stage() && passage_.moves_columns();
  const int n_groups = passage_.n_groups(), user = synthesises() ? kReceive : kSend;
  slots_.resize(moves.buffers().size());
  for (int g = 0; g < n_groups; ++g) first_buffers_[stage].push_back(moves.first_buffer(stage, g));
  for (int b = 0; b < moves.buffers_each(); ++b) {
    const int n = n_slots(stage, b, ahead);
    std::vector<std::size_t> sizes(n), places;
    for (int g = 0; g < n_groups; ++g)
      sizes[g % n] = std::max(sizes[g % n], numbers(moves.buffer_bytes(rank, first_buffers_[stage][g] + b)));
    for (std::size_t place = size_; const auto size : sizes) places.push_back(place), place += size;
    for (int g = 0; g < n_groups; ++g) {
      auto& slot = slots_[first_buffers_[stage][g] + b];
      slot = columns && b == user ? Slot{.component = g % passage_.n_components}
                                  : Slot{.offset = places[g % n], .size = sizes[g % n]};
    }
    if (!columns || b != user) size_ = std::accumulate(sizes.begin(), sizes.end(), size_);
  }
}

/// Groups share memory with those that have gone on: while one is worked on, `ahead` others are under way. A
/// last stage without work is waited for at the end, so that what goes there stays till then; coefficients
/// are all there before the first group sets out.
int Section::n_slots(int stage, int buffer, int ahead) const {
  const int n_groups = passage_.n_groups();
  const bool is_last = stage == 2, starts = stage == 0 && synthesises() && buffer == kSend;
  return is_last || starts ? n_groups : std::min(n_groups, ahead + 1);
}

void Section::exchange(const Call& call, const schedule::Work& work) {
  const std::size_t n_values = passage_.fields.n * n_points_;
  std::vector<std::span<std::byte>> buffers;
  for (const auto& [component, offset, size] : slots_)
    buffers.push_back(std::as_writable_bytes(component < 0
                                                 ? std::span(call.memory + offset, size)
                                                 : std::span(call.arrays.values[component], n_values)));
  if (passage_.moves_spectra() && synthesises()) copy_columns(call, Copy::there);
  exchange_->start(buffers, &work).wait();
  if (passage_.moves_spectra() && !synthesises()) copy_columns(call, Copy::back);
}

/// Between what travels, [v][array][field of v][coefficient], and the rank's part of the coefficients of all
/// fields: to there, or back.
void Section::copy_columns(const Call& call, Copy way) const {
  const auto& fields = passage_.fields;
  const auto n = static_cast<std::size_t>(passage_.sets->coefficients(w_).size(v_));
  for (int g = 0; g < passage_.n_groups(); ++g) {
    const int of_fields = g / passage_.n_components;
    auto* at = reinterpret_cast<Complex*>(
        memory_at(call, passage_.spectrum_stage(), g, synthesises() ? kSend : kReceive));
    for (int v = 0; v < passage_.sets->counts().v; ++v)
      for (int array = 0; array < passage_.n_arrays_with(g); ++array) {
        Complex* ours = call.arrays.spectra[array] + (fields.first(v) + fields.first(v, of_fields)) * n;
        const std::size_t size = fields.size(v, of_fields) * n;
        way == Copy::there ? std::copy_n(ours, size, at) : std::copy_n(at, size, ours);
        at += size;
      }
  }
}

/// Between what travels, [v][array][field][coefficient of v], and coefficients of whole fields.
void Section::copy_fields(const Call& call, int group, Copy way) const {
  const auto parts = passage_.sets->coefficients(w_);
  const std::size_t n = passage_.n_arrays_with(group) *
                        static_cast<std::size_t>(passage_.fields.size(v_, group / passage_.n_components));
  auto* at = reinterpret_cast<Complex*>(
      memory_at(call, passage_.spectrum_stage(), group, synthesises() ? kReceive : kSend));
  auto* whole = reinterpret_cast<Complex*>(call.memory + spectra_at_);
  for (int v = 0; v < passage_.sets->counts().v; ++v)
    for (std::size_t field = 0; field < n; ++field) {
      Complex* part = whole + field * n_coefficients_ + parts.begin(v);
      const auto size = static_cast<std::size_t>(parts.size(v));
      way == Copy::there ? std::copy_n(part, size, at) : std::copy_n(at, size, part);
      at += size;
    }
}

/// The coefficients of a batch where they lie, or where those of its group came together.
/// @param first field of the batch, in its V set
std::vector<Complex*> Section::spectra(const Call& call, const Batch& batch, int first) const {
  auto* whole = reinterpret_cast<Complex*>(call.memory + spectra_at_);
  std::vector<Complex*> found;
  for (int array = 0; array < passage_.n_arrays; ++array)
    found.push_back(passage_.moves_spectra()
                        ? whole + (array * batch.of_group + batch.first) * n_coefficients_
                        : call.arrays.spectra[array] + first * n_coefficients_);
  return found;
}

void Section::progress() {
  if (!exchange_) return;
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - last_turn_).count() < comm::Progress::kNap_s) return;
  last_turn_ = now;
  exchange_->progress();
}

/// Fields whose blocks stand side by side: where nothing travels an odd number, since blocks at a distance of
/// a power of 2 share lines of the caches.
int Section::side_by_side(int n_fields) const {
  return passage_.moves() ? n_fields : n_fields | 1;
}

double* Section::memory_at(const Call& call, int stage, int group, int buffer) const {
  return call.memory + slots_[first_buffers_[stage][group] + buffer].offset;
}

std::vector<Part<double>> Section::parts(const Call& call, const Batch& batch, int group, int first) const {
  if (!passage_.moves_columns())
    return {{call.arrays.values[group % passage_.n_components] + first * n_points_, n_points_}};
  double* at = memory_at(call, passage_.column_stage(), group, synthesises() ? kSend : kReceive);
  std::vector<Part<double>> found;
  for (int v = 0; v < passage_.sets->counts().v; ++v) {
    const std::size_t before = passage_.sets->points_before(v, w_), n = passage_.sets->n_points(v, w_);
    found.push_back({at + before * batch.of_group + batch.first * n, n});
  }
  return found;
}

std::vector<Piece> Section::pieces(std::int32_t number, const Call& call) const {
  const bool meridional = is_meridional(number);
  const int group = number % passage_.n_groups(), of_fields = group / passage_.n_components;
  const int first = passage_.fields.first(v_, of_fields), n_fields = passage_.fields.size(v_, of_fields);
  const int side = meridional == synthesises() ? kSend : kReceive;
  double* const blocks =
      passage_.moves_panels() ? memory_at(call, passage_.panel_stage(), group, side) : call.memory;
  std::vector<Piece> found;
  const auto batches = in_batches(n_fields, batch_);
  for (int b = 0; b < batches.n_groups; ++b) {
    const Batch batch{batches.first(0, b), batches.size(0, b), side_by_side(n_fields)};
    auto& piece = found.emplace_back(Piece{meridional, group % passage_.n_components, batch, blocks});
    if (meridional) piece.spectra = spectra(call, batch, first + batch.first);
    if (!meridional) piece.parts = parts(call, batch, group, first + batch.first);
  }
  return found;
}

}  // namespace halcyon::transform
