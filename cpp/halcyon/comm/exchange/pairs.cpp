#include "halcyon/comm/exchange/pairs.hpp"

#include <algorithm>
#include <set>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/sparse.hpp"
#include "halcyon/schedule/check.hpp"

namespace halcyon::comm {

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
