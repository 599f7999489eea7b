#include "halcyon/comm/exchange/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

Copies::Copies(const schedule::Operation& first)
    : source_buffer_(first.block.buffer), target_buffer_(first.target.buffer) {
  add(first);
}

bool Copies::add(const schedule::Operation& copy) {
  const auto &source = copy.block, &target = copy.target;
  if (source.buffer != source_buffer_ || target.buffer != target_buffer_) return false;
  for (std::int64_t i = 0; i < source.count && source.size_bytes > 0; ++i) {
    ranges_.push_back({source.offset_bytes + i * source.stride_bytes,
                       target.offset_bytes + i * target.stride_bytes, source.size_bytes});
  }
  return true;
}

void Copies::run(BufferSpans buffers) const {
  const std::byte* const source = buffers[source_buffer_].data();
  std::byte* const target = buffers[target_buffer_].data();
  for (const auto& range : ranges_) {
    switch (range.bytes) {  // a copy of constant size compiles to one instruction
      case 4:
        std::memcpy(target + range.target, source + range.source, 4);
        break;
      case 8:
        std::memcpy(target + range.target, source + range.source, 8);
        break;
      default:
        std::memmove(target + range.target, source + range.source, range.bytes);
    }
  }
}

using schedule::Action;
using Clock = std::chrono::steady_clock;

Plan::Plan(const Communicator& comm, const schedule::Schedule& schedule, Method method,
           schedule::Callbacks callbacks, std::shared_ptr<const Progress> progress)
    : callbacks_(std::move(callbacks)),
      progress_(std::move(progress)),
      start_may_block_(method->collective && !method->overlaps) {
  std::optional<Program> program;
  comm.agree([&] { program = prepare(comm, schedule); });
  comm.agree([&] { rounds_ = method->make_rounds(comm, *program, schedule.buffers()); });
  for (const auto& step : program->steps) add(step);
  next_step_ = steps_.size();
  in_flight_.reserve(rounds_.size());
}

Plan::~Plan() {
  set_computing(false);
}

/// The part of the construction that is not collective.
Program Plan::prepare(const Communicator& comm, const schedule::Schedule& schedule) {
  require<InternalError>(schedule.n_ranks() == comm.size(),
                         "The schedule has {} ranks, but the communicator has {}.", schedule.n_ranks(),
                         comm.size());
  schedule::check(schedule, comm.rank());
  Program program(schedule::operations(schedule, comm.rank()));
  for (const auto& step : program.steps)
    require<InternalError>(step.operation.action != Action::combine || callbacks_.combine,
                           "The schedule combines data on rank {}, but no operator is given.", comm.rank());
  const auto n_buffers = static_cast<std::int32_t>(schedule.buffers().size());
  for (std::int32_t b = 0; b < n_buffers; ++b) buffer_bytes_.push_back(schedule.buffer_bytes(comm.rank(), b));
  buffers_.resize(n_buffers);
  count_messages(program);
  return program;
}

void Plan::count_messages(const Program& program) {
  for (const auto& round : program.rounds) {
    n_sent_ += std::ssize(round.sends);
    n_received_ += std::ssize(round.receives);
    for (const auto& message : round.sends) sent_bytes_ += message.block.size_bytes;
    for (const auto& message : round.receives) received_bytes_ += message.block.size_bytes;
  }
}

/// Adds a step, or merges it with the previous step if both copy between the same buffers.
void Plan::add(const ProgramStep& step) {
  const bool is_copy = step.operation.action == Action::copy;
  if (is_copy && !steps_.empty() && steps_.back().operation.action == Action::copy &&
      steps_.back().phase == step.phase && copies_.back().add(step.operation))
    return;
  steps_.push_back(step);
  if (!is_copy) return;
  steps_.back().operation.work = static_cast<std::int32_t>(copies_.size());
  copies_.emplace_back(step.operation);
}

Statistics Plan::statistics() const {
  const auto phase_s = [this](Phase phase) { return times_s_[static_cast<std::size_t>(phase)]; };
  return {.pack_s = phase_s(Phase::pack),
          .transfer_s = phase_s(Phase::start),
          .wait_s = phase_s(Phase::wait),
          .unpack_s = phase_s(Phase::unpack),
          .n_exchanges = n_exchanges_,
          .n_sent = n_exchanges_ * n_sent_,
          .n_received = n_exchanges_ * n_received_,
          .sent_bytes = n_exchanges_ * sent_bytes_,
          .received_bytes = n_exchanges_ * received_bytes_};
}

void Plan::start(BufferSpans buffers, const schedule::Work* work) {
  require<InternalError>(next_step_ == steps_.size(),
                         "An exchange was started while it was in flight. Wait for it first.");
  require<InternalError>(buffers.size() == buffers_.size(), "{} buffers were given, but the schedule has {}.",
                         buffers.size(), buffers_.size());
  for (std::size_t b = 0; b < buffers.size(); ++b)
    require<InternalError>(std::ssize(buffers[b]) >= buffer_bytes_[b],
                           "Buffer {} has {} bytes, but the schedule needs {}.", b, buffers[b].size(),
                           buffer_bytes_[b]);
  std::ranges::copy(buffers, buffers_.begin());
  work_ = work ? work : &callbacks_.work;
  ++n_exchanges_;
  next_step_ = 0;
  next_part_ = first_part_;
  in_flight_.clear();
  run(StopAt::wait);
  set_computing(true);
}

void Plan::finish() {
  set_computing(false);
  run(StopAt::end);
}

void Plan::advance() {
  if (start_may_block_ || recorder_ || next_step_ == steps_.size()) return;
  set_computing(false);
  run(StopAt::blocking_wait);
  set_computing(true);
}

void Plan::progress() {
  if (!progress_ || progress_->mode() != ProgressMode::poll) return;
  for (const auto round : in_flight_) rounds_[round]->test();
}

void Plan::set_computing(bool computing) {
  if (!progress_ || computing == is_computing_ || (computing && in_flight_.empty())) return;
  if (computing) progress_->resume();
  if (!computing) progress_->pause();
  is_computing_ = computing;
}

void Plan::set_recorder(std::shared_ptr<Recorder> recorder, std::int32_t first_part) {
  recorder_ = std::move(recorder);
  first_part_ = first_part;
}

/// Executes steps and adds up the time of each phase. Reads the clock only when the phase changes.
void Plan::run(StopAt stop_at) {
  if (recorder_) recorder_->begin(next_part_++);
  auto begin = Clock::now();
  while (next_step_ < steps_.size() && !stops(steps_[next_step_], stop_at)) {
    const auto phase = steps_[next_step_].phase;
    execute(steps_[next_step_++].operation);
    if (next_step_ < steps_.size() && steps_[next_step_].phase == phase) continue;
    const auto end = Clock::now();
    times_s_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(end - begin).count();
    begin = end;
  }
  if (recorder_) recorder_->end();
}

bool Plan::stops(const ProgramStep& step, StopAt stop_at) const {
  if (step.phase != Phase::wait || stop_at == StopAt::end) return false;
  return stop_at == StopAt::wait || !rounds_[step.operation.round]->test();
}

void Plan::compute(std::int32_t work) {
  if (recorder_) recorder_->end();
  if (*work_) {
    const ComputingScope scope(*this);  // ends also if the callback throws
    (*work_)(work);
  }
  if (recorder_) recorder_->begin(next_part_++);
}

void Plan::execute(const schedule::Operation& operation) {
  switch (operation.action) {
    case Action::start:
      rounds_[operation.round]->start(buffers_);
      in_flight_.push_back(operation.round);
      break;
    case Action::wait:
      rounds_[operation.round]->wait();
      std::erase(in_flight_, operation.round);
      break;
    case Action::copy:
      copies_[operation.work].run(buffers_);
      break;
    case Action::combine:
      callbacks_.combine(schedule::bytes_of(operation.target, buffers_),
                         schedule::bytes_of(operation.block, buffers_));
      break;
    case Action::compute:
      compute(operation.work);
      break;
    default:
      break;
  }
}

}  // namespace halcyon::comm
