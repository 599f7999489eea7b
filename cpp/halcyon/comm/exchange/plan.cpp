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

Copies::Copies(const schedule::Operation& first) : from_(first.block.buffer), to_(first.target.buffer) {
  add(first);
}

bool Copies::add(const schedule::Operation& copy) {
  const auto &from = copy.block, &to = copy.target;
  if (from.buffer != from_ || to.buffer != to_) return false;
  for (std::int64_t i = 0; i < from.count && from.size_bytes > 0; ++i) {
    ranges_.push_back(
        {from.offset_bytes + i * from.stride_bytes, to.offset_bytes + i * to.stride_bytes, from.size_bytes});
  }
  return true;
}

void Copies::run(BufferSpans buffers) const {
  const std::byte* const source = buffers[from_].data();
  std::byte* const target = buffers[to_].data();
  for (const auto& range : ranges_) {
    switch (range.bytes) {  // a number of a known size is moved in one instruction
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
           schedule::Actors actors, std::shared_ptr<const Progress> progress)
    : actors_(std::move(actors)), progress_(std::move(progress)) {
  std::optional<Program> program;
  comm.agree([&] { program = prepared(comm, schedule); });
  comm.agree([&] { rounds_ = method->make_rounds(comm, *program, schedule.buffers()); });
  for (const auto& step : program->steps) add(step);
  at_ = steps_.size();
  under_way_.reserve(rounds_.size());
}

Plan::~Plan() {
  computing(false);
}

/// What a rank does by itself.
Program Plan::prepared(const Communicator& comm, const schedule::Schedule& schedule) {
  require<InternalError>(schedule.n_ranks() == comm.size(), "A schedule of {} ranks on a communicator of {}.",
                         schedule.n_ranks(), comm.size());
  schedule::check(schedule, comm.rank());
  Program program(schedule::operations(schedule, comm.rank()));
  for (const auto& step : program.steps) {
    require<InternalError>(step.operation.action != Action::combine || actors_.combine,
                           "Rank {} combines, but has no operator.", comm.rank());
  }
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

void Plan::add(const Step& step) {
  const bool copies = step.operation.action == Action::copy;
  if (copies && !steps_.empty() && steps_.back().operation.action == Action::copy &&
      steps_.back().part == step.part && copies_.back().add(step.operation))
    return;
  steps_.push_back(step);
  if (!copies) return;
  steps_.back().operation.work = static_cast<std::int32_t>(copies_.size());
  copies_.emplace_back(step.operation);
}

Statistics Plan::statistics() const {
  const auto part_s = [this](Part part) { return times_s_[static_cast<std::size_t>(part)]; };
  return {.pack_s = part_s(Part::pack),
          .transfer_s = part_s(Part::transfer),
          .wait_s = part_s(Part::wait),
          .unpack_s = part_s(Part::unpack),
          .n_exchanges = n_exchanges_,
          .n_sent = n_exchanges_ * n_sent_,
          .n_received = n_exchanges_ * n_received_,
          .sent_bytes = n_exchanges_ * sent_bytes_,
          .received_bytes = n_exchanges_ * received_bytes_};
}

void Plan::start(BufferSpans buffers, const schedule::Work* work) {
  require<InternalError>(at_ == steps_.size(), "An exchange was started twice without a wait.");
  require<InternalError>(buffers.size() == buffers_.size(), "{} buffers were given, the schedule has {}.",
                         buffers.size(), buffers_.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    require<InternalError>(std::ssize(buffers[b]) >= buffer_bytes_[b],
                           "Buffer {} has {} bytes, the schedule needs {}.", b, buffers[b].size(),
                           buffer_bytes_[b]);
  }
  std::ranges::copy(buffers, buffers_.begin());
  work_ = work ? work : &actors_.work;
  ++n_exchanges_;
  at_ = 0;
  part_ = first_part_;
  under_way_.clear();
  run(true);
  computing(true);
}

void Plan::finish() {
  computing(false);
  run(false);
}

void Plan::progress() {
  if (!progress_ || progress_->by() != ProgressBy::poll) return;
  for (const auto round : under_way_) rounds_[round]->test();
}

/// From now on the rank computes, or no more.
void Plan::computing(bool begins) {
  if (!progress_ || begins == computing_ || (begins && under_way_.empty())) return;
  if (begins) progress_->resume();
  if (!begins) progress_->pause();
  computing_ = begins;
}

void Plan::record(std::shared_ptr<Recorder> recorder, std::int32_t first_part) {
  recorder_ = std::move(recorder);
  first_part_ = first_part;
}

/// The clock is read where one part ends and another begins.
void Plan::run(bool stop_at_wait) {
  if (recorder_) recorder_->begin(part_++);
  auto begin = Clock::now();
  while (at_ < steps_.size() && !(stop_at_wait && steps_[at_].part == Part::wait)) {
    const auto part = steps_[at_].part;
    execute(steps_[at_++].operation);
    if (at_ < steps_.size() && steps_[at_].part == part) continue;
    const auto end = Clock::now();
    times_s_[static_cast<std::size_t>(part)] += std::chrono::duration<double>(end - begin).count();
    begin = end;
  }
  if (recorder_) recorder_->end();
}

void Plan::compute(std::int32_t work) {
  if (recorder_) recorder_->end();
  if (*work_) {
    const Computing lasts(*this);  // also where the work throws
    (*work_)(work);
  }
  if (recorder_) recorder_->begin(part_++);
}

void Plan::execute(const schedule::Operation& step) {
  switch (step.action) {
    case Action::start:
      rounds_[step.round]->start(buffers_);
      under_way_.push_back(step.round);
      break;
    case Action::wait:
      rounds_[step.round]->wait();
      std::erase(under_way_, step.round);
      break;
    case Action::copy:
      copies_[step.work].run(buffers_);
      break;
    case Action::combine:
      actors_.combine(schedule::bytes_of(step.target, buffers_), schedule::bytes_of(step.block, buffers_));
      break;
    case Action::compute:
      compute(step.work);
      break;
    default:
      break;
  }
}

}  // namespace halcyon::comm
