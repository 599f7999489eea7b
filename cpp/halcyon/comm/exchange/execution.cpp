#include "halcyon/comm/exchange/execution.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/operators.hpp"

namespace halcyon::comm {

namespace {

constexpr int kPieces = 20;  // of a computation

}  // namespace

Execution::Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                     schedule::CombineOperator combine, std::shared_ptr<const Progress> progress)
    : buffers_(schedule.buffers()) {
  schedule::Actors actors{.combine = combine ? std::move(combine) : schedule::sum_of<double>(),
                          .work = [this](std::int32_t) { compute(); }};
  exchange_ = std::make_unique<Exchange>(comm, schedule, method, std::move(actors), Placement::anywhere,
                                         std::move(progress));
  for (std::int32_t b = 0; b < std::ssize(buffers_); ++b)
    memory_.emplace_back(schedule.buffer_bytes(comm.rank(), b));
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(comm.rank(), cursor, operation);) {
    if (operation.action == schedule::Action::compute) compute_s_.push_back(operation.seconds);
  }
}

void Execution::compute() {
  const std::chrono::duration<double> whole(compute_s_[computed_++]);
  const auto begin = std::chrono::steady_clock::now();
  for (int piece = 1; piece <= kPieces && whole.count() > 0; ++piece) {
    std::this_thread::sleep_until(begin + whole * piece / kPieces);
    if (piece < kPieces) exchange_->progress();
  }
}

void Execution::run() {
  computed_ = 0;
  const schedule::Buffers spans(memory_.begin(), memory_.end());
  exchange_->start(spans).wait();
}

std::span<std::byte> Execution::buffer(const std::string& name) {
  const auto found = std::ranges::find(buffers_, name, &schedule::Buffer::name);
  if (found != buffers_.end()) return memory_[found - buffers_.begin()];
  std::string names;
  for (const auto& buffer : buffers_) names += fmt::format("{}{}", names.empty() ? "" : ", ", buffer.name);
  throw ConfigError(fmt::format("The schedule has no buffer '{}'. It has {}.", name, names));
}

}  // namespace halcyon::comm
