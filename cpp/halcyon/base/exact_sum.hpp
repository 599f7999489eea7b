#pragma once

#include <array>
#include <bit>
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
  /// Adds a_i b_i, each rounded, (item): the same limbs as by `add`, several times faster.
  void add_products(std::span<const double> a, std::span<const double> b);
  /// Of which as many may be added one by one as there are ranks.
  const Limbs& limbs();
  /// The nearest double; NaN where a number was not finite.
  double value() const;

 private:
  static constexpr int kLimbBits = 32, kDigits = 53, kExponentBits = 11;
  /// Before limbs of 64 bits might overflow.
  static constexpr std::int64_t kMostAdded = std::int64_t{1} << 30;

  void carry();
  bool negate();

  Limbs limbs_{};
  std::int64_t n_added_ = 0;  ///< since the last carry
};

/// |number| = digits 2^(place - 1074), and the digits, moved to their place, lie in three limbs.
inline void ExactSum::add(double number) {
  constexpr std::uint64_t kLow = (std::uint64_t{1} << kLimbBits) - 1;
  constexpr std::uint64_t kHidden = std::uint64_t{1} << (kDigits - 1);
  constexpr std::uint64_t kNotFinite = (std::uint64_t{1} << kExponentBits) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto exponent = bits >> (kDigits - 1) & kNotFinite;
  if (exponent == kNotFinite) {
    ++limbs_[kLimbs];
    return;
  }
  const std::uint64_t normal = exponent != 0;  // a subnormal number has no hidden digit, and the lowest place
  const auto digits = (bits & (kHidden - 1)) | (normal ? kHidden : 0);
  const auto place = exponent - normal;
  const auto shift = place % kLimbBits, low = (digits & kLow) << shift, high = (digits >> kLimbBits) << shift;
  const auto sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1
  const auto put = [&](std::uint64_t limb, std::uint64_t part) {
    limbs_[limb] += (static_cast<std::int64_t>(part) ^ sign) - sign;
  };
  const auto first = place / kLimbBits;
  put(first, low & kLow);
  put(first + 1, (low >> kLimbBits) + (high & kLow));
  put(first + 2, high >> kLimbBits);
  if (++n_added_ == kMostAdded) carry();
}

}  // namespace halcyon
