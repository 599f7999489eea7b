#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "halcyon/base/exact_sum.hpp"

namespace halcyon {

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

double largest_of(const Products& products) {
  Lanes largest{};
  for (std::size_t i = 0; i < kBlock; i += kLanes) {
    const auto here = lanes_at(&products[i]), size = here < 0 ? -here : here;
    largest = size > largest ? size : largest;
  }
  return std::max({largest[0], largest[1], largest[2], largest[3]});
}

/// Takes of each product its multiple of 2^-40 of a power of 2 that none exceeds, of the rest that of 2^-80
/// and so on, by adding and taking away a constant whose last digit that is (Rump, Ogita and Oishi 2008, SIAM
/// J. Sci. Comput. 31, 189-224, ExtractVector). Their sums are exact.
/// @param products (item): the rests are left
std::array<double, kFolds> folded(Products& products, int exponent) {
  std::array<Lanes, kFolds> constants, sums{};
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
    std::memcpy(&products[i], &rest, sizeof rest);
  }
  std::array<double, kFolds> found;
  for (std::size_t f = 0; f < kFolds; ++f) found[f] = sums[f][0] + sums[f][1] + sums[f][2] + sums[f][3];
  return found;
}

}  // namespace

void ExactSum::add_products(std::span<const double> a, std::span<const double> b) {
  Products products;
  for (std::size_t begin = 0; begin < a.size(); begin += kBlock) {
    const auto n = std::min(kBlock, a.size() - begin);
    for (std::size_t i = 0; i < n; ++i) products[i] = a[begin + i] * b[begin + i];
    std::fill(products.begin() + static_cast<std::ptrdiff_t>(n), products.end(), 0.0);
    const auto largest = largest_of(products);
    if (kSmallest < largest && largest < kLargest) {
      int exponent = 0;
      std::frexp(largest, &exponent);
      for (const auto sum : folded(products, exponent)) add(sum);
      if (largest_of(products) == 0) continue;
    }
    for (std::size_t i = 0; i < n; ++i) add(products[i]);
  }
}

}  // namespace halcyon
