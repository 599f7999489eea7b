#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/exact_sum.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"

namespace halcyon::krylov {

/// Two vectors (item that this rank owns) whose inner product is requested.
struct VectorPair {
  std::span<const double> a, b;
};

/// Inner products over all ranks, several per allreduce. Each product a_i b_i is rounded, but their sum is
/// exact until the final rounding (`ExactSum`), so results have the same bits on any number of ranks and with
/// any radix. The first round of the allreduce (`schedule::Allreduce`) is in flight between `start` and
/// `wait`; further rounds run in `wait`.
class InnerProducts {
 public:
  /// Collective.
  /// @param max_products maximum number of products per allreduce; its messages always have this size
  /// @param radix radix of the allreduce, which has a single round on up to this many ranks
  InnerProducts(const comm::Communicator& comm, std::size_t max_products, Rank radix)
      : limbs_(max_products * kSumLimbs + 1), values_(max_products) {
    const auto bytes = std::as_writable_bytes(std::span(limbs_));
    const schedule::Allreduce allreduce(comm.size(), std::ssize(bytes), radix);
    received_.resize(allreduce.buffer_bytes(comm.rank(), /*buffer=*/1));
    buffers_ = {bytes, received_};
    exchange_ = std::make_unique<comm::Exchange>(
        comm, allreduce, comm::method_named("isend_irecv"),
        schedule::Callbacks{.combine = schedule::sum_of<std::int64_t>(), .work = {}});
  }
  /// Sums this rank's part of each product and starts the allreduce.
  /// @param has_failed whether this rank has failed; all ranks receive this (`any_failed`)
  void start(std::span<const VectorPair> requested, bool has_failed) {
    require<InternalError>(
        !pending_ && requested.size() <= values_.size(),
        "{} inner products are requested, but at most {} are supported, or an allreduce is still in flight.",
        requested.size(), values_.size());
    n_requested_ = requested.size();
    std::ranges::fill(limbs_, 0);
    for (std::size_t i = 0; i < n_requested_; ++i)
      std::ranges::copy(sum_of(requested[i]).limbs(),
                        limbs_.begin() + static_cast<std::ptrdiff_t>(i * kSumLimbs));
    limbs_.back() = has_failed;
    pending_.emplace(exchange_->start(buffers_));
  }
  /// @returns the requested products, valid until the next start; NaN if a part was not finite
  std::span<const double> wait() {
    {
      const ScopedTimer timer(waited_s_);
      pending_->wait();
    }
    pending_.reset();
    for (std::size_t i = 0; i < n_requested_; ++i) {
      ExactSum::Limbs limbs;
      std::copy_n(limbs_.begin() + static_cast<std::ptrdiff_t>(i * kSumLimbs), kSumLimbs, limbs.begin());
      values_[i] = ExactSum(limbs).value();
    }
    return std::span(values_).first(n_requested_);
  }
  /// Whether some rank had failed when it started the last allreduce.
  bool any_failed() const { return limbs_.back() != 0; }
  double waited_s() const { return waited_s_; }

 private:
  static constexpr std::size_t kSumLimbs = ExactSum::kLimbs + 1;

  /// sum_i a_i b_i, (item)
  static ExactSum sum_of(const VectorPair& factors) {
    ExactSum sum;
    sum.add_products(factors.a, factors.b);
    return sum;
  }

  std::vector<std::int64_t> limbs_;  ///< limbs (digits, see ExactSum) of all sums; number of failed ranks
  std::vector<std::byte> received_;
  std::vector<std::span<std::byte>> buffers_;
  std::vector<double> values_;
  std::size_t n_requested_ = 0;
  double waited_s_ = 0;
  std::unique_ptr<comm::Exchange> exchange_;
  std::optional<comm::PendingExchange> pending_;
};

/// Ring buffer of the last k directions of GCR. Each direction has the vectors p and s = A p, in the
/// pipelined variant also q = M s and z = A q.
class Directions {
 public:
  enum Kind { kP, kS, kQ, kZ };

  Directions(std::size_t n_items, std::size_t k, std::size_t n_kinds)
      : n_items_(n_items), k_(k), n_kinds_(n_kinds), values_((k + 1) * n_kinds * n_items), etas_(k + 1) {}

  void clear() { n_kept_ = 0; }
  std::size_t n_kept() const { return n_kept_; }
  /// Returns a vector of the j-th kept direction, the oldest first; j = n_kept() is the new direction.
  std::span<double> vector(Kind kind, std::size_t j) {
    return std::span(values_).subspan((slot(j) * n_kinds_ + kind) * n_items_, n_items_);
  }
  /// <s, s> of the j-th kept direction
  double& eta(std::size_t j) { return etas_[slot(j)]; }
  /// Computes a vector of the new direction, d = v + sum_j beta_j d_j, summed from the oldest direction j on
  /// (Zheng and Marguinaud 2018, algorithm 1, line 14).
  ///   v, d (item);  beta (kept direction)
  void make(Kind kind, std::span<const double> v, std::span<const double> beta) {
    constexpr std::size_t kBlock = 1024;  // items per block, which stays in the level-1 cache
    const auto d = vector(kind, n_kept_);
    for (std::size_t begin = 0; begin < n_items_; begin += kBlock) {
      const auto end = std::min(begin + kBlock, n_items_);
      for (auto i = begin; i < end; ++i) d[i] = v[i];
      for (std::size_t j = 0; j < n_kept_; ++j) {
        const auto kept = vector(kind, j);
        const auto b = beta[j];
        for (auto i = begin; i < end; ++i) d[i] += b * kept[i];
      }
    }
  }
  /// Keeps the new direction; discards the oldest one if k were already kept.
  void keep() {
    if (n_kept_ < k_)
      ++n_kept_;
    else
      oldest_ = slot(1);
  }

 private:
  std::size_t slot(std::size_t j) const { return (oldest_ + j) % (k_ + 1); }

  std::size_t n_items_, k_, n_kinds_;
  std::vector<double> values_;  ///< (slot, kind, item)
  std::vector<double> etas_;    ///< (slot) <s, s>
  std::size_t oldest_ = 0, n_kept_ = 0;
};

}  // namespace halcyon::krylov
