#include "halcyon/comm/node/traffic.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

constexpr std::int64_t kLineBytes = 64;

std::int64_t whole_lines(std::int64_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::uint64_t seen(std::uint64_t& counter) {
  return std::atomic_ref(counter).load(std::memory_order_acquire);
}

void show(std::uint64_t& counter, std::uint64_t value) {
  std::atomic_ref(counter).store(value, std::memory_order_release);
}

/// Reads the numbers by which a sender describes its messages to one receiver.
class Offers {
 public:
  explicit Offers(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  bool empty() const { return at_ == numbers_.size(); }
  std::int64_t next() { return numbers_[at_++]; }
  Pieces next_pieces() {
    Pieces pieces(next());
    for (auto& piece : pieces) piece = {static_cast<std::int32_t>(next()), next(), next()};
    return pieces;
  }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t at_ = 0;
};

void describe(std::vector<std::int64_t>& numbers, const Pieces& pieces) {
  numbers.push_back(std::ssize(pieces));
  for (const auto& [buffer, offset, size] : pieces) numbers.insert(numbers.end(), {buffer, offset, size});
}

}  // namespace

NodeTraffic::NodeTraffic(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                         const std::vector<FoldedRound>& folded, std::size_t n_buffers)
    : node_(comm.node()), rounds_(rounds.size()), sources_(n_buffers) {
  connect(comm, rounds, folded, sparse_exchange(comm, lay_out(comm, rounds, folded, n_buffers)));
}

/// Allocates this rank's memory. @returns what its receivers must know of each message
ListsByRank NodeTraffic::lay_out(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                                 const std::vector<FoldedRound>& folded, std::size_t n_buffers) {
  ListsByRank offers;
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets;  // of slots and copies
  auto end = whole_lines(static_cast<std::int64_t>(std::max<std::size_t>(n_buffers, 1) * sizeof(Place)));
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t m = 0; m < rounds[r].sends.size(); ++m) {
      const auto& [peer, block] = rounds[r].sends[m];
      if (node_->node_rank_of(peer) == kNone) continue;
      const auto staging = end + std::int64_t{sizeof(Slot)};
      auto& numbers = offers[peer];
      numbers.insert(numbers.end(), {end, staging, block.size_bytes});
      describe(numbers, folded[r].sends[m]);
      rounds_[r].outgoing.push_back({nullptr, nullptr, folded[r].sends[m]});
      offsets.emplace_back(end, staging);
      end = whole_lines(staging + block.size_bytes);
    }
  }
  memory_ = NodeMemory(comm, end);
  std::ranges::fill(memory_.bytes(), std::byte{0});  // before any offer can be read, which comes later
  auto* base = memory_.bytes().data();
  places_ = {reinterpret_cast<Place*>(base), n_buffers};
  auto at = offsets.begin();
  for (auto& round : rounds_) {
    for (auto& message : round.outgoing) {
      message.slot = reinterpret_cast<Slot*>(base + at->first);
      message.staging = base + (at++)->second;
    }
  }
  return offers;
}

/// Finds the memory of this rank's senders, and composes their pieces with ours.
void NodeTraffic::connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                          const std::vector<FoldedRound>& folded, const ListsByRank& offers) {
  const auto window = node_->place_of(memory_.bytes())->window;
  std::map<Rank, Offers> senders;
  for (const auto& [rank, numbers] : offers) senders.emplace(rank, numbers);
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t m = 0; m < rounds[r].receives.size(); ++m) {
      const auto& [peer, block] = rounds[r].receives[m];
      const auto node_rank = node_->node_rank_of(peer);
      if (node_rank == kNone) continue;
      const auto sender = senders.find(peer);
      require<InternalError>(sender != senders.end() && !sender->second.empty(),
                             "Rank {} awaits {} bytes from rank {} in round {}, which sends no more to it.",
                             comm.rank(), block.size_bytes, peer, rounds[r].number);
      auto& next = sender->second;
      auto* slot = reinterpret_cast<Slot*>(node_->address(node_rank, {window, next.next()}));
      const auto* staging = node_->address(node_rank, {window, next.next()});
      const auto size_bytes = next.next();
      require<InternalError>(size_bytes == block.size_bytes,
                             "Rank {} sends {} bytes to rank {}, which awaits {} bytes in round {}.", peer,
                             size_bytes, comm.rank(), block.size_bytes, rounds[r].number);
      rounds_[r].incoming.push_back({slot, node_rank,
                                     reinterpret_cast<const Place*>(node_->address(node_rank, {window, 0})),
                                     staging, composed(next.next_pieces(), folded[r].receives[m])});
    }
  }
  for (const auto& [rank, left] : senders) {
    require<InternalError>(left.empty(), "Rank {} sends more messages to rank {} than that awaits.", rank,
                           comm.rank());
  }
}

/// The ranges of a message that are whole on both sides.
std::vector<NodeTraffic::Transfer> NodeTraffic::composed(const Pieces& sent, const Pieces& received) {
  std::vector<Transfer> transfers;
  std::int64_t message_bytes = 0, in_message = 0, in_source = 0, in_target = 0;
  for (const auto& piece : received) message_bytes += piece.size_bytes;
  auto source = sent.begin(), target = received.begin();
  while (in_message < message_bytes) {
    const auto bytes = std::min(source->size_bytes - in_source, target->size_bytes - in_target);
    if (bytes > 0) {
      transfers.push_back({{source->buffer, source->offset_bytes + in_source, bytes},
                           in_message,
                           target->buffer,
                           target->offset_bytes + in_target});
    }
    in_message += bytes;
    in_source += bytes;
    in_target += bytes;
    if (in_target == target->size_bytes) ++target, in_target = 0;
    if (in_source == source->size_bytes) ++source, in_source = 0;
  }
  return transfers;
}

void NodeTraffic::start(std::size_t round, BufferSpans buffers) {
  buffers_ = buffers;
  const auto n_starts = ++rounds_[round].n_starts;
  if (n_starts > n_published_) publish();
  for (const auto& message : rounds_[round].outgoing) offer(message, n_starts);
}

/// Tells the node where this rank's buffers lie in this exchange. All messages of the last one have been
/// taken, so nobody reads the places meanwhile.
void NodeTraffic::publish() {
  ++n_published_;
  for (std::size_t b = 0; b < places_.size(); ++b) {
    places_[b] = node_->place_of(buffers_[b]).value_or(Place{});
  }
}

void NodeTraffic::offer(const Outgoing& message, std::uint64_t n_starts) {
  const bool direct = std::ranges::all_of(
      message.pieces, [&](const Piece& piece) { return places_[piece.buffer].window >= 0; });
  message.slot->staged = !direct;
  auto* to = message.staging;
  for (const auto& [buffer, offset, size] : message.pieces) {
    if (direct || size == 0) continue;
    std::memcpy(to, buffers_[buffer].data() + offset, size);
    to += size;
  }
  show(message.slot->offered, n_starts);
}

bool NodeTraffic::advance(std::size_t round) {
  for (auto& each : rounds_) {
    for (auto& message : each.incoming) {
      if (message.n_taken < each.n_starts && seen(message.slot->offered) == each.n_starts) take(message);
    }
  }
  const auto& mine = rounds_[round];
  return std::ranges::all_of(mine.incoming, [&](const auto& m) { return m.n_taken == mine.n_starts; }) &&
         std::ranges::all_of(mine.outgoing,
                             [&](const auto& m) { return seen(m.slot->taken) == mine.n_starts; });
}

void NodeTraffic::take(Incoming& message) {
  const bool staged = message.slot->staged;
  for (std::size_t b = 0; !staged && b < sources_.size(); ++b) {
    const auto& place = message.places[b];
    sources_[b] = place.window >= 0 ? node_->address(message.node_rank, place) : nullptr;
  }
  for (const auto& [source, in_message, target, offset] : message.transfers) {
    const auto* from = staged ? message.staging + in_message : sources_[source.buffer] + source.offset_bytes;
    std::memcpy(buffers_[target].data() + offset, from, source.size_bytes);
  }
  show(message.slot->taken, ++message.n_taken);
}

}  // namespace halcyon::comm
