#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::schedule {

/// The ranks of a run in groups of `size`, such as the rows or columns of a grid of ranks: the members of a
/// group lie `stride` apart. A group is named by its first rank, its members by their position.
struct Groups {
  Rank size = 1, stride = 1;

  Rank position(Rank rank) const { return rank / stride % size; }
  Rank group(Rank rank) const { return rank - position(rank) * stride; }
  Rank member(Rank group, Rank position) const { return group + position * stride; }
};

/// n points over parts, of which the first n % parts have one more.
struct Division {
  std::int64_t n = 0;
  Rank parts = 1;

  std::int64_t begin(std::int64_t part) const {
    const auto more = n % parts;
    return n / parts * part + (part < more ? part : more);
  }
  std::int64_t size(std::int64_t part) const { return n / parts + (part < n % parts); }
  /// The part that holds a point.
  Rank part_of(std::int64_t point) const;
};

/// The blocks of an all-to-all: what each member of a group has for each. Offsets are those of
/// MPI_Alltoallv's arguments: blocks to send lie by receiver, blocks received by sender, one after the other.
class Blocks {
 public:
  virtual ~Blocks() = default;
  /// From one position of a group to another.
  virtual std::int64_t bytes(Rank group, Rank from, Rank to) const = 0;
  /// Where the block lies among those that its sender has; the bytes of all of them where `to` is the group's
  /// size.
  virtual std::int64_t send_offset(Rank group, Rank from, Rank to) const = 0;
  /// Where the block lies among those that its receiver gets; the bytes of all of them where `from` is the
  /// group's size.
  virtual std::int64_t receive_offset(Rank group, Rank from, Rank to) const = 0;
  /// No block of the group is larger.
  virtual std::int64_t largest_bytes(Rank group) const = 0;
  /// Whether all blocks of a group are as large as the largest.
  virtual bool even() const { return false; }
};

using BlocksPointer = std::shared_ptr<const Blocks>;

/// Blocks of one size.
class EvenBlocks final : public Blocks {
 public:
  /// @throws ConfigError for a negative size
  explicit EvenBlocks(std::int64_t block_bytes);

  std::int64_t bytes(Rank, Rank, Rank) const override { return bytes_; }
  std::int64_t send_offset(Rank, Rank, Rank to) const override { return to * bytes_; }
  std::int64_t receive_offset(Rank, Rank from, Rank) const override { return from * bytes_; }
  std::int64_t largest_bytes(Rank) const override { return bytes_; }
  bool even() const override { return true; }

 private:
  std::int64_t bytes_;
};

/// Blocks of any sizes, the same in every group: those of MPI_Alltoallv.
class GivenBlocks final : public Blocks {
 public:
  /// @param bytes (from, to), by rows
  /// @throws ConfigError unless there are size * size of them, none negative
  GivenBlocks(Rank size, const std::vector<std::int64_t>& bytes);

  std::int64_t bytes(Rank, Rank from, Rank to) const override {
    return send_offset(0, from, to + 1) - send_offset(0, from, to);
  }
  std::int64_t send_offset(Rank, Rank from, Rank to) const override {
    return send_offsets_[from * (size_ + 1) + to];
  }
  std::int64_t receive_offset(Rank, Rank from, Rank to) const override {
    return receive_offsets_[to * (size_ + 1) + from];
  }
  std::int64_t largest_bytes(Rank) const override { return largest_; }

 private:
  std::int64_t size_;
  std::vector<std::int64_t> send_offsets_, receive_offsets_;  ///< (rank, size + 1)
  std::int64_t largest_ = 0;
};

/// The blocks of a transposition within slabs: of a dimension that lies split over the group, each member
/// gets a part of another one. from, to: the two dimensions; across: the third, split over the groups.
class SlabBlocks final : public Blocks {
 public:
  /// @param group_stride from the first rank of a group to that of the next
  SlabBlocks(Division from, Division to, Division across, Rank group_stride, std::int64_t item_bytes)
      : from_(from), to_(to), across_(across), group_stride_(group_stride), item_bytes_(item_bytes) {}

  std::int64_t bytes(Rank group, Rank from, Rank to) const override {
    return column_bytes(group) * from_.size(from) * to_.size(to);
  }
  std::int64_t send_offset(Rank group, Rank from, Rank to) const override {
    return column_bytes(group) * from_.size(from) * to_.begin(to);
  }
  std::int64_t receive_offset(Rank group, Rank from, Rank to) const override {
    return column_bytes(group) * from_.begin(from) * to_.size(to);
  }
  std::int64_t largest_bytes(Rank group) const override { return bytes(group, 0, 0); }

 private:
  std::int64_t column_bytes(Rank group) const { return item_bytes_ * across_.size(group / group_stride_); }

  Division from_, to_, across_;
  Rank group_stride_;
  std::int64_t item_bytes_;
};

}  // namespace halcyon::schedule
