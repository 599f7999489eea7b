#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;

void Nics::feed(Rank rank) {
  auto& state = world_.ranks[rank];
  while (state.out == kNobody && take_message(rank, state)) {
    if (state.out_is == Out::partial) {
      line_up(rank);
      continue;
    }
    const auto message = out(state);
    if (world_.placement.node(rank) == world_.placement.node(message.peer)) {
      carry_in_node(rank, state, message);
    } else if (message.bytes > world_.machine.eager_bytes && state.out_is != Out::rendezvous) {
      ask(rank, state, message);
    } else {
      line_up(rank);
    }
  }
}

bool Nics::take_message(Rank rank, RankState& state) {
  if (state.rendezvous == kNobody && state.partial == kNobody) return take_started(rank, state, kNever);
  const auto by = next_turn(rank, state);
  return take_cleared(state, by) || take_started(rank, state, by) || take_partial(state);
}

/// Until when a message must be ready to have its turn: where the rank has rests of others, no later than its
/// NIC is free, and not at all where it sends as many as it may.
Time Nics::next_turn(Rank rank, const RankState& state) const {
  if (state.partial == kNobody) return kNever;
  std::int32_t n_partial = 0;
  for (auto at = state.partial; at != kNobody; at = partial_[at].next) ++n_partial;
  return n_partial < world_.messages_at_once ? world_.nics[world_.nic(rank)].in_free : -1;
}

bool Nics::take_started(Rank rank, RankState& state, Time by) {
  for (auto at = state.rounds; at != kNobody; at = part_.rounds[at].next) {
    auto& round = part_.rounds[at];
    if (!round.started() || round.n_sent == round.n_sends) continue;
    if (round.started_at + (round.n_sent + 1) * world_.send_overhead > by) return false;
    take_send(rank, round);
    state.out = at;
    state.out_is = Out::send;
    return true;
  }
  return false;
}

bool Nics::take_cleared(RankState& state, Time by) {
  auto* link = &state.rendezvous;
  while (*link != kNobody && !(rendezvous_[*link].cleared && rendezvous_[*link].ready <= by))
    link = &rendezvous_[*link].next;
  if (*link == kNobody) return false;
  state.out = std::exchange(*link, rendezvous_[*link].next);
  state.out_is = Out::rendezvous;
  return true;
}

bool Nics::take_partial(RankState& state) {
  if (state.partial == kNobody) return false;
  state.out = std::exchange(state.partial, partial_[state.partial].next);
  state.out_is = Out::partial;
  return true;
}

void Nics::take_send(Rank rank, Round& round) {
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

Nics::Outgoing Nics::out(const RankState& state) const {
  if (state.out_is == Out::rendezvous) {
    const auto& message = rendezvous_[state.out];
    return {message.bytes, message.ready, message.peer, message.round};
  }
  const auto& round = part_.rounds[state.out];
  return {round.bytes, round.started_at + round.n_sent * world_.send_overhead, round.peer, state.out};
}

/// The rank's message has left, waits for clearance or is put off. @returns the round that it belongs to
std::uint32_t Nics::release_out(RankState& state) {
  const auto out = std::exchange(state.out, kNobody);
  if (state.out_is == Out::send) return out;
  const bool cleared = state.out_is == Out::rendezvous;
  const auto round = cleared ? rendezvous_[out].round : partial_[out].round;
  cleared ? rendezvous_.give_back(out) : partial_.give_back(out);
  return round;
}

/// By a channel of the node's memory, which its ranks share. That a long message asks first costs time there
/// and back, but it does not wait for its receiver.
void Nics::carry_in_node(Rank rank, RankState& state, const Outgoing& message) {
  auto begin = std::max(message.ready, part_.now);  // it may have stood behind one that waited for the NIC
  if (message.bytes > world_.machine.memory_eager_bytes) begin += 2 * world_.memory.latency;
  if (world_.shares) begin = std::max(begin, world_.memory_of(rank));
  const auto end = begin + world_.memory.pace.bounded(message.bytes);
  require_time(rank, "sends within its node", end);
  if (world_.shares) world_.memory_of(rank) = end;
  ++part_.statistics.counts.local_messages;
  left(rank, release_out(state), end);
  matching_.receive(message.peer, rank, message.bytes, end + world_.memory.latency);
}

/// Asks the receiver whether the message may come, behind what is on the NIC.
void Nics::ask(Rank rank, RankState& state, const Outgoing& message) {
  const auto at = rendezvous_.take();
  rendezvous_[at] = {.bytes = message.bytes,
                     .ready = message.ready,
                     .peer = message.peer,
                     .round = release_out(state),
                     .next = kNobody,
                     .cleared = false};
  link_to(rendezvous_, state.rendezvous, kNobody) = at;
  const auto when = std::max(message.ready, world_.nics[world_.nic(rank)].in_free);
  part_.send_control(Kind::request, rank, message.peer, message.bytes, when);
}

void Nics::clear(Rank rank, Rank peer, std::int64_t bytes, Time arrival) {
  auto at = world_.ranks[rank].rendezvous;
  while (rendezvous_[at].cleared || rendezvous_[at].peer != peer || rendezvous_[at].bytes != bytes)
    at = rendezvous_[at].next;
  rendezvous_[at].cleared = true;
  rendezvous_[at].ready = std::max(rendezvous_[at].ready, arrival);
  feed(rank);
}

void Nics::line_up(Rank rank) {
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

void Nics::send_from(std::int32_t number, Rank rank) {
  auto& nic = world_.nics[number];
  if (world_.ranks[rank].out_is == Out::partial) return go_on(number, rank);
  const auto message = out(world_.ranks[rank]);
  auto first =
      part_.packet(Kind::data, rank, message.peer, message.bytes, std::max(nic.in_free, message.ready));
  first.bytes = static_cast<std::uint32_t>(std::min(message.bytes, world_.chunk_bytes));
  first.span = static_cast<std::uint32_t>(world_.in.pace(first.bytes));
  first.bypass = message.bytes <= world_.machine.bypass_bytes;
  nic.sender = rank;
  nic.left = message.bytes - first.bytes;
  nic.in_bytes += message.bytes;
  first.last = nic.left == 0;
  inject(first);
}

/// The next chunk of a message whose turn it is.
void Nics::go_on(std::int32_t number, Rank rank) {
  auto& nic = world_.nics[number];
  auto& rest = partial_[world_.ranks[rank].out];
  rest.packet.time = nic.in_free + world_.in.latency;
  nic.sender = rank;
  nic.left = rest.left - rest.packet.bytes;
  rest.packet.last = nic.left == 0;
  inject(rest.packet);
}

void Nics::follow(const Packet& packet) {
  const auto number = world_.places.nic(packet.place);
  auto& nic = world_.nics[number];
  const auto span = world_.in.pace(packet.bytes);
  if (nic.left > 0) {
    auto next = packet;
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
  nic.in_free = packet.time - world_.in.latency + span;
  left(rank, release_out(world_.ranks[rank]), nic.in_free);
  send_next(number, rank);
}

/// A chunk of a message has left and others follow: its rank's next message has its turn, or the next rank's.
void Nics::put_off(std::int32_t number, const Packet& next) {
  auto& nic = world_.nics[number];
  const Rank rank = std::exchange(nic.sender, kNone);
  auto& state = world_.ranks[rank];
  const auto round = release_out(state), at = partial_.take_raw();
  partial_[at] = {.packet = next, .left = nic.left, .round = round, .next = kNobody};
  link_to(partial_, state.partial, kNobody) = at;
  nic.in_free = next.time - world_.in.latency;
  send_next(number, rank);
}

/// The NIC is free: for the next message of the rank that had it, or that of the first rank in line.
void Nics::send_next(std::int32_t number, Rank rank) {
  auto& nic = world_.nics[number];
  feed(rank);
  if (nic.sender != kNone || nic.line == kNone) return;
  const Rank next = std::exchange(nic.line, world_.ranks[nic.line].next_in_line);
  send_from(number, next);
}

/// A message has left its rank's memory.
void Nics::left(Rank rank, std::uint32_t number, Time when) {
  auto& round = part_.rounds[number];
  --round.sends_left;
  round.done = std::max(round.done, when);
  part_.note_progress(rank, round);
}

}  // namespace halcyon::network
