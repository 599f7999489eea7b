#include "halcyon/atmosphere/air/hybrid.hpp"

#include <limits>
#include <string>

#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::atmosphere;

namespace {

const HybridLevels kThreeLevels{.a = {1000, 5000, 8000, 0}, .b = {0, 0.1, 0.5, 1}};

/// Returns the text of the error that check() throws, or "".
std::string error_text(const HybridLevels& hybrid) {
  try {
    hybrid.check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool has_error(const HybridLevels& hybrid, const std::string& text) {
  return error_text(hybrid).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("atmosphere hybrid: pressures of interfaces and layers, and masses that sum to the whole") {
  kThreeLevels.check();
  CHECK(kThreeLevels.n_levels() == 3);
  CHECK(kThreeLevels.interface_pressure(1, 1e5) == 15000);
  CHECK(kThreeLevels.layer_pressure(0, 1e5) == 8000);
  CHECK(kThreeLevels.mass(2, 1e5) == 42000);
  double mass = 0;
  for (int k = 0; k < 3; ++k) mass += kThreeLevels.mass(k, 9e4);
  CHECK(mass == doctest::Approx(9e4 - kThreeLevels.top()).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("atmosphere hybrid: kernels compute with the masses of the coordinate", Real, double,
                   float) {
  const HybridCoefficients<Real> rows(kThreeLevels);
  const std::vector<Real> surface{Real(1e5), Real(4e4)};
  const LayerMass<Real> mass(rows, surface);
  for (LocalIndex item = 0; item < 2; ++item)
    for (int k = 0; k < 3; ++k)
      CHECK(double{mass(LevelBlock<Real, 1>(3, k))[item]} ==
            doctest::Approx(kThreeLevels.mass(k, surface[item])).epsilon(1e-6));
}

TEST_CASE("atmosphere hybrid: a coordinate that is none is refused with what is wrong with it") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(has_error({.a = {1000, 5000, 0}, .b = {0, 1}}, "3 values of a and 2 of b"));
  CHECK(has_error({.a = {1000, 0}, .b = {0, 1}}, "at least three"));
  CHECK(has_error({.a = {}, .b = {}}, "0 values of a"));
  CHECK(has_error({.a = {0, 5000, 0}, .b = {0, 0.5, 1}}, "The top of the vertical coordinate has a = 0 Pa"));
  CHECK(has_error({.a = {1000, 5000, 0}, .b = {0.1, 0.5, 1}}, "The top of the vertical coordinate"));
  CHECK(has_error({.a = {1000, 5000, 7}, .b = {0, 0.5, 1}},
                  "The surface of the vertical coordinate has a = 7 Pa"));
  CHECK(has_error({.a = {1000, 5000, 0}, .b = {0, 0.5, 0.9}}, "The surface of the vertical coordinate"));
  // Crossing interfaces at low and at high surface pressure; NaN.
  CHECK(has_error({.a = {1000, 20000, 0}, .b = {0, 0.5, 1}},
                  "Level 1 (0 is the top level) extends from 35000"));
  CHECK(has_error({.a = {100, 100, 10000, 0}, .b = {0, 0.5, 0.3, 1}}, "for a surface pressure of 110000 Pa"));
  CHECK(has_error({.a = {1000, kNan, 0}, .b = {0, 0.5, 1}}, "Level 0"));
}
