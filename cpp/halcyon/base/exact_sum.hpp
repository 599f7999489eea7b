#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace halcyon {

/// A sum of doubles that is rounded only once, in `value`, so that its bits depend neither on the order of
/// the terms nor on the number of ranks. The sum is a long integer of 32-bit digits (limbs), each stored in
/// 64 bits (the complete register of Kulisch and Snyder 2011). Sums are added by adding their limbs
/// element-wise, as MPI reductions do.
class ExactSum {
 public:
  /// The limbs cover 2^-1074 to above 2^1024. An additional element counts the terms that were not finite.
  static constexpr std::size_t kLimbs = 68;
  using Limbs = std::array<std::int64_t, kLimbs + 1>;

  ExactSum() = default;
  explicit ExactSum(const Limbs& limbs) : limbs_(limbs) {}

  void add(double number);
  /// Adds the rounded products a_i b_i: the same sum as from `add`, but several times faster.
  void add_products(std::span<const double> a, std::span<const double> b);
  /// Propagates carries and returns the limbs. The limbs of up to 2^31 sums can be added without overflow.
  const Limbs& limbs();
  /// The sum rounded to the nearest double; NaN if any term was not finite.
  double value() const;

 private:
  static constexpr int kLimbBits = 32, kDigits = 53, kExponentBits = 11;
  /// Number of additions after which 64-bit limbs might overflow without carry propagation.
  static constexpr std::int64_t kMaxUncarried = std::int64_t{1} << 30;

  void carry();
  bool make_absolute();

  Limbs limbs_{};
  std::int64_t n_added_ = 0;  ///< since the last carry
};

/// |number| = digits 2^(position - 1074), with a 53-bit integer `digits`, which spans at most three limbs.
inline void ExactSum::add(double number) {
  constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLimbBits) - 1;
  constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << (kDigits - 1);
  constexpr std::uint64_t kNotFinite = (std::uint64_t{1} << kExponentBits) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto exponent = bits >> (kDigits - 1) & kNotFinite;
  if (exponent == kNotFinite) {
    ++limbs_[kLimbs];
    return;
  }
  const std::uint64_t normal = exponent != 0;  // a subnormal number has no hidden bit, and position 0
  const auto digits = (bits & (kHiddenBit - 1)) | (normal ? kHiddenBit : 0);
  const auto position = exponent - normal;
  const auto shift = position % kLimbBits, low = (digits & kLowMask) << shift,
             high = (digits >> kLimbBits) << shift;
  const auto sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1
  const auto add_to_limb = [&](std::uint64_t limb, std::uint64_t part) {
    limbs_[limb] += (static_cast<std::int64_t>(part) ^ sign) - sign;
  };
  const auto first_limb = position / kLimbBits;
  add_to_limb(first_limb, low & kLowMask);
  add_to_limb(first_limb + 1, (low >> kLimbBits) + (high & kLowMask));
  add_to_limb(first_limb + 2, high >> kLimbBits);
  if (++n_added_ == kMaxUncarried) carry();
}

}  // namespace halcyon
