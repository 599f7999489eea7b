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

/// Random base functions, terms and blocks of values, and their sums over terms and over latitudes from
/// kernels and from plain loops.
struct Case {
  Case(int functions, int fields, int stripes)
      : n(functions),
        n_fields(fields),
        n_stripes(stripes),
        pitch((n + kUnused) * kStripePair),
        functions(random_numbers((n_stripes + 1) / 2 * pitch)),
        blocks(random_numbers(n_stripes * n_fields * kBlockSize)),
        terms(n, n_fields, memory) {
    std::ranges::copy(random_numbers(n_fields * terms.pitch()), terms.values);
  }

  /// Base function j at a latitude: a lane of a stripe.
  double function(int j, int stripe, int lane) const {
    return functions[stripe / 2 * pitch + j * kStripePair + stripe % 2 * transform::kLanes + lane];
  }
  /// The number in `blocks` for a field at a stripe.
  double& value(std::vector<double>& blocks, int stripe, int field, int part, int lane) const {
    return blocks[(stripe * n_fields + field) * kBlockSize + part * transform::kLanes + lane];
  }

  /// @param first number of functions that are skipped
  std::vector<double> summed_over_terms(const Kernels& kernels, int first) {
    auto sums = blocks;
    std::vector<double> discarded(n_fields * kBlockSize);
    std::vector<double*> stripe_blocks;
    for (int s = 0; s < n_stripes; ++s) stripe_blocks.push_back(&sums[s * n_fields * kBlockSize]);
    if (n_stripes % 2 == 1) stripe_blocks.push_back(discarded.data());
    kernels.sum_over_terms(terms, first, n_stripes, &functions[first * kStripePair], pitch,
                           stripe_blocks.data(), prefetch_queue());
    return sums;
  }
  /// (field, j, part) sums over the stripes, and then over the same stripes for j = first, first + 1, ..
  /// only, as over two groups of stripes.
  std::vector<double> summed_over_latitudes(const Kernels& kernels, int first) {
    Buffer sums_memory;
    const BaseSeries sums(n, n_fields, sums_memory);
    std::vector<const double*> stripe_blocks;
    for (int s = 0; s < n_stripes; ++s) stripe_blocks.push_back(&blocks[s * n_fields * kBlockSize]);
    for (const bool is_first : {true, false}) {
      const int begin = is_first ? 0 : first;
      kernels.sum_over_latitudes(sums, begin, n_stripes, &functions[begin * kStripePair], pitch,
                                 stripe_blocks.data(), is_first, prefetch_queue());
    }
    std::vector<double> copied;
    for (int f = 0; f < n_fields; ++f) copied.insert(copied.end(), sums.field(f), sums.field(f) + 4 * n);
    return copied;
  }
  /// A prefetch queue with all memory of the case.
  PrefetchQueue& prefetch_queue() {
    queue.clear();
    queue.add(blocks.data(), std::ssize(blocks)), queue.add(functions.data(), std::ssize(functions));
    queue.spread_over(static_cast<std::size_t>(n) * n_fields);
    return queue;
  }

  /// Reference: the same sums, computed one number at a time.
  std::vector<double> reference_over_terms(int first) {
    auto sums = blocks;
    for (int s = 0; s < n_stripes; ++s)
      for (int f = 0; f < n_fields; ++f)
        for (int part = 0; part < BaseSeries::kParts; ++part)
          for (int lane = 0; lane < transform::kLanes; ++lane) {
            double sum = 0;
            for (int j = first; j < n; ++j)
              sum = std::fma(function(j, s, lane), terms.field(f)[4 * j + part], sum);
            value(sums, s, f, part, lane) = sum;
          }
    return sums;
  }
  std::vector<double> reference_over_latitudes(int first) {
    std::vector<double> totals;
    for (int f = 0; f < n_fields; ++f)
      for (int j = 0; j < n; ++j)
        for (int part = 0; part < BaseSeries::kParts; ++part) {
          double sums[transform::kLanes] = {};
          for (int s = 0; s < n_stripes; ++s)
            for (int lane = 0; lane < transform::kLanes; ++lane)
              sums[lane] = std::fma(function(j, s, lane), value(blocks, s, f, part, lane), sums[lane]);
          totals.push_back((j < first ? 1 : 2) * ((sums[0] + sums[1]) + (sums[2] + sums[3])));
        }
    return totals;
  }

  static constexpr int kUnused = 2;  ///< stored functions that are not summed
  int n, n_fields, n_stripes;
  std::size_t pitch;  ///< numbers from one pair of stripes to the next in `functions`
  std::vector<double> functions, blocks;
  Buffer memory;
  BaseSeries terms;
  PrefetchQueue queue;
};

/// Runs check for numbers of functions, fields and stripes that cover all tile sizes and remainders.
void check_sums(const Kernels& kernels) {
  for (const int n :
       {1, 2, 3, 5, 7, 8, 11, 13, 15, 18, 20, 22, 24, 31, 46, 2 * kTermsPerTile, 2 * kTermsPerTile + 3})
    for (const int fields : {1, 2, 3, 6})
      for (int stripes = 1; stripes <= kStripesPerGroup; ++stripes)
        for (const int first : {0, n / 3, n}) {
          CAPTURE(n);
          CAPTURE(fields);
          CAPTURE(stripes);
          CAPTURE(first);
          Case test(n, fields, stripes);
          CHECK(test.summed_over_terms(kernels, first) == test.reference_over_terms(first));
          CHECK(test.summed_over_latitudes(kernels, first) == test.reference_over_latitudes(first));
        }
}

/// Compares base functions at several pairs of stripes with recurrences at one latitude.
void check_functions(const Kernels& kernels) {
  const BaseFunctions base(3, 60);
  for (int n_pairs = 1; n_pairs <= 9; ++n_pairs)
    for (int n = 1; n <= base.n; ++n) {
      const auto x = random_numbers(n_pairs * kStripePair), previous = random_numbers(x.size()),
                 current = random_numbers(x.size());
      std::vector<double> found(n * x.size()), expected(n * x.size());
      kernels.functions(base.steps[0].data(), n, {x.data(), previous.data(), current.data()}, n_pairs,
                        found.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        BaseValues q{previous[i], current[i], 0};
        for (int j = 0; j < n; q.step(base.steps[0][j], x[i]), ++j)
          expected[(i / kStripePair * n + j) * kStripePair + i % kStripePair] = q.current;
      }
      CHECK(found == expected);
    }
}

/// Compares conversions between coefficients and terms or sums with plain formulas; outputs end where they
/// should.
void check_conversions(const Kernels& kernels) {
  const BaseFunctions base(5, 40);
  for (int n = 1; n <= 36; ++n) {
    const int n_functions = BaseFunctions::count(n), n_padded = n_functions + n_functions % 2;
    const auto given = random_numbers(2 * n);
    const auto coefficient = [&](int k, int part) { return k < n ? given[2 * k + part] : 0; };
    const auto sums = random_numbers(4 * n_padded);
    std::vector<double> terms(4 * n_padded), coefficients(2 * n + 1, -1);
    kernels.coefficients_to_terms(base.weights.data(), n, given.data(), terms.data());
    kernels.sums_to_coefficients(base.weights.data(), n, sums.data(), coefficients.data());
    CHECK(coefficients.back() == -1);
    for (int k = 0; k < n; ++k)
      for (int part = 0; part < 2; ++part) {
        const auto& w = base.weights[k / 2];
        const int index = 2 * k + part;
        const double previous = k > 1 ? sums[index - 4] : 0;
        CHECK(terms[index] == (k % 2 == 0
                                   ? std::fma(w.next, coefficient(k + 2, part), w.even * coefficient(k, part))
                                   : w.odd * coefficient(k, part)));
        CHECK(coefficients[index] ==
              (k % 2 == 0 ? std::fma(w.previous, previous, w.even * sums[index]) : w.odd * sums[index]));
      }
    if (n % 2 == 1) CHECK((terms[2 * n] == 0 && terms[2 * n + 1] == 0));
  }
}

void check_kernels(const Kernels& kernels) {
  check_sums(kernels), check_functions(kernels), check_conversions(kernels);
}

}  // namespace

TEST_CASE("transform legendre: sums add as they say, to the bit" * test::in_process()) {
  check_kernels(kNarrowKernels);
}

TEST_CASE("transform legendre: wide sums do, too" * test::in_process() *
          doctest::skip(!has_wide_registers())) {
  check_kernels(kWideKernels);
}
