#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/index.hpp"

namespace halcyon::schedule {

/// The ranks of a run in groups of `size`, such as the rows or columns of a grid of ranks. The members of a
/// group are `stride` ranks apart. A group is identified by its lowest rank, a member by its position in the
/// group (0, 1, ...).
struct RankGroups {
  RankGroups(Rank size = 1, Rank stride = 1)
      : size(size), stride(stride), size_divisor_(std::max(size, 1)), stride_divisor_(std::max(stride, 1)) {}

  Rank size, stride;

  Rank position(Rank rank) const { return remainder(quotient(rank, stride_divisor_), size_divisor_); }
  Rank group(Rank rank) const { return rank - position(rank) * stride; }
  Rank member(Rank group, Rank position) const { return group + position * stride; }

 private:
  Divisor size_divisor_, stride_divisor_;
};

/// Block distribution of n points over a number of parts; the first n % parts parts have one more point.
struct BlockDistribution {
  std::int64_t n = 0;                   ///< number of points
  Rank parts = 1;                       ///< number of parts
  std::int64_t small_size = n / parts;  ///< points of a smaller part
  std::int64_t n_larger = n % parts;    ///< number of larger parts

  BlockDistribution(std::int64_t n, Rank parts) : n(n), parts(parts) {}

  std::int64_t begin(std::int64_t part) const {
    return small_size * part + (part < n_larger ? part : n_larger);
  }
  std::int64_t size(std::int64_t part) const { return small_size + (part < n_larger); }
  /// The part that has a point.
  std::int64_t part_of(std::int64_t point) const {
    const auto in_larger = n_larger * (small_size + 1);
    return point < in_larger ? point / (small_size + 1) : n_larger + (point - in_larger) / small_size;
  }
};

struct ByteRange {
  std::int64_t offset_bytes, size_bytes;

  std::int64_t end() const { return offset_bytes + size_bytes; }
};

/// The blocks of an all-to-all: the bytes that each member of a group sends to each member. Blocks are packed
/// as for MPI_Alltoallv: sent blocks in the order of receivers, received blocks in the order of senders.
class Blocks {
 public:
  virtual ~Blocks() = default;
  /// Range in the send buffer of the block from member `from` of a group to member `to`.
  virtual ByteRange sent(Rank group, Rank from, Rank to) const = 0;
  /// Range in the receive buffer of the block from member `from` of a group to member `to`.
  virtual ByteRange received(Rank group, Rank from, Rank to) const = 0;
  virtual std::int64_t largest_bytes(Rank group) const = 0;  ///< size of the largest block
  virtual bool is_uniform() const { return false; }          ///< whether all blocks have the same size

  std::int64_t bytes(Rank group, Rank from, Rank to) const { return sent(group, from, to).size_bytes; }
};

using BlocksPointer = std::shared_ptr<const Blocks>;

class UniformBlocks final : public Blocks {
 public:
  /// @throws ConfigError for a negative size
  explicit UniformBlocks(std::int64_t block_bytes);

  ByteRange sent(Rank, Rank, Rank to) const override { return {to * bytes_, bytes_}; }
  ByteRange received(Rank, Rank from, Rank) const override { return {from * bytes_, bytes_}; }
  std::int64_t largest_bytes(Rank) const override { return bytes_; }
  bool is_uniform() const override { return true; }

 private:
  std::int64_t bytes_;
};

/// Blocks of given sizes, the same in every group, as for MPI_Alltoallv.
class VariableBlocks final : public Blocks {
 public:
  /// @param bytes (from, to), row by row
  /// @throws ConfigError unless there are group_size * group_size sizes of 0 or more
  VariableBlocks(Rank group_size, const std::vector<std::int64_t>& bytes);

  ByteRange sent(Rank, Rank from, Rank to) const override { return sent_[from * group_size_ + to]; }
  ByteRange received(Rank, Rank from, Rank to) const override { return received_[to * group_size_ + from]; }
  std::int64_t largest_bytes(Rank) const override { return largest_bytes_; }

 private:
  std::int64_t group_size_;
  std::vector<ByteRange> sent_, received_;  ///< (from, to); (to, from)
  std::int64_t largest_bytes_ = 0;
};

/// The blocks of a transposition of three-dimensional items, each group transposing one slab. Over the
/// members of a group, dimension `before` is distributed before the transposition, dimension `after` after
/// it; the third dimension is distributed over the groups.
class SlabBlocks final : public Blocks {
 public:
  /// @param group_stride distance between the first ranks of consecutive groups
  SlabBlocks(BlockDistribution before, BlockDistribution after, BlockDistribution third, Rank group_stride,
             std::int64_t item_bytes)
      : before_(before), after_(after), third_(third), group_stride_(group_stride), item_bytes_(item_bytes) {}

  ByteRange sent(Rank group, Rank from, Rank to) const override {
    const auto bytes_per_point = line_bytes(group) * before_.size(from);
    return {bytes_per_point * after_.begin(to), bytes_per_point * after_.size(to)};
  }
  ByteRange received(Rank group, Rank from, Rank to) const override {
    const auto bytes_per_point = line_bytes(group) * after_.size(to);
    return {bytes_per_point * before_.begin(from), bytes_per_point * before_.size(from)};
  }
  std::int64_t largest_bytes(Rank group) const override { return sent(group, 0, 0).size_bytes; }

 private:
  /// Bytes of a line of items along the third dimension, as far as the group holds it.
  std::int64_t line_bytes(Rank group) const {
    return item_bytes_ * third_.size(quotient(group, group_stride_));
  }

  BlockDistribution before_, after_, third_;
  Divisor group_stride_;
  std::int64_t item_bytes_;
};

}  // namespace halcyon::schedule
