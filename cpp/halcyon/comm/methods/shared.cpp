#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/node.hpp"

namespace halcyon::comm {
namespace {

/// The messages of an Exchange between ranks of one node. The receiver copies each message: directly from the
/// sender's buffers if all ranges of the message are in NodeMemory, otherwise from the staging copy, a
/// copy in shared memory that the sender makes in `start`. Two counters per message in shared memory
/// synchronize sender and receiver: how often the sender has offered the message, and how often the receiver
/// has received it.
class NodeMessages {
 public:
  /// Collective. @param ranges of all messages of `rounds` in the buffers; messages between nodes are skipped
  /// @throws InternalError if sender and receiver have different messages
  NodeMessages(const Communicator& comm, const std::vector<RoundMessages>& rounds,
               const std::vector<RoundRanges>& ranges, std::size_t n_buffers);

  /// Offers the messages of the round to their receivers.
  /// @param buffers must stay valid until the round is complete
  void start(std::size_t round, BufferSpans buffers);

  /// Receives the messages that other ranks have offered in all started rounds. @returns whether `round` is
  /// complete: this rank has received all messages to it, and the other ranks all messages from it
  bool progress(std::size_t round);

 private:
  /// Shared state of a message, in the sender's memory. Sender and receiver write different cache lines.
  struct Slot {
    alignas(64) std::uint64_t n_offered = 0;
    std::int64_t is_staged = 0;  ///< 1 if the receiver must read the staging copy, else 0
    alignas(64) std::uint64_t n_received = 0;
  };

  struct Outgoing {
    Slot* slot;
    std::byte* staging;   ///< memory for the staging copy
    BufferRanges ranges;  ///< the data of the message in the buffers of this rank
  };

  /// A contiguous piece of a message: its position at the sender, in the message, and at the receiver.
  struct Transfer {
    BufferRange source;
    std::int64_t message_offset_bytes;
    std::int32_t target_buffer;
    std::int64_t target_offset_bytes;
  };

  struct Incoming {
    Slot* slot;
    Rank node_rank;                   ///< of the sender
    const WindowLocation* locations;  ///< of the sender's buffers
    const std::byte* staging;
    std::vector<Transfer> transfers;
    std::uint64_t n_received = 0;
  };

  struct NodeRound {
    std::uint64_t n_starts = 0;
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
  };

  ListsByRank allocate_slots(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                             const std::vector<RoundRanges>& ranges, std::size_t n_buffers);
  void connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
               const std::vector<RoundRanges>& ranges, const ListsByRank& offers);
  static std::vector<Transfer> make_transfers(const BufferRanges& sent, const BufferRanges& received);
  void publish_locations();
  void offer(const Outgoing& message, std::uint64_t n_starts);
  void receive(Incoming& message);

  NodeMemory memory_;  ///< of this rank: the locations of its buffers, then slots and staging copies of sends
  std::shared_ptr<Node> node_;
  std::span<WindowLocation> locations_;  ///< of this rank's buffers, in memory_
  std::vector<NodeRound> rounds_;
  std::vector<const std::byte*> sources_;  ///< addresses of a sender's buffers, while `receive` reads them
  BufferSpans buffers_;
  std::uint64_t n_published_ =
      0;  ///< number of executions of the exchange whose buffer locations have been published
};

constexpr std::int64_t kCacheLineBytes = 64;

std::int64_t round_up_to_lines(std::int64_t bytes) {
  return (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}

std::uint64_t load_counter(std::uint64_t& counter) {
  return std::atomic_ref(counter).load(std::memory_order_acquire);
}

void store_counter(std::uint64_t& counter, std::uint64_t value) {
  std::atomic_ref(counter).store(value, std::memory_order_release);
}

/// Reads the numbers that describe the messages from a sender to one receiver. Per message: the offsets of
/// its slot and staging copy in the sender's memory, its size, and its ranges in the sender's buffers.
class OfferReader {
 public:
  explicit OfferReader(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  bool empty() const { return position_ == numbers_.size(); }
  std::int64_t next() { return numbers_[position_++]; }
  BufferRanges next_ranges() {
    BufferRanges ranges(next());
    for (auto& range : ranges) range = {static_cast<std::int32_t>(next()), next(), next()};
    return ranges;
  }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t position_ = 0;
};

void append_ranges(std::vector<std::int64_t>& numbers, const BufferRanges& ranges) {
  numbers.push_back(std::ssize(ranges));
  for (const auto& [buffer, offset, size] : ranges) numbers.insert(numbers.end(), {buffer, offset, size});
}

NodeMessages::NodeMessages(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                           const std::vector<RoundRanges>& ranges, std::size_t n_buffers)
    : node_(comm.node()), rounds_(rounds.size()), sources_(n_buffers) {
  connect(comm, rounds, ranges, sparse_exchange(comm, allocate_slots(comm, rounds, ranges, n_buffers)));
}

/// Allocates the memory of this rank. @returns for each receiver the numbers that OfferReader reads
ListsByRank NodeMessages::allocate_slots(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                                         const std::vector<RoundRanges>& ranges, std::size_t n_buffers) {
  ListsByRank offers;
  std::vector<std::pair<std::int64_t, std::int64_t>> slot_and_staging_offsets;
  auto end = round_up_to_lines(
      static_cast<std::int64_t>(std::max<std::size_t>(n_buffers, 1) * sizeof(WindowLocation)));
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t m = 0; m < rounds[r].sends.size(); ++m) {
      const auto& [peer, block] = rounds[r].sends[m];
      if (node_->node_rank_of(peer) == kNone) continue;
      const auto staging = end + std::int64_t{sizeof(Slot)};
      auto& numbers = offers[peer];
      numbers.insert(numbers.end(), {end, staging, block.size_bytes});
      append_ranges(numbers, ranges[r].sends[m]);
      rounds_[r].outgoing.push_back({.slot = nullptr, .staging = nullptr, .ranges = ranges[r].sends[m]});
      slot_and_staging_offsets.emplace_back(end, staging);
      end = round_up_to_lines(staging + block.size_bytes);
    }
  }
  memory_ = NodeMemory(comm, end);
  std::ranges::fill(memory_.bytes(), std::byte{0});  // before any receiver can read the counters
  auto* base = memory_.bytes().data();
  locations_ = {reinterpret_cast<WindowLocation*>(base), n_buffers};
  auto offsets = slot_and_staging_offsets.begin();
  for (auto& round : rounds_) {
    for (auto& message : round.outgoing) {
      message.slot = reinterpret_cast<Slot*>(base + offsets->first);
      message.staging = base + (offsets++)->second;
    }
  }
  return offers;
}

/// Finds the memory of the senders to this rank, and matches the ranges of each message on the two ranks.
void NodeMessages::connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                           const std::vector<RoundRanges>& ranges, const ListsByRank& offers) {
  const auto window = node_->location_of(memory_.bytes())->window;
  std::map<Rank, OfferReader> senders;
  for (const auto& [rank, numbers] : offers) senders.emplace(rank, numbers);
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t m = 0; m < rounds[r].receives.size(); ++m) {
      const auto& [peer, block] = rounds[r].receives[m];
      const auto node_rank = node_->node_rank_of(peer);
      if (node_rank == kNone) continue;
      const auto sender = senders.find(peer);
      require<InternalError>(
          sender != senders.end() && !sender->second.empty(),
          "Rank {0} receives {1} bytes in round {3} from rank {2}, which has no more sends to rank {0}.",
          comm.rank(), block.size_bytes, peer, rounds[r].number);
      auto& offer = sender->second;
      auto* slot = reinterpret_cast<Slot*>(node_->address(node_rank, {window, offer.next()}));
      const auto* staging = node_->address(node_rank, {window, offer.next()});
      const auto size_bytes = offer.next();
      require<InternalError>(size_bytes == block.size_bytes,
                             "Rank {} sends {} bytes to rank {}, which receives {} bytes in round {}.", peer,
                             size_bytes, comm.rank(), block.size_bytes, rounds[r].number);
      rounds_[r].incoming.push_back(
          {slot, node_rank, reinterpret_cast<const WindowLocation*>(node_->address(node_rank, {window, 0})),
           staging, make_transfers(offer.next_ranges(), ranges[r].receives[m])});
    }
  }
  for (const auto& [rank, offers_left] : senders)
    require<InternalError>(offers_left.empty(),
                           "Rank {0} sends more messages to rank {1} than rank {1} receives.", rank,
                           comm.rank());
}

/// Splits a message into pieces that are contiguous in the buffers of both sender and receiver.
std::vector<NodeMessages::Transfer> NodeMessages::make_transfers(const BufferRanges& sent,
                                                                 const BufferRanges& received) {
  std::vector<Transfer> transfers;
  std::int64_t message_bytes = 0, message_offset = 0, source_offset = 0, target_offset = 0;
  for (const auto& range : received) message_bytes += range.size_bytes;
  auto source = sent.begin(), target = received.begin();
  while (message_offset < message_bytes) {
    const auto bytes = std::min(source->size_bytes - source_offset, target->size_bytes - target_offset);
    if (bytes > 0) {
      transfers.push_back({{source->buffer, source->offset_bytes + source_offset, bytes},
                           message_offset,
                           target->buffer,
                           target->offset_bytes + target_offset});
    }
    message_offset += bytes;
    source_offset += bytes;
    target_offset += bytes;
    if (target_offset == target->size_bytes) ++target, target_offset = 0;
    if (source_offset == source->size_bytes) ++source, source_offset = 0;
  }
  return transfers;
}

void NodeMessages::start(std::size_t round, BufferSpans buffers) {
  buffers_ = buffers;
  const auto n_starts = ++rounds_[round].n_starts;
  if (n_starts > n_published_) publish_locations();
  for (const auto& message : rounds_[round].outgoing) offer(message, n_starts);
}

/// Writes the locations of this rank's buffers in a new execution of the exchange to shared memory. No other
/// rank is reading them, since all messages of the last execution have been received.
void NodeMessages::publish_locations() {
  ++n_published_;
  for (std::size_t b = 0; b < locations_.size(); ++b)
    locations_[b] = node_->location_of(buffers_[b]).value_or(WindowLocation{});
}

void NodeMessages::offer(const Outgoing& message, std::uint64_t n_starts) {
  const bool is_direct = std::ranges::all_of(
      message.ranges, [&](const BufferRange& range) { return locations_[range.buffer].window >= 0; });
  message.slot->is_staged = !is_direct;
  auto* target = message.staging;
  for (const auto& [buffer, offset, size] : message.ranges) {
    if (is_direct || size == 0) continue;
    std::memcpy(target, buffers_[buffer].data() + offset, size);
    target += size;
  }
  store_counter(message.slot->n_offered, n_starts);
}

bool NodeMessages::progress(std::size_t round) {
  for (auto& started : rounds_)
    for (auto& message : started.incoming)
      if (message.n_received < started.n_starts && load_counter(message.slot->n_offered) == started.n_starts)
        receive(message);
  const auto& [n_starts, outgoing, incoming] = rounds_[round];
  const auto is_received = [&](const Incoming& message) { return message.n_received == n_starts; };
  const auto is_sent = [&](const Outgoing& message) {
    return load_counter(message.slot->n_received) == n_starts;
  };
  return std::ranges::all_of(incoming, is_received) && std::ranges::all_of(outgoing, is_sent);
}

void NodeMessages::receive(Incoming& message) {
  const bool staged = message.slot->is_staged;
  for (std::size_t b = 0; !staged && b < sources_.size(); ++b) {
    const auto& location = message.locations[b];
    sources_[b] = location.window >= 0 ? node_->address(message.node_rank, location) : nullptr;
  }
  for (const auto& [source, message_offset, target, target_offset] : message.transfers) {
    const auto* from =
        staged ? message.staging + message_offset : sources_[source.buffer] + source.offset_bytes;
    std::memcpy(buffers_[target].data() + target_offset, from, source.size_bytes);
  }
  store_counter(message.slot->n_received, ++message.n_received);
}

/// The messages of a round with peers on other nodes.
RoundMessages messages_between_nodes(const Node& node, RoundMessages round) {
  const auto is_on_node = [&](const Message& message) { return node.node_rank_of(message.peer) != kNone; };
  std::erase_if(round.sends, is_on_node);
  std::erase_if(round.receives, is_on_node);
  return round;
}

class Shared final : public Round {
 public:
  Shared(const Communicator& comm, RoundMessages remote, Tag tag, std::shared_ptr<NodeMessages> local,
         std::size_t round)
      : remote_(isend_irecv_round(comm, std::move(remote), std::move(tag))),
        local_(std::move(local)),
        round_(round) {}

  void start(BufferSpans buffers) override {
    remote_->start(buffers);
    local_->start(round_, buffers);
  }

  /// Polls messages within the node and between nodes alternately, since peers may wait for any of them.
  void wait() override {
    constexpr int kBusyPolls = 500;  // polls before the core is yielded to other processes
    for (int n_polls = 0; !test(); ++n_polls)
      if (n_polls > kBusyPolls) std::this_thread::yield();
  }

  bool test() override {
    const bool is_local_done = local_->progress(round_);
    return remote_->test() && is_local_done;
  }

 private:
  std::unique_ptr<Round> remote_;        ///< messages between nodes
  std::shared_ptr<NodeMessages> local_;  ///< messages within the node, of all rounds
  std::size_t round_;                    ///< index in the program
};

/// The rounds of `shared`. `omit_copies_within_node` removes from the program the steps that pack and unpack
/// messages within the node, where direct copies are possible.
Rounds shared_rounds(const Communicator& comm, Program& program,
                     const std::vector<schedule::Buffer>& buffers) {
  const auto tag = comm.new_tag();  // collective: must precede the calls that may fail on one rank only
  const auto node = comm.node();
  const auto ranges =
      omit_copies_within_node(program, buffers, [&](Rank rank) { return node->node_rank_of(rank) != kNone; });
  const auto local = std::make_shared<NodeMessages>(comm, program.rounds, ranges, buffers.size());
  Rounds rounds;
  for (std::size_t r = 0; r < program.rounds.size(); ++r)
    rounds.push_back(
        std::make_unique<Shared>(comm, messages_between_nodes(*node, program.rounds[r]), tag, local, r));
  return rounds;
}

}  // namespace

MethodEntry shared() {
  return {{.name = "shared", .text = "shared memory within a node; isend_irecv between nodes"},
          {.copies_from_node_memory = true},
          shared_rounds};
}

}  // namespace halcyon::comm
