#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/fold.hpp"
#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/node/memory.hpp"
#include "halcyon/comm/sparse.hpp"

namespace halcyon::comm {

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

  struct Round {
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
  std::vector<Round> rounds_;
  std::vector<const std::byte*> sources_;  ///< of a sender's buffers
  BufferSpans buffers_;
  std::uint64_t n_published_ = 0;
};

}  // namespace halcyon::comm
