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

/// The messages of an exchange plan between ranks of one node. The receiver copies each message: directly
/// from the buffers of the sender if all its ranges are in NodeMemory, otherwise from a staging copy that the
/// sender makes in start. Two counters per message in shared memory synchronize sender and receiver: how
/// often the message was offered, and how often it was received.
class NodeMessages {
 public:
  /// Collective. @param folded the ranges of all messages of `rounds`; messages between nodes are skipped
  /// @throws InternalError if sender and receiver have different messages
  NodeMessages(const Communicator& comm, const std::vector<RoundMessages>& rounds,
               const std::vector<RoundRanges>& folded, std::size_t n_buffers);

  /// Offers the messages of the round to their receivers.
  /// @param buffers must stay valid until the round is complete
  void start(std::size_t round, BufferSpans buffers);

  /// Receives the offered messages of all started rounds. @returns whether all messages of `round` have been
  /// received, by this rank and by its receivers
  bool progress(std::size_t round);

 private:
  /// State of a message that its sender and receiver share, in the memory of the sender; each writes its own
  /// cache line.
  struct Slot {
    alignas(64) std::uint64_t offered = 0;
    std::int64_t staged = 0;  ///< whether the receiver must read the staging copy
    alignas(64) std::uint64_t received = 0;
  };

  struct Outgoing {
    Slot* slot;
    std::byte* staging;
    BufferRanges ranges;
  };

  /// A range to copy: its source in a buffer of the sender, its offset in the message, and its target.
  struct Transfer {
    BufferRange source;
    std::int64_t in_message_bytes;
    std::int32_t target_buffer;
    std::int64_t target_offset_bytes;
  };

  struct Incoming {
    Slot* slot;
    Rank node_rank;
    const WindowLocation* locations;  ///< of the buffers of the sender
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
                             const std::vector<RoundRanges>& folded, std::size_t n_buffers);
  void connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
               const std::vector<RoundRanges>& folded, const ListsByRank& offers);
  static std::vector<Transfer> make_transfers(const BufferRanges& sent, const BufferRanges& received);
  void publish_locations();
  void offer(const Outgoing& message, std::uint64_t n_starts);
  void receive(Incoming& message);

  NodeMemory memory_;  ///< of this rank: locations of its buffers, slots and staging copies
  std::shared_ptr<Node> node_;
  std::span<WindowLocation> locations_;
  std::vector<NodeRound> rounds_;
  std::vector<const std::byte*> sources_;  ///< addresses of the buffers of a sender
  BufferSpans buffers_;
  std::uint64_t n_published_ = 0;
};

constexpr std::int64_t kLineBytes = 64;

std::int64_t round_up_to_lines(std::int64_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::uint64_t load_counter(std::uint64_t& counter) {
  return std::atomic_ref(counter).load(std::memory_order_acquire);
}

void store_counter(std::uint64_t& counter, std::uint64_t value) {
  std::atomic_ref(counter).store(value, std::memory_order_release);
}

/// Reads the numbers by which a sender describes its messages for one receiver.
class OfferReader {
 public:
  explicit OfferReader(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  bool empty() const { return at_ == numbers_.size(); }
  std::int64_t next() { return numbers_[at_++]; }
  BufferRanges next_ranges() {
    BufferRanges ranges(next());
    for (auto& range : ranges) range = {static_cast<std::int32_t>(next()), next(), next()};
    return ranges;
  }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t at_ = 0;
};

void append_ranges(std::vector<std::int64_t>& numbers, const BufferRanges& ranges) {
  numbers.push_back(std::ssize(ranges));
  for (const auto& [buffer, offset, size] : ranges) numbers.insert(numbers.end(), {buffer, offset, size});
}

NodeMessages::NodeMessages(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                           const std::vector<RoundRanges>& folded, std::size_t n_buffers)
    : node_(comm.node()), rounds_(rounds.size()), sources_(n_buffers) {
  connect(comm, rounds, folded, sparse_exchange(comm, allocate_slots(comm, rounds, folded, n_buffers)));
}

/// Allocates the memory of this rank. @returns the description of each message for its receiver
ListsByRank NodeMessages::allocate_slots(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                                         const std::vector<RoundRanges>& folded, std::size_t n_buffers) {
  ListsByRank offers;
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets;  // of slots and staging copies
  auto end = round_up_to_lines(
      static_cast<std::int64_t>(std::max<std::size_t>(n_buffers, 1) * sizeof(WindowLocation)));
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t m = 0; m < rounds[r].sends.size(); ++m) {
      const auto& [peer, block] = rounds[r].sends[m];
      if (node_->node_rank_of(peer) == kNone) continue;
      const auto staging = end + std::int64_t{sizeof(Slot)};
      auto& numbers = offers[peer];
      numbers.insert(numbers.end(), {end, staging, block.size_bytes});
      append_ranges(numbers, folded[r].sends[m]);
      rounds_[r].outgoing.push_back({nullptr, nullptr, folded[r].sends[m]});
      offsets.emplace_back(end, staging);
      end = round_up_to_lines(staging + block.size_bytes);
    }
  }
  memory_ = NodeMemory(comm, end);
  std::ranges::fill(memory_.bytes(), std::byte{0});  // before any receiver can read the counters
  auto* base = memory_.bytes().data();
  locations_ = {reinterpret_cast<WindowLocation*>(base), n_buffers};
  auto at = offsets.begin();
  for (auto& round : rounds_) {
    for (auto& message : round.outgoing) {
      message.slot = reinterpret_cast<Slot*>(base + at->first);
      message.staging = base + (at++)->second;
    }
  }
  return offers;
}

/// Finds the memory of the senders to this rank, and matches their ranges with those of this rank.
void NodeMessages::connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                           const std::vector<RoundRanges>& folded, const ListsByRank& offers) {
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
          "Rank {} receives {} bytes from rank {} in round {}, which has no more sends to it.", comm.rank(),
          block.size_bytes, peer, rounds[r].number);
      auto& offer = sender->second;
      auto* slot = reinterpret_cast<Slot*>(node_->address(node_rank, {window, offer.next()}));
      const auto* staging = node_->address(node_rank, {window, offer.next()});
      const auto size_bytes = offer.next();
      require<InternalError>(size_bytes == block.size_bytes,
                             "Rank {} sends {} bytes to rank {}, which receives {} bytes in round {}.", peer,
                             size_bytes, comm.rank(), block.size_bytes, rounds[r].number);
      rounds_[r].incoming.push_back(
          {slot, node_rank, reinterpret_cast<const WindowLocation*>(node_->address(node_rank, {window, 0})),
           staging, make_transfers(offer.next_ranges(), folded[r].receives[m])});
    }
  }
  for (const auto& [rank, remaining] : senders) {
    require<InternalError>(remaining.empty(),
                           "Rank {} sends more messages to rank {} than that rank receives.", rank,
                           comm.rank());
  }
}

/// Splits a message into ranges that are contiguous in the buffers of both sender and receiver.
std::vector<NodeMessages::Transfer> NodeMessages::make_transfers(const BufferRanges& sent,
                                                                 const BufferRanges& received) {
  std::vector<Transfer> transfers;
  std::int64_t message_bytes = 0, in_message = 0, in_source = 0, in_target = 0;
  for (const auto& range : received) message_bytes += range.size_bytes;
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

void NodeMessages::start(std::size_t round, BufferSpans buffers) {
  buffers_ = buffers;
  const auto n_starts = ++rounds_[round].n_starts;
  if (n_starts > n_published_) publish_locations();
  for (const auto& message : rounds_[round].outgoing) offer(message, n_starts);
}

/// Publishes the locations of the buffers of this rank in this exchange. No other rank reads them now, since
/// all messages of the last exchange have been received.
void NodeMessages::publish_locations() {
  ++n_published_;
  for (std::size_t b = 0; b < locations_.size(); ++b) {
    locations_[b] = node_->location_of(buffers_[b]).value_or(WindowLocation{});
  }
}

void NodeMessages::offer(const Outgoing& message, std::uint64_t n_starts) {
  const bool is_direct = std::ranges::all_of(
      message.ranges, [&](const BufferRange& range) { return locations_[range.buffer].window >= 0; });
  message.slot->staged = !is_direct;
  auto* target = message.staging;
  for (const auto& [buffer, offset, size] : message.ranges) {
    if (is_direct || size == 0) continue;
    std::memcpy(target, buffers_[buffer].data() + offset, size);
    target += size;
  }
  store_counter(message.slot->offered, n_starts);
}

bool NodeMessages::progress(std::size_t round) {
  for (auto& started : rounds_) {
    for (auto& message : started.incoming) {
      if (message.n_received < started.n_starts && load_counter(message.slot->offered) == started.n_starts)
        receive(message);
    }
  }
  const auto& [n_starts, outgoing, incoming] = rounds_[round];
  return std::ranges::all_of(incoming, [&](const auto& m) { return m.n_received == n_starts; }) &&
         std::ranges::all_of(outgoing,
                             [&](const auto& m) { return load_counter(m.slot->received) == n_starts; });
}

void NodeMessages::receive(Incoming& message) {
  const bool staged = message.slot->staged;
  for (std::size_t b = 0; !staged && b < sources_.size(); ++b) {
    const auto& location = message.locations[b];
    sources_[b] = location.window >= 0 ? node_->address(message.node_rank, location) : nullptr;
  }
  for (const auto& [source, in_message, target, offset] : message.transfers) {
    const auto* from = staged ? message.staging + in_message : sources_[source.buffer] + source.offset_bytes;
    std::memcpy(buffers_[target].data() + offset, from, source.size_bytes);
  }
  store_counter(message.slot->received, ++message.n_received);
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
         std::size_t number)
      : remote_(isend_irecv_round(comm, std::move(remote), std::move(tag))),
        local_(std::move(local)),
        number_(number) {}

  void start(BufferSpans buffers) override {
    remote_->start(buffers);
    local_->start(number_, buffers);
  }

  /// Polls messages within the node and between nodes alternately, since peers may wait for either.
  void wait() override {
    constexpr int kBusyPolls = 500;  // before the core is yielded to other processes
    for (int n_polls = 0; !test(); ++n_polls) {
      if (n_polls > kBusyPolls) std::this_thread::yield();
    }
  }

  bool test() override {
    const bool is_local_done = local_->progress(number_);
    return remote_->test() && is_local_done;
  }

 private:
  std::unique_ptr<Round> remote_;
  std::shared_ptr<NodeMessages> local_;
  std::size_t number_;
};

/// Removes the copies that pack and unpack messages within the node from the program if possible
/// (fold_copies).
Rounds shared_rounds(const Communicator& comm, Program& program,
                     const std::vector<schedule::Buffer>& buffers) {
  const auto tag = comm.new_tag();  // collective, so it precedes all calls that may fail on one rank only
  const auto node = comm.node();
  const auto folded =
      fold_copies(program, buffers, [&](Rank rank) { return node->node_rank_of(rank) != kNone; });
  const auto local = std::make_shared<NodeMessages>(comm, program.rounds, folded, buffers.size());
  Rounds rounds;
  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    rounds.push_back(
        std::make_unique<Shared>(comm, messages_between_nodes(*node, program.rounds[r]), tag, local, r));
  }
  return rounds;
}

}  // namespace

MethodEntry shared() {
  return {{.name = "shared", .text = "shared memory within a node; isend_irecv between nodes"},
          {.in_node_memory = true},
          shared_rounds};
}

}  // namespace halcyon::comm
