#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/schedule/blocks.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// All-to-all algorithms (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, table 2).
enum class AlltoallAlgorithm { burst, bruck, ring };

/// Names of the algorithms, in the order of the enumeration. A ring with a given k is "ring-K".
inline constexpr std::array<std::string_view, 3> kAlltoallNames{"burst", "bruck", "ring"};

struct AlltoallMethod {
  AlltoallAlgorithm algorithm = AlltoallAlgorithm::ring;
  Rank k = 1;  ///< ring: number of ranks to which a rank sends, and from which it receives, per round
  bool operator==(const AlltoallMethod&) const = default;
};

/// An all-to-all within each group, by direct messages: in round i = 0, 1, ..., the rank at position p sends
/// to positions p + i k + 1 .. p + (i + 1) k and receives from p - i k - 1 .. p - (i + 1) k, modulo the size
/// n of the group. There are ceil((n - 1) / k) rounds; burst is the case k = n - 1.
///
/// Buffers: "send", "receive". A rank's own block is copied; empty blocks are not sent.
class RingAlltoall final : public Schedule {
 public:
  /// @throws ConfigError unless k is at least 1 and the groups divide the ranks
  RingAlltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks, Rank k);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  int detail_bits() const override { return 0; }
  std::int32_t n_rounds() const { return n_rounds_; }

 private:
  struct GroupPosition {
    Rank position, group;
  };

  GroupPosition group_position(Rank rank) const {
    const auto position = groups_.position(rank);
    return {position, rank - position * groups_.stride};
  }
  Rank after(Rank position, Rank distance) const {
    const auto sum = position + distance;
    return sum < groups_.size ? sum : sum - groups_.size;
  }
  Rank before(Rank position, Rank distance) const {
    return position < distance ? position - distance + groups_.size : position - distance;
  }
  Operation message(Rank rank, Rank distance, std::int32_t round, Action direction) const;

  Rank n_ranks_;
  RankGroups groups_;
  BlocksPointer blocks_;
  Rank k_;
  std::int32_t n_rounds_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

/// An all-to-all within each group that forwards blocks (Bruck et al. 1997, IEEE Trans. Parallel Distrib.
/// Syst. 8, 1143-1156). The slot of a block is the distance from its sender to its receiver, in positions
/// modulo the size n of the group. In round i, the rank at position p sends to position p + step, with step =
/// 2^i, one message with all blocks whose slot has bit i set. There are ceil(log2 n) rounds. Blocks of equal
/// size need few copies per round, blocks of different sizes one copy per block.
///
/// Buffers: "send", "receive", and scratch "work", "packed", "arrived".
class BruckAlltoall final : public Schedule {
 public:
  /// @throws ConfigError unless the groups divide the ranks
  BruckAlltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  std::int32_t n_rounds() const { return n_rounds_; }

 private:
  struct CursorState;

  bool next_copy(Rank rank, CursorState& state, Operation& operation) const;
  bool next_uniform_copy(Rank rank, CursorState& state, Operation& operation) const;
  std::int64_t forwarded_bytes(Rank rank, Rank step) const;
  std::int64_t slot_bytes(Rank rank, Rank slot, Rank step) const;

  Rank n_ranks_;
  RankGroups groups_;
  BlocksPointer blocks_;
  std::int32_t n_rounds_;
  std::vector<Buffer> buffers_{{"send"},
                               {"receive"},
                               {"work", /*scratch=*/true},
                               {"packed", /*scratch=*/true},
                               {"arrived", /*scratch=*/true}};
};

/// @throws ConfigError unless n_ranks ranks can be divided into the groups
void require_groups(Rank n_ranks, RankGroups groups);

/// An all-to-all within groups by the given algorithm.
/// @throws ConfigError as the constructor of the algorithm's class
std::shared_ptr<const Schedule> alltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks,
                                         AlltoallMethod method);

/// Returns the method of a name: "burst", "bruck", "ring" or "ring-K".
/// @throws ConfigError that lists the names
AlltoallMethod alltoall_method_named(const std::string& name);
std::string name_of(AlltoallMethod method);

}  // namespace halcyon::schedule
