#include "halcyon/transform/section.hpp"

#include <algorithm>

namespace halcyon::transform {
namespace {

constexpr int kSend = 0, kReceive = 1;  // buffers of an all-to-all

/// Whole cache lines.
std::size_t numbers(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + 63) / 64 * 8;
}

}  // namespace

Section::Section(const Passage& passage, const std::optional<comm::Communicator>& comm,
                 const Communication& how)
    : passage_(passage) {
  const auto& sets = *passage_.sets;
  if (comm) v_ = sets.v_of(comm->rank()), w_ = sets.w_of(comm->rank());
  n_points_ = sets.n_points(v_, w_);
  n_terms_ = sets.n_terms(v_, w_);
  if (!passage_.moves_panels())
    size_ = sets.panels_before(w_, sets.counts().w) * sets.block_numbers() * passage_.fields.size(v_, 0);
  if (!passage_.moves()) return;
  const auto moves = pipeline(passage_, how.by, how.ahead);
  if (passage_.moves_coefficients()) take_stage(moves, passage_.coefficient_stage(), how.ahead);
  if (passage_.moves_panels()) take_stage(moves, passage_.panel_stage(), how.ahead);
  if (passage_.moves_columns()) take_stage(moves, passage_.column_stage(), how.ahead);
  spans_.resize(slots_.size());
  schedule::Actors actors{.combine = {}, .work = [this](std::int32_t number) { work_on(number); }};
  exchange_ = std::make_unique<comm::Exchange>(*comm, moves, how.method, std::move(actors),
                                               comm::Placement::anywhere, how.progress);
}

/// What of a stage's buffers is the caller's array, if any, and whether what is sent to it stays.
struct Section::UserSide {
  int buffer = -1;
  bool coefficients = false, stays = false;
};

Section::UserSide Section::user_side(int stage) const {
  if (passage_.moves_coefficients() && stage == passage_.coefficient_stage())
    return {synthesises() ? kSend : kReceive, true, !synthesises()};
  if (passage_.moves_columns() && stage == passage_.column_stage())
    return {synthesises() ? kReceive : kSend, false, synthesises()};
  return {};
}

/// Groups share memory with those that have gone on: while one is worked on, `ahead` others are under way. A
/// last stage without work is waited for at the end, so that what goes there stays till then.
void Section::take_stage(const schedule::Pipeline& moves, int stage, int ahead) {
  const Rank rank = passage_.sets->counts().w * v_ + w_;
  const auto user = user_side(stage);
  const int n_groups = passage_.n_groups();
  slots_.resize(moves.buffers().size());
  for (int g = 0; g < n_groups; ++g) first_buffers_[stage].push_back(moves.first_buffer(stage, g));
  for (int b = 0; b < moves.buffers_each(); ++b) {
    const int n_slots = user.stays && b == kSend ? n_groups : std::min(n_groups, ahead + 1);
    std::int64_t bytes = 0;
    for (int first : first_buffers_[stage]) bytes = std::max(bytes, moves.buffer_bytes(rank, first + b));
    for (int g = 0; g < n_groups; ++g) {
      const auto array = user.coefficients ? kCoefficients : g % passage_.n_components;
      slots_[first_buffers_[stage][g] + b] =
          b == user.buffer ? Slot{.array = array}
                           : Slot{.offset = size_ + (g % n_slots) * numbers(bytes), .size = numbers(bytes)};
    }
    if (b != user.buffer) size_ += n_slots * numbers(bytes);
  }
}

std::span<double> Section::numbers_of(const Slot& slot) const {
  const auto [array, offset, size] = slot;
  if (array == kMemory) return {memory_ + offset, size};
  if (array == kCoefficients) return {arrays_.coefficients, passage_.fields.n * n_terms_};
  return {arrays_.values[array], passage_.fields.n * n_points_};
}

void Section::set_out(const Arrays& arrays, const Work& work, Buffer& memory) {
  arrays_ = arrays;
  work_ = &work;
  memory_ = memory.reserve(size_);
  for (std::size_t b = 0; b < slots_.size(); ++b) spans_[b] = std::as_writable_bytes(numbers_of(slots_[b]));
}

void Section::run(const Arrays& arrays, const Work& work, Buffer& memory) {
  if (!exchange_) return compute(arrays, work, memory);
  set_out(arrays, work, memory);
  exchange_->start(spans_).wait();
}

void Section::compute(const Arrays& arrays, const Work& work, Buffer& memory) {
  set_out(arrays, work, memory);
  alone_ = true;
  for (int g = 0; g < passage_.n_groups(); ++g) work_on(g), work_on(passage_.n_groups() + g);
  alone_ = false;
}

void Section::progress() {
  if (!exchange_ || alone_) return;
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - last_turn_).count() < comm::Progress::kNap_s) return;
  last_turn_ = now;
  exchange_->progress();
}

double* Section::memory_at(int stage, int group, int buffer) const {
  return memory_ + slots_[first_buffers_[stage][group] + buffer].offset;
}

std::vector<Part<double>> Section::parts(const Piece& piece, int group) const {
  if (!passage_.moves_columns())
    return {{arrays_.values[piece.component] + piece.first * n_points_, n_points_}};
  double* at = memory_at(passage_.column_stage(), group, synthesises() ? kSend : kReceive);
  std::vector<Part<double>> found;
  for (int v = 0; v < passage_.sets->counts().v; ++v)
    found.push_back({at + passage_.sets->points_before(v, w_) * piece.n, passage_.sets->n_points(v, w_)});
  return found;
}

std::vector<Part<double>> Section::coefficient_parts(const Piece& piece, int group) const {
  if (!passage_.sets->shares_terms()) return {};
  if (!passage_.moves_coefficients()) return {{arrays_.coefficients + piece.first * n_terms_, n_terms_}};
  double* at = memory_at(passage_.coefficient_stage(), group, synthesises() ? kReceive : kSend);
  std::vector<Part<double>> found;
  for (int v = 0; v < passage_.sets->counts().v; ++v)
    found.push_back({at + passage_.sets->terms_before(v, w_) * piece.n, passage_.sets->n_terms(v, w_)});
  return found;
}

/// Work of the first stage that has any, of all groups, then that of the second.
void Section::work_on(std::int32_t number) {
  const auto begin = std::chrono::steady_clock::now();
  const int n = passage_.n_groups(), group = number % n, of_fields = group / passage_.n_components;
  const Piece piece{group % passage_.n_components, passage_.fields.first(v_, of_fields),
                    passage_.fields.size(v_, of_fields)};
  const bool meridional = (number < n) == synthesises();
  const int side = meridional == synthesises() ? kSend : kReceive;
  double* panels = passage_.moves_panels() ? memory_at(passage_.panel_stage(), group, side) : memory_;
  if (piece.n > 0 && meridional) work_->meridional(piece, panels, coefficient_parts(piece, group));
  if (piece.n > 0 && !meridional) work_->zonal(piece, panels, parts(piece, group));
  (meridional ? meridional_s_ : zonal_s_) +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace halcyon::transform
