#include "halcyon/base/normal_equations.hpp"

#include <doctest/doctest.h>

namespace halcyon {
namespace {

TEST_CASE("base: normal equations: rows of one parabola give it back") {
  // Five points of a parabola give its coefficients back.
  constexpr std::array kParabola{2.0, -3.0, 0.5};
  NormalEquations<3> equations;
  std::array<double, 3> right{};
  for (const double x : {-1.0, 0.0, 0.5, 2.0, 3.0}) {
    const std::array row{1.0, x, x * x};
    equations.add(row);
    const double value = kParabola[0] + kParabola[1] * x + kParabola[2] * x * x;
    for (int a = 0; a < 3; ++a) right[a] += row[a] * value;
  }
  REQUIRE(equations.factorize());
  const auto found = equations.solve(right);
  for (int a = 0; a < 3; ++a) CHECK(found[a] == doctest::Approx(kParabola[a]).epsilon(1e-12));
}

TEST_CASE("base: normal equations: rows that do not tell all unknowns are told") {
  // Linearly dependent rows cannot be factorized.
  NormalEquations<2> equations;
  for (int i = 0; i < 5; ++i) equations.add({1.0 + i, 2.0 + 2 * i});
  CHECK_FALSE(equations.factorize());
}

}  // namespace
}  // namespace halcyon
