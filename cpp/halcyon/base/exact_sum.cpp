#include "halcyon/base/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace halcyon {
namespace {

constexpr int kLowestExponent = -1074;  // of bit 0 of the first limb
constexpr std::int64_t kLimbMask = (std::int64_t{1} << 32) - 1;

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
  const bool negative = sum.make_absolute();
  auto top = kLimbs - 1;  // highest limb that is not 0; three limbs hold at least 65 bits
  while (top > 2 && sum.limbs_[top] == 0) --top;
  Wide digits = 0;
  for (auto limb = top + 1; limb-- > top - 2;) digits = digits << kLimbBits | sum.limbs_[limb];
  for (std::size_t limb = 0; limb < top - 2; ++limb)
    digits |= sum.limbs_[limb] != 0;  // sticky bit for the rounding
  const double magnitude =
      std::ldexp(static_cast<double>(digits), static_cast<int>(top - 2) * kLimbBits + kLowestExponent);
  return negative ? -magnitude : magnitude;
}

/// Propagates carries: all limbs become 0 .. 2^32 - 1, except the last one, which has the sign of the sum.
void ExactSum::carry() {
  for (std::size_t limb = 0; limb + 1 < kLimbs; ++limb) {
    limbs_[limb + 1] += limbs_[limb] >> kLimbBits;
    limbs_[limb] &= kLimbMask;
  }
  n_added_ = 0;
}

/// Replaces the sum by its absolute value. @returns whether the sum was negative
bool ExactSum::make_absolute() {
  if (limbs_[kLimbs - 1] >= 0) return false;
  for (std::size_t limb = 0; limb < kLimbs; ++limb) limbs_[limb] = -limbs_[limb];
  carry();
  return true;
}

namespace {

constexpr std::size_t kBlock = 1024;  // products per block
constexpr std::size_t kLanes = 4, kSlices = 3;
constexpr int kSliceBits = 40;  // sums of 2^10 slices over a block have at most 50 bits, so they are exact
/// Range of the largest product of a block in which all slices and remainders are normal numbers.
constexpr double kSmallest = 1e-240, kLargest = 1e270;

using Lanes __attribute__((vector_size(kLanes * sizeof(double)))) = double;
using Products = std::array<double, kBlock>;

Lanes load_lanes(const double* address) {
  Lanes lanes;
  std::memcpy(&lanes, address, sizeof lanes);
  return lanes;
}

/// max(largest, |values|) in each lane.
Lanes larger_magnitude(Lanes largest, Lanes values) {
  const auto magnitudes = values < 0 ? -values : values;
  return magnitudes > largest ? magnitudes : largest;
}

double largest_lane(Lanes lanes) {
  return std::max({lanes[0], lanes[1], lanes[2], lanes[3]});
}

/// Sets products[i] = a_i b_i, and 0 beyond the last product. @returns max |a_i b_i|
double multiply(std::span<const double> a, std::span<const double> b, Products& products) {
  Lanes largest{};
  const auto n_whole = a.size() - a.size() % kLanes;
  for (std::size_t i = 0; i < n_whole; i += kLanes) {
    const auto lanes = load_lanes(&a[i]) * load_lanes(&b[i]);
    largest = larger_magnitude(largest, lanes);
    std::memcpy(&products[i], &lanes, sizeof lanes);
  }
  std::fill(products.begin() + static_cast<std::ptrdiff_t>(n_whole), products.end(), 0.0);
  for (auto i = n_whole; i < a.size(); ++i) {
    products[i] = a[i] * b[i];
    largest = larger_magnitude(largest, products[i] + Lanes{});
  }
  return largest_lane(largest);
}

struct Slices {
  std::array<double, kSlices> sums;  ///< of each slice over a block
  bool has_remainder;                ///< whether a product has a non-zero remainder
};

/// Splits each product into slices of 40 bits: a multiple of 2^(exponent - 40), then of 2^(exponent - 80),
/// and so on. To extract a slice, adds and subtracts a constant whose last bit has the value of the last bit
/// of the slice (Rump, Ogita and Oishi 2008, SIAM J. Sci. Comput. 31, 189-224, ExtractVector). Each slice is
/// summed over all products, exactly.
/// @param products replaced by their remainders
/// @param exponent no product exceeds 2^exponent
Slices extract_slices(Products& products, int exponent) {
  std::array<Lanes, kSlices> constants, sums{};
  Lanes largest{};
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    const auto last_bit = exponent - static_cast<int>(slice + 1) * kSliceBits;
    constants[slice] = std::ldexp(1.5, last_bit + std::numeric_limits<double>::digits - 1) + Lanes{};
  }
  for (std::size_t i = 0; i < kBlock; i += kLanes) {
    auto remainder = load_lanes(&products[i]);
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      const auto extracted = (constants[slice] + remainder) - constants[slice];
      remainder -= extracted;
      sums[slice] += extracted;
    }
    largest = larger_magnitude(largest, remainder);
    std::memcpy(&products[i], &remainder, sizeof remainder);
  }
  Slices slices{.sums = {}, .has_remainder = largest_lane(largest) != 0};
  for (std::size_t slice = 0; slice < kSlices; ++slice)
    slices.sums[slice] = (sums[slice][0] + sums[slice][1]) + (sums[slice][2] + sums[slice][3]);
  return slices;
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
      const auto slices = extract_slices(products, exponent);
      for (const auto sum : slices.sums) add(sum);
      if (!slices.has_remainder) continue;
    }
    for (std::size_t i = 0; i < n; ++i) add(products[i]);
  }
}

}  // namespace halcyon
