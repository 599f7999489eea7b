#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// The kernels of kernels.cpp for registers of 8 numbers, V, which hold two stripes. Values that all lanes
/// need are broadcast by loads: shuffles would compete with the arithmetic for execution ports. The source
/// files that include this header, one for each V, define the attributes of functions and lambdas that may
/// use the registers: HALCYON_KERNEL and HALCYON_KERNEL_LAMBDA.
namespace halcyon::transform {
namespace {

constexpr int kParts = BaseSeries::kParts;
/// Largest tiles: pairs of stripes, and base functions, whose sums fit into the 32 registers of AVX-512, or
/// the 16 of AVX2.
template <class V>
constexpr int kMaxPairs = sizeof(V) == 64 ? 4 : 2;
template <class V>
constexpr int kMaxTerms = sizeof(V) == 64 ? 12 : 6;

/// Returns the size of the next tile of n remaining pairs or terms: at most `max`, without a small last tile.
constexpr int tile_size(int n, int max) {
  return n >= 2 * max ? max : n > max ? (n + 1) / 2 : n;
}

/// Returns weights i and k of two base functions for their even and odd parts: [i, i, k, k], [i, i, k, k].
template <int i, int k, class V>
HALCYON_KERNEL inline V by_part(V weights) {
  return __builtin_shufflevector(weights, weights, i, i, k, k, 4 + i, 4 + i, 4 + k, 4 + k);
}

/// Calls convert(n, n_next) for pairs of base functions: the numbers in the coefficients of the pair, and in
/// those of the next base functions, that exist among the n coefficients, at most a register each. (The last
/// pairs take longer.)
template <class Convert>
HALCYON_KERNEL HALCYON_INLINE void for_pairs(int n, const Convert& convert) {
  int left = 2 * n;  // numbers: two per coefficient
  for (; left >= 12; left -= 8) convert(8, 8);
  for (; left > 0; left -= 8) convert(left, left - 4);
}

template <class V>
HALCYON_KERNEL void coefficients_to_terms(const BasicBaseWeights<Element<V>>* weights, int n,
                                          const Element<V>* coefficients, Element<V>* terms) {
  for_pairs(n, [&](int n_same, int n_next) HALCYON_KERNEL_LAMBDA {
    const V w = load_as<V>(&weights->even);
    const V same = load_first<V>(n_same, coefficients), next = load_first<V>(n_next, coefficients + 4);
    store(terms, add_even_products(by_part<2, 2, V>(w), next, by_part<0, 1, V>(w) * same));
    weights += 2, coefficients += 8, terms += 8;
  });
}

template <class V>
HALCYON_KERNEL void sums_to_coefficients(const BasicBaseWeights<Element<V>>* weights, int n,
                                         const Element<V>* sums, Element<V>* coefficients) {
  V last{};
  for_pairs(n, [&](int n_same, int) HALCYON_KERNEL_LAMBDA {
    const V w = load_as<V>(&weights->even), same = load_as<V>(sums);
    const V previous = __builtin_shufflevector(last, same, 4, 5, 6, 7, 8, 9, 10, 11);
    store_first(n_same, coefficients,
                add_even_products(by_part<3, 3, V>(w), previous, by_part<0, 1, V>(w) * same));
    last = same, weights += 2, coefficients += 8, sums += 8;
  });
}

/// Sums n terms of one field at S pairs of stripes, one register per pair.
/// @param lines cache lines to prefetch during the loop
template <int S, class V>
HALCYON_KERNEL void sum_terms(int n, const Element<V>* functions, std::size_t pitch, const Element<V>* terms,
                              Element<V>* const* blocks, std::size_t shift, const CacheLines& lines) {
  V sum[S][kParts];
  for (auto& row : sum)
    for (auto& value : row) value = V{};
  for (int k = 0; k < n; ++k, functions += kStripePair, terms += kParts) {
    lines.prefetch(k);
    V q[S];
    for (int s = 0; s < S; ++s) q[s] = load_as<V>(functions + s * pitch);
    for (int c = 0; c < kParts; ++c) {
      const V part = broadcast_as<V>(terms[c]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(q[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < kParts; c += 2) {
      const V re = sum[s][c], im = sum[s][c + 1];
      const std::size_t offset = shift + c * kLanes;
      store(blocks[2 * s] + offset, __builtin_shufflevector(re, im, 0, 1, 2, 3, 8, 9, 10, 11));
      store(blocks[2 * s + 1] + offset, __builtin_shufflevector(re, im, 4, 5, 6, 7, 12, 13, 14, 15));
    }
}

/// Returns the sums of lanes 0 + 1, 2 + 3, 4 + 5 and 6 + 7 of a and of b, alternating: a, b, a, b, ...
template <class V>
HALCYON_KERNEL inline V sums_of_two(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
         __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
/// Combines results of `sums_of_two` (a and b: two terms) into sums of four lanes, for each term as
/// [real and imaginary part of even, real and imaginary part of odd].
template <class V>
HALCYON_KERNEL inline V sums_of_four(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5, 8, 12, 9, 13) +
         __builtin_shufflevector(a, b, 2, 6, 3, 7, 10, 14, 11, 15);
}

/// Sums over latitudes for N base functions and one field. Registers hold 4 real, then 4 imaginary parts.
template <int N, class V>
HALCYON_KERNEL void sum_latitudes(int n_stripes, const Element<V>* functions, std::size_t pitch,
                                  const Element<V>* const* blocks, std::size_t shift, bool is_first,
                                  Element<V>* sums, const CacheLines& lines) {
  V sum[N + N % 2][2];
  for (auto& row : sum)
    for (auto& value : row) value = V{};
  for (int pair = 0; pair < n_stripes; pair += 2, functions += pitch)
#pragma GCC unroll 2
    for (int s = 0; s < 2; ++s) {
      if (pair + s == n_stripes) break;
      lines.prefetch(pair + s);
      const Element<V>* block = blocks[pair + s] + shift;
      const V even = load_as<V>(block), odd = load_as<V>(block + 2 * kLanes);
      for (int k = 0; k < N; ++k) {
        const V q = duplicate(functions + s * kLanes + k * kStripePair);
        sum[k][0] = multiply_add(q, even, sum[k][0]), sum[k][1] = multiply_add(q, odd, sum[k][1]);
      }
    }
#pragma GCC unroll 12
  for (int k = 0; k < N; k += 2, sums += 8) {
    const bool has_two_terms = k + 1 < N;
    const V before = is_first ? V{} : has_two_terms ? load_as<V>(sums) : load_first<V>(kParts, sums);
    const V after =
        before + sums_of_four(sums_of_two(sum[k][0], sum[k][1]), sums_of_two(sum[k + 1][0], sum[k + 1][1]));
    has_two_terms ? store(sums, after) : store_first(kParts, sums, after);
  }
}

/// Kernels indexed by the number of pairs of stripes (or of terms) - 1.
template <class V>
constexpr auto kSumTerms = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array{sum_terms<I + 1, V>...};
}(std::make_integer_sequence<int, kMaxPairs<V>>());
template <class V>
constexpr auto kSumLatitudes = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array{sum_latitudes<I + 1, V>...};
}(std::make_integer_sequence<int, kMaxTerms<V>>());

template <class V>
void sum_over_terms(const BasicBaseSeries<Element<V>>& terms, int first, int n_stripes,
                    const Element<V>* functions, std::size_t pitch, Element<V>* const* blocks,
                    PrefetchQueue& queue) {
  const int n_pairs = (n_stripes + 1) / 2, n = terms.n - first;
  for (int s = 0, n_taken; s < n_pairs; s += n_taken) {
    n_taken = tile_size(n_pairs - s, kMaxPairs<V>);
    for (int f = 0; f < terms.n_fields; ++f)
      kSumTerms<V>[n_taken - 1](n, functions + s* pitch, pitch, terms.field(f) + first* kParts,
                                blocks + 2 * s, f* kBlockSize,
                                queue.take(static_cast<std::size_t>(2 * n_taken)* n, n));
  }
}

template <class V>
void sum_over_latitudes(const BasicBaseSeries<Element<V>>& sums, int first, int n_stripes,
                        const Element<V>* functions, std::size_t pitch, const Element<V>* const* blocks,
                        bool is_first, PrefetchQueue& queue) {
  for (int begin = first; begin < sums.n; begin += kTermsPerTile) {
    const int end = std::min(begin + kTermsPerTile, sums.n);
    for (int f = 0; f < sums.n_fields; ++f)
      for (int k = begin, n_taken; k < end; k += n_taken) {
        n_taken = tile_size(end - k, kMaxTerms<V>);
        kSumLatitudes<V>[n_taken - 1](n_stripes, functions + (k - first)* kStripePair, pitch, blocks,
                                      f* kBlockSize, is_first, sums.field(f) + k* kParts,
                                      queue.take(static_cast<std::size_t>(n_taken)* n_stripes, n_stripes));
      }
  }
}

}  // namespace
}  // namespace halcyon::transform
