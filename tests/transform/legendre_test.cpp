#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "halcyon/transform/legendre_kernels.hpp"
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

/// Terms of both parities, of some fields at some stripes.
struct Case {
  Case(int terms, int fields, int stripes)
      : n(terms),
        n_fields(fields),
        n_stripes(stripes),
        pitch((n + kMore) * kLanes),
        functions(random_numbers(n_stripes * pitch)),
        coefficients(random_numbers(2 * n_fields * n)),
        blocks(random_numbers(n_stripes * n_fields * kBlock)),
        both(n, (n + 1) / 2 + kMore, n_fields, columns, halves) {}

  double function(int k, int stripe, int lane) const {
    const int place = k % 2 == 0 ? k / 2 : (n + 1) / 2 + kMore + k / 2;
    return functions[stripe * pitch + place * kLanes + lane];
  }
  /// Of a part, real or imaginary, of the half of a field to which term k belongs.
  double& value(std::vector<double>& of, int k, int stripe, int field, int part, int lane) const {
    return of[(stripe * n_fields + field) * kBlock + (k % 2 * 2 + part) * kLanes + lane];
  }

  std::vector<double> summed_over_terms(const Kernels& kernels) {
    auto found = blocks;
    std::vector<double*> at;
    for (int s = 0; s < n_stripes; ++s) at.push_back(&found[s * n_fields * kBlock]);
    spread();
    for (const auto& parity : {both.even, both.odd})
      kernels.over_terms(parity, n_fields, n_stripes, functions.data(), pitch, at.data());
    return found;
  }
  std::vector<double> summed_over_latitudes(const Kernels& kernels) {
    auto found = coefficients;
    spread();
    for (int s = 0; s < n_stripes; ++s) both.pack(&blocks[s * n_fields * kBlock], n_fields, s);
    for (const auto& parity : {both.even, both.odd})
      kernels.over_latitudes(parity, n_fields, n_stripes, functions.data(), pitch);
    for (int f = 0; f < n_fields; f += 2) both.gather(f, &found[2 * f * n], &found[2 * next(f) * n]);
    return found;
  }
  void spread() const {
    for (int f = 0; f < n_fields; f += 2)
      both.spread(&coefficients[2 * f * n], &coefficients[2 * next(f) * n], f);
  }
  /// The other one of a pair.
  int next(int field) const { return std::min(field + 1, n_fields - 1); }

  /// The same, one number after the other.
  std::vector<double> over_terms() {
    auto found = blocks;
    for (int s = 0; s < n_stripes; ++s)
      for (int f = 0; f < n_fields; ++f)
        for (int each = 0; each < 4 * kLanes; ++each) {
          const int parity = each / 8, part = each / 4 % 2, lane = each % 4;
          double sum = 0;
          for (int k = parity; k < n; k += 2)
            sum = std::fma(function(k, s, lane), coefficients[2 * (f * n + k) + part], sum);
          value(found, parity, s, f, part, lane) = sum;
        }
    return found;
  }
  std::vector<double> over_latitudes() {
    auto found = coefficients;
    for (int f = 0; f < n_fields; ++f)
      for (int k = 0; k < n; ++k)
        for (int part = 0; part < 2; ++part) {
          double sums[kLanes] = {};
          for (int s = 0; s < n_stripes; ++s)
            for (int lane = 0; lane < kLanes; ++lane)
              sums[lane] = std::fma(function(k, s, lane), value(blocks, k, s, f, part, lane), sums[lane]);
          found[2 * (f * n + k) + part] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
    return found;
  }

  static constexpr int kMore = 2;  ///< functions that are there, and not summed
  int n, n_fields, n_stripes;
  std::size_t pitch;
  std::vector<double> functions, coefficients, blocks;
  Buffer columns, halves;
  Parities both;
};

/// Any number of terms, to beyond those that stay near; any of fields and stripes that are left over.
template <class Check>
void for_cases(const Check& check) {
  for (const int terms : {1, 2, 3, 5, 7, 8, 11, 13, 15, 18, 20, 22, 24, 31, 46, 2 * kTerms, 2 * kTerms + 3})
    for (const int fields : {1, 2, 3, 6})
      for (int stripes = 1; stripes <= kGroup; ++stripes) {
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
