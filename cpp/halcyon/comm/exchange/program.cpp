#include "halcyon/comm/exchange/program.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace halcyon::comm {

namespace {

using schedule::Action;
using schedule::Block;
using schedule::Operation;

bool meet(const Block& one, const Block& other) {
  const auto end = [](const Block& b) { return b.offset_bytes + b.size_bytes; };
  return one.buffer == other.buffer && one.offset_bytes < end(other) && other.offset_bytes < end(one);
}

/// A copy unpacks where it reads what one of the rounds so far has received.
Part part_of(const Operation& operation, const std::vector<RoundMessages>& rounds) {
  switch (operation.action) {
    case Action::start:
      return Part::transfer;
    case Action::wait:
      return Part::wait;
    case Action::combine:
      return Part::unpack;
    case Action::copy:
      break;
    default:
      return Part::work;
  }
  for (const auto& round : rounds) {
    const auto reads = [&](const Message& m) { return meet(operation.block, m.block); };
    if (std::ranges::any_of(round.receives, reads)) return Part::unpack;
  }
  return Part::pack;
}

}  // namespace

Program::Program(const std::vector<Operation>& operations) {
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
        rounds.back().number = operation.round;
        added.erase(operation.round);
        break;
      default:
        break;
    }
    if (operation.action == Action::start || operation.action == Action::wait) {
      operation.round = number[operation.round];
    }
    steps.push_back({operation, part_of(operation, rounds)});
  }
}

std::vector<std::int64_t> Program::wait_order() const {
  std::vector<std::int64_t> order;
  for (const auto& step : steps)
    if (step.operation.action == Action::wait) order.push_back(step.operation.round);
  return order;
}

}  // namespace halcyon::comm
