#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halcyon::krylov {

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
