#include "halcyon/base/exact_sum.hpp"

#include <cmath>
#include <limits>

namespace halcyon {

namespace {

constexpr int kLowest = -1074;  // the exponent of the first bit
constexpr std::int64_t kMask = (std::int64_t{1} << 32) - 1;

__extension__ using Wide = __int128;

}  // namespace

const ExactSum::Limbs& ExactSum::limbs() {
  carry();
  return limbs_;
}

double ExactSum::value() const {
  if (limbs_[kLimbs] != 0) return std::numeric_limits<double>::quiet_NaN();
  ExactSum sum = *this;
  sum.carry();
  const bool negative = sum.negate();
  auto top = kLimbs - 1;
  while (top > 2 && sum.limbs_[top] == 0) --top;
  Wide digits = 0;
  for (auto limb = top + 1; limb-- > top - 2;) digits = digits << kLimbBits | sum.limbs_[limb];
  for (std::size_t limb = 0; limb < top - 2; ++limb) digits |= sum.limbs_[limb] != 0;  // for the rounding
  const double size =
      std::ldexp(static_cast<double>(digits), static_cast<int>(top - 2) * kLimbBits + kLowest);
  return negative ? -size : size;
}

/// Makes all limbs 0 .. 2^32 - 1 but the last, which has the sign.
void ExactSum::carry() {
  for (std::size_t limb = 0; limb + 1 < kLimbs; ++limb) {
    limbs_[limb + 1] += limbs_[limb] >> kLimbBits;
    limbs_[limb] &= kMask;
  }
  n_added_ = 0;
}

/// Takes the absolute value. @returns whether the sum was negative
bool ExactSum::negate() {
  if (limbs_[kLimbs - 1] >= 0) return false;
  for (std::size_t limb = 0; limb < kLimbs; ++limb) limbs_[limb] = -limbs_[limb];
  carry();
  return true;
}

}  // namespace halcyon
