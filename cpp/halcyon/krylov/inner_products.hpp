#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"

namespace halcyon::krylov {

/// Two vectors, of the items that this rank owns, whose inner product is wanted.
struct Factors {
  std::span<const double> one, other;
};

/// Inner products over all ranks, several in one allreduce. Products are rounded, sums are exact until their
/// end (`ExactSum`), so they have the same bits on any number of ranks and with any radix. The allreduce is
/// a schedule (`schedule::Allreduce`); its first round travels between `start` and `wait`, others in `wait`.
class InnerProducts {
 public:
  /// Collective.
  /// @param n_most products in one allreduce; one always carries so many
  /// @param radix of the allreduce: with as many ranks, or fewer, it has a single round
  InnerProducts(const comm::Communicator& comm, std::size_t n_most, Rank radix);

  /// Adds up this rank's part of each product and starts the allreduce.
  /// @param failed tells all ranks that this one failed
  void start(std::span<const Factors> wanted, bool failed);
  /// @returns the products that were wanted, until the next start; NaN where a part was not finite
  std::span<const double> wait();

  /// Whether some rank had failed when it started the last allreduce.
  bool any_failed() const { return limbs_.back() != 0; }
  double waited_s() const { return waited_s_; }

 private:
  std::vector<std::int64_t> limbs_;  ///< of all sums, then how many ranks failed
  std::vector<std::byte> arrived_;
  std::vector<std::span<std::byte>> buffers_;
  std::vector<double> values_;
  std::size_t n_wanted_ = 0;
  double waited_s_ = 0;
  std::unique_ptr<comm::Exchange> exchange_;
  std::optional<comm::Pending> pending_;
};

/// The last k directions of GCR, each with the vectors that belong to it: p and s = A p; where they are
/// pipelined also q = M s and z = A q. A ring, so that nothing is moved.
class Directions {
 public:
  enum Kind { kP, kS, kQ, kZ };

  Directions(std::size_t n_items, std::size_t k, std::size_t n_kinds)
      : n_items_(n_items), k_(k), n_kinds_(n_kinds), values_((k + 1) * n_kinds * n_items), etas_(k + 1) {}

  void clear() { n_kept_ = 0; }
  std::size_t n_kept() const { return n_kept_; }

  /// Of the j-th direction kept, the oldest first; j = n_kept() is the one in the making.
  std::span<double> vector(Kind kind, std::size_t j) {
    return std::span(values_).subspan((slot(j) * n_kinds_ + kind) * n_items_, n_items_);
  }
  double& eta(std::size_t j) { return etas_[slot(j)]; }

  /// d = v + sum_j beta_j d_j, the new direction's vector of a kind (Zheng and Marguinaud 2018, algorithm 1,
  /// line 14), in the order of their age.
  ///   v, d (item);  beta (kept direction)
  void make(Kind kind, std::span<const double> v, std::span<const double> beta);

  /// Keeps the one in the making; the oldest goes where k are kept.
  void keep();

 private:
  std::size_t slot(std::size_t j) const { return (oldest_ + j) % (k_ + 1); }

  std::size_t n_items_, k_, n_kinds_;
  std::vector<double> values_;  ///< (slot, kind, item)
  std::vector<double> etas_;    ///< (slot) <s, s>
  std::size_t oldest_ = 0, n_kept_ = 0;
};

}  // namespace halcyon::krylov
