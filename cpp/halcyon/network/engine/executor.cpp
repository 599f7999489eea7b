#include "halcyon/network/engine/executor.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {

using schedule::Action;
using schedule::Operation;
using schedule::Sendrecv;

void Executor::begin() {
  for (Rank rank = 0; rank < std::ssize(simulation_.ranks); ++rank) {
    if (simulation_.partition_of_rank(rank) != partition_.index) continue;
    advance(rank);
    run_ready();
  }
}

/// Starts the round of a paused rank; or handles a control message, if `route_state` is its kind.
void Executor::resume(const Packet& packet) {
  partition_.now = packet.time;
  const Rank rank = packet.source;
  if (packet.route_state != kNone) {
    handle_control(static_cast<PacketKind>(packet.route_state), rank, packet.target,
                   static_cast<std::int64_t>(packet.message_bytes), packet.time);
  } else {
    auto& state = simulation_.ranks[rank];
    state.status = RankStatus::running;
    start_round(rank, state, state.round);
    advance(rank);
  }
  run_ready();
}

/// Handles a control message; with `progress_in_calls`, a computing rank handles it after its computation,
/// except those that its NIC handles: replies if the receiver reads the data, and their confirmations.
void Executor::receive_control(const Packet& packet, Time arrival) {
  const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
  const auto clock = simulation_.ranks[packet.target].clock;
  const auto& machine = simulation_.machine;
  const bool nic_handles = packet.kind == PacketKind::finished ||
                           (packet.kind == PacketKind::clear_to_send && machine.rendezvous_get);
  if (!machine.progress_in_calls || clock <= arrival || nic_handles)
    return handle_control(packet.kind, packet.target, packet.source, bytes, arrival);
  auto later = resume_event(packet.target, packet.source, bytes, clock);
  later.route_state = static_cast<std::int32_t>(packet.kind);
  partition_.events.push(later);
}

void Executor::handle_control(PacketKind kind, Rank rank, Rank peer, std::int64_t bytes, Time when) {
  if (kind == PacketKind::request_to_send)
    matching_.receive_request(rank, peer, bytes, when);
  else if (kind == PacketKind::finished)
    nics_.finish(rank, peer, bytes, when);
  else
    nics_.clear_to_send(rank, peer, bytes, when);
}

Packet Executor::resume_event(Rank rank, Rank peer, std::int64_t bytes, Time when) {
  auto packet = partition_.make_packet(PacketKind::resume, rank, peer, bytes, when);
  packet.time = when;
  return packet;
}

/// Executes the operations of a rank until it must wait or pause.
void Executor::advance(Rank rank) {
  auto& state = simulation_.ranks[rank];
  if (state.status == RankStatus::waiting && !wait(rank, state)) return;
  const bool has_stages = partition_.statistics.stages.size() > 1;
  const auto enter_current_stage = [&] {
    if (has_stages) enter_stage(rank, state, simulation_.schedule.stage(state.cursor));
  };
  Operation operation;
  for (Sendrecv sendrecv;;) {
    if (!simulation_.has_shared_nodes && simulation_.schedule.next_sendrecv(rank, state.cursor, sendrecv)) {
      enter_current_stage();
      if (!execute(rank, state, sendrecv)) return;
      continue;
    }
    if (!simulation_.schedule.next(rank, state.cursor, operation)) break;
    // Sends, receives and waits belong to the stage in which their round starts.
    if (operation.action >= Action::start && operation.action != Action::wait) enter_current_stage();
    if (!execute(rank, state, operation)) return;
  }
  state.status = RankStatus::done;
  enter_stage(rank, state, simulation_.schedule.n_stages());
}

/// Executes an operation. Returns whether the rank can continue.
bool Executor::execute(Rank rank, RankState& state, const Operation& operation) {
  switch (operation.action) {
    case Action::send:
    case Action::receive:
      add_message(rank, state, operation);
      return true;
    case Action::start:
      if (simulation_.has_shared_nodes && state.clock > partition_.now) {
        state.status = RankStatus::paused;
        state.round = operation.round;
        partition_.events.push(resume_event(rank, rank, 0, state.clock));
        return false;
      }
      start_round(rank, state, operation.round);
      return true;
    case Action::wait:
      state.round = operation.round;
      return wait(rank, state);
    case Action::copy:
    case Action::combine:
      advance_clock(rank, state, simulation_.memory.transfer_time.bounded(operation.block.total_bytes()));
      return true;
    case Action::compute:
      advance_clock(rank, state, to_time(operation.seconds));
      return true;
  }
  return true;
}

bool Executor::execute(Rank rank, RankState& state, const Sendrecv& operation) {
  require_rank(rank, operation.to, operation.round);
  require_rank(rank, operation.from, operation.round);
  const auto record = create_round(rank, state, operation.round);
  auto& round = partition_.rounds[record];
  matching_.post_receive(round, operation.from, operation.received_bytes);
  round.n_sends = 1;
  round.peer = operation.to;
  round.bytes = operation.sent_bytes;
  partition_.add_copy(record, rank, operation.to, operation.sent_bytes);
  start_round(rank, state, record, round);
  state.round = operation.round;
  return try_end_wait(state, record, round);
}

void Executor::advance_clock(Rank rank, RankState& state, Time time) {
  require_before_end(rank, "is busy", state.clock + time);
  state.clock = simulation_.noise.busy_until(rank, state.clock, time);
  require_before_end(rank, "is busy", state.clock);
}

void Executor::charge_send_overhead(Rank rank, RankState& state, std::int32_t n_sends, Time copies) {
  state.clock = n_sends < simulation_.max_sends && copies < kEndOfTime
                    ? simulation_.send_ready(rank, state.clock, n_sends, copies)
                    : kEndOfTime;
  require_before_end(rank, "sends", state.clock);
}

/// Ends the wait for the round `state.round` if possible. Returns whether the wait has ended.
bool Executor::wait(Rank rank, RankState& state) {
  const auto record = find_round(state, state.round);
  require<InputError>(record != kNoRecord, "Rank {} waits for round {}, which it has not started.", rank,
                      state.round);
  return try_end_wait(state, record, partition_.rounds[record]);
}

bool Executor::try_end_wait(RankState& state, std::uint32_t record, Round& round) {
  state.status = RankStatus::waiting;
  if (!round.is_complete()) return false;
  state.clock = std::max(state.clock, round.done);
  state.status = RankStatus::running;
  matching_.clear(round);
  unlink_round(state, record);
  partition_.rounds.release(record);
  return true;
}

void Executor::throw_invalid_rank(Rank rank, Rank peer, std::int32_t round) const {
  throw InputError(
      fmt::format("Rank {} exchanges a message with rank {} in round {}, but the schedule has {} ranks.",
                  rank, peer, round, simulation_.ranks.size()));
}

void Executor::add_message(Rank rank, RankState& state, const Operation& operation) {
  require_rank(rank, operation.peer, operation.round);
  const auto record = find_or_create_round(rank, state, operation.round);
  auto& round = partition_.rounds[record];
  require<InputError>(!round.has_started(),
                      "Rank {} adds a message with rank {} to round {}, which has already started.", rank,
                      operation.peer, operation.round);
  const auto bytes = operation.block.total_bytes();
  if (operation.action == Action::send) partition_.add_copy(record, rank, operation.peer, bytes);
  if (operation.action == Action::receive) {
    matching_.post_receive(round, operation.peer, bytes);
  } else if (round.n_sends++ == 0) {
    round.peer = operation.peer;
    round.bytes = bytes;
    round.cursor = state.cursor;
  }
}

void Executor::start_round(Rank rank, RankState& state, std::int32_t number) {
  const auto record = find_or_create_round(rank, state, number);
  auto& round = partition_.rounds[record];
  if (round.next != kNoRecord) {  // rounds are listed in the order in which they start
    unlink_round(state, record);
    reference_to(partition_.rounds, state.rounds, kNoRecord) = record;
  }
  start_round(rank, state, record, round);
}

void Executor::start_round(Rank rank, RankState& state, std::uint32_t record, Round& round) {
  round.started_at = round.done = state.clock;
  round.sends_left = round.n_sends;
  const auto copies = partition_.copies_of(record);
  if (simulation_.send_overhead > 0 || copies > 0) charge_send_overhead(rank, state, round.n_sends, copies);
  partition_.set_copies(record, 0);
  if (!state.unexpected.empty()) matching_.match_unexpected(rank, state, record);
  nics_.start_next_messages(rank);
}

/// Records the end of all stages before the rank's new stage.
void Executor::enter_stage(Rank rank, RankState& state, std::int32_t stage) {
  for (; state.stage < stage; ++state.stage) {
    auto& times = partition_.statistics.stages[state.stage];
    times.first = std::min(times.first, state.clock);
    times.last = std::max(times.last, state.clock);
    times.sum += state.clock;
    if (!simulation_.stage_finish.empty()) {
      simulation_
          .stage_finish[static_cast<std::size_t>(rank) * partition_.statistics.stages.size() + state.stage] =
          state.clock;
    }
  }
}

std::uint32_t Executor::find_round(const RankState& state, std::int32_t number) const {
  auto record = state.rounds;
  while (record != kNoRecord && partition_.rounds[record].number != number)
    record = partition_.rounds[record].next;
  return record;
}

std::uint32_t Executor::find_or_create_round(Rank rank, RankState& state, std::int32_t number) {
  const auto record = find_round(state, number);
  return record == kNoRecord ? create_round(rank, state, number) : record;
}

std::uint32_t Executor::create_round(Rank rank, RankState& state, std::int32_t number) {
  const auto record = partition_.rounds.allocate(rank);
  partition_.rounds[record].number = number;
  partition_.set_copies(record, 0);
  reference_to(partition_.rounds, state.rounds, kNoRecord) = record;
  return record;
}

void Executor::unlink_round(RankState& state, std::uint32_t record) {
  reference_to(partition_.rounds, state.rounds, record) = partition_.rounds[record].next;
  partition_.rounds[record].next = kNoRecord;
}

}  // namespace halcyon::network
