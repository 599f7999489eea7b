// A rank's next message for the NIC is a send of a round, a rendezvous message that has been cleared by its
// receiver, or a partially injected message.

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;

void Nics::start_next_messages(Rank rank) {
  auto& state = simulation_.ranks[rank];
  while (state.outgoing == kNoRecord && may_cut_another(rank) && select_message(rank, state)) {
    if (state.outgoing_kind == OutgoingKind::partial) {
      queue_for_nic(rank);
      continue;
    }
    const auto message = outgoing_message(rank, state);
    if (simulation_.placement.node(rank) == simulation_.placement.node(message.peer)) {
      send_within_node(rank, state, message);
    } else if (message.bytes > simulation_.machine.eager_bytes &&
               state.outgoing_kind != OutgoingKind::rendezvous) {
      request_to_send(rank, state, message);
    } else if (simulation_.is_striped) {
      cut(rank, message, release_outgoing(state));
    } else {
      queue_for_nic(rank);
    }
  }
}

bool Nics::select_message(Rank rank, RankState& state) {
  if (state.rendezvous == kNoRecord && state.partial == kNoRecord) return select_send(rank, state, kNever);
  const auto deadline = overtaking_deadline(rank, state);
  return select_cleared(state, deadline) || select_send(rank, state, deadline) || select_partial(state);
}

/// Returns the deadline for overtaking: a message that is ready by then is injected before the rank's
/// partially injected messages. kNever without such messages; -1 if no further message may be interleaved.
Time Nics::overtaking_deadline(Rank rank, const RankState& state) const {
  if (state.partial == kNoRecord) return kNever;
  std::int32_t n_partial = 0;
  for (auto record = state.partial; record != kNoRecord; record = partial_[record].next) ++n_partial;
  return n_partial < simulation_.messages_at_once ? simulation_.nics[simulation_.nic(rank)].injection_free
                                                  : -1;
}

bool Nics::select_send(Rank rank, RankState& state, Time deadline) {
  for (auto record = state.rounds; record != kNoRecord; record = partition_.rounds[record].next) {
    auto& round = partition_.rounds[record];
    if (!round.has_started() || round.n_sent == round.n_sends) continue;
    if (simulation_.send_ready(rank, round.started_at, round.n_sent + 1, partition_.copies_of(record)) >
        deadline)
      return false;
    read_next_send(rank, record, round);
    state.outgoing = record;
    state.outgoing_kind = OutgoingKind::send;
    return true;
  }
  return false;
}

bool Nics::select_cleared(RankState& state, Time deadline) {
  auto* record = &state.rendezvous;
  while (*record != kNoRecord && !(rendezvous_[*record].cleared && rendezvous_[*record].ready <= deadline))
    record = &rendezvous_[*record].next;
  if (*record == kNoRecord) return false;
  state.outgoing = std::exchange(*record, rendezvous_[*record].next);
  state.outgoing_kind = OutgoingKind::rendezvous;
  return true;
}

bool Nics::select_partial(RankState& state) {
  if (state.partial == kNoRecord) return false;
  state.outgoing = std::exchange(state.partial, partial_[state.partial].next);
  state.outgoing_kind = OutgoingKind::partial;
  return true;
}

void Nics::read_next_send(Rank rank, std::uint32_t record, Round& round) {
  if (round.n_sent > 0) {  // the first send was read when the round was counted
    Operation operation;
    do {
      require<InternalError>(simulation_.schedule.next(rank, round.cursor, operation),
                             "Rank {}: a send of round {} is missing.", rank, round.number);
    } while (operation.action != Action::send || operation.round != round.number);
    round.peer = operation.peer;
    round.bytes = operation.block.total_bytes();
  }
  require<InputError>(round.bytes >= 0 && round.bytes <= kMaxMessageBytes,
                      "Rank {} sends {} bytes to rank {} in one message, but 0 to {} are allowed. Use "
                      "several messages or more ranks.",
                      rank, round.bytes, round.peer, kMaxMessageBytes);
  ++round.n_sent;
  partition_.add_copy(record, rank, round.peer, round.bytes);
}

Nics::Outgoing Nics::outgoing_message(Rank rank, const RankState& state) const {
  if (state.outgoing_kind == OutgoingKind::rendezvous) {
    const auto& message = rendezvous_[state.outgoing];
    return {.bytes = message.bytes, .ready = message.ready, .peer = message.peer, .round = message.round};
  }
  const auto& round = partition_.rounds[state.outgoing];
  const auto ready =
      simulation_.send_ready(rank, round.started_at, round.n_sent, partition_.copies_of(state.outgoing));
  return {.bytes = round.bytes, .ready = ready, .peer = round.peer, .round = state.outgoing};
}

/// Releases the outgoing message, now injected, deferred or announced. @returns the record of its round
std::uint32_t Nics::release_outgoing(RankState& state) {
  const auto record = std::exchange(state.outgoing, kNoRecord);
  if (state.outgoing_kind == OutgoingKind::send) return record;
  const bool is_rendezvous = state.outgoing_kind == OutgoingKind::rendezvous;
  const auto round = is_rendezvous ? rendezvous_[record].round : partial_[record].round;
  is_rendezvous ? rendezvous_.release(record) : partial_.release(record);
  return round;
}

/// Transfers a message over a memory channel, which ranks of the node share. A message above
/// `memory_eager_bytes` costs an additional round trip, but does not wait for the receiver.
void Nics::send_within_node(Rank rank, RankState& state, const Outgoing& message) {
  // The message may have waited for an earlier message of the rank that needed the NIC.
  auto begin = std::max(message.ready, partition_.now);
  if (message.bytes > simulation_.machine.memory_eager_bytes) begin += 2 * simulation_.memory.latency;
  if (simulation_.has_shared_nodes) begin = std::max(begin, simulation_.memory_free_of(rank));
  const auto end = begin + simulation_.memory.transfer_time.bounded(message.bytes);
  require_before_end(rank, "sends within its node", end);
  if (simulation_.has_shared_nodes) simulation_.memory_free_of(rank) = end;
  ++partition_.statistics.counts.local_messages;
  complete_send(rank, release_outgoing(state), end);
  matching_.receive(message.peer, rank, message.bytes, end + simulation_.memory.latency);
}

/// Sends a request to send, as soon as the NIC has injected its current message.
void Nics::request_to_send(Rank rank, RankState& state, const Outgoing& message) {
  append_rendezvous(state, {.bytes = message.bytes,
                            .ready = message.ready,
                            .peer = message.peer,
                            .round = release_outgoing(state)});
  const auto when = std::max(message.ready, simulation_.nics[simulation_.nic(rank)].injection_free);
  partition_.send_control(PacketKind::request_to_send, rank, message.peer, message.bytes, when);
}

void Nics::clear_to_send(Rank rank, Rank peer, std::int64_t bytes, Time arrival) {
  auto record = simulation_.ranks[rank].rendezvous;
  while (rendezvous_[record].cleared || rendezvous_[record].injected || rendezvous_[record].peer != peer ||
         rendezvous_[record].bytes != bytes)
    record = rendezvous_[record].next;
  rendezvous_[record].cleared = true;
  rendezvous_[record].ready = std::max(rendezvous_[record].ready, arrival);
  start_next_messages(rank);
}

void Nics::finish(Rank rank, Rank peer, std::int64_t bytes, Time arrival) {
  auto* record = &simulation_.ranks[rank].rendezvous;
  while (!rendezvous_[*record].injected || rendezvous_[*record].peer != peer ||
         rendezvous_[*record].bytes != bytes)
    record = &rendezvous_[*record].next;
  const auto finished = std::exchange(*record, rendezvous_[*record].next);
  complete_send(rank, rendezvous_[finished].round, arrival);
  rendezvous_.release(finished);
}

void Nics::queue_for_nic(Rank rank) {
  const auto nic_number = simulation_.nic(rank);
  auto& nic = simulation_.nics[nic_number];
  if (nic.sender == kNone && nic.queue_head == kNone) {
    begin_injection(nic_number, rank);
  } else {
    (nic.queue_head == kNone ? nic.queue_head : simulation_.ranks[nic.queue_tail].next_in_nic_queue) = rank;
    nic.queue_tail = rank;
    simulation_.ranks[rank].next_in_nic_queue = kNone;
  }
}

void Nics::begin_injection(std::int32_t nic_number, Rank rank) {
  auto& nic = simulation_.nics[nic_number];
  if (simulation_.ranks[rank].outgoing_kind == OutgoingKind::partial)
    return continue_partial(nic_number, rank);
  const auto message = outgoing_message(rank, simulation_.ranks[rank]);
  nic.sender = rank;
  inject_first_chunk(nic_number,
                     partition_.make_packet(PacketKind::data, rank, message.peer, message.bytes,
                                            std::max(nic.injection_free, message.ready)),
                     message.bytes, message.ready);
}

/// Injects the first chunk of a message, or of a stripe, of `bytes`, which was ready to be sent at `ready`.
void Nics::inject_first_chunk(std::int32_t nic_number, Packet chunk, std::int64_t bytes, Time ready) {
  auto& nic = simulation_.nics[nic_number];
  const auto size = std::min(bytes, simulation_.chunk_bytes);
  if (!simulation_.gaps.empty())
    simulation_.gaps[nic_number].injection = chunk.sent + simulation_.message_gap;
  if (simulation_.has_arbitration_by_age()) chunk.sent = std::max(nic.unblocked_free, ready);
  chunk.bypass = static_cast<std::int64_t>(chunk.message_bytes) <= simulation_.machine.bypass_bytes;
  nic.bytes_left = bytes - size;
  nic.injected_bytes += bytes;
  chunk.is_last = nic.bytes_left == 0;
  inject(chunk, size, chunk.time, [](Packet&) {});
}

void Nics::continue_partial(std::int32_t nic_number, Rank rank) {
  auto& nic = simulation_.nics[nic_number];
  auto& message = partial_[simulation_.ranks[rank].outgoing];
  nic.sender = rank;
  nic.bytes_left = message.bytes_left - message.packet.bytes;
  inject(message.packet, message.packet.bytes, nic.injection_free + simulation_.injection.latency,
         [&nic](Packet& chunk) { chunk.is_last = nic.bytes_left == 0; });
}

void Nics::inject_next_chunk(const Packet& packet) {
  const auto nic_number = simulation_.resources.nic(packet.resource);
  auto& nic = simulation_.nics[nic_number];
  const auto span = simulation_.injection.transfer_time(packet.bytes);
  const auto next_sent = packet.sent + (simulation_.has_arbitration_by_age() ? span : 0);
  if (nic.bytes_left > 0) {
    const auto bytes = std::min(nic.bytes_left, simulation_.chunk_bytes);
    if (simulation_.messages_at_once > 1) {
      auto next = packet;
      next.time += span;
      next.sent = next_sent;
      next.bytes = static_cast<std::uint32_t>(bytes);
      return defer_remaining_chunks(nic_number, next);
    }
    nic.bytes_left -= bytes;
    return inject(packet, bytes, packet.time + span, [&](Packet& next) {
      next.sent = next_sent;
      next.is_last = nic.bytes_left == 0;
    });
  }
  const Rank rank = std::exchange(nic.sender, kNone);
  const auto end = packet.time - simulation_.injection.latency + span;
  nic.unblocked_free = packet.sent + span;
  nic.injection_free = simulation_.gaps.empty() ? end : std::max(end, simulation_.gaps[nic_number].injection);
  if (simulation_.is_striped) return end_stripe(nic_number, rank, packet, end);
  end_message(rank, release_outgoing(simulation_.ranks[rank]), packet, end);
  send_next(nic_number, rank);
}

/// Completes the send of an injected message, unless its receiver has yet to read it.
void Nics::end_message(Rank rank, std::uint32_t round, const Packet& packet, Time end) {
  if (simulation_.is_read_by_receiver(packet))
    append_rendezvous(simulation_.ranks[rank], {.bytes = static_cast<std::int64_t>(packet.message_bytes),
                                                .peer = packet.target,
                                                .round = round,
                                                .injected = true});
  else
    complete_send(rank, round, end);
}

/// Defers the remaining chunks of a message, so that another message of the rank, or another rank, is next.
void Nics::defer_remaining_chunks(std::int32_t nic_number, const Packet& next) {
  auto& nic = simulation_.nics[nic_number];
  const Rank rank = std::exchange(nic.sender, kNone);
  auto& state = simulation_.ranks[rank];
  const auto round = release_outgoing(state), record = partial_.allocate_uninitialized();
  partial_[record] = {.packet = next, .bytes_left = nic.bytes_left, .round = round, .next = kNoRecord};
  reference_to(partial_, state.partial, kNoRecord) = record;
  nic.injection_free = next.time - simulation_.injection.latency;
  send_next(nic_number, rank);
}

/// Assigns the free NIC to the next message of the same rank, or to the first rank in the queue.
void Nics::send_next(std::int32_t nic_number, Rank rank) {
  auto& nic = simulation_.nics[nic_number];
  start_next_messages(rank);
  if (nic.sender != kNone || nic.queue_head == kNone) return;
  const Rank next = std::exchange(nic.queue_head, simulation_.ranks[nic.queue_head].next_in_nic_queue);
  begin_injection(nic_number, next);
}

/// Cuts a message into stripes of nearly equal bytes, for the NICs of the node from that of the rank on.
void Nics::cut(Rank rank, const Outgoing& message, std::uint32_t round) {
  const auto nics = simulation_.nics_per_node, first_nic = simulation_.nic_on_node(rank);
  const auto n_stripes = simulation_.n_stripes(message.bytes);
  const auto cut = cut_messages_.allocate_uninitialized();
  cut_messages_[cut] = {.rank = rank, .round = round, .stripes_left = n_stripes};
  ++cut_messages_of_[rank];
  // A NIC may have been idle while the rank's earlier messages waited for another NIC.
  const auto from = std::max(message.ready, partition_.now - simulation_.injection.latency);
  auto packet = partition_.make_packet(PacketKind::data, rank, message.peer, message.bytes, from);
  const auto sequence = packet.sequence & ~simulation_.stripe_mask;
  for (std::int32_t i = 0; i < n_stripes; ++i) {
    packet.sequence = packet.path_selector = sequence | static_cast<std::uint32_t>((first_nic + i) % nics);
    const auto nic = simulation_.source_nic(packet);
    packet.resource = simulation_.resources.injection(nic);
    const auto stripe = stripes_.allocate_uninitialized();
    stripes_[stripe] = {packet, simulation_.stripe_bytes(message.bytes, i), cut, kNone};
    queue_stripe(nic, static_cast<std::int32_t>(stripe));
  }
}

void Nics::queue_stripe(std::int32_t nic_number, std::int32_t stripe) {
  auto& nic = simulation_.nics[nic_number];
  if (nic.sender == kNone && nic.queue_head == kNone) return begin_stripe(nic_number, stripe);
  (nic.queue_head == kNone ? nic.queue_head : stripes_[nic.queue_tail].next) = stripe;
  nic.queue_tail = stripe;
}

void Nics::begin_stripe(std::int32_t nic_number, std::int32_t stripe) {
  auto& nic = simulation_.nics[nic_number];
  nic.sender = stripe;
  auto chunk = stripes_[stripe].packet;
  const auto ready = chunk.sent;
  chunk.sent = std::max(nic.injection_free, ready);
  chunk.time = chunk.sent + simulation_.injection.latency;
  inject_first_chunk(nic_number, chunk, stripes_[stripe].bytes, ready);
}

void Nics::end_stripe(std::int32_t nic_number, std::int32_t stripe, const Packet& packet, Time end) {
  const auto number = stripes_[stripe].message;
  stripes_.release(stripe);
  auto& message = cut_messages_[number];
  message.end = std::max(message.end, end);
  if (--message.stripes_left == 0) {
    const auto [rank, round, none_left, last] = message;
    cut_messages_.release(number);
    --cut_messages_of_[rank];
    end_message(rank, round, packet, last);
    start_next_messages(rank);
  }
  auto& nic = simulation_.nics[nic_number];
  if (nic.sender == kNone && nic.queue_head != kNone)
    begin_stripe(nic_number, std::exchange(nic.queue_head, stripes_[nic.queue_head].next));
}

void Nics::complete_send(Rank rank, std::uint32_t record, Time when) {
  auto& round = partition_.rounds[record];
  --round.sends_left;
  round.done = std::max(round.done, when);
  partition_.update_ready(rank, round);
}

}  // namespace halcyon::network
