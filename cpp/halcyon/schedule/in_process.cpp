#include "halcyon/schedule/in_process.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

struct Message {
  Rank from, to;
  std::int32_t round;  ///< of the rank that added it
  std::span<std::byte> bytes;
};

/// A round of one rank: its messages wait in `messages` until it starts, then `open` counts those under way.
struct Round {
  std::vector<std::pair<Action, Message>> messages;
  int open = 0;
  bool started = false;
};

struct RankState {
  Cursor cursor;
  std::map<std::int32_t, Round> rounds;
  std::int32_t waits_for = 0;
  bool waiting = false, done = false;
};

class Run {
 public:
  Run(const Schedule& schedule, const std::vector<Buffers>& buffers, const CombineOperator& combine)
      : schedule_(schedule), buffers_(buffers), combine_(combine), ranks_(schedule.n_ranks()) {}

  void all() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Rank rank = 0; rank < schedule_.n_ranks(); ++rank) moved |= advance(rank);
    }
    check_finished();
  }

 private:
  /// Runs a rank up to its next wait that cannot end. Says whether anything happened.
  bool advance(Rank rank) {
    auto& state = ranks_[rank];
    bool moved = false;
    while (!state.done) {
      if (state.waiting) {
        if (state.rounds[state.waits_for].open > 0) return moved;
        state.rounds.erase(state.waits_for);
        state.waiting = false;
      }
      Operation operation;
      state.done = !schedule_.next(rank, state.cursor, operation);
      if (!state.done) execute(rank, operation);
      moved = true;
    }
    return moved;
  }

  void execute(Rank rank, const Operation& operation) {
    auto& state = ranks_[rank];
    const auto& buffers = buffers_[rank];
    switch (operation.action) {
      case Action::send:
      case Action::receive:
        add(rank, operation);
        break;
      case Action::start:
        start(rank, operation.round);
        break;
      case Action::wait:
        require<InternalError>(state.rounds[operation.round].started,
                               "Rank {} waits for round {}, which has not started.", rank, operation.round);
        state.waits_for = operation.round;
        state.waiting = true;
        break;
      case Action::copy: {
        const auto from = bytes_of(operation.block, buffers), to = bytes_of(operation.target, buffers);
        require<InternalError>(from.size() == to.size(), "Rank {} copies {} bytes to a block of {}.", rank,
                               from.size(), to.size());
        std::ranges::copy(from, to.begin());
        break;
      }
      case Action::combine:
        require<InternalError>(bool(combine_), "Rank {} combines, but the run has no operator.", rank);
        combine_(bytes_of(operation.target, buffers), bytes_of(operation.block, buffers));
        break;
      case Action::compute:
        break;
    }
  }

  void add(Rank rank, const Operation& operation) {
    require<InternalError>(operation.peer >= 0 && operation.peer < schedule_.n_ranks(),
                           "Rank {} exchanges with rank {} in a schedule of {} ranks.", rank, operation.peer,
                           schedule_.n_ranks());
    auto& round = ranks_[rank].rounds[operation.round];
    require<InternalError>(!round.started, "Rank {} adds a message to round {}, which has started.", rank,
                           operation.round);
    const bool sends = operation.action == Action::send;
    round.messages.push_back({operation.action,
                              {.from = sends ? rank : operation.peer,
                               .to = sends ? operation.peer : rank,
                               .round = operation.round,
                               .bytes = bytes_of(operation.block, buffers_[rank])}});
  }

  void start(Rank rank, std::int32_t number) {
    auto& round = ranks_[rank].rounds[number];
    require<InternalError>(!round.started, "Rank {} starts round {} twice.", rank, number);
    round.started = true;
    round.open = static_cast<int>(round.messages.size());
    for (const auto& [action, message] : round.messages) {
      auto& channel = channels_[{message.from, message.to}];
      (action == Action::send ? channel.sent : channel.awaited).push_back(message);
      match(channel);
    }
  }

  struct Channel {
    std::deque<Message> sent, awaited;
  };

  void match(Channel& channel) {
    while (!channel.sent.empty() && !channel.awaited.empty()) {
      const auto sent = channel.sent.front(), awaited = channel.awaited.front();
      require<InternalError>(sent.bytes.size() == awaited.bytes.size(),
                             "Rank {} sends {} bytes in round {} but rank {} awaits {} in round {}.",
                             sent.from, sent.bytes.size(), sent.round, sent.to, awaited.bytes.size(),
                             awaited.round);
      std::ranges::copy(sent.bytes, awaited.bytes.begin());
      --ranks_[sent.from].rounds[sent.round].open;
      --ranks_[sent.to].rounds[awaited.round].open;
      channel.sent.pop_front();
      channel.awaited.pop_front();
    }
  }

  void check_finished() const {
    std::string trouble;
    for (Rank rank = 0; rank < schedule_.n_ranks(); ++rank) {
      const auto& state = ranks_[rank];
      if (!state.done) trouble += fmt::format(" Rank {} waits for round {}.", rank, state.waits_for);
      if (state.done && !state.rounds.empty()) {
        trouble += fmt::format(" Rank {} never waits for round {}.", rank, state.rounds.begin()->first);
      }
    }
    for (const auto& [pair, channel] : channels_) {
      for (const auto& m : channel.sent) trouble += fmt::format(" Nobody takes {}.", text(m));
      for (const auto& m : channel.awaited) trouble += fmt::format(" Nobody sends {}.", text(m));
    }
    require<InternalError>(trouble.empty(), "The schedule does not end well:{}", trouble);
  }

  static std::string text(const Message& m) {
    return fmt::format("the {} bytes from rank {} to rank {} of round {}", m.bytes.size(), m.from, m.to,
                       m.round);
  }

  const Schedule& schedule_;
  const std::vector<Buffers>& buffers_;
  const CombineOperator& combine_;
  std::vector<RankState> ranks_;
  std::map<std::pair<Rank, Rank>, Channel> channels_;
};

}  // namespace

std::span<std::byte> bytes_of(const Block& block, std::span<const std::span<std::byte>> buffers) {
  const auto number = static_cast<std::size_t>(block.buffer);
  require<InternalError>(block.buffer >= 0 && number < buffers.size(), "A block lies in buffer {} of {}.",
                         block.buffer, buffers.size());
  const auto size = static_cast<std::int64_t>(buffers[number].size());
  require<InternalError>(
      block.offset_bytes >= 0 && block.size_bytes >= 0 && block.offset_bytes <= size - block.size_bytes,
      "A block of {} bytes at {} leaves buffer {} of {} bytes.", block.size_bytes, block.offset_bytes,
      block.buffer, size);
  return buffers[number].subspan(block.offset_bytes, block.size_bytes);
}

void run_in_process(const Schedule& schedule, const std::vector<Buffers>& buffers,
                    const CombineOperator& combine) {
  require<InternalError>(std::ssize(buffers) == schedule.n_ranks(),
                         "Buffers of {} ranks for a schedule of {}.", buffers.size(), schedule.n_ranks());
  Run(schedule, buffers, combine).all();
}

}  // namespace halcyon::schedule
