#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/index.hpp"

namespace halcyon::schedule {

/// The ranks of a run in groups of `size`, such as the rows or columns of a grid of ranks: the members of a
/// group lie `stride` apart. A group is named by its first rank, its members by their position.
struct Groups {
  Groups(Rank size = 1, Rank stride = 1)
      : size(size), stride(stride), by_size_(std::max(size, 1)), by_stride_(std::max(stride, 1)) {}

  Rank size, stride;

  Rank position(Rank rank) const { return by_size_.remainder(by_stride_.quotient(rank)); }
  Rank group(Rank rank) const { return rank - position(rank) * stride; }
  Rank member(Rank group, Rank position) const { return group + position * stride; }

 private:
  Divisor by_size_, by_stride_;
};

/// n points over parts, of which the first n % parts have one more.
struct Division {
  std::int64_t n = 0;
  Rank parts = 1;
  std::int64_t less = n / parts, more = n % parts;  ///< points of a small part; how many parts are larger

  Division(std::int64_t n, Rank parts) : n(n), parts(parts) {}

  std::int64_t begin(std::int64_t part) const { return less * part + (part < more ? part : more); }
  std::int64_t size(std::int64_t part) const { return less + (part < more); }
};

/// A range of a buffer.
struct Range {
  std::int64_t offset_bytes, size_bytes;

  std::int64_t end() const { return offset_bytes + size_bytes; }
};

/// The blocks of an all-to-all: what each member of a group has for each. They lie as those of MPI_Alltoallv
/// do: what is sent by receiver, what is received by sender, one block after the other.
class Blocks {
 public:
  virtual ~Blocks() = default;
  /// The block from one position of a group to another, among those that its sender has.
  virtual Range sent(Rank group, Rank from, Rank to) const = 0;
  /// The same, among those that its receiver gets.
  virtual Range received(Rank group, Rank from, Rank to) const = 0;
  /// No block of the group is larger.
  virtual std::int64_t largest_bytes(Rank group) const = 0;
  /// Whether all blocks of a group are as large as the largest.
  virtual bool even() const { return false; }

  std::int64_t bytes(Rank group, Rank from, Rank to) const { return sent(group, from, to).size_bytes; }
};

using BlocksPointer = std::shared_ptr<const Blocks>;

/// Blocks of one size.
class EvenBlocks final : public Blocks {
 public:
  /// @throws ConfigError for a negative size
  explicit EvenBlocks(std::int64_t block_bytes);

  Range sent(Rank, Rank, Rank to) const override { return {to * bytes_, bytes_}; }
  Range received(Rank, Rank from, Rank) const override { return {from * bytes_, bytes_}; }
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

  Range sent(Rank, Rank from, Rank to) const override { return sent_[from * size_ + to]; }
  Range received(Rank, Rank from, Rank to) const override { return received_[to * size_ + from]; }
  std::int64_t largest_bytes(Rank) const override { return largest_; }

 private:
  std::int64_t size_;
  std::vector<Range> sent_, received_;  ///< (rank, other)
  std::int64_t largest_ = 0;
};

/// The blocks of a transposition within slabs: of a dimension that lies split over the group, each member
/// gets a part of another one. from, to: the two dimensions; across: the third, split over the groups.
class SlabBlocks final : public Blocks {
 public:
  /// @param group_stride from the first rank of a group to that of the next
  SlabBlocks(Division from, Division to, Division across, Rank group_stride, std::int64_t item_bytes)
      : from_(from), to_(to), across_(across), group_stride_(group_stride), item_bytes_(item_bytes) {}

  Range sent(Rank group, Rank from, Rank to) const override {
    const auto unit = column_bytes(group) * from_.size(from);
    return {unit * to_.begin(to), unit * to_.size(to)};
  }
  Range received(Rank group, Rank from, Rank to) const override {
    const auto unit = column_bytes(group) * to_.size(to);
    return {unit * from_.begin(from), unit * from_.size(from)};
  }
  std::int64_t largest_bytes(Rank group) const override { return sent(group, 0, 0).size_bytes; }

 private:
  std::int64_t column_bytes(Rank group) const {
    return item_bytes_ * across_.size(group_stride_.quotient(group));
  }

  Division from_, to_, across_;
  Divisor group_stride_;
  std::int64_t item_bytes_;
};

}  // namespace halcyon::schedule
