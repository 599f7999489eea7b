#include "halcyon/network/engine/executor.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;
using schedule::Sendrecv;

void Executor::begin() {
  for (Rank rank = 0; rank < std::ssize(world_.ranks); ++rank) {
    if (world_.part_of_rank(rank) != part_.part) continue;
    advance(rank);
    run_ready();
  }
}

void Executor::resume(const Packet& packet) {
  part_.now = packet.time;
  const Rank rank = packet.source;
  if (packet.choice != kNone) {
    heed(static_cast<Kind>(packet.choice), rank, packet.target,
         static_cast<std::int64_t>(packet.message_bytes), packet.time);
  } else {
    auto& state = world_.ranks[rank];
    state.doing = Doing::running;
    start(rank, state, state.round);
    advance(rank);
  }
  run_ready();
}

/// Where only calls make progress, a rank that computes heeds the protocol when it has done so.
void Executor::take_control(const Packet& packet, Time arrival) {
  const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
  const auto clock = world_.ranks[packet.target].clock;
  if (!world_.machine.progress_in_calls || clock <= arrival)
    return heed(packet.kind, packet.target, packet.source, bytes, arrival);
  auto later = resumption(packet.target, packet.source, bytes, clock);
  later.choice = static_cast<std::int32_t>(packet.kind);
  part_.events.push(later);
}

void Executor::heed(Kind kind, Rank rank, Rank peer, std::int64_t bytes, Time when) {
  if (kind == Kind::request)
    matching_.request(rank, peer, bytes, when);
  else
    nics_.clear(rank, peer, bytes, when);
}

Packet Executor::resumption(Rank rank, Rank peer, std::int64_t bytes, Time when) {
  auto packet = part_.packet(Kind::resume, rank, peer, bytes, when);
  packet.time = when;
  return packet;
}

void Executor::advance(Rank rank) {
  auto& state = world_.ranks[rank];
  if (state.doing == Doing::waiting && !wait(rank, state)) return;
  const bool staged = part_.statistics.stages.size() > 1;
  const auto enter = [&] {
    if (staged) enter_stage(rank, state, world_.schedule.stage(state.cursor));
  };
  Operation operation;
  for (Sendrecv both;;) {
    if (!world_.shares && world_.schedule.next_sendrecv(rank, state.cursor, both)) {
      enter();
      if (!execute(rank, state, both)) return;
      continue;
    }
    if (!world_.schedule.next(rank, state.cursor, operation)) break;
    if (operation.action >= Action::start && operation.action != Action::wait) enter();
    if (!execute(rank, state, operation)) return;
  }
  state.doing = Doing::done;
  enter_stage(rank, state, world_.schedule.n_stages());
}

/// Says whether the rank can go on.
bool Executor::execute(Rank rank, RankState& state, const Operation& operation) {
  switch (operation.action) {
    case Action::send:
    case Action::receive:
      add(rank, state, operation);
      return true;
    case Action::start:
      if (world_.shares && state.clock > part_.now) {
        state.doing = Doing::pausing;
        state.round = operation.round;
        part_.events.push(resumption(rank, rank, 0, state.clock));
        return false;
      }
      start(rank, state, operation.round);
      return true;
    case Action::wait:
      state.round = operation.round;
      return wait(rank, state);
    case Action::copy:
    case Action::combine:
      work(rank, state, world_.memory.pace.bounded(operation.block.total_bytes()));
      return true;
    case Action::compute:
      work(rank, state, to_time(operation.seconds));
      return true;
  }
  return true;
}

bool Executor::execute(Rank rank, RankState& state, const Sendrecv& operation) {
  require_rank(rank, operation.to, operation.round);
  require_rank(rank, operation.from, operation.round);
  const auto at = make(rank, state, operation.round);
  auto& round = part_.rounds[at];
  matching_.add_receive(round, operation.from, operation.received_bytes);
  round.n_sends = 1;
  round.peer = operation.to;
  round.bytes = operation.sent_bytes;
  start(rank, state, at, round);
  state.round = operation.round;
  return end_wait(state, at, round);
}

void Executor::work(Rank rank, RankState& state, Time time) {
  state.clock += time;
  require_time(rank, "works", state.clock);
}

void Executor::send_busily(Rank rank, RankState& state, std::int32_t n_sends) {
  state.clock = n_sends < world_.most_sends ? state.clock + n_sends * world_.send_overhead : kEndOfTime;
  require_time(rank, "sends", state.clock);
}

/// Ends the wait where it can end, and says whether it did.
bool Executor::wait(Rank rank, RankState& state) {
  const auto number = find(state, state.round);
  require<InputError>(number != kNobody, "Rank {} waits for round {}, which it has not started.", rank,
                      state.round);
  return end_wait(state, number, part_.rounds[number]);
}

bool Executor::end_wait(RankState& state, std::uint32_t at, Round& round) {
  state.doing = Doing::waiting;
  if (!round.complete()) return false;
  state.clock = std::max(state.clock, round.done);
  state.doing = Doing::running;
  matching_.clear(round);
  unlink(state, at);
  part_.rounds.give_back(at);
  return true;
}

void Executor::refuse_rank(Rank rank, Rank peer, std::int32_t round) const {
  throw InputError(fmt::format("Rank {} has a message with rank {} in round {}, but there are {} ranks.",
                               rank, peer, round, world_.ranks.size()));
}

void Executor::add(Rank rank, RankState& state, const Operation& operation) {
  require_rank(rank, operation.peer, operation.round);
  auto& round = part_.rounds[find_or_make(rank, state, operation.round)];
  require<InputError>(!round.started(), "Rank {} adds a message with rank {} to round {}, which has started.",
                      rank, operation.peer, operation.round);
  const auto bytes = operation.block.total_bytes();
  if (operation.action == Action::receive) {
    matching_.add_receive(round, operation.peer, bytes);
  } else if (round.n_sends++ == 0) {
    round.peer = operation.peer;
    round.bytes = bytes;
    round.cursor = state.cursor;
  }
}

void Executor::start(Rank rank, RankState& state, std::int32_t number) {
  const auto at = find_or_make(rank, state, number);
  auto& round = part_.rounds[at];
  if (round.next != kNobody) {  // rounds stand in the order in which they start
    unlink(state, at);
    link_to(part_.rounds, state.rounds, kNobody) = at;
  }
  start(rank, state, at, round);
}

void Executor::start(Rank rank, RankState& state, std::uint32_t at, Round& round) {
  round.started_at = round.done = state.clock;
  round.sends_left = round.n_sends;
  if (world_.send_overhead > 0) send_busily(rank, state, round.n_sends);
  if (!state.unexpected.empty()) matching_.match_unexpected(rank, state, at);
  nics_.feed(rank);
}

/// Notes the end of the stages before this one.
void Executor::enter_stage(Rank rank, RankState& state, std::int32_t stage) {
  for (; state.stage < stage; ++state.stage) {
    auto& times = part_.statistics.stages[state.stage];
    times.first = std::min(times.first, state.clock);
    times.last = std::max(times.last, state.clock);
    times.sum += state.clock;
    if (!world_.stage_finish.empty()) {
      world_.stage_finish[static_cast<std::size_t>(rank) * part_.statistics.stages.size() + state.stage] =
          state.clock;
    }
  }
}

std::uint32_t Executor::find(const RankState& state, std::int32_t number) const {
  auto at = state.rounds;
  while (at != kNobody && part_.rounds[at].number != number) at = part_.rounds[at].next;
  return at;
}

std::uint32_t Executor::find_or_make(Rank rank, RankState& state, std::int32_t number) {
  const auto at = find(state, number);
  return at == kNobody ? make(rank, state, number) : at;
}

std::uint32_t Executor::make(Rank rank, RankState& state, std::int32_t number) {
  const auto at = part_.rounds.take(rank);
  part_.rounds[at].number = number;
  link_to(part_.rounds, state.rounds, kNobody) = at;
  return at;
}

void Executor::unlink(RankState& state, std::uint32_t round) {
  link_to(part_.rounds, state.rounds, round) = part_.rounds[round].next;
  part_.rounds[round].next = kNobody;
}

}  // namespace halcyon::network
