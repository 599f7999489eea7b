#include "halcyon/network/engine/ranks.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;
using schedule::Sendrecv;

Ranks::Ranks(World& world, Calendar<Parcel>& calendar, int part, Gate* gate)
    : world_(world),
      calendar_(calendar),
      part_(part),
      gate_(gate),
      tally_(world.schedule.n_stages(), world.options.pair_bins),
      rounds_(world.ranks) {}

void Ranks::begin() {
  for (Rank rank = 0; rank < std::ssize(world_.ranks); ++rank) {
    if (world_.part_of_rank(rank) != part_) continue;
    advance(rank);
    run_ready();
  }
}

void Ranks::resume(const Parcel& parcel) {
  now_ = parcel.time;
  const Rank rank = parcel.source;
  if (parcel.choice != kNone) {
    heed(static_cast<Kind>(parcel.choice), rank, parcel.target,
         static_cast<std::int64_t>(parcel.message_bytes), parcel.time);
  } else {
    auto& state = world_.ranks[rank];
    state.doing = Doing::running;
    start(rank, state, state.round);
    advance(rank);
  }
  run_ready();
}

void Ranks::run_ready() {
  while (!ready_.empty()) {
    const Rank rank = ready_.back();
    ready_.pop_back();
    advance(rank);
  }
}

void Ranks::advance(Rank rank) {
  auto& state = world_.ranks[rank];
  if (state.doing == Doing::waiting && !wait(rank, state)) return;
  const bool staged = tally_.stages.size() > 1;
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
bool Ranks::execute(Rank rank, RankState& state, const Operation& operation) {
  switch (operation.action) {
    case Action::send:
    case Action::receive:
      add(rank, state, operation);
      return true;
    case Action::start:
      if (world_.shares && state.clock > now_) {
        state.doing = Doing::pausing;
        state.round = operation.round;
        auto parcel = this->parcel(Kind::resume, rank, rank, 0, state.clock);
        parcel.time = state.clock;
        calendar_.push(parcel);
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

bool Ranks::execute(Rank rank, RankState& state, const Sendrecv& operation) {
  require_rank(rank, operation.to, operation.round);
  require_rank(rank, operation.from, operation.round);
  const auto at = make(rank, state, operation.round);
  auto& round = rounds_[at];
  round.receives.add(runs_, operation.from, operation.received_bytes);
  round.receives_left = round.n_sends = 1;
  round.peer = operation.to;
  round.bytes = operation.sent_bytes;
  start(rank, state, at, round);
  state.round = operation.round;
  return end_wait(state, at, round);
}

void Ranks::work(Rank rank, RankState& state, Time time) {
  state.clock += time;
  require_time(rank, "works", state.clock);
}

void Ranks::send_busily(Rank rank, RankState& state, std::int32_t n_sends) {
  state.clock = n_sends < world_.most_sends ? state.clock + n_sends * world_.send_overhead : kEndOfTime;
  require_time(rank, "sends", state.clock);
}

/// Ends the wait where it can end, and says whether it did.
bool Ranks::wait(Rank rank, RankState& state) {
  const auto number = find(state, state.round);
  require<InputError>(number != kNobody, "Rank {} waits for round {}, which it has not started.", rank,
                      state.round);
  return end_wait(state, number, rounds_[number]);
}

bool Ranks::end_wait(RankState& state, std::uint32_t at, Round& round) {
  state.doing = Doing::waiting;
  if (!round.complete()) return false;
  state.clock = std::max(state.clock, round.done);
  state.doing = Doing::running;
  round.receives.clear(runs_);
  unlink(state, at);
  rounds_.give_back(at);
  return true;
}

void Ranks::refuse_rank(Rank rank, Rank peer, std::int32_t round) const {
  throw InputError(fmt::format("Rank {} has a message with rank {} in round {}, but there are {} ranks.",
                               rank, peer, round, world_.ranks.size()));
}

void Ranks::refuse_clock(Rank rank, const char* does, Time time) {
  refuse_time(fmt::format("Rank {} {}", rank, does), time);
}

void Ranks::add(Rank rank, RankState& state, const Operation& operation) {
  require_rank(rank, operation.peer, operation.round);
  auto& round = rounds_[find_or_make(rank, state, operation.round)];
  require<InputError>(!round.started(), "Rank {} adds a message with rank {} to round {}, which has started.",
                      rank, operation.peer, operation.round);
  const auto bytes = operation.block.total_bytes();
  if (operation.action == Action::receive) {
    round.receives.add(runs_, operation.peer, bytes);
    ++round.receives_left;
  } else if (round.n_sends++ == 0) {
    round.peer = operation.peer;
    round.bytes = bytes;
    round.cursor = state.cursor;
  }
}

void Ranks::start(Rank rank, RankState& state, std::int32_t number) {
  const auto at = find_or_make(rank, state, number);
  auto& round = rounds_[at];
  if (round.next != kNobody) {  // rounds stand in the order in which they start
    unlink(state, at);
    append(state, at);
  }
  start(rank, state, at, round);
}

void Ranks::start(Rank rank, RankState& state, std::uint32_t at, Round& round) {
  round.started_at = round.done = state.clock;
  round.sends_left = round.n_sends;
  if (world_.send_overhead > 0) send_busily(rank, state, round.n_sends);
  if (!state.early.empty()) match_early(rank, state, at);
  feed(rank);
}

/// Notes the end of the stages before this one.
void Ranks::enter_stage(Rank rank, RankState& state, std::int32_t stage) {
  for (; state.stage < stage; ++state.stage) {
    auto& times = tally_.stages[state.stage];
    times.first = std::min(times.first, state.clock);
    times.last = std::max(times.last, state.clock);
    times.sum += state.clock;
    if (!world_.stage_finish.empty()) {
      world_.stage_finish[static_cast<std::size_t>(rank) * tally_.stages.size() + state.stage] = state.clock;
    }
  }
}

std::uint32_t Ranks::find(const RankState& state, std::int32_t number) const {
  auto at = state.rounds;
  while (at != kNobody && rounds_[at].number != number) at = rounds_[at].next;
  return at;
}

std::uint32_t Ranks::find_or_make(Rank rank, RankState& state, std::int32_t number) {
  const auto at = find(state, number);
  return at == kNobody ? make(rank, state, number) : at;
}

std::uint32_t Ranks::make(Rank rank, RankState& state, std::int32_t number) {
  const auto at = rounds_.take(rank);
  rounds_[at].number = number;
  append(state, at);
  return at;
}

void Ranks::append(RankState& state, std::uint32_t round) {
  auto* link = &state.rounds;
  while (*link != kNobody) link = &rounds_[*link].next;
  *link = round;
}

void Ranks::unlink(RankState& state, std::uint32_t round) {
  auto* link = &state.rounds;
  while (*link != round) link = &rounds_[*link].next;
  *link = rounds_[round].next;
  rounds_[round].next = kNobody;
}

}  // namespace halcyon::network
