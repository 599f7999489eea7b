#include "halcyon/comm/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/round.hpp"

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
        case Action::wait:
          require<InternalError>(number.contains(operation.round),
                                 "A schedule waits for round {} before it starts.", operation.round);
          break;
        default:
          break;
      }
      if (operation.action == Action::start || operation.action == Action::wait) {
        operation.round = number[operation.round];
      }
      steps.push_back(operation);
    }
    require<InternalError>(added.empty(), "A schedule never starts round {}.",
                           added.empty() ? 0 : added.begin()->first);
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

struct Exchange::Plan {
  std::vector<Operation> steps;
  std::vector<std::unique_ptr<Round>> rounds;
  std::vector<std::int64_t> buffer_bytes;
  schedule::CombineOperator combine;
  std::vector<std::span<std::byte>> buffers;
  std::size_t at = 0;  ///< the step that comes next

  void run(bool stop_at_wait) {
    for (; at < steps.size(); ++at) {
      if (stop_at_wait && steps[at].action == Action::wait) return;
      execute(steps[at]);
    }
  }

  std::span<std::byte> bytes(const schedule::Block& block) const {
    return buffers[block.buffer].subspan(block.offset_bytes, block.size_bytes);
  }

  void execute(const Operation& step) {
    switch (step.action) {
      case Action::start:
        rounds[step.round]->start(buffers);
        break;
      case Action::wait:
        rounds[step.round]->wait();
        break;
      case Action::copy:
        std::memcpy(bytes(step.target).data(), bytes(step.block).data(), bytes(step.block).size());
        break;
      case Action::combine:
        combine(bytes(step.target), bytes(step.block));
        break;
      case Action::compute:
        std::this_thread::sleep_for(std::chrono::duration<double>(step.seconds));
        break;
      default:
        break;
    }
  }
};

Exchange::Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                   schedule::CombineOperator combine)
    : plan_(std::make_unique<Plan>()) {
  require<InternalError>(schedule.n_ranks() == comm.size(), "A schedule of {} ranks on a communicator of {}.",
                         schedule.n_ranks(), comm.size());
  Compiled compiled(schedule::operations(schedule, comm.rank()));
  plan_->rounds = make_rounds(comm, method, compiled.rounds);
  plan_->steps = std::move(compiled.steps);
  plan_->combine = std::move(combine);
  const auto n_buffers = static_cast<std::int32_t>(schedule.buffers().size());
  for (std::int32_t b = 0; b < n_buffers; ++b) {
    plan_->buffer_bytes.push_back(schedule.buffer_bytes(comm.rank(), b));
  }
  plan_->buffers.resize(n_buffers);
  plan_->at = plan_->steps.size();
}

Exchange::Exchange(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Pending Exchange::start(std::span<const std::span<std::byte>> buffers) {
  require<InternalError>(plan_->at == plan_->steps.size(), "An exchange was started twice without a wait.");
  require<InternalError>(buffers.size() == plan_->buffers.size(),
                         "{} buffers were given, the schedule has {}.", buffers.size(),
                         plan_->buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    require<InternalError>(std::ssize(buffers[b]) >= plan_->buffer_bytes[b],
                           "Buffer {} has {} bytes, the schedule needs {}.", b, buffers[b].size(),
                           plan_->buffer_bytes[b]);
  }
  std::ranges::copy(buffers, plan_->buffers.begin());
  plan_->at = 0;
  plan_->run(true);
  return Pending(*this);
}

void Exchange::finish() {
  plan_->run(false);
}

Pending::Pending(Pending&& other) noexcept : exchange_(std::exchange(other.exchange_, nullptr)) {}

Pending::~Pending() {
  wait();
}

void Pending::wait() {
  if (auto* exchange = std::exchange(exchange_, nullptr)) exchange->finish();
}

}  // namespace halcyon::comm
