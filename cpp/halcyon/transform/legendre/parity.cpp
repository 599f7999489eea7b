#include "halcyon/transform/legendre/parity.hpp"

#include "halcyon/transform/legendre/lanes.hpp"

namespace halcyon::transform {
namespace {

/// The real parts of two fields and then the imaginary ones become the numbers of each field.
Lanes by_field(const double* column) {
  return _mm256_permute4x64_pd(load(column), 0b11011000);
}

}  // namespace

std::array<Terms, 2> terms(int n, int n_even_functions, const double* coefficients, std::size_t stride) {
  return {Terms{(n + 1) / 2, 0, 0, coefficients, stride},
          Terms{n / 2, static_cast<std::size_t>(n_even_functions), kBlock / 2, coefficients + 2, stride}};
}

std::array<Sums, 2> sums(int n, int n_even_functions, int n_fields, Buffer& columns) {
  const int n_even = (n + 1) / 2, n_odd = n / 2;
  const std::size_t n_pairs = (n_fields + 1) / 2, of_even = n_pairs * Sums::pitch(n_even);
  double* const even = columns.reserve(of_even + n_pairs * Sums::pitch(n_odd));
  return {Sums{n_even, 0, 0, even},
          Sums{n_odd, static_cast<std::size_t>(n_even_functions), kBlock / 2, even + of_even}};
}

void give(const std::array<Sums, 2>& both, int pair, double* first, double* second) {
  const double *even = both[0].of(pair), *odd = both[1].of(pair);
  for (int k = 0; k < both[1].n; ++k, first += 4, second += 4, even += 4, odd += 4) {
    const Lanes a = by_field(even), b = by_field(odd);
    store(second, second_halves(a, b)), store(first, first_halves(a, b));
  }
  if (both[1].n == both[0].n) return;
  const Lanes a = by_field(even);
  _mm_storeu_pd(second, _mm256_extractf128_pd(a, 1)), _mm_storeu_pd(first, _mm256_castpd256_pd128(a));
}

}  // namespace halcyon::transform
