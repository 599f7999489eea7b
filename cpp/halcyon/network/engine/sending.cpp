#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/ranks.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;

/// Takes the rank's next messages until one has to wait for the NIC.
void Ranks::feed(Rank rank) {
  auto& state = world_.ranks[rank];
  while (state.out == kNobody && take_message(rank, state)) {
    if (state.out_is == Out::rest) {
      line_up(rank);
      continue;
    }
    const auto message = out(state);
    if (world_.placement.node(rank) == world_.placement.node(message.peer)) {
      carry_in_node(rank, state, message);
    } else if (message.bytes > world_.machine.eager_bytes && state.out_is != Out::held) {
      hold(rank, state, message);
    } else {
      line_up(rank);
    }
  }
}

bool Ranks::take_message(Rank rank, RankState& state) {
  if (state.held == kNobody && state.rests == kNobody) return take_started(rank, state, kNever);
  const auto by = next_turn(rank, state);
  return take_cleared(state, by) || take_started(rank, state, by) || take_rest(state);
}

bool Ranks::take_started(Rank rank, RankState& state, Time by) {
  for (auto at = state.rounds; at != kNobody; at = rounds_[at].next) {
    auto& round = rounds_[at];
    if (!round.started() || round.n_sent == round.n_sends) continue;
    if (round.started_at + (round.n_sent + 1) * world_.send_overhead > by) return false;
    take_send(rank, round);
    state.out = at;
    state.out_is = Out::send;
    return true;
  }
  return false;
}

Ranks::Outgoing Ranks::out(const RankState& state) const {
  if (state.out_is == Out::held) {
    const auto& held = held_[state.out];
    return {held.bytes, held.ready, held.peer, held.round};
  }
  const auto& round = rounds_[state.out];
  return {round.bytes, round.started_at + round.n_sent * world_.send_overhead, round.peer, state.out};
}

/// The rank's message has left, is held or is put off. @returns the round that it belongs to
std::uint32_t Ranks::release_out(RankState& state) {
  const auto out = std::exchange(state.out, kNobody);
  if (state.out_is == Out::send) return out;
  const bool held = state.out_is == Out::held;
  const auto round = held ? held_[out].round : rests_[out].round;
  held ? held_.give_back(out) : rests_.give_back(out);
  return round;
}

bool Ranks::take_cleared(RankState& state, Time by) {
  auto* link = &state.held;
  while (*link != kNobody && !(held_[*link].cleared && held_[*link].ready <= by)) link = &held_[*link].next;
  if (*link == kNobody) return false;
  state.out = std::exchange(*link, held_[*link].next);
  state.out_is = Out::held;
  return true;
}

void Ranks::take_send(Rank rank, Round& round) {
  if (round.n_sent > 0) {
    Operation operation;
    do {
      require<InternalError>(world_.schedule.next(rank, round.cursor, operation),
                             "Rank {}'s round {} has lost a send.", rank, round.number);
    } while (operation.action != Action::send || operation.round != round.number);
    round.peer = operation.peer;
    round.bytes = operation.block.total_bytes();
  }
  require<InputError>(
      round.bytes >= 0 && round.bytes <= kMostMessageBytes,
      "Rank {} sends {} bytes to rank {} in one message, but 0 to {} are possible. Send them in "
      "several, or with more ranks.",
      rank, round.bytes, round.peer, kMostMessageBytes);
  ++round.n_sent;
}

/// By a channel of the node's memory, which its ranks share. That a long message asks first costs time there
/// and back, but it does not wait for its receiver.
void Ranks::carry_in_node(Rank rank, RankState& state, const Outgoing& message) {
  auto begin = std::max(message.ready, now_);  // it may have stood behind one that waited for the NIC
  if (message.bytes > world_.machine.memory_eager_bytes) begin += 2 * world_.memory.latency;
  if (world_.shares) begin = std::max(begin, world_.memory_of(rank));
  const auto end = begin + world_.memory.pace.bounded(message.bytes);
  require_time(rank, "sends within its node", end);
  if (world_.shares) world_.memory_of(rank) = end;
  ++tally_.counts.local_messages;
  left(rank, release_out(state), end);
  receive(message.peer, rank, message.bytes, end + world_.memory.latency);
}

/// Asks the receiver whether the message may come, behind what is on the NIC.
void Ranks::hold(Rank rank, RankState& state, const Outgoing& message) {
  const auto at = held_.take();
  held_[at] = {.bytes = message.bytes,
               .ready = message.ready,
               .peer = message.peer,
               .round = release_out(state),
               .next = kNobody,
               .cleared = false};
  auto* link = &state.held;
  while (*link != kNobody) link = &held_[*link].next;
  *link = at;
  const auto when = std::max(message.ready, world_.nics[world_.nic(rank)].in_free);
  send_control(Kind::request, rank, message.peer, message.bytes, when);
}

void Ranks::line_up(Rank rank) {
  const auto number = world_.nic(rank);
  auto& nic = world_.nics[number];
  if (nic.sender == kNone && nic.line == kNone) {
    send_from(number, rank);
  } else {
    (nic.line == kNone ? nic.line : world_.ranks[nic.line_end].next_in_line) = rank;
    nic.line_end = rank;
    world_.ranks[rank].next_in_line = kNone;
  }
}

void Ranks::send_from(std::int32_t number, Rank rank) {
  auto& nic = world_.nics[number];
  if (world_.ranks[rank].out_is == Out::rest) return go_on(number, rank);
  const auto message = out(world_.ranks[rank]);
  auto first = parcel(Kind::data, rank, message.peer, message.bytes, std::max(nic.in_free, message.ready));
  first.bytes = static_cast<std::uint32_t>(std::min(message.bytes, world_.chunk_bytes));
  first.span = static_cast<std::uint32_t>(world_.in.pace(first.bytes));
  first.bypass = message.bytes <= world_.machine.bypass_bytes;
  nic.sender = rank;
  nic.left = message.bytes - first.bytes;
  nic.in_bytes += message.bytes;
  first.last = nic.left == 0;
  inject(first);
}

void Ranks::follow(const Parcel& parcel) {
  now_ = parcel.time;
  const auto number = world_.places.nic(parcel.place);
  auto& nic = world_.nics[number];
  const auto span = world_.in.pace(parcel.bytes);
  if (nic.left > 0) {
    auto next = parcel;
    next.time += span;
    next.bytes = static_cast<std::uint32_t>(std::min(nic.left, world_.chunk_bytes));
    next.span = static_cast<std::uint32_t>(world_.in.pace(next.bytes));
    if (world_.messages_at_once > 1) return put_off(number, next);
    nic.left -= next.bytes;
    next.last = nic.left == 0;
    inject(next);
    return;
  }
  const Rank rank = std::exchange(nic.sender, kNone);
  nic.in_free = parcel.time - world_.in.latency + span;
  left(rank, release_out(world_.ranks[rank]), nic.in_free);
  feed(rank);
  if (nic.sender == kNone && nic.line != kNone) {
    const Rank next = std::exchange(nic.line, world_.ranks[nic.line].next_in_line);
    send_from(number, next);
  }
  run_ready();
}

/// A message has left its rank's memory.
void Ranks::left(Rank rank, std::uint32_t number, Time when) {
  auto& round = rounds_[number];
  --round.sends_left;
  round.done = std::max(round.done, when);
  completed(rank, round);
}

/// Messages of the protocol are short: they see latencies, and queues within the network, but take no time.
void Ranks::send_control(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
  calendar_.push(parcel(kind, from, to, bytes, when));
}

Parcel Ranks::parcel(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
  Parcel parcel;
  parcel.time = when + world_.in.latency;
  parcel.sent = when;
  parcel.message_bytes = static_cast<std::uint64_t>(bytes) & kMostMessageBytes;
  parcel.kind = kind;
  parcel.source = from;
  parcel.target = to;
  parcel.order = parcel.flow = world_.ranks[from].order++;
  parcel.place = world_.places.in(world_.nic(from));
  return parcel;
}

}  // namespace halcyon::network
