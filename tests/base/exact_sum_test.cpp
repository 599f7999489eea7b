#include "halcyon/base/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "test.hpp"

namespace halcyon {

namespace {

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.add(number);
  return sum.value();
}

/// Random numbers of both signs, with exponents of -300 to 300.
std::vector<double> numbers_of_all_sizes(int n) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> digits(-1, 1);
  std::uniform_int_distribution<int> exponent(-300, 300);
  std::vector<double> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(std::ldexp(digits(generator), exponent(generator)));
  return numbers;
}

}  // namespace

TEST_CASE("base: exact sums are the nearest doubles" * test::in_process()) {
  // Expected values by hand; infinite numbers and NaN make the sum NaN.
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({1e100, 1, -1e100}) == 1);
  CHECK(sum_of({-1e100, -1, 1e100}) == -1);
  CHECK(sum_of({1, 0x1p-53, 0x1p-106}) == 1 + 0x1p-52);  // just above halfway between two doubles
  CHECK(sum_of({1, 0x1p-53}) == 1);                      // halfway: rounded to even
  CHECK(sum_of({-3.5, 1.25}) == -2.25);
  CHECK(sum_of({0x1p-1074, 0x1p-1074}) == 0x1p-1073);
  CHECK(sum_of({std::numeric_limits<double>::max()}) == std::numeric_limits<double>::max());
  CHECK(std::isnan(sum_of({1, std::numeric_limits<double>::infinity()})));
  CHECK(std::isnan(sum_of({std::nan(""), 1})));
}

TEST_CASE("base: exact sums do not depend on order or on parts" * test::in_process()) {
  auto numbers = numbers_of_all_sizes(1000);
  const double whole = sum_of(numbers);
  std::mt19937_64 generator(6);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::ranges::shuffle(numbers, generator);
    CHECK(sum_of(numbers) == whole);
    ExactSum first, second;
    for (int i = 0; i < 1000; ++i) (i < 100 * repeat ? first : second).add(numbers[i]);
    ExactSum::Limbs limbs = first.limbs();
    for (std::size_t k = 0; k < limbs.size(); ++k) limbs[k] += second.limbs()[k];
    CHECK(ExactSum(limbs).value() == whole);
  }
}

TEST_CASE("base: sums of products are those of the products one by one" * test::in_process()) {
  // add_products gives the limbs of adding the rounded products one by one, also for products that underflow.
  const auto as = numbers_of_all_sizes(5000);
  std::vector<double> bs(as.rbegin(), as.rend());
  for (const double size : {1e-300, 1e-200, 1.0, 1e5, 1e200}) {
    for (const std::size_t n : {0, 1, 7, 1024, 1025, 5000}) {
      std::vector<double> a(as.begin(), as.begin() + static_cast<std::ptrdiff_t>(n)), b(n);
      for (std::size_t i = 0; i < n; ++i) {
        b[i] = std::ldexp(bs[i], -std::ilogb(as[i]) * static_cast<int>(i % 3)) * size;
        if (i % 11 == 0) b[i] = 0;
      }
      ExactSum one_by_one, at_once;
      for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(a[i] * b[i])) a[i] = b[i] = 0;
        one_by_one.add(a[i] * b[i]);
      }
      at_once.add_products(a, b);
      CHECK(at_once.limbs() == one_by_one.limbs());
    }
  }
}

TEST_CASE("base: a product that is not finite makes the sum NaN" * test::in_process()) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite, 1e200}) {
    const std::vector<double> a{1, bad, 2}, b{1, bad, 1};
    ExactSum sum;
    sum.add_products(a, b);
    CHECK(std::isnan(sum.value()));
  }
}

}  // namespace halcyon
