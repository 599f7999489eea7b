#include "halcyon/base/error.hpp"
#include "halcyon/network/ranks.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;

/// Takes the rank's next messages until one has to wait for the NIC.
void Ranks::feed(Rank rank) {
  auto& state = world_.ranks[rank];
  while (state.out_peer == kNone && take_message(rank, state)) {
    if (state.out_rest != kNobody) {
      line_up(rank);
    } else if (world_.placement.node(rank) == world_.placement.node(state.out_peer)) {
      carry_in_node(rank, state);
    } else if (state.out_bytes > world_.machine.eager_bytes && !state.out_cleared) {
      hold(rank, state);
    } else {
      line_up(rank);
    }
  }
}

bool Ranks::take_message(Rank rank, RankState& state) {
  const auto by = next_turn(rank, state);
  state.out_cleared = state.held != kNobody && take_cleared(state, by);
  return state.out_cleared || take_started(rank, state, by) || take_rest(state);
}

bool Ranks::take_started(Rank rank, RankState& state, Time by) {
  for (auto at = state.rounds; at != kNobody; at = rounds_[at].next) {
    auto& round = rounds_[at];
    if (!round.started() || round.n_sent == round.n_sends) continue;
    if (round.started_at + (round.n_sent + 1) * world_.send_overhead > by) return false;
    take_send(rank, round, state);
    state.out_round = at;
    return true;
  }
  return false;
}

bool Ranks::take_cleared(RankState& state, Time by) {
  auto* link = &state.held;
  while (*link != kNobody && !(held_[*link].cleared && held_[*link].ready <= by)) link = &held_[*link].next;
  if (*link == kNobody) return false;
  const auto at = *link;
  const auto& held = held_[at];
  state.out_peer = held.peer;
  state.out_bytes = held.bytes;
  state.out_ready = held.ready;
  state.out_round = held.round;
  *link = held.next;
  held_.give_back(at);
  return true;
}

void Ranks::take_send(Rank rank, Round& round, RankState& state) {
  if (round.n_sent > 0) {
    Operation operation;
    do {
      require<InternalError>(world_.schedule.next(rank, round.cursor, operation),
                             "Rank {}'s round {} has lost a send.", rank, round.number);
    } while (operation.action != Action::send || operation.round != round.number);
    round.peer = operation.peer;
    round.bytes = operation.block.total_bytes();
  }
  ++round.n_sent;
  state.out_peer = round.peer;
  state.out_bytes = round.bytes;
  state.out_ready = round.started_at + round.n_sent * world_.send_overhead;
}

/// By a channel of the node's memory, which its ranks share. That a long message asks first costs time there
/// and back, but it does not wait for its receiver.
void Ranks::carry_in_node(Rank rank, RankState& state) {
  const auto peer = std::exchange(state.out_peer, kNone);
  auto begin = state.out_ready;
  if (state.out_bytes > world_.machine.memory_eager_bytes) begin += 2 * world_.memory.latency;
  if (world_.shares) begin = std::max(begin, world_.memory_of(rank));
  const auto end = begin + world_.memory.pace(state.out_bytes);
  if (world_.shares) world_.memory_of(rank) = end;
  ++tally_.counts.local_messages;
  left(rank, state.out_round, end);
  receive(peer, rank, state.out_bytes, end + world_.memory.latency);
}

/// Asks the receiver whether the message may come, behind what is on the NIC.
void Ranks::hold(Rank rank, RankState& state) {
  const auto at = held_.take();
  held_[at] = {.bytes = state.out_bytes,
               .ready = state.out_ready,
               .peer = state.out_peer,
               .round = state.out_round,
               .next = kNobody,
               .cleared = false};
  auto* link = &state.held;
  while (*link != kNobody) link = &held_[*link].next;
  *link = at;
  const auto when = std::max(state.out_ready, world_.nics[world_.nic(rank)].in_free);
  send_control(Kind::request, rank, std::exchange(state.out_peer, kNone), state.out_bytes, when);
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
  auto& state = world_.ranks[rank];
  if (state.out_rest != kNobody) return go_on(number, rank);
  auto first =
      parcel(Kind::data, rank, state.out_peer, state.out_bytes, std::max(nic.in_free, state.out_ready));
  first.bytes = static_cast<std::uint32_t>(std::min(state.out_bytes, world_.chunk_bytes));
  first.span = static_cast<std::uint32_t>(world_.in.pace(first.bytes));
  first.bypass = state.out_bytes <= world_.machine.bypass_bytes;
  nic.sender = rank;
  nic.left = state.out_bytes - first.bytes;
  nic.in_bytes += state.out_bytes;
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
  auto& state = world_.ranks[rank];
  state.out_peer = kNone;
  left(rank, state.out_round, nic.in_free);
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
  parcel.message_bytes = static_cast<std::uint64_t>(bytes) & ((std::uint64_t{1} << 40) - 1);
  parcel.kind = kind;
  parcel.source = from;
  parcel.target = to;
  parcel.order = parcel.flow = world_.ranks[from].order++;
  parcel.place = world_.places.in(world_.nic(from));
  return parcel;
}

}  // namespace halcyon::network
