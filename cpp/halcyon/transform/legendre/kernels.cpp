#include "halcyon/transform/legendre/kernels.hpp"

#include <algorithm>
#include <array>

#include "halcyon/transform/registers/registers.hpp"

namespace halcyon::transform {
namespace {

/// Reorders a value of ParitySums, [real, real, imaginary, imaginary], to one complex number per field.
Lanes complex_by_field(const double* value) {
  return _mm256_permute4x64_pd(load(value), 0b11011000);  // lanes 0, 2, 1, 3
}

}  // namespace

std::array<ParityTerms, 2> parity_terms(int n, int n_even_functions, const double* coefficients,
                                        std::size_t field_stride) {
  return {ParityTerms{(n + 1) / 2, 0, 0, coefficients, field_stride},
          ParityTerms{n / 2, static_cast<std::size_t>(n_even_functions), kBlockSize / 2, coefficients + 2,
                      field_stride}};
}

std::array<ParitySums, 2> parity_sums(int n, int n_even_functions, int n_fields, Buffer& values) {
  const int n_even = (n + 1) / 2, n_odd = n / 2;
  const std::size_t n_pairs = (n_fields + 1) / 2, even_size = n_pairs * ParitySums::pitch(n_even);
  double* const even = values.reserve(even_size + n_pairs * ParitySums::pitch(n_odd));
  return {ParitySums{n_even, 0, 0, even},
          ParitySums{n_odd, static_cast<std::size_t>(n_even_functions), kBlockSize / 2, even + even_size}};
}

void store_coefficients(const std::array<ParitySums, 2>& sums, int pair, double* field_1, double* field_2) {
  const double *even = sums[0].values_of_pair(pair), *odd = sums[1].values_of_pair(pair);
  for (int k = 0; k < sums[1].n; ++k, field_1 += 4, field_2 += 4, even += 4, odd += 4) {
    const Lanes a = complex_by_field(even), b = complex_by_field(odd);
    store(field_2, second_halves(a, b)), store(field_1, first_halves(a, b));
  }
  if (sums[1].n == sums[0].n) return;  // otherwise the last coefficient is even
  const Lanes a = complex_by_field(even);
  _mm_storeu_pd(field_2, _mm256_extractf128_pd(a, 1)), _mm_storeu_pd(field_1, _mm256_castpd256_pd128(a));
}

namespace {

/// Returns the next tile size for n remaining stripes or terms: at most 3, and 2 + 2 instead of 3 + 1.
constexpr int tile_size(int n) {
  return n == 4 ? 2 : std::min(n, 3);
}

/// Returns the functions P_nm, (term) with a stride of kStripePair, at a stripe of a group.
const double* functions_at_stripe(const double* functions, std::size_t pitch, int stripe) {
  return functions + stripe / 2 * pitch + stripe % 2 * kLanes;
}

/// Sums over terms at S stripes for F fields, of which c numbers the real and imaginary parts. p is P_nm.
template <int S, int F>
void sum_terms(int n, const std::array<const double*, S>& functions, const double* const* fields,
               const std::array<double*, S>& blocks) {
  Lanes sum[S][2 * F];
  for (auto& row : sum)
    for (auto& value : row) value = broadcast(0.0);
  for (int k = 0; k < n; ++k) {
    Lanes p[S];
    for (int s = 0; s < S; ++s) p[s] = load(functions[s] + k * kStripePair);
    for (int c = 0; c < 2 * F; ++c) {
      const Lanes part = broadcast(fields[c / 2][k * ParityTerms::kStride + c % 2]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(p[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < 2 * F; ++c) store(blocks[s] + (c / 2) * kBlockSize + (c % 2) * kLanes, sum[s][c]);
}

/// Sums over terms at S stripes for all fields, two fields at a time.
template <int S>
void sum_fields(const ParityTerms& terms, int n_fields, const double* functions, std::size_t pitch,
                int stripe, double* const* blocks, PrefetchQueue& queue) {
  std::array<const double*, S> p;
  for (int s = 0; s < S; ++s) p[s] = functions_at_stripe(functions, pitch, stripe + s);
  for (int f = 0; f < n_fields; f += 2) {
    std::array<double*, S> blocks_of_f;
    for (int s = 0; s < S; ++s) blocks_of_f[s] = blocks[stripe + s] + f * kBlockSize + terms.shift;
    queue.take(static_cast<std::size_t>(2 * S) * terms.n, terms.n).prefetch_all();
    const double* const pair[] = {terms.field(f), terms.field(std::min(f + 1, n_fields - 1))};
    const auto sum = f + 1 < n_fields ? sum_terms<S, 2> : sum_terms<S, 1>;
    sum(terms.n, p, pair, blocks_of_f);
  }
}

void sum_over_terms(const ParityTerms& terms, int n_fields, int n_stripes, const double* functions,
                    std::size_t pitch, double* const* blocks, PrefetchQueue& queue) {
  functions += terms.function_0 * kStripePair;
  for (int s = 0, n_taken; s < n_stripes; s += n_taken) {
    n_taken = tile_size(n_stripes - s);
    const auto sum = n_taken == 3 ? sum_fields<3> : n_taken == 2 ? sum_fields<2> : sum_fields<1>;
    sum(terms, n_fields, functions, pitch, s, blocks, queue);
  }
}

/// Sums over latitudes for N terms and F fields.
template <int N, int F>
void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
                   std::size_t shift, bool is_first, double* values) {
  Lanes sum[N][4];
  for (auto& row : sum)
    for (auto& value : row) value = broadcast(0.0);
  for (int s = 0; s < n_stripes; ++s) {
    const double* function_0 = functions_at_stripe(functions, pitch, s);
    Lanes p[N];
    for (int k = 0; k < N; ++k) p[k] = load(function_0 + k * kStripePair);
    for (int c = 0; c < 2 * F; ++c) {
      const Lanes part = load(blocks[s] + shift + c / 2 * kBlockSize + c % 2 * kLanes);
      for (int k = 0; k < N; ++k) sum[k][c] = multiply_add(p[k], part, sum[k][c]);
    }
  }
  for (int k = 0; k < N; ++k, values += 4)
    store(values, (is_first ? broadcast(0.0) : load(values)) +
                      sums_of_lanes(sum[k][0], sum[k][2], sum[k][1], sum[k][3]));
}

/// Sums over latitudes for the n terms of a tile and F fields.
template <int F>
void sum_tile(int n, int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
              std::size_t shift, bool is_first, double* values) {
  const auto sum = [&]<int N>(int k) {
    sum_latitudes<N, F>(n_stripes, functions + k * kStripePair, pitch, blocks, shift, is_first,
                        values + 4 * k);
  };
  int k = 0;
  for (; tile_size(n - k) == 3; k += 3) sum.template operator()<3>(k);
  for (; tile_size(n - k) == 2; k += 2) sum.template operator()<2>(k);
  if (k < n) sum.template operator()<1>(k);
}

void sum_over_latitudes(const ParitySums& sums, int n_fields, int n_stripes, const double* functions,
                        std::size_t pitch, const double* const* blocks, bool is_first, PrefetchQueue& queue) {
  functions += sums.function_0 * kStripePair;
  for (int k = 0; k < sums.n; k += kTermsPerTile)
    for (int f = 0; f < n_fields; f += 2) {
      const int n_taken = std::min(kTermsPerTile, sums.n - k);
      queue.take(static_cast<std::size_t>(2 * n_taken) * n_stripes, kTermsPerTile * kStripesPerGroup)
          .prefetch_all();
      const auto sum = f + 1 < n_fields ? sum_tile<2> : sum_tile<1>;
      sum(n_taken, n_stripes, functions + k * kStripePair, pitch, blocks, f * kBlockSize + sums.shift,
          is_first, sums.values_of_pair(f / 2) + 4 * k);
    }
}

}  // namespace

const Kernels kNarrowKernels{legendre_functions, sum_over_terms, sum_over_latitudes};

}  // namespace halcyon::transform
