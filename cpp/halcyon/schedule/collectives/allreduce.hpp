#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// target[i] = operation(target[i], block[i]) for numbers of type T, for `combine`. Throws InternalError for
/// blocks whose size is not a multiple of sizeof(T).
template <class T, class Operation>
CombineOperator elementwise(Operation operation) {
  return [operation](std::span<std::byte> target, std::span<const std::byte> block) {
    require<InternalError>(target.size() % sizeof(T) == 0,
                           "{} bytes are not a multiple of {} bytes, the size of a number.", target.size(),
                           sizeof(T));
    for (std::size_t offset = 0; offset < target.size(); offset += sizeof(T)) {
      T value, block_value;
      std::memcpy(&value, target.data() + offset, sizeof(T));
      std::memcpy(&block_value, block.data() + offset, sizeof(T));
      value = operation(value, block_value);
      std::memcpy(target.data() + offset, &value, sizeof(T));
    }
  };
}

template <class T>
CombineOperator sum_of() {
  return elementwise<T>([](T a, T b) { return a + b; });
}

/// Recursive-k allreduce for any number of ranks n and radix k: with p the largest integer such that k^p <=
/// n, the first k^p ranks are the core. Each other rank is folded into the core: it sends its data to a core
/// rank. In round j = 1 .. p, groups of k core ranks at distances k^(j-1) exchange their data. Finally, the
/// folded ranks receive the result (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, section 3.3
/// and figure 4c). In the paper, rank i sends to i - (n - k^p), which is not a core rank if n > 2 k^p; here,
/// the folded ranks are assigned to core ranks cyclically, up to k - 1 to each. There are p rounds, and 2
/// more if n is not a power of k.
///
/// Data are combined in the order of the ranks that contributed them, the same everywhere: the result is
/// bitwise identical on all ranks. The operator must be commutative and associative except for rounding.
///
/// Buffers: "data", and scratch "arrived".
class Allreduce final : public Schedule {
 public:
  /// @param data_bytes size of each rank's data, and of the result
  /// @throws ConfigError unless n_ranks >= 1, radix >= 2 and data_bytes >= 0
  Allreduce(Rank n_ranks, std::int64_t data_bytes, Rank radix);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  int detail_bits() const override { return 0; }

  Rank n_core_ranks() const { return n_core_ranks_; }
  std::int32_t n_rounds() const {
    return static_cast<std::int32_t>(distances_.size()) + (n_core_ranks_ < n_ranks_ ? 2 : 0);
  }

 private:
  struct RoundRole;

  RoundRole role_of(Rank rank, std::int32_t round) const;
  Operation combination(const RoundRole& role, Rank number) const;
  /// Number of the ranks that are folded into a core rank.
  Rank n_folded(Rank core_rank) const { return (n_ranks_ - n_core_ranks_ + core_rank) / n_core_ranks_; }
  Rank folded_rank(Rank core_rank, Rank number) const {
    return n_ranks_ - n_core_ranks_ + core_rank - (n_folded(core_rank) - 1 - number) * n_core_ranks_;
  }

  Rank n_ranks_;
  std::int64_t bytes_;
  Rank radix_, n_core_ranks_ = 1;
  Divisor radix_divisor_;
  std::vector<Divisor> distances_;  ///< (core_exchange round) distance between the ranks that exchange
  std::vector<Buffer> buffers_{{"data"}, {"arrived", /*scratch=*/true}};
};

/// Options of the allreduces of the solver GCR, generalized conjugate residuals (Zheng and Marguinaud 2018,
/// algorithm 1): in iteration i, one allreduce of min(i, n_directions) numbers of 8 bytes and one of two
/// numbers. As in the paper, the allreduce before the loop is not included.
struct GcrOptions {
  std::int32_t n_iterations = 25;
  std::int32_t n_directions = 3;  ///< number of search directions that are kept
  Rank radix = 2;
  /// Numbers per allreduce; 0: as in the algorithm. The paper's skeleton program sent 3.
  std::int32_t n_numbers = 0;
  double compute_s = 0;  ///< computation of each rank before each allreduce [s]
};

/// The 2 n_iterations allreduces of a solution, one stage each.
/// @throws ConfigError for invalid options
Sequence gcr(Rank n_ranks, const GcrOptions& options);

}  // namespace halcyon::schedule
