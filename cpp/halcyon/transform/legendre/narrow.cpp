#include <algorithm>
#include <array>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/legendre/lanes.hpp"

namespace halcyon::transform {
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
