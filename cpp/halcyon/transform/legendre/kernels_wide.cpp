#include <algorithm>
#include <array>
#include <utility>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// The kernels of kernels.cpp for registers of 8 doubles, which hold two stripes. Values that all lanes need
/// are broadcast by loads: shuffles would compete with the arithmetic for execution ports.
namespace halcyon::transform {
namespace {

constexpr int kParts = BaseSeries::kParts;
constexpr int kMaxPairs = 4, kMaxTerms = 12;  ///< largest tiles: pairs of stripes, and base functions

/// Returns the size of the next tile of n remaining pairs or terms: at most `max`, without a small last tile.
constexpr int tile_size(int n, int max) {
  return n >= 2 * max ? max : n > max ? (n + 1) / 2 : n;
}

/// Computes the base functions at kPairs pairs of stripes in one loop, which hides the latency of the steps.
template <int kPairs>
HALCYON_WIDE void compute_functions(const BaseStep* steps, int n, const BaseStart& start, int pair,
                                    double* values) {
  Wide x[kPairs], even[kPairs], odd[kPairs];  // the functions of even and of odd j, counted from the first
#pragma GCC unroll 4
  for (int i = 0; i < kPairs; ++i) {
    const int index = (pair + i) * kStripePair;
    x[i] = load_wide(start.x + index), odd[i] = load_wide(start.previous + index),
    even[i] = load_wide(start.current + index);
  }
  const std::size_t pitch = static_cast<std::size_t>(n) * kStripePair;
  const auto step = [&](BaseStep s, Wide(&current)[kPairs],
                        Wide(&previous)[kPairs]) __attribute__((target("avx512f"), always_inline)) {
    const Wide a = broadcast_wide(s.a), b = broadcast_wide(s.b);
#pragma GCC unroll 4
    for (int i = 0; i < kPairs; ++i) {
      store(values + i * pitch, current[i]);
      previous[i] = _mm512_fmadd_pd(_mm512_fmadd_pd(x[i], a, b), current[i], previous[i]);
    }
    values += kStripePair;
  };
  int j = 0;
  for (; j + 1 < n; j += 2) step(steps[j], even, odd), step(steps[j + 1], odd, even);
  if (j < n) step(steps[j], even, odd);
}

void functions(const BaseStep* steps, int n, const BaseStart& start, int n_pairs, double* values) {
  int pair = 0;
  const auto compute = [&](auto compute_pairs, int n_taken) {
    for (; n_pairs - pair >= n_taken; pair += n_taken)
      compute_pairs(steps, n, start, pair, values + static_cast<std::size_t>(pair) * n * kStripePair);
  };
  compute(compute_functions<4>, 4);
  compute(compute_functions<2>, 2);
  compute(compute_functions<1>, 1);
}

/// Mask of the first n numbers of a register, for any n.
__mmask8 first_lanes(int n) {
  return static_cast<__mmask8>((1 << std::clamp(n, 0, 8)) - 1);
}
constexpr __mmask8 kEvenParts = 0b00110011;  // of two terms, or two coefficients

/// Returns weights i and k of two base functions for their even and odd parts: [i, i, k, k], [i, i, k, k].
template <int i, int k>
HALCYON_WIDE inline Wide by_part(Wide weights) {
  return __builtin_shufflevector(weights, weights, i, i, k, k, 4 + i, 4 + i, 4 + k, 4 + k);
}

/// Calls convert(mask, next_mask) for pairs of base functions: masks of the coefficients of the pair, and of
/// the even ones of the next pair, that exist among the n coefficients. (Masks of the last pairs take
/// longer.)
template <class Convert>
HALCYON_WIDE HALCYON_INLINE void for_pairs(int n, const Convert& convert) {
  int left = 2 * n;  // numbers: two per coefficient
  for (; left >= 12; left -= 8) convert(__mmask8{0xff}, kEvenParts);
  for (; left > 0; left -= 8)
    convert(first_lanes(left), static_cast<__mmask8>(first_lanes(left - 4) & kEvenParts));
}

HALCYON_WIDE void coefficients_to_terms(const BaseWeights* weights, int n, const double* coefficients,
                                        double* terms) {
  for_pairs(n, [&](__mmask8 mask, __mmask8 next_mask) __attribute__((target("avx512f"), always_inline)) {
    const Wide w = load_wide(&weights->even);
    const Wide same = _mm512_maskz_loadu_pd(mask, coefficients);
    const Wide next = _mm512_maskz_loadu_pd(next_mask, coefficients + 4);
    store(terms, _mm512_mask3_fmadd_pd(by_part<2, 2>(w), next, by_part<0, 1>(w) * same, kEvenParts));
    weights += 2, coefficients += 8, terms += 8;
  });
}

HALCYON_WIDE void sums_to_coefficients(const BaseWeights* weights, int n, const double* sums,
                                       double* coefficients) {
  Wide last{};
  for_pairs(n, [&](__mmask8 mask, __mmask8) __attribute__((target("avx512f"), always_inline)) {
    const Wide w = load_wide(&weights->even), same = load_wide(sums);
    const Wide previous = __builtin_shufflevector(last, same, 4, 5, 6, 7, 8, 9, 10, 11);
    _mm512_mask_storeu_pd(
        coefficients, mask,
        _mm512_mask3_fmadd_pd(by_part<3, 3>(w), previous, by_part<0, 1>(w) * same, kEvenParts));
    last = same, weights += 2, coefficients += 8, sums += 8;
  });
}

/// Sums n terms of one field at S pairs of stripes, one register per pair.
/// @param lines cache lines to prefetch during the loop
template <int S>
HALCYON_WIDE void sum_terms(int n, const double* functions, std::size_t pitch, const double* terms,
                            double* const* blocks, std::size_t shift, const CacheLines& lines) {
  Wide sum[S][kParts];
  for (auto& row : sum)
    for (auto& value : row) value = Wide{};
  for (int k = 0; k < n; ++k, functions += kStripePair, terms += kParts) {
    lines.prefetch(k);
    Wide q[S];
    for (int s = 0; s < S; ++s) q[s] = load_wide(functions + s * pitch);
    for (int c = 0; c < kParts; ++c) {
      const Wide part = broadcast_wide(terms[c]);
      for (int s = 0; s < S; ++s) sum[s][c] = _mm512_fmadd_pd(q[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < kParts; c += 2) {
      const Wide re = sum[s][c], im = sum[s][c + 1];
      const std::size_t offset = shift + c * kLanes;
      store(blocks[2 * s] + offset, __builtin_shufflevector(re, im, 0, 1, 2, 3, 8, 9, 10, 11));
      store(blocks[2 * s + 1] + offset, __builtin_shufflevector(re, im, 4, 5, 6, 7, 12, 13, 14, 15));
    }
}

/// Returns the sums of lanes 0 + 1, 2 + 3, 4 + 5 and 6 + 7 of a and of b, alternating: a, b, a, b, ...
HALCYON_WIDE inline Wide sums_of_two(Wide a, Wide b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
         __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
/// Combines results of `sums_of_two` (a and b: two terms) into sums of four lanes, for each term as
/// [real and imaginary part of even, real and imaginary part of odd].
HALCYON_WIDE inline Wide sums_of_four(Wide a, Wide b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5, 8, 12, 9, 13) +
         __builtin_shufflevector(a, b, 2, 6, 3, 7, 10, 14, 11, 15);
}

/// Sums over latitudes for N base functions and one field. Registers hold 4 real, then 4 imaginary parts.
template <int N>
HALCYON_WIDE void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch,
                                const double* const* blocks, std::size_t shift, bool is_first, double* sums,
                                const CacheLines& lines) {
  Wide sum[N + N % 2][2];
  for (auto& row : sum)
    for (auto& value : row) value = Wide{};
  for (int pair = 0; pair < n_stripes; pair += 2, functions += pitch)
#pragma GCC unroll 2
    for (int s = 0; s < 2; ++s) {
      if (pair + s == n_stripes) break;
      lines.prefetch(pair + s);
      const double* block = blocks[pair + s] + shift;
      const Wide even = load_wide(block), odd = load_wide(block + 2 * kLanes);
      for (int k = 0; k < N; ++k) {
        const Wide q = duplicate(functions + s * kLanes + k * kStripePair);
        sum[k][0] = _mm512_fmadd_pd(q, even, sum[k][0]), sum[k][1] = _mm512_fmadd_pd(q, odd, sum[k][1]);
      }
    }
#pragma GCC unroll 12
  for (int k = 0; k < N; k += 2, sums += 8) {
    const __mmask8 mask = k + 1 < N ? 0xff : 0x0f;
    const Wide before = is_first ? Wide{} : _mm512_maskz_loadu_pd(mask, sums);
    const Wide added =
        sums_of_four(sums_of_two(sum[k][0], sum[k][1]), sums_of_two(sum[k + 1][0], sum[k + 1][1]));
    _mm512_mask_storeu_pd(sums, mask, before + added);
  }
}

/// Kernels indexed by the number of pairs of stripes (or of terms) - 1.
constexpr auto kSumTerms = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array{sum_terms<I + 1>...};
}(std::make_integer_sequence<int, kMaxPairs>());
constexpr auto kSumLatitudes = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array{sum_latitudes<I + 1>...};
}(std::make_integer_sequence<int, kMaxTerms>());

void sum_over_terms(const BaseSeries& terms, int first, int n_stripes, const double* functions,
                    std::size_t pitch, double* const* blocks, PrefetchQueue& queue) {
  const int n_pairs = (n_stripes + 1) / 2, n = terms.n - first;
  for (int s = 0, n_taken; s < n_pairs; s += n_taken) {
    n_taken = tile_size(n_pairs - s, kMaxPairs);
    for (int f = 0; f < terms.n_fields; ++f)
      kSumTerms[n_taken - 1](n, functions + s * pitch, pitch, terms.field(f) + first * kParts, blocks + 2 * s,
                             f * kBlockSize, queue.take(static_cast<std::size_t>(2 * n_taken) * n, n));
  }
}

void sum_over_latitudes(const BaseSeries& sums, int first, int n_stripes, const double* functions,
                        std::size_t pitch, const double* const* blocks, bool is_first, PrefetchQueue& queue) {
  for (int begin = first; begin < sums.n; begin += kTermsPerTile) {
    const int end = std::min(begin + kTermsPerTile, sums.n);
    for (int f = 0; f < sums.n_fields; ++f)
      for (int k = begin, n_taken; k < end; k += n_taken) {
        n_taken = tile_size(end - k, kMaxTerms);
        kSumLatitudes[n_taken - 1](n_stripes, functions + (k - first) * kStripePair, pitch, blocks,
                                   f * kBlockSize, is_first, sums.field(f) + k * kParts,
                                   queue.take(static_cast<std::size_t>(n_taken) * n_stripes, n_stripes));
      }
  }
}

}  // namespace

const Kernels kWideKernels{functions, coefficients_to_terms, sums_to_coefficients, sum_over_terms,
                           sum_over_latitudes};

}  // namespace halcyon::transform
