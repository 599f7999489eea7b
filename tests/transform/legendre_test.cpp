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
  static std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(n);
  for (auto& number : numbers) number = normal(generator);
  return numbers;
}

/// Random Legendre functions, coefficients of both parities (even and odd terms) and blocks of values, and
/// their sums over terms and over latitudes from kernels and from plain loops.
struct Case {
  Case(int terms, int fields, int stripes)
      : n(terms),
        n_fields(fields),
        n_stripes(stripes),
        pitch((n + kUnused) * kStripePair),
        functions(random_numbers((n_stripes + 1) / 2 * pitch)),
        coefficients(random_numbers(2 * n_fields * n)),
        blocks(random_numbers(n_stripes * n_fields * kBlockSize)),
        n_even_functions((n + 1) / 2 + kUnused) {}

  /// The Legendre function of term k at a latitude: a lane of a stripe.
  double function(int k, int stripe, int lane) const {
    const int index = k % 2 == 0 ? k / 2 : n_even_functions + k / 2;
    return functions[stripe / 2 * pitch + index * kStripePair + stripe % 2 * transform::kLanes + lane];
  }
  /// The number in `blocks` for a field at a stripe: real (part 0) or imaginary part of the parity of term k.
  double& value(std::vector<double>& blocks, int k, int stripe, int field, int part, int lane) const {
    return blocks[(stripe * n_fields + field) * kBlockSize + (k % 2 * 2 + part) * transform::kLanes + lane];
  }

  std::vector<double> summed_over_terms(const Kernels& kernels) {
    auto sums = blocks;
    std::vector<double> discarded(n_fields * kBlockSize);
    std::vector<double*> stripe_blocks;
    for (int s = 0; s < n_stripes; ++s) stripe_blocks.push_back(&sums[s * n_fields * kBlockSize]);
    if (n_stripes % 2 == 1) stripe_blocks.push_back(discarded.data());
    for (const auto& each : parity_terms(n, n_even_functions, coefficients.data(), 2 * n))
      kernels.sum_over_terms(each, n_fields, n_stripes, functions.data(), pitch, stripe_blocks.data(),
                             prefetch_queue());
    return sums;
  }
  /// Sums over the same stripes twice, as over two groups of stripes.
  std::vector<double> summed_over_latitudes(const Kernels& kernels) {
    std::vector<double> sums(coefficients.size());
    Buffer columns;
    const auto parities = parity_sums(n, n_even_functions, n_fields, columns);
    std::vector<const double*> stripe_blocks;
    for (int s = 0; s < n_stripes; ++s) stripe_blocks.push_back(&blocks[s * n_fields * kBlockSize]);
    for (const bool is_first : {true, false})
      for (const auto& each : parities)
        kernels.sum_over_latitudes(each, n_fields, n_stripes, functions.data(), pitch, stripe_blocks.data(),
                                   is_first, prefetch_queue());
    for (int f = 0; f < n_fields; f += 2)
      store_coefficients(parities, f / 2, &sums[2 * f * n], &sums[2 * std::min(f + 1, n_fields - 1) * n]);
    return sums;
  }
  /// A prefetch queue with all memory of the case.
  PrefetchQueue& prefetch_queue() {
    queue.clear();
    queue.add(blocks.data(), std::ssize(blocks)), queue.add(coefficients.data(), std::ssize(coefficients));
    queue.spread_over(static_cast<std::size_t>(n) * n_fields);
    return queue;
  }

  /// Reference: the same sums, computed one number at a time.
  std::vector<double> reference_over_terms() {
    auto sums = blocks;
    for (int s = 0; s < n_stripes; ++s)
      for (int f = 0; f < n_fields; ++f)
        for (int each = 0; each < 4 * transform::kLanes; ++each) {
          const int parity = each / 8, part = each / 4 % 2, lane = each % 4;
          double sum = 0;
          for (int k = parity; k < n; k += 2)
            sum = std::fma(function(k, s, lane), coefficients[2 * (f * n + k) + part], sum);
          value(sums, parity, s, f, part, lane) = sum;
        }
    return sums;
  }
  /// Twice the sums, as summed_over_latitudes adds all stripes twice.
  std::vector<double> reference_over_latitudes() {
    std::vector<double> totals(coefficients.size());
    for (int f = 0; f < n_fields; ++f)
      for (int k = 0; k < n; ++k)
        for (int part = 0; part < 2; ++part) {
          double sums[transform::kLanes] = {};
          for (int s = 0; s < n_stripes; ++s)
            for (int lane = 0; lane < transform::kLanes; ++lane)
              sums[lane] = std::fma(function(k, s, lane), value(blocks, k, s, f, part, lane), sums[lane]);
          totals[2 * (f * n + k) + part] = 2 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
        }
    return totals;
  }

  static constexpr int kUnused = 2;  ///< stored functions that are not summed
  int n, n_fields, n_stripes;        ///< n: number of terms
  std::size_t pitch;                 ///< numbers from one pair of stripes to the next in `functions`
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
  for_cases([&](Case test) {
    CHECK(test.summed_over_terms(kernels) == test.reference_over_terms());
    CHECK(test.summed_over_latitudes(kernels) == test.reference_over_latitudes());
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
