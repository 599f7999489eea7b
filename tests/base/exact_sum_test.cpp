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
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({1e100, 1, -1e100}) == 1);
  CHECK(sum_of({-1e100, -1, 1e100}) == -1);
  CHECK(sum_of({1, 0x1p-53, 0x1p-106}) == 1 + 0x1p-52);  // just above the middle
  CHECK(sum_of({1, 0x1p-53}) == 1);                      // the middle: to even
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
  for (int turn = 0; turn < 5; ++turn) {
    std::ranges::shuffle(numbers, generator);
    CHECK(sum_of(numbers) == whole);
    ExactSum first, second;
    for (int i = 0; i < 1000; ++i) (i < 100 * turn ? first : second).add(numbers[i]);
    ExactSum::Limbs limbs = first.limbs();
    for (std::size_t k = 0; k < limbs.size(); ++k) limbs[k] += second.limbs()[k];
    CHECK(ExactSum(limbs).value() == whole);
  }
}

}  // namespace halcyon
