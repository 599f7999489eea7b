#pragma once

#include <array>
#include <cstddef>

#include "halcyon/transform/lanes.hpp"
#include "halcyon/transform/panels.hpp"

/// The sums over n and over latitudes, of one parity of n - m. A column is the real or the imaginary part of
/// a field. What a sum is rounded to depends on its own terms and their order alone, not on S, N or C.
namespace halcyon::transform {

/// x_c(mu) = sum_n P_n(mu) X_nc, n ascending, at S stripes in C columns.
/// @param n terms
/// @param functions (stripe) of (term, lane)
/// @param coefficients (term, 4) of which C are used
/// @param sums (stripe) of blocks
template <int S, int C>
inline void sum_terms(int n, const std::array<const double*, S>& functions, const double* coefficients,
                      const std::array<double*, S>& sums) {
  Lanes sum[S][C];
  for (auto& row : sum)
    for (auto& x : row) x = lanes_of(0.0);
  for (int k = 0; k < n; ++k) {
    Lanes p[S];
    for (int s = 0; s < S; ++s) p[s] = load(functions[s] + k * kLanes);
    for (int c = 0; c < C; ++c) {
      const Lanes x = lanes_of(coefficients[4 * k + c]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(p[s], x, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < C; ++c) store(sums[s] + (c / 2) * kBlock + (c % 2) * kLanes, sum[s][c]);
}

/// X_nc = sum_mu P_n(mu) x_c(mu), of N terms in C columns: in each lane from the equator on, then the lanes.
/// @param functions of stripe 0 and these terms; `pitch` numbers on are those of the next stripe
/// @param halves (stripe) of blocks; of each `shift` numbers on are those that are meant
/// @param coefficients (term, 4) to which this is added
template <int N, int C>
inline void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch,
                          const double* const* halves, std::size_t shift, double* coefficients) {
  Lanes sum[N][4];
  for (auto& row : sum)
    for (auto& x : row) x = lanes_of(0.0);
  for (int s = 0; s < n_stripes; ++s, functions += pitch) {
    const double* const half = halves[s] + shift;
    Lanes p[N];
    for (int k = 0; k < N; ++k) p[k] = load(functions + k * kLanes);
    for (int c = 0; c < C; ++c) {
      const Lanes x = load(half + (c / 2) * kBlock + (c % 2) * kLanes);
      for (int k = 0; k < N; ++k) sum[k][c] = multiply_add(p[k], x, sum[k][c]);
    }
  }
  for (int k = 0; k < N; ++k) {
    double* const at = coefficients + 4 * k;
    store(at, load(at) + sums_of_lanes(sum[k][0], sum[k][1], sum[k][2], sum[k][3]));
  }
}

}  // namespace halcyon::transform
