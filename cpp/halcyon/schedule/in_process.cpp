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
  std::int32_t round;  ///< on the rank that added the message
  std::span<std::byte> bytes;
};

/// A round of one rank.
struct Round {
  std::vector<std::pair<Action, Message>> messages;
  int n_pending = 0;  ///< after the start: number of incomplete messages
};

struct RankState {
  Cursor cursor;
  std::map<std::int32_t, Round> rounds;
  std::int32_t awaited_round = 0;
  bool is_waiting = false, is_done = false;
};

class InProcessRun {
 public:
  InProcessRun(const Schedule& schedule, const std::vector<Buffers>& buffers,
               const std::function<Callbacks(Rank)>& callbacks_of)
      : schedule_(schedule), buffers_(buffers), ranks_(schedule.n_ranks()) {
    for (Rank rank = 0; rank < schedule.n_ranks(); ++rank) {
      check(schedule, rank);
      check_buffers(rank);
      callbacks_.push_back(callbacks_of ? callbacks_of(rank) : Callbacks{});
    }
  }

  void run() {
    for (bool has_progressed = true; has_progressed;) {
      has_progressed = false;
      for (Rank rank = 0; rank < schedule_.n_ranks(); ++rank) has_progressed |= advance(rank);
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

  /// Runs a rank up to its next blocking wait. Returns whether any operation was executed.
  bool advance(Rank rank) {
    auto& state = ranks_[rank];
    bool has_progressed = false;
    while (!state.is_done) {
      if (state.is_waiting) {
        if (state.rounds[state.awaited_round].n_pending > 0) return has_progressed;
        state.rounds.erase(state.awaited_round);
        state.is_waiting = false;
      }
      Operation operation;
      state.is_done = !schedule_.next(rank, state.cursor, operation);
      if (!state.is_done) execute(rank, operation);
      has_progressed = true;
    }
    return has_progressed;
  }

  void execute(Rank rank, const Operation& operation) {
    auto& state = ranks_[rank];
    const auto& buffers = buffers_[rank];
    const auto& callbacks = callbacks_[rank];
    switch (operation.action) {
      case Action::send:
      case Action::receive:
        add(rank, operation);
        break;
      case Action::start:
        start(rank, operation.round);
        break;
      case Action::wait:
        state.awaited_round = operation.round;
        state.is_waiting = true;
        break;
      case Action::copy:
        copy_block(operation.block, operation.target, buffers);
        break;
      case Action::combine:
        require<InternalError>(bool(callbacks.combine),
                               "Rank {} has a combine operation, but no operator was given.", rank);
        callbacks.combine(bytes_of(operation.target, buffers), bytes_of(operation.block, buffers));
        break;
      case Action::compute:
        if (callbacks.work) callbacks.work(operation.work);
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
    round.n_pending = static_cast<int>(round.messages.size());
    for (const auto& [action, message] : round.messages) {
      auto& channel = channels_[{message.from, message.to}];
      (action == Action::send ? channel.sent : channel.expected).push_back(message);
      match_messages(channel);
    }
  }

  /// Started sends and receives from one rank to another that have not matched, in order.
  struct Channel {
    std::deque<Message> sent, expected;
  };

  void match_messages(Channel& channel) {
    while (!channel.sent.empty() && !channel.expected.empty()) {
      const auto sent = channel.sent.front(), expected = channel.expected.front();
      require<InternalError>(sent.bytes.size() == expected.bytes.size(),
                             "Rank {} sends {} bytes in round {}, but rank {} expects {} in round {}.",
                             sent.from, sent.bytes.size(), sent.round, sent.to, expected.bytes.size(),
                             expected.round);
      std::ranges::copy(sent.bytes, expected.bytes.begin());
      --ranks_[sent.from].rounds[sent.round].n_pending;
      --ranks_[sent.to].rounds[expected.round].n_pending;
      channel.sent.pop_front();
      channel.expected.pop_front();
    }
  }

  void check_finished() const {
    std::string problems;
    for (Rank rank = 0; rank < schedule_.n_ranks(); ++rank) {
      const auto& state = ranks_[rank];
      if (!state.is_done) problems += fmt::format(" Rank {} waits for round {}.", rank, state.awaited_round);
    }
    for (const auto& [pair, channel] : channels_) {
      for (const auto& message : channel.sent)
        problems += fmt::format(" No receive matches {}.", text(message));
      for (const auto& message : channel.expected)
        problems += fmt::format(" No send matches {}.", text(message));
    }
    require<InternalError>(problems.empty(), "The schedule does not complete:{}", problems);
  }

  static std::string text(const Message& message) {
    return fmt::format("the {} bytes from rank {} to rank {} of round {}", message.bytes.size(), message.from,
                       message.to, message.round);
  }

  const Schedule& schedule_;
  const std::vector<Buffers>& buffers_;
  std::vector<RankState> ranks_;
  std::vector<Callbacks> callbacks_;
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
                    const std::function<Callbacks(Rank)>& callbacks_of) {
  require<InternalError>(std::ssize(buffers) == schedule.n_ranks(),
                         "Buffers of {} ranks were given for a schedule of {}.", buffers.size(),
                         schedule.n_ranks());
  InProcessRun(schedule, buffers, callbacks_of).run();
}

}  // namespace halcyon::schedule
