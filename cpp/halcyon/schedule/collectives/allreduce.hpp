#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// target[i] = operation(target[i], block[i]) of numbers T, for `combine`. It throws InternalError for blocks
/// that are no such numbers.
template <class T, class Operation>
CombineOperator elementwise(Operation operation) {
  return [operation](std::span<std::byte> target, std::span<const std::byte> block) {
    require<InternalError>(target.size() % sizeof(T) == 0, "{} bytes are no numbers of {} bytes.",
                           target.size(), sizeof(T));
    for (std::size_t at = 0; at < target.size(); at += sizeof(T)) {
      T one, other;
      std::memcpy(&one, target.data() + at, sizeof(T));
      std::memcpy(&other, block.data() + at, sizeof(T));
      one = operation(one, other);
      std::memcpy(target.data() + at, &one, sizeof(T));
    }
  };
}

/// The sum of numbers.
template <class T>
CombineOperator sum_of() {
  return elementwise<T>([](T a, T b) { return a + b; });
}

/// Recursive-k allreduce for any number of ranks n and radix k: with p the largest such that k^p <= n, the
/// first k^p ranks are the core. Each other rank gives its data to one of the core, then in round j = 1 .. p
/// the k core ranks that lie k^(j-1) apart give theirs to each other, and the others get the result (Zheng
/// and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, 3.3 and figure 4c). There, rank i gives to i - (n -
/// k^p), which is no core rank where n > 2 k^p; here, those beyond go round the core once more, so that a
/// core rank takes up to k - 1 others. p rounds, and 2 more where n is no power of k.
///
/// Data are combined in the order of the ranks that gave them, everywhere the same: every rank is left with
/// the same bits. The operator must not mind the order of its operands but for rounding.
///
/// Buffers: "data", and scratch "arrived".
class Allreduce final : public Schedule {
 public:
  /// @param data_bytes that each rank has, and of the result
  /// @throws ConfigError unless 2 <= radix and 0 <= data_bytes
  Allreduce(Rank n_ranks, std::int64_t data_bytes, Rank radix);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  int detail_bits() const override { return 0; }

  Rank core() const { return core_; }
  std::int32_t n_rounds() const {
    return static_cast<std::int32_t>(distances_.size()) + (core_ < n_ranks_ ? 2 : 0);
  }

 private:
  struct Part;

  Part part(Rank rank, std::int32_t round) const;
  Operation combination(const Part& of, Rank slot) const;
  Rank n_others(Rank core_rank) const { return (n_ranks_ - core_ + core_rank) / core_; }
  Rank other(Rank core_rank, Rank number) const {
    return n_ranks_ - core_ + core_rank - (n_others(core_rank) - 1 - number) * core_;
  }

  Rank n_ranks_;
  std::int64_t bytes_;
  Rank radix_, core_ = 1;
  Divisor by_radix_;
  std::vector<Divisor> distances_;  ///< between those of the core who exchange, by round
  std::vector<Buffer> buffers_{{"data"}, {"arrived", true}};
};

/// The allreduces of GCR (the same paper, algorithm 1): in iteration i one of min(i, k) numbers of 8 bytes, k
/// being how many directions are kept, and one of two. That before the loop is not counted, as in the paper.
struct Gcr {
  std::int32_t n_iterations = 25;
  std::int32_t n_directions = 3;  ///< k
  Rank radix = 2;
  /// Numbers in each allreduce instead of the algorithm's, where not 0: the paper's skeleton sent 3.
  std::int32_t n_numbers = 0;
  double compute_s = 0;  ///< of each rank before each allreduce
};

/// The 2 n_iterations allreduces of a solution, a stage each.
/// @throws ConfigError for numbers below 1
Sequence gcr(Rank n_ranks, const Gcr& options);

}  // namespace halcyon::schedule
