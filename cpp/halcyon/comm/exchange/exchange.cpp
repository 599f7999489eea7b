#include "halcyon/comm/exchange/exchange.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/plan.hpp"
#include "halcyon/comm/exchange/recorder.hpp"

namespace halcyon::comm {
namespace {

bool is_debugging() {
  const char* value = std::getenv("HALCYON_DEBUG");
  return value && std::string_view(value) == "1";
}

}  // namespace

Exchange::Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                   schedule::Callbacks callbacks, BufferPlacement placement,
                   std::shared_ptr<const Progress> progress)
    : method_(method), description_(method->name) {
  if (comm.max(is_debugging()) == 1) check_message_matching(comm, schedule);
  if (!method->make_rounds) {  // the method `auto`
    const auto choice = choose_method(comm, schedule, placement);
    method_ = choice.method;
    description_ = fmt::format("auto: {} ({})", method_->name, choice.reason);
  }
  plan_ = std::make_unique<Plan>(comm, schedule, method_, std::move(callbacks), std::move(progress));
  if (const auto& record = comm.recorder()) plan_->set_recorder(record, record->add(schedule, comm.rank()));
}

Exchange::Exchange(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

PendingExchange Exchange::start(std::span<const std::span<std::byte>> buffers, const schedule::Work* work) {
  plan_->start(buffers, work);
  return PendingExchange(*plan_);
}

void Exchange::progress() {
  plan_->progress();
}

Statistics Exchange::statistics() const {
  return plan_->statistics();
}

PendingExchange::PendingExchange(PendingExchange&& other) noexcept
    : plan_(std::exchange(other.plan_, nullptr)) {}

PendingExchange::~PendingExchange() {
  wait();
}

void PendingExchange::wait() {
  if (auto* plan = std::exchange(plan_, nullptr)) plan->finish();
}

void PendingExchange::advance() {
  if (plan_) plan_->advance();
}

}  // namespace halcyon::comm
