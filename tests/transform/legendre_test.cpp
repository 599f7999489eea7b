#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "halcyon/transform/legendre/kernels.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

std::vector<double> random_numbers(std::size_t n) {
  static std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  std::vector<double> found(n);
  for (auto& x : found) x = normal(bits);
  return found;
}

/// Random coefficients of both parities, for some fields and stripes, with reference sums.
struct Case {
  Case(int terms, int fields, int stripes)
      : n(terms),
        n_fields(fields),
        n_stripes(stripes),
        pitch((n + kMore) * kStripePair),
        functions(random_numbers((n_stripes + 1) / 2 * pitch)),
        coefficients(random_numbers(2 * n_fields * n)),
        blocks(random_numbers(n_stripes * n_fields * kBlockSize)),
        n_even_functions((n + 1) / 2 + kMore) {}

  double function(int k, int stripe, int lane) const {
    const int index = k % 2 == 0 ? k / 2 : n_even_functions + k / 2;
    return functions[stripe / 2 * pitch + index * kStripePair + stripe % 2 * transform::kLanes + lane];
  }
  /// Real or imaginary part of the parity of term k, for a field at a stripe.
  double& value(std::vector<double>& of, int k, int stripe, int field, int part, int lane) const {
    return of[(stripe * n_fields + field) * kBlockSize + (k % 2 * 2 + part) * transform::kLanes + lane];
  }

  std::vector<double> summed_over_terms(const Kernels& kernels) {
    auto found = blocks;
    std::vector<double> discarded(n_fields * kBlockSize);
    std::vector<double*> at;
    for (int s = 0; s < n_stripes; ++s) at.push_back(&found[s * n_fields * kBlockSize]);
    if (n_stripes % 2 == 1) at.push_back(discarded.data());
    for (const auto& each : parity_terms(n, n_even_functions, coefficients.data(), 2 * n))
      kernels.sum_over_terms(each, n_fields, n_stripes, functions.data(), pitch, at.data(), ahead());
    return found;
  }
  /// Sums over the same stripes twice, as over two groups.
  std::vector<double> summed_over_latitudes(const Kernels& kernels) {
    std::vector<double> found(coefficients.size());
    Buffer columns;
    const auto both = parity_sums(n, n_even_functions, n_fields, columns);
    std::vector<const double*> at;
    for (int s = 0; s < n_stripes; ++s) at.push_back(&blocks[s * n_fields * kBlockSize]);
    for (const bool is_first : {true, false})
      for (const auto& each : both)
        kernels.sum_over_latitudes(each, n_fields, n_stripes, functions.data(), pitch, at.data(), is_first,
                                   ahead());
    for (int f = 0; f < n_fields; f += 2)
      store_coefficients(both, f / 2, &found[2 * f * n], &found[2 * std::min(f + 1, n_fields - 1) * n]);
    return found;
  }
  /// A queue with all memory of the case.
  PrefetchQueue& ahead() {
    queue.clear();
    queue.add(blocks.data(), std::ssize(blocks)), queue.add(coefficients.data(), std::ssize(coefficients));
    queue.spread_over(static_cast<std::size_t>(n) * n_fields);
    return queue;
  }

  /// Reference: the same sums, computed one number at a time.
  std::vector<double> over_terms() {
    auto found = blocks;
    for (int s = 0; s < n_stripes; ++s)
      for (int f = 0; f < n_fields; ++f)
        for (int each = 0; each < 4 * transform::kLanes; ++each) {
          const int parity = each / 8, part = each / 4 % 2, lane = each % 4;
          double sum = 0;
          for (int k = parity; k < n; k += 2)
            sum = std::fma(function(k, s, lane), coefficients[2 * (f * n + k) + part], sum);
          value(found, parity, s, f, part, lane) = sum;
        }
    return found;
  }
  std::vector<double> over_latitudes() {
    std::vector<double> found(coefficients.size());
    for (int f = 0; f < n_fields; ++f)
      for (int k = 0; k < n; ++k)
        for (int part = 0; part < 2; ++part) {
          double sums[transform::kLanes] = {};
          for (int s = 0; s < n_stripes; ++s)
            for (int lane = 0; lane < transform::kLanes; ++lane)
              sums[lane] = std::fma(function(k, s, lane), value(blocks, k, s, f, part, lane), sums[lane]);
          found[2 * (f * n + k) + part] = 2 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
        }
    return found;
  }

  static constexpr int kMore = 2;  ///< stored functions that are not summed
  int n, n_fields, n_stripes;
  std::size_t pitch;
  std::vector<double> functions, coefficients, blocks;
  int n_even_functions;
  PrefetchQueue queue;
};

/// Runs check for numbers of terms, fields and stripes that cover all tile sizes and remainders.
template <class Check>
void for_cases(const Check& check) {
  for (const int terms :
       {1, 2, 3, 5, 7, 8, 11, 13, 15, 18, 20, 22, 24, 31, 46, 2 * kTermsPerTile, 2 * kTermsPerTile + 3})
    for (const int fields : {1, 2, 3, 6})
      for (int stripes = 1; stripes <= kStripesPerGroup; ++stripes) {
        CAPTURE(terms);
        CAPTURE(fields);
        CAPTURE(stripes);
        check(Case(terms, fields, stripes));
      }
}

void check_sums(const Kernels& kernels) {
  for_cases([&](Case c) {
    CHECK(c.summed_over_terms(kernels) == c.over_terms());
    CHECK(c.summed_over_latitudes(kernels) == c.over_latitudes());
  });
}

}  // namespace

TEST_CASE("transform legendre: sums add as they say, to the bit" * test::in_process()) {
  check_sums(kNarrowKernels);
}

TEST_CASE("transform legendre: wide sums do, too" * test::in_process() *
          doctest::skip(!has_wide_registers())) {
  check_sums(kWideKernels);
}
