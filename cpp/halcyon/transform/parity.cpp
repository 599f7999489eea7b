#include "halcyon/transform/parity.hpp"

#include <algorithm>

#include "halcyon/transform/lanes.hpp"

namespace halcyon::transform {
namespace {

constexpr int kHalf = kBlock / 2;

std::size_t n_pairs(int n_fields) {
  return static_cast<std::size_t>(n_fields + 1) / 2;
}

/// The real parts of two fields and then the imaginary ones become the numbers of each field.
Lanes by_field(const double* column) {
  return _mm256_permute4x64_pd(load(column), 0b11011000);
}

}  // namespace

std::array<Terms, 2> terms(int n, int n_even_functions, const double* coefficients, std::size_t stride) {
  return {Terms{(n + 1) / 2, 0, 0, coefficients, stride},
          Terms{n / 2, static_cast<std::size_t>(n_even_functions), kHalf, coefficients + 2, stride}};
}

BothSums::BothSums(int n, int n_even_functions, int n_fields, Buffer& columns, Buffer& halves)
    : n_fields_(n_fields), halves_(halves.reserve(2 * n_pairs(n_fields) * kGroup * kBlock)) {
  const int n_even = (n + 1) / 2;
  double* const even = columns.reserve(n_pairs(n_fields) * n * 4);
  each_ = {Sums{n_even, 0, even, halves_},
           Sums{n / 2, static_cast<std::size_t>(n_even_functions), even + n_pairs(n_fields) * n_even * 4,
                halves_ + n_pairs(n_fields) * kGroup * kBlock}};
}

void BothSums::take(const double* blocks, int stripe) const {
  for (int f = 0; f < n_fields_; ++f, blocks += kBlock) {
    double* even = halves_ + (static_cast<std::size_t>(f / 2) * kGroup + stripe) * kBlock + f % 2 * kHalf;
    double* odd = even + n_pairs(n_fields_) * kGroup * kBlock;
    for (int at = 0; at < kHalf; at += kLanes)
      store(even + at, load(blocks + at)), store(odd + at, load(blocks + kHalf + at));
  }
}

void BothSums::give(int pair, double* first, double* second) const {
  const double *even = each_[0].of(pair), *odd = each_[1].of(pair);
  for (int k = 0; k < each_[1].n; ++k, first += 4, second += 4, even += 4, odd += 4) {
    const Lanes a = by_field(even), b = by_field(odd);
    store(second, second_halves(a, b)), store(first, first_halves(a, b));
  }
  if (each_[1].n == each_[0].n) return;
  const Lanes a = by_field(even);
  _mm_storeu_pd(second, _mm256_extractf128_pd(a, 1)), _mm_storeu_pd(first, _mm256_castpd256_pd128(a));
}

}  // namespace halcyon::transform
