#include "halcyon/base/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
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

namespace {

constexpr std::size_t kBlock = 1024, kLanes = 4, kFolds = 3;
constexpr int kFoldBits = 40;  // 10 more for the sum of a block, and it still is exact
/// Within which constants and remainders of the folds are normal numbers.
constexpr double kSmallest = 1e-240, kLargest = 1e270;

using Lanes __attribute__((vector_size(kLanes * sizeof(double)))) = double;
using Products = std::array<double, kBlock>;

Lanes lanes_at(const double* place) {
  Lanes lanes;
  std::memcpy(&lanes, place, sizeof lanes);
  return lanes;
}

Lanes larger_of(Lanes largest, Lanes here) {
  const auto size = here < 0 ? -here : here;
  return size > largest ? size : largest;
}

double largest_of(Lanes lanes) {
  return std::max({lanes[0], lanes[1], lanes[2], lanes[3]});
}

/// p_i = a_i b_i, (item), 0 behind the last.
/// @returns the largest size of one
double multiply(std::span<const double> a, std::span<const double> b, Products& products) {
  Lanes largest{};
  const auto n_whole = a.size() - a.size() % kLanes;
  for (std::size_t i = 0; i < n_whole; i += kLanes) {
    const auto here = lanes_at(&a[i]) * lanes_at(&b[i]);
    largest = larger_of(largest, here);
    std::memcpy(&products[i], &here, sizeof here);
  }
  std::fill(products.begin() + static_cast<std::ptrdiff_t>(n_whole), products.end(), 0.0);
  for (auto i = n_whole; i < a.size(); ++i) {
    products[i] = a[i] * b[i];
    largest = larger_of(largest, products[i] + Lanes{});
  }
  return largest_of(largest);
}

struct Folds {
  std::array<double, kFolds> sums;
  bool is_rest;  ///< whether a product is left that is not zero
};

/// Takes of each product its multiple of 2^-40 of a power of 2 that none exceeds, of the rest that of 2^-80
/// and so on, by adding and taking away a constant whose last digit that is (Rump, Ogita and Oishi 2008, SIAM
/// J. Sci. Comput. 31, 189-224, ExtractVector). Their sums are exact.
/// @param products (item): the rests are left
Folds folded(Products& products, int exponent) {
  std::array<Lanes, kFolds> constants, sums{};
  Lanes largest{};
  for (std::size_t f = 0; f < kFolds; ++f) {
    const auto last = exponent - static_cast<int>(f + 1) * kFoldBits;
    constants[f] = std::ldexp(1.5, last + std::numeric_limits<double>::digits - 1) + Lanes{};
  }
  for (std::size_t i = 0; i < kBlock; i += kLanes) {
    auto rest = lanes_at(&products[i]);
    for (std::size_t f = 0; f < kFolds; ++f) {
      const auto part = (constants[f] + rest) - constants[f];
      rest -= part;
      sums[f] += part;
    }
    largest = larger_of(largest, rest);
    std::memcpy(&products[i], &rest, sizeof rest);
  }
  Folds found{{}, largest_of(largest) != 0};
  for (std::size_t f = 0; f < kFolds; ++f)
    found.sums[f] = (sums[f][0] + sums[f][1]) + (sums[f][2] + sums[f][3]);
  return found;
}

}  // namespace

void ExactSum::add_products(std::span<const double> a, std::span<const double> b) {
  Products products;
  for (std::size_t begin = 0; begin < a.size(); begin += kBlock) {
    const auto n = std::min(kBlock, a.size() - begin);
    const auto largest = multiply(a.subspan(begin, n), b.subspan(begin, n), products);
    if (kSmallest < largest && largest < kLargest) {
      int exponent = 0;
      std::frexp(largest, &exponent);
      const auto folds = folded(products, exponent);
      for (const auto sum : folds.sums) add(sum);
      if (!folds.is_rest) continue;
    }
    for (std::size_t i = 0; i < n; ++i) add(products[i]);
  }
}

}  // namespace halcyon
