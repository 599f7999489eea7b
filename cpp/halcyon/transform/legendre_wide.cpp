#include <algorithm>
#include <array>
#include <utility>

#include "halcyon/transform/legendre_kernels.hpp"
#include "halcyon/transform/wide.hpp"

/// A register holds the real parts of a field at a stripe, and then the imaginary ones: lane by lane what is
/// done to it is done to two registers in legendre_narrow.cpp.
namespace halcyon::transform {
namespace {

constexpr int kMost = 12;  ///< stripes or terms at a time

/// Stripes or terms to take at a time where so many are left: never few after many.
constexpr int at_a_time(int left) {
  return left >= 2 * kMost ? kMost : left > kMost ? (left + 1) / 2 : left;
}

/// Of S stripes and F fields.
template <int S, int F>
HALCYON_WIDE void sum_terms(int n, const double* functions, std::size_t pitch, const double* columns,
                            double* const* blocks, std::size_t shift) {
  Wide sum[S][F];
  for (auto& row : sum)
    for (auto& x : row) x = Wide{};
  for (int k = 0; k < n; ++k, functions += kLanes, columns += 4) {
    const Lanes both = load(columns);
    const Wide x[] = {__builtin_shufflevector(both, both, 0, 0, 0, 0, 1, 1, 1, 1),
                      __builtin_shufflevector(both, both, 2, 2, 2, 2, 3, 3, 3, 3)};
    for (int s = 0; s < S; ++s) {
      const Wide p = twice(functions + s * pitch);
      for (int f = 0; f < F; ++f) sum[s][f] = _mm512_fmadd_pd(p, x[f], sum[s][f]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int f = 0; f < F; ++f) store(blocks[s] + shift + f * kBlock, sum[s][f]);
}

/// The sums of the lanes of both parts of two fields, each (0 + 1) + (2 + 3).
HALCYON_WIDE inline Lanes sums_of_lanes(Wide a, Wide b) {
  const Wide twos = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                    __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  return __builtin_shufflevector(twos, twos, 0, 4, 1, 5) + __builtin_shufflevector(twos, twos, 2, 6, 3, 7);
}

/// Of N terms and F fields.
template <int N, int F>
HALCYON_WIDE void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch,
                                const double* halves, double* columns) {
  Wide sum[N][2];
  for (auto& row : sum)
    for (auto& x : row) x = Wide{};
  for (int s = 0; s < n_stripes; ++s, functions += pitch, halves += kBlock) {
    Wide x[F];
    for (int f = 0; f < F; ++f) x[f] = load_wide(halves + f * (kBlock / 2));
    for (int k = 0; k < N; ++k) {
      const Wide p = twice(functions + k * kLanes);
      for (int f = 0; f < F; ++f) sum[k][f] = _mm512_fmadd_pd(p, x[f], sum[k][f]);
    }
  }
#pragma GCC unroll 12
  for (int k = 0; k < N; ++k, columns += 4)
    store(columns, load(columns) + sums_of_lanes(sum[k][0], sum[k][1]));
}

using SumTerms = void (*)(int, const double*, std::size_t, const double*, double* const*, std::size_t);
using SumLatitudes = void (*)(int, const double*, std::size_t, const double*, double*);

/// (fields - 1, stripes or terms - 1)
template <class Sum>
using Table = std::array<std::array<Sum, kMost>, 2>;

template <int... I>
constexpr Table<SumTerms> terms_table(std::integer_sequence<int, I...>) {
  return {{{sum_terms<I + 1, 1>...}, {sum_terms<I + 1, 2>...}}};
}
template <int... I>
constexpr Table<SumLatitudes> latitudes_table(std::integer_sequence<int, I...>) {
  return {{{sum_latitudes<I + 1, 1>...}, {sum_latitudes<I + 1, 2>...}}};
}

constexpr auto kSumTerms = terms_table(std::make_integer_sequence<int, kMost>());
constexpr auto kSumLatitudes = latitudes_table(std::make_integer_sequence<int, kMost>());

void over_terms(const Parity& parity, int n_fields, int n_stripes, const double* functions, std::size_t pitch,
                double* const* blocks) {
  functions += parity.first * kLanes;
  for (int s = 0, some; s < n_stripes; s += some) {
    some = at_a_time(n_stripes - s);
    for (int f = 0; f < n_fields; f += 2) {
      const auto sum = kSumTerms[f + 1 < n_fields][some - 1];
      sum(parity.n, functions + s * pitch, pitch, parity.column(f), blocks + s, f * kBlock + parity.half);
    }
  }
}

void over_latitudes(const Parity& parity, int n_fields, int n_stripes, const double* functions,
                    std::size_t pitch) {
  functions += parity.first * kLanes;
  for (int first = 0; first < parity.n; first += kTerms) {
    const int end = std::min(first + kTerms, parity.n);
    for (int f = 0; f < n_fields; f += 2)
      for (int k = first, some; k < end; k += some) {
        some = at_a_time(end - k);
        const auto sum = kSumLatitudes[f + 1 < n_fields][some - 1];
        sum(n_stripes, functions + k * kLanes, pitch, parity.halves_at(f, 0), parity.column(f) + 4 * k);
      }
  }
}

}  // namespace

const Kernels kWideKernels{functions_wide, over_terms, over_latitudes};

}  // namespace halcyon::transform
