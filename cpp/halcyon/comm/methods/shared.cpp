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

/// The messages of a plan between ranks of one node. Each is copied by its receiver: straight from the
/// sender's buffers where all that it is made of lies in NodeMemory, else from a copy that the sender makes
/// in start. Sender and receiver of a message tell each other by two counters how often it has been offered
/// and taken.
class NodeTraffic {
 public:
  /// Collective. @param folded the pieces of all messages of `rounds`; those between nodes are left out
  /// @throws InternalError where partners disagree on their messages
  NodeTraffic(const Communicator& comm, const std::vector<RoundMessages>& rounds,
              const std::vector<FoldedRound>& folded, std::size_t n_buffers);

  /// Offers the round's messages. @param buffers stay valid until the round is complete
  void start(std::size_t round, BufferSpans buffers);

  /// Takes what has come for any round that has started. @returns whether all messages of `round` have been
  /// taken, here and by their receivers
  bool advance(std::size_t round);

 private:
  /// What two ranks share of a message, in the sender's memory; each side writes a cache line of its own.
  struct Slot {
    alignas(64) std::uint64_t offered = 0;
    std::int64_t staged = 0;  ///< whether it is to be taken from the sender's copy
    alignas(64) std::uint64_t taken = 0;
  };

  struct Outgoing {
    Slot* slot;
    std::byte* staging;
    Pieces pieces;
  };

  /// A range that is copied: its source in a buffer of the sender, and in the sender's copy of the message.
  struct Transfer {
    Piece source;
    std::int64_t in_message_bytes;
    std::int32_t target_buffer;
    std::int64_t target_offset_bytes;
  };

  struct Incoming {
    Slot* slot;
    Rank node_rank;
    const Place* places;  ///< of the sender's buffers
    const std::byte* staging;
    std::vector<Transfer> transfers;
    std::uint64_t n_taken = 0;
  };

  struct Traffic {
    std::uint64_t n_starts = 0;
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
  };

  ListsByRank lay_out(const Communicator& comm, const std::vector<RoundMessages>& rounds,
                      const std::vector<FoldedRound>& folded, std::size_t n_buffers);
  void connect(const Communicator& comm, const std::vector<RoundMessages>& rounds,
               const std::vector<FoldedRound>& folded, const ListsByRank& offers);
  static std::vector<Transfer> composed(const Pieces& sent, const Pieces& received);
  void publish();
  void offer(const Outgoing& message, std::uint64_t n_starts);
  void take(Incoming& message);

  NodeMemory memory_;  ///< this rank's places of buffers, slots and copies of messages
  std::shared_ptr<Node> node_;
  std::span<Place> places_;
  std::vector<Traffic> rounds_;
  std::vector<const std::byte*> sources_;  ///< of a sender's buffers
  BufferSpans buffers_;
  std::uint64_t n_published_ = 0;
};

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

/// The messages of a round with partners on other nodes.
RoundMessages between_nodes(const Node& node, RoundMessages round) {
  const auto near = [&](const Message& message) { return node.node_rank_of(message.peer) != kNone; };
  std::erase_if(round.sends, near);
  std::erase_if(round.receives, near);
  return round;
}

class Shared final : public Round {
 public:
  Shared(const Communicator& comm, RoundMessages far, Tag tag, std::shared_ptr<NodeTraffic> near,
         std::size_t number)
      : far_(isend_irecv_round(comm, std::move(far), std::move(tag))),
        near_(std::move(near)),
        number_(number) {}

  void start(BufferSpans buffers) override {
    far_->start(buffers);
    near_->start(number_, buffers);
  }

  /// Both are looked after all the time: a partner may need either to get on.
  void wait() override {
    constexpr int kPatience = 500;  // turns before others may have the core
    for (int turns = 0; !test(); ++turns) {
      if (turns > kPatience) std::this_thread::yield();
    }
  }

  bool test() override {
    const bool near_done = near_->advance(number_);
    return far_->test() && near_done;
  }

 private:
  std::unique_ptr<Round> far_;
  std::shared_ptr<NodeTraffic> near_;
  std::size_t number_;
};

/// The copies that pack and unpack messages within the node leave the program where they can.
Rounds shared_rounds(const Communicator& comm, Program& program,
                     const std::vector<schedule::Buffer>& buffers) {
  const auto tag = comm.new_tag();  // before anything may fail on this rank alone
  const auto node = comm.node();
  const auto folded =
      fold_copies(program, buffers, [&](Rank rank) { return node->node_rank_of(rank) != kNone; });
  const auto near = std::make_shared<NodeTraffic>(comm, program.rounds, folded, buffers.size());
  Rounds made;
  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    made.push_back(std::make_unique<Shared>(comm, between_nodes(*node, program.rounds[r]), tag, near, r));
  }
  return made;
}

}  // namespace

MethodEntry shared() {
  return {{.name = "shared", .text = "the node's memory; isend_irecv between nodes"},
          {.in_node_memory = true},
          shared_rounds};
}

}  // namespace halcyon::comm
