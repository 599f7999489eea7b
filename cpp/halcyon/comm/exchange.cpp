#include "halcyon/comm/exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/round.hpp"
#include "halcyon/schedule/check.hpp"

namespace halcyon::comm {

namespace {

using schedule::Action;
using schedule::Operation;

/// Takes the messages out of a rank's operations and renumbers the rounds in the order in which they start.
struct Compiled {
  std::vector<Operation> steps;  ///< all but sends and receives
  std::vector<RoundMessages> rounds;

  explicit Compiled(const std::vector<Operation>& operations) {
    std::map<std::int32_t, RoundMessages> added;
    std::map<std::int32_t, std::int32_t> number;
    for (auto operation : operations) {
      switch (operation.action) {
        case Action::send:
          added[operation.round].sends.push_back({operation.peer, operation.block});
          continue;
        case Action::receive:
          added[operation.round].receives.push_back({operation.peer, operation.block});
          continue;
        case Action::start:
          number[operation.round] = static_cast<std::int32_t>(rounds.size());
          rounds.push_back(std::move(added[operation.round]));
          added.erase(operation.round);
          break;
        default:
          break;
      }
      if (operation.action == Action::start || operation.action == Action::wait) {
        operation.round = number[operation.round];
      }
      steps.push_back(operation);
    }
  }
};

}  // namespace

Method method_named(std::string_view name) {
  if (name == "isend_irecv") return Method::isend_irecv;
  if (name == "neighbor") return Method::neighbor;
  if (name == "ineighbor") return Method::ineighbor;
  throw ConfigError(
      fmt::format("There is no exchange method '{}'. Use isend_irecv, neighbor or ineighbor.", name));
}

class Plan {
 public:
  Plan(const Communicator& comm, const schedule::Schedule& schedule, Method method, schedule::Actors actors)
      : actors_(std::move(actors)) {
    std::vector<RoundMessages> rounds;
    comm.agree([&] { rounds = prepare(comm, schedule); });
    comm.agree([&] { rounds_ = make_rounds(comm, method, rounds); });
  }

  void start(std::span<const std::span<std::byte>> buffers) {
    require<InternalError>(at_ == steps_.size(), "An exchange was started twice without a wait.");
    require<InternalError>(buffers.size() == buffers_.size(), "{} buffers were given, the schedule has {}.",
                           buffers.size(), buffers_.size());
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      require<InternalError>(std::ssize(buffers[b]) >= buffer_bytes_[b],
                             "Buffer {} has {} bytes, the schedule needs {}.", b, buffers[b].size(),
                             buffer_bytes_[b]);
    }
    std::ranges::copy(buffers, buffers_.begin());
    at_ = 0;
    run(true);
  }

  void run(bool stop_at_wait) {
    for (; at_ < steps_.size(); ++at_) {
      if (stop_at_wait && steps_[at_].action == Action::wait) return;
      execute(steps_[at_]);
    }
  }

 private:
  /// What a rank does by itself. @returns its rounds
  std::vector<RoundMessages> prepare(const Communicator& comm, const schedule::Schedule& schedule) {
    require<InternalError>(schedule.n_ranks() == comm.size(),
                           "A schedule of {} ranks on a communicator of {}.", schedule.n_ranks(),
                           comm.size());
    schedule::check(schedule, comm.rank());
    Compiled compiled(schedule::operations(schedule, comm.rank()));
    steps_ = std::move(compiled.steps);
    at_ = steps_.size();
    for (const auto& step : steps_) {
      require<InternalError>(step.action != Action::combine || actors_.combine,
                             "Rank {} combines, but has no operator.", comm.rank());
    }
    const auto n_buffers = static_cast<std::int32_t>(schedule.buffers().size());
    for (std::int32_t b = 0; b < n_buffers; ++b)
      buffer_bytes_.push_back(schedule.buffer_bytes(comm.rank(), b));
    buffers_.resize(n_buffers);
    return std::move(compiled.rounds);
  }

  void execute(const Operation& step) {
    switch (step.action) {
      case Action::start:
        rounds_[step.round]->start(buffers_);
        break;
      case Action::wait:
        rounds_[step.round]->wait();
        break;
      case Action::copy:
        schedule::copy_block(step.block, step.target, buffers_);
        break;
      case Action::combine:
        actors_.combine(schedule::bytes_of(step.target, buffers_), schedule::bytes_of(step.block, buffers_));
        break;
      case Action::compute:
        if (actors_.work) actors_.work(step.work);
        break;
      default:
        break;
    }
  }

  std::vector<Operation> steps_;
  std::vector<std::unique_ptr<Round>> rounds_;
  std::vector<std::int64_t> buffer_bytes_;
  schedule::Actors actors_;
  std::vector<std::span<std::byte>> buffers_;
  std::size_t at_ = 0;  ///< the step that comes next
};

Exchange::Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                   schedule::Actors actors)
    : plan_(std::make_unique<Plan>(comm, schedule, method, std::move(actors))) {}

Exchange::Exchange(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Pending Exchange::start(std::span<const std::span<std::byte>> buffers) {
  plan_->start(buffers);
  return Pending(*plan_);
}

Pending::Pending(Pending&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}

Pending::~Pending() {
  wait();
}

void Pending::wait() {
  if (auto* plan = std::exchange(plan_, nullptr)) plan->run(false);
}

}  // namespace halcyon::comm
