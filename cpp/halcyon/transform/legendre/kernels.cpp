#include "halcyon/transform/legendre/kernels.hpp"

#include <algorithm>
#include <array>

#include "halcyon/transform/registers/registers.hpp"

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

namespace {

/// Stripes or terms to take at a time where so many are left: never 1 after 3.
constexpr int at_a_time(int left) {
  return left == 4 ? 2 : std::min(left, 3);
}

/// Where the functions at a stripe of a group begin.
const double* at_stripe(const double* functions, std::size_t pitch, int stripe) {
  return functions + stripe / 2 * pitch + stripe % 2 * kLanes;
}

/// At S stripes, of F fields.
template <int S, int F>
void sum_terms(int n, const std::array<const double*, S>& functions, const double* const* x,
               const std::array<double*, S>& sums) {
  Lanes sum[S][2 * F];
  for (auto& row : sum)
    for (auto& each : row) each = lanes_of(0.0);
  for (int k = 0; k < n; ++k) {
    Lanes p[S];
    for (int s = 0; s < S; ++s) p[s] = load(functions[s] + k * kPair);
    for (int c = 0; c < 2 * F; ++c) {
      const Lanes part = lanes_of(x[c / 2][k * Terms::kNext + c % 2]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(p[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < 2 * F; ++c) store(sums[s] + (c / 2) * kBlock + (c % 2) * kLanes, sum[s][c]);
}

/// All fields, two by two, at S stripes.
template <int S>
void sum_fields(const Terms& terms, int n_fields, const double* functions, std::size_t pitch, int stripe,
                double* const* blocks, Ahead& ahead) {
  std::array<const double*, S> p;
  for (int s = 0; s < S; ++s) p[s] = at_stripe(functions, pitch, stripe + s);
  for (int f = 0; f < n_fields; f += 2) {
    std::array<double*, S> sums;
    for (int s = 0; s < S; ++s) sums[s] = blocks[stripe + s] + f * kBlock + terms.half;
    ahead.take(static_cast<std::size_t>(2 * S) * terms.n, terms.n).fetch_all();
    const double* const x[] = {terms.of(f), terms.of(std::min(f + 1, n_fields - 1))};
    const auto sum = f + 1 < n_fields ? sum_terms<S, 2> : sum_terms<S, 1>;
    sum(terms.n, p, x, sums);
  }
}

void over_terms(const Terms& terms, int n_fields, int n_stripes, const double* functions, std::size_t pitch,
                double* const* blocks, Ahead& ahead) {
  functions += terms.first * kPair;
  for (int s = 0, some; s < n_stripes; s += some) {
    some = at_a_time(n_stripes - s);
    const auto sum = some == 3 ? sum_fields<3> : some == 2 ? sum_fields<2> : sum_fields<1>;
    sum(terms, n_fields, functions, pitch, s, blocks, ahead);
  }
}

/// Of N terms and F fields.
template <int N, int F>
void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
                   std::size_t shift, bool starts, double* columns) {
  Lanes sum[N][4];
  for (auto& row : sum)
    for (auto& each : row) each = lanes_of(0.0);
  for (int s = 0; s < n_stripes; ++s) {
    const double* at = at_stripe(functions, pitch, s);
    Lanes p[N];
    for (int k = 0; k < N; ++k) p[k] = load(at + k * kPair);
    for (int c = 0; c < 2 * F; ++c) {
      const Lanes part = load(blocks[s] + shift + c / 2 * kBlock + c % 2 * kLanes);
      for (int k = 0; k < N; ++k) sum[k][c] = multiply_add(p[k], part, sum[k][c]);
    }
  }
  for (int k = 0; k < N; ++k, columns += 4)
    store(columns, (starts ? lanes_of(0.0) : load(columns)) +
                       sums_of_lanes(sum[k][0], sum[k][2], sum[k][1], sum[k][3]));
}

template <int F>
void sum_tile(int n, int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
              std::size_t shift, bool starts, double* columns) {
  const auto sum = [&]<int N>(int k) {
    sum_latitudes<N, F>(n_stripes, functions + k * kPair, pitch, blocks, shift, starts, columns + 4 * k);
  };
  int k = 0;
  for (; at_a_time(n - k) == 3; k += 3) sum.template operator()<3>(k);
  for (; at_a_time(n - k) == 2; k += 2) sum.template operator()<2>(k);
  if (k < n) sum.template operator()<1>(k);
}

void over_latitudes(const Sums& sums, int n_fields, int n_stripes, const double* functions, std::size_t pitch,
                    const double* const* blocks, bool starts, Ahead& ahead) {
  functions += sums.first * kPair;
  for (int k = 0; k < sums.n; k += kTerms)
    for (int f = 0; f < n_fields; f += 2) {
      const int some = std::min(kTerms, sums.n - k);
      ahead.take(static_cast<std::size_t>(2 * some) * n_stripes, kTerms * kGroup).fetch_all();
      const auto sum = f + 1 < n_fields ? sum_tile<2> : sum_tile<1>;
      sum(some, n_stripes, functions + k * kPair, pitch, blocks, f * kBlock + sums.half, starts,
          sums.of(f / 2) + 4 * k);
    }
}

}  // namespace

const Kernels kNarrowKernels{functions, over_terms, over_latitudes};

}  // namespace halcyon::transform
