#include "halcyon/schedule/in_process.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"

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
};

struct RankState {
  Cursor cursor;
  std::map<std::int32_t, Round> rounds;
  std::int32_t waits_for = 0;
  bool waiting = false, done = false;
};

class Run {
 public:
  Run(const Schedule& schedule, const std::vector<Buffers>& buffers,
      const std::function<Actors(Rank)>& actors_of)
      : schedule_(schedule), buffers_(buffers), ranks_(schedule.n_ranks()) {
    for (Rank rank = 0; rank < schedule.n_ranks(); ++rank) {
      check(schedule, rank);
      check_buffers(rank);
      actors_.push_back(actors_of ? actors_of(rank) : Actors{});
    }
  }

  void all() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Rank rank = 0; rank < schedule_.n_ranks(); ++rank) moved |= advance(rank);
    }
    check_finished();
  }

 private:
  void check_buffers(Rank rank) const {
    for (std::size_t b = 0; b < schedule_.buffers().size(); ++b) {
      const auto needed = schedule_.buffer_bytes(rank, static_cast<std::int32_t>(b));
      require<InternalError>(b < buffers_[rank].size() && std::ssize(buffers_[rank][b]) >= needed,
                             "Rank {} needs {} bytes of buffer {}.", rank, needed, b);
    }
  }

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
    const auto& actors = actors_[rank];
    switch (operation.action) {
      case Action::send:
      case Action::receive:
        add(rank, operation);
        break;
      case Action::start:
        start(rank, operation.round);
        break;
      case Action::wait:
        state.waits_for = operation.round;
        state.waiting = true;
        break;
      case Action::copy:
        copy_block(operation.block, operation.target, buffers);
        break;
      case Action::combine:
        require<InternalError>(bool(actors.combine), "Rank {} combines, but has no operator.", rank);
        actors.combine(bytes_of(operation.target, buffers), bytes_of(operation.block, buffers));
        break;
      case Action::compute:
        if (actors.work) actors.work(operation.work);
        break;
    }
  }

  void add(Rank rank, const Operation& operation) {
    const bool sends = operation.action == Action::send;
    ranks_[rank].rounds[operation.round].messages.push_back(
        {operation.action,
         {.from = sends ? rank : operation.peer,
          .to = sends ? operation.peer : rank,
          .round = operation.round,
          .bytes = bytes_of(operation.block, buffers_[rank])}});
  }

  void start(Rank rank, std::int32_t number) {
    auto& round = ranks_[rank].rounds[number];
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
  std::vector<RankState> ranks_;
  std::vector<Actors> actors_;
  std::map<std::pair<Rank, Rank>, Channel> channels_;
};

}  // namespace

void copy_block(const Block& from, const Block& to, std::span<const std::span<std::byte>> buffers) {
  for (std::int64_t range = 0; range < from.count; ++range) {
    const auto source = bytes_of(from, buffers, range), target = bytes_of(to, buffers, range);
    if (!source.empty()) std::memmove(target.data(), source.data(), source.size());
  }
}

void run_in_process(const Schedule& schedule, const std::vector<Buffers>& buffers,
                    const std::function<Actors(Rank)>& actors_of) {
  require<InternalError>(std::ssize(buffers) == schedule.n_ranks(),
                         "Buffers of {} ranks for a schedule of {}.", buffers.size(), schedule.n_ranks());
  Run(schedule, buffers, actors_of).all();
}

}  // namespace halcyon::schedule
