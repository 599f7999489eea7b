#include <algorithm>
#include <array>

#include "halcyon/transform/lanes.hpp"
#include "halcyon/transform/legendre_kernels.hpp"

namespace halcyon::transform {
namespace {

/// Stripes or terms to take at a time where so many are left: never 1 after 3.
constexpr int at_a_time(int left) {
  return left == 4 ? 2 : std::min(left, 3);
}

/// At S stripes in C columns.
template <int S, int C>
void sum_terms(int n, const double* functions, std::size_t pitch, const double* columns,
               const std::array<double*, S>& sums) {
  Lanes sum[S][C];
  for (auto& row : sum)
    for (auto& x : row) x = lanes_of(0.0);
  for (int k = 0; k < n; ++k) {
    Lanes p[S];
    for (int s = 0; s < S; ++s) p[s] = load(functions + s * pitch + k * kLanes);
    for (int c = 0; c < C; ++c) {
      const Lanes x = lanes_of(columns[4 * k + c]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(p[s], x, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < C; ++c) store(sums[s] + (c / 2) * kBlock + (c % 2) * kLanes, sum[s][c]);
}

/// All fields, two by two, at S stripes.
template <int S>
void sum_fields(const Parity& parity, int n_fields, const double* functions, std::size_t pitch,
                double* const* blocks) {
  for (int f = 0; f < n_fields; f += 2) {
    std::array<double*, S> sums;
    for (int s = 0; s < S; ++s) sums[s] = blocks[s] + f * kBlock + parity.half;
    const auto sum = f + 1 < n_fields ? sum_terms<S, 4> : sum_terms<S, 2>;
    sum(parity.n, functions, pitch, parity.column(f), sums);
  }
}

void over_terms(const Parity& parity, int n_fields, int n_stripes, const double* functions, std::size_t pitch,
                double* const* blocks) {
  functions += parity.first * kLanes;
  for (int s = 0, some; s < n_stripes; s += some) {
    some = at_a_time(n_stripes - s);
    const auto sum = some == 3 ? sum_fields<3> : some == 2 ? sum_fields<2> : sum_fields<1>;
    sum(parity, n_fields, functions + s * pitch, pitch, blocks + s);
  }
}

/// Of N terms in C columns.
template <int N, int C>
void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch, const double* halves,
                   double* columns) {
  Lanes sum[N][4];
  for (auto& row : sum)
    for (auto& x : row) x = lanes_of(0.0);
  for (int s = 0; s < n_stripes; ++s, functions += pitch, halves += kBlock) {
    Lanes p[N];
    for (int k = 0; k < N; ++k) p[k] = load(functions + k * kLanes);
    for (int c = 0; c < C; ++c) {
      const Lanes x = load(halves + c * kLanes);
      for (int k = 0; k < N; ++k) sum[k][c] = multiply_add(p[k], x, sum[k][c]);
    }
  }
  for (int k = 0; k < N; ++k) {
    double* const at = columns + 4 * k;
    store(at, load(at) + sums_of_lanes(sum[k][0], sum[k][1], sum[k][2], sum[k][3]));
  }
}

template <int C>
void sum_tile(int n, int n_stripes, const double* functions, std::size_t pitch, const double* halves,
              double* columns) {
  const auto sum = [&]<int N>(int k) {
    sum_latitudes<N, C>(n_stripes, functions + k * kLanes, pitch, halves, columns + 4 * k);
  };
  int k = 0;
  for (; at_a_time(n - k) == 3; k += 3) sum.template operator()<3>(k);
  for (; at_a_time(n - k) == 2; k += 2) sum.template operator()<2>(k);
  if (k < n) sum.template operator()<1>(k);
}

void over_latitudes(const Parity& parity, int n_fields, int n_stripes, const double* functions,
                    std::size_t pitch) {
  functions += parity.first * kLanes;
  for (int k = 0; k < parity.n; k += kTerms)
    for (int f = 0; f < n_fields; f += 2) {
      const auto sum = f + 1 < n_fields ? sum_tile<4> : sum_tile<2>;
      sum(std::min(kTerms, parity.n - k), n_stripes, functions + k * kLanes, pitch, parity.halves_at(f, 0),
          parity.column(f) + 4 * k);
    }
}

}  // namespace

const Kernels kNarrowKernels{functions, over_terms, over_latitudes};

}  // namespace halcyon::transform
