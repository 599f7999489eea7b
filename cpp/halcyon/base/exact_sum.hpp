#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace halcyon {

/// A sum of doubles that is rounded once, at its end, so that it has the same bits in any order and on any
/// number of ranks. It is held as an integer of limbs of 32 bits, each in 64 (after Kulisch and Snyder 2011,
/// the complete register); limbs of several sums may be added one by one, as a reduction does.
class ExactSum {
 public:
  /// From 2^-1074 to above 2^1024, and how many numbers were not finite.
  static constexpr std::size_t kLimbs = 68;
  using Limbs = std::array<std::int64_t, kLimbs + 1>;

  ExactSum() = default;
  explicit ExactSum(const Limbs& limbs) : limbs_(limbs) {}

  void add(double number);
  /// Of which as many may be added one by one as there are ranks.
  const Limbs& limbs();
  /// The nearest double; NaN where a number was not finite.
  double value() const;

 private:
  void carry();
  bool negate();

  Limbs limbs_{};
  std::int64_t n_added_ = 0;  ///< since the last carry
};

}  // namespace halcyon
