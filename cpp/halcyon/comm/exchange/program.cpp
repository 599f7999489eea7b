#include "halcyon/comm/exchange/program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/schedule/schedule.hpp"

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

namespace {

/// By partner, in the order in which messages match: two numbers each, which `describe` makes of a round's
/// index, itself and the message's size.
template <class Describe>
ListsByRank listed(const std::vector<RoundMessages>& rounds, std::vector<Message> RoundMessages::* way,
                   const Describe& describe) {
  ListsByRank lists;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (const auto& message : rounds[i].*way) {
      const auto [first, second] = describe(i, rounds[i], message);
      lists[message.peer].insert(lists[message.peer].end(), {first, second});
    }
  }
  return lists;
}

using Two = std::pair<std::int64_t, std::int64_t>;

/// Compares the lists of round and size of one sender and this receiver.
void check_pair(Rank sender, Rank receiver, const std::vector<std::int64_t>& sent,
                const std::vector<std::int64_t>& awaited) {
  for (std::size_t i = 0; i < std::max(sent.size(), awaited.size()); i += 2) {
    if (i >= awaited.size())
      throw InternalError(
          fmt::format("Rank {} sends {} bytes to rank {} in round {}, which awaits no more from it.", sender,
                      sent[i + 1], receiver, sent[i]));
    if (i >= sent.size())
      throw InternalError(
          fmt::format("Rank {} awaits {} bytes from rank {} in round {}, which sends no more to it.",
                      receiver, awaited[i + 1], sender, awaited[i]));
    require<InternalError>(
        sent[i + 1] == awaited[i + 1],
        "Rank {} sends {} bytes to rank {} in round {}, which awaits {} bytes in round {}.", sender,
        sent[i + 1], receiver, sent[i], awaited[i + 1], awaited[i]);
  }
}

}  // namespace

void check_pairs(const Communicator& comm, const schedule::Schedule& schedule) {
  std::vector<RoundMessages> rounds;
  comm.agree([&] {
    schedule::check(schedule, comm.rank());
    rounds = Program(schedule::operations(schedule, comm.rank())).rounds;
  });
  const auto round_and_size = [](std::size_t, const RoundMessages& round, const Message& message) {
    return Two{round.number, message.block.size_bytes};
  };
  auto sent = sparse_exchange(comm, listed(rounds, &RoundMessages::sends, round_and_size));
  auto awaited = listed(rounds, &RoundMessages::receives, round_and_size);
  comm.agree([&] {
    std::set<Rank> senders;
    for (const auto* lists : {&sent, &awaited}) {
      for (const auto& [rank, list] : *lists) senders.insert(rank);
    }
    for (const auto sender : senders) check_pair(sender, comm.rank(), sent[sender], awaited[sender]);
  });
}

bool both_ends_in_one_round(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto index = [](std::size_t i, const RoundMessages&, const Message&) {
    return Two{static_cast<std::int64_t>(i), 0};
  };
  return sparse_exchange(comm, listed(rounds, &RoundMessages::sends, index)) ==
         listed(rounds, &RoundMessages::receives, index);
}

}  // namespace halcyon::comm
