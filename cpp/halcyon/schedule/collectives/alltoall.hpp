#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/schedule/blocks.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// How an all-to-all goes (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, table 2).
enum class AlltoallAlgorithm { burst, bruck, ring };

/// Their names, in the order of the enumeration. A ring with k of its own is "ring-K".
inline constexpr std::array<std::string_view, 3> kAlltoallNames{"burst", "bruck", "ring"};

/// `k` of ring-k: with how many ranks one exchanges at once, each way.
struct AlltoallBy {
  AlltoallAlgorithm algorithm = AlltoallAlgorithm::ring;
  Rank k = 1;
  bool operator==(const AlltoallBy&) const = default;
};

/// An all-to-all within each of the groups, by messages straight from sender to receiver: in round i,
/// position p sends to p + i k + 1 .. p + (i + 1) k and receives from p - i k - 1 .. p - (i + 1) k. ceil((n -
/// 1) / k) rounds; burst is the one with k = n - 1.
///
/// Buffers: "send", "receive". A rank's own block is copied; blocks of no bytes do not travel.
class Ring final : public Schedule {
 public:
  /// @throws ConfigError unless k is at least 1 and the groups divide the ranks
  Ring(Rank n_ranks, Groups groups, BlocksPointer blocks, Rank k);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  int detail_bits() const override { return 0; }
  std::int32_t n_rounds() const { return n_rounds_; }

 private:
  struct Place {
    Rank at, group;
  };

  Place place(Rank rank) const {
    const auto at = groups_.position(rank);
    return {at, rank - at * groups_.stride};
  }
  Rank after(Rank at, Rank distance) const {
    const auto to = at + distance;
    return to < groups_.size ? to : to - groups_.size;
  }
  Rank before(Rank at, Rank distance) const {
    return at < distance ? at - distance + groups_.size : at - distance;
  }
  Operation message(Rank rank, Rank distance, std::int32_t round, Action way) const;

  Rank n_ranks_;
  Groups groups_;
  BlocksPointer blocks_;
  Rank k_;
  std::int32_t n_rounds_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

/// An all-to-all within each of the groups that forwards blocks: in round i, position p sends to p + 2^i, in
/// one message, all blocks that have that way to go still; ceil(log2 n) rounds (Bruck et al. 1997, IEEE
/// Trans. Parallel Distrib. Syst. 8, 1143-1156). With blocks of one size a round takes few copies, with
/// others one a block.
///
/// Buffers: "send", "receive", and scratch "work", "packed", "arrived".
class Bruck final : public Schedule {
 public:
  /// @throws ConfigError unless the groups divide the ranks
  Bruck(Rank n_ranks, Groups groups, BlocksPointer blocks);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  std::int32_t n_rounds() const { return n_rounds_; }

 private:
  struct Place;

  bool next_copy(Rank rank, Place& at, Operation& operation) const;
  bool next_even_copy(Rank rank, Place& at, Operation& operation) const;
  std::int64_t travelling_bytes(Rank rank, Rank step) const;
  std::int64_t slot_bytes(Rank rank, Rank slot, Rank step) const;

  Rank n_ranks_;
  Groups groups_;
  BlocksPointer blocks_;
  std::int32_t n_rounds_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}, {"work", true}, {"packed", true}, {"arrived", true}};
};

/// @throws ConfigError unless the groups divide the ranks
void require_groups(Rank n_ranks, Groups groups);

/// An all-to-all within groups by any of the algorithms.
/// @throws ConfigError as they do
std::shared_ptr<const Schedule> alltoall(Rank n_ranks, Groups groups, BlocksPointer blocks, AlltoallBy by);

/// "burst", "bruck", "ring" or "ring-K".
/// @throws ConfigError that lists them
AlltoallBy alltoall_named(const std::string& name);
/// "burst", "bruck" or "ring-K".
std::string name_of(AlltoallBy by);

}  // namespace halcyon::schedule
