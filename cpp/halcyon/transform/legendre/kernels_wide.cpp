#include <algorithm>
#include <array>
#include <utility>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// The kernels of kernels.cpp for registers of 8 doubles, which hold two stripes. Values that all lanes need
/// are broadcast by loads: shuffles would compete with the arithmetic for execution ports. p is P_nm.
namespace halcyon::transform {
namespace {

constexpr int kMaxPairs = 4, kMaxTerms = 12;  ///< largest tiles: pairs of stripes, and terms of one parity

/// Returns the size of the next tile of n remaining pairs or terms: at most `max`, without a small last tile.
constexpr int tile_size(int n, int max) {
  return n >= 2 * max ? max : n > max ? (n + 1) / 2 : n;
}

/// Sums over terms at S pairs of stripes, one register per pair, for F fields.
/// @param lines cache lines to prefetch during the loop
template <int S, int F>
HALCYON_WIDE void sum_terms(int n, const double* functions, std::size_t pitch, const double* const* fields,
                            double* const* blocks, std::size_t shift, const CacheLines& lines) {
  Wide sum[S][2 * F];
  for (auto& row : sum)
    for (auto& value : row) value = Wide{};
  const double *field_1 = fields[0], *field_2 = fields[F - 1];
  for (int k = 0; k < n;
       ++k, functions += kStripePair, field_1 += ParityTerms::kStride, field_2 += ParityTerms::kStride) {
    lines.prefetch(k);
    Wide p[S];
    for (int s = 0; s < S; ++s) p[s] = load_wide(functions + s * pitch);
    for (int c = 0; c < 2 * F; ++c) {
      const Wide part = broadcast_wide((c < 2 ? field_1 : field_2)[c % 2]);
      for (int s = 0; s < S; ++s) sum[s][c] = _mm512_fmadd_pd(p[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int f = 0; f < F; ++f) {
      const Wide re = sum[s][2 * f], im = sum[s][2 * f + 1];
      const std::size_t offset = shift + f * kBlockSize;
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
/// [real part of field 1, of field 2, imaginary part of field 1, of field 2].
HALCYON_WIDE inline Wide sums_of_four(Wide a, Wide b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) +
         __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
}

/// Sums over latitudes for N terms and F fields. Register x: 4 real, then 4 imaginary parts of a field.
template <int N, int F>
HALCYON_WIDE void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch,
                                const double* const* blocks, std::size_t shift, bool is_first, double* values,
                                const CacheLines& lines) {
  Wide sum[N + N % 2][2];
  for (auto& row : sum)
    for (auto& value : row) value = Wide{};
  for (int pair = 0; pair < n_stripes; pair += 2, functions += pitch)
#pragma GCC unroll 2
    for (int s = 0; s < 2; ++s) {
      if (pair + s == n_stripes) break;
      lines.prefetch(pair + s);
      Wide x[F];
      for (int f = 0; f < F; ++f) x[f] = load_wide(blocks[pair + s] + shift + f * kBlockSize);
      for (int k = 0; k < N; ++k) {
        const Wide p = duplicate(functions + s * kLanes + k * kStripePair);
        for (int f = 0; f < F; ++f) sum[k][f] = _mm512_fmadd_pd(p, x[f], sum[k][f]);
      }
    }
#pragma GCC unroll 12
  for (int k = 0; k < N; k += 2, values += 8) {
    const __mmask8 mask = k + 1 < N ? 0xff : 0x0f;
    const Wide before = is_first ? Wide{} : _mm512_maskz_loadu_pd(mask, values);
    const Wide sums =
        sums_of_four(sums_of_two(sum[k][0], sum[k][1]), sums_of_two(sum[k + 1][0], sum[k + 1][1]));
    _mm512_mask_storeu_pd(values, mask, before + sums);
  }
}

using SumTerms = void (*)(int, const double*, std::size_t, const double* const*, double* const*, std::size_t,
                          const CacheLines&);
using SumLatitudes = void (*)(int, const double*, std::size_t, const double* const*, std::size_t, bool,
                              double*, const CacheLines&);

/// Kernels indexed by [number of fields - 1][number of pairs of stripes (or of terms) - 1].
template <class Sum, int kMax>
using Table = std::array<std::array<Sum, kMax>, 2>;

template <int... I>
constexpr Table<SumTerms, kMaxPairs> terms_table(std::integer_sequence<int, I...>) {
  return {{{sum_terms<I + 1, 1>...}, {sum_terms<I + 1, 2>...}}};
}
template <int... I>
constexpr Table<SumLatitudes, kMaxTerms> latitudes_table(std::integer_sequence<int, I...>) {
  return {{{sum_latitudes<I + 1, 1>...}, {sum_latitudes<I + 1, 2>...}}};
}

constexpr auto kSumTerms = terms_table(std::make_integer_sequence<int, kMaxPairs>());
constexpr auto kSumLatitudes = latitudes_table(std::make_integer_sequence<int, kMaxTerms>());

void sum_over_terms(const ParityTerms& terms, int n_fields, int n_stripes, const double* functions,
                    std::size_t pitch, double* const* blocks, PrefetchQueue& queue) {
  functions += terms.function_0 * kStripePair;
  const int n_pairs = (n_stripes + 1) / 2;
  for (int s = 0, n_taken; s < n_pairs; s += n_taken) {
    n_taken = tile_size(n_pairs - s, kMaxPairs);
    for (int f = 0; f < n_fields; f += 2) {
      const double* const pair[] = {terms.field(f), terms.field(std::min(f + 1, n_fields - 1))};
      const auto sum = kSumTerms[f + 1 < n_fields][n_taken - 1];
      sum(terms.n, functions + s * pitch, pitch, pair, blocks + 2 * s, f * kBlockSize + terms.shift,
          queue.take(static_cast<std::size_t>(4 * n_taken) * terms.n, terms.n));
    }
  }
}

void sum_over_latitudes(const ParitySums& sums, int n_fields, int n_stripes, const double* functions,
                        std::size_t pitch, const double* const* blocks, bool is_first, PrefetchQueue& queue) {
  functions += sums.function_0 * kStripePair;
  for (int first = 0; first < sums.n; first += kTermsPerTile) {
    const int end = std::min(first + kTermsPerTile, sums.n);
    for (int f = 0; f < n_fields; f += 2)
      for (int k = first, n_taken; k < end; k += n_taken) {
        n_taken = tile_size(end - k, kMaxTerms);
        const auto sum = kSumLatitudes[f + 1 < n_fields][n_taken - 1];
        sum(n_stripes, functions + k * kStripePair, pitch, blocks, f * kBlockSize + sums.shift, is_first,
            sums.values_of_pair(f / 2) + 4 * k,
            queue.take(static_cast<std::size_t>(2 * n_taken) * n_stripes, n_stripes));
      }
  }
}

}  // namespace

const Kernels kWideKernels{legendre_functions_wide, sum_over_terms, sum_over_latitudes};

}  // namespace halcyon::transform
