#include "halcyon/transform/legendre/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halcyon/transform/registers/registers.hpp"

namespace halcyon::transform {
namespace {

constexpr int kParts = BaseSeries::kParts;

template <class Real>
void functions(const BaseStep* steps, int n, const BaseStart& start, int n_pairs, Real* values) {
  for (int pair = 0; pair < n_pairs; ++pair) {
    Lanes x[2], previous[2], current[2];  // of both stripes
    for (int s = 0; s < 2; ++s) {
      const int index = pair * kStripePair + s * kLanes;
      x[s] = load(start.x + index), previous[s] = load(start.previous + index),
      current[s] = load(start.current + index);
    }
    for (int j = 0; j < n; ++j, values += kStripePair)
      for (int s = 0; s < 2; ++s) {
        store(values + s * kLanes, current[s]);
        const Lanes factor = multiply_add(x[s], steps[j].a, broadcast(steps[j].b));
        const Lanes next = multiply_add(factor, current[s], previous[s]);
        previous[s] = current[s], current[s] = next;
      }
  }
}

void coefficients_to_terms(const BaseWeights* weights, int n, const double* coefficients, double* terms) {
  for (int k = 0; k < n; k += 2, ++weights, coefficients += kParts, terms += kParts)
    for (int part = 0; part < 2; ++part) {
      const double next = k + 2 < n ? coefficients[kParts + part] : 0;
      terms[part] = std::fma(weights->next, next, weights->even * coefficients[part]);
      terms[2 + part] = k + 1 < n ? weights->odd * coefficients[2 + part] : 0;
    }
}

void sums_to_coefficients(const BaseWeights* weights, int n, const double* sums, double* coefficients) {
  for (int k = 0; k < n; k += 2, ++weights, coefficients += kParts, sums += kParts)
    for (int part = 0; part < 2; ++part) {
      const double previous = k > 0 ? sums[part - kParts] : 0;
      coefficients[part] = std::fma(weights->previous, previous, weights->even * sums[part]);
      if (k + 1 < n) coefficients[2 + part] = weights->odd * sums[2 + part];
    }
}

/// Returns the next tile size for n remaining stripes or terms: at most 3, and 2 + 2 instead of 3 + 1.
constexpr int tile_size(int n) {
  return n == 4 ? 2 : std::min(n, 3);
}

/// Returns the functions q_j, (j) with a stride of kStripePair, at a stripe of a group.
const double* functions_at_stripe(const double* functions, std::size_t pitch, int stripe) {
  return functions + stripe / 2 * pitch + stripe % 2 * kLanes;
}

/// Sums n terms of one field at S stripes.
template <int S>
void sum_terms(int n, const std::array<const double*, S>& functions, const double* terms,
               double* const* blocks, std::size_t shift) {
  Lanes sum[S][kParts];
  for (auto& row : sum)
    for (auto& value : row) value = broadcast(0.0);
  for (int k = 0; k < n; ++k, terms += kParts) {
    Lanes q[S];
    for (int s = 0; s < S; ++s) q[s] = load(functions[s] + k * kStripePair);
    for (int c = 0; c < kParts; ++c) {
      const Lanes part = broadcast(terms[c]);
      for (int s = 0; s < S; ++s) sum[s][c] = multiply_add(q[s], part, sum[s][c]);
    }
  }
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < kParts; ++c) store(blocks[s] + shift + c * kLanes, sum[s][c]);
}

/// Sums over terms at S stripes for all fields.
template <int S>
void sum_fields(const BaseSeries& terms, int first, const double* functions, std::size_t pitch, int stripe,
                double* const* blocks, PrefetchQueue& queue) {
  std::array<const double*, S> q;
  for (int s = 0; s < S; ++s) q[s] = functions_at_stripe(functions, pitch, stripe + s);
  const int n = terms.n - first;
  for (int f = 0; f < terms.n_fields; ++f) {
    queue.take(static_cast<std::size_t>(S) * n, n).prefetch_all();
    sum_terms<S>(n, q, terms.field(f) + first * kParts, blocks + stripe, f * kBlockSize);
  }
}

void sum_over_terms(const BaseSeries& terms, int first, int n_stripes, const double* functions,
                    std::size_t pitch, double* const* blocks, PrefetchQueue& queue) {
  for (int s = 0, n_taken; s < n_stripes; s += n_taken) {
    n_taken = tile_size(n_stripes - s);
    const auto sum = n_taken == 3 ? sum_fields<3> : n_taken == 2 ? sum_fields<2> : sum_fields<1>;
    sum(terms, first, functions, pitch, s, blocks, queue);
  }
}

/// Sums over latitudes for N base functions and one field.
template <int N>
void sum_latitudes(int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
                   std::size_t shift, bool is_first, double* sums) {
  Lanes sum[N][kParts];
  for (auto& row : sum)
    for (auto& value : row) value = broadcast(0.0);
  for (int s = 0; s < n_stripes; ++s) {
    const double* function_0 = functions_at_stripe(functions, pitch, s);
    Lanes q[N];
    for (int k = 0; k < N; ++k) q[k] = load(function_0 + k * kStripePair);
    for (int c = 0; c < kParts; ++c) {
      const Lanes part = load(blocks[s] + shift + c * kLanes);
      for (int k = 0; k < N; ++k) sum[k][c] = multiply_add(q[k], part, sum[k][c]);
    }
  }
  for (int k = 0; k < N; ++k, sums += kParts)
    store(sums, (is_first ? broadcast(0.0) : load(sums)) +
                    sums_of_lanes(sum[k][0], sum[k][1], sum[k][2], sum[k][3]));
}

/// Sums over latitudes for the n base functions of a tile and one field.
void sum_tile(int n, int n_stripes, const double* functions, std::size_t pitch, const double* const* blocks,
              std::size_t shift, bool is_first, double* sums) {
  const auto sum = [&]<int N>(int k) {
    sum_latitudes<N>(n_stripes, functions + k * kStripePair, pitch, blocks, shift, is_first,
                     sums + k * kParts);
  };
  int k = 0;
  for (; tile_size(n - k) == 3; k += 3) sum.template operator()<3>(k);
  for (; tile_size(n - k) == 2; k += 2) sum.template operator()<2>(k);
  if (k < n) sum.template operator()<1>(k);
}

void sum_over_latitudes(const BaseSeries& sums, int first, int n_stripes, const double* functions,
                        std::size_t pitch, const double* const* blocks, bool is_first, PrefetchQueue& queue) {
  for (int k = first; k < sums.n; k += kTermsPerTile, functions += kTermsPerTile * kStripePair)
    for (int f = 0; f < sums.n_fields; ++f) {
      const int n_taken = std::min(kTermsPerTile, sums.n - k);
      queue.take(static_cast<std::size_t>(n_taken) * n_stripes, kTermsPerTile * kStripesPerGroup)
          .prefetch_all();
      sum_tile(n_taken, n_stripes, functions, pitch, blocks, f * kBlockSize, is_first,
               sums.field(f) + k * kParts);
    }
}

}  // namespace

const Kernels kNarrowKernels{functions<double>, coefficients_to_terms, sums_to_coefficients, sum_over_terms,
                             sum_over_latitudes};
const FunctionsKernel<float> kNarrowSingleFunctions = functions<float>;

}  // namespace halcyon::transform
