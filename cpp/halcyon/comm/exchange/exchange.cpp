#include "halcyon/comm/exchange/exchange.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/plan.hpp"
#include "halcyon/comm/exchange/recorder.hpp"

namespace halcyon::comm {

namespace {

bool debugging() {
  const char* text = std::getenv("HALCYON_DEBUG");
  return text && std::string_view(text) == "1";
}

}  // namespace

Exchange::Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                   schedule::Actors actors, Placement placement, std::shared_ptr<const Progress> progress)
    : method_(method), description_(method->name) {
  if (comm.max(debugging()) == 1) check_pairs(comm, schedule);
  if (!method->make_rounds) {
    const auto choice = chosen_method(comm, schedule, placement);
    method_ = choice.method;
    description_ = fmt::format("auto: {} ({})", method_->name, choice.reason);
  }
  plan_ = std::make_unique<Plan>(comm, schedule, method_, std::move(actors), std::move(progress));
  if (const auto& recorder = comm.recorder()) plan_->record(recorder, recorder->add(schedule, comm.rank()));
}

Exchange::Exchange(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Pending Exchange::start(std::span<const std::span<std::byte>> buffers, const schedule::Work* work) {
  plan_->start(buffers, work);
  return Pending(*plan_);
}

void Exchange::progress() {
  plan_->progress();
}

Statistics Exchange::statistics() const {
  return plan_->statistics();
}

Pending::Pending(Pending&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}

Pending::~Pending() {
  wait();
}

void Pending::wait() {
  if (auto* plan = std::exchange(plan_, nullptr)) plan->finish();
}

}  // namespace halcyon::comm
