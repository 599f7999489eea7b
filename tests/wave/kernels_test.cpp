#include <cmath>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/exact_transfer.hpp"
#include "halcyon/wave/sources/kernels/ardhuin.hpp"
#include "halcyon/wave/sources/kernels/terms.hpp"
#include "halcyon/wave/sources/kernels/wind_over_waves.hpp"
#include "test.hpp"

using namespace halcyon::wave;

TEST_CASE("wave kernels: exp of eight numbers is right to 2e-7") {
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const float x = -87 + 175 * static_cast<float>(i) / 200000;
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(exponential(Lanes{} + x)[i % kLanes] / exact - 1));
  }
  CHECK(worst < 2e-7);
  CHECK(exponential(Lanes{})[3] == 1.f);
  CHECK(exponential(Lanes{} - 1000.f)[0] == exponential(Lanes{} - 87.f)[0]);
}

TEST_CASE("wave kernels: the sum of eight numbers") {
  CHECK(lane_sum(Lanes{1, 2, 3, 4, 5, 6, 7, 8}) == 36.f);
}

// (1 - q) / ln q = -b for the fraction q of breaking waves (Battjes and Janssen 1978).
TEST_CASE("wave kernels: the fraction of breaking waves solves its equation") {
  CHECK(breaking_fraction(0.01) == 0);
  CHECK(breaking_fraction(1.5) == 1);
  for (const double b : {0.05, 0.2, 0.5, 0.9, 0.99}) {
    const double q = breaking_fraction(b);
    CHECK((1 - q) / std::log(q) == doctest::Approx(-b).epsilon(1e-6));
  }
}

// Against the central difference of the source S(m0) = rate m0.
TEST_CASE("wave kernels: the derivative of depth breaking is that of its rate") {
  const auto source = [](float m0) { return depth_breaking(1, 0.8f, m0, 0.1f, 4).rate * m0; };
  const float m0 = 0.5f, h = 0.01f;
  const DepthBreaking breaking = depth_breaking(1, 0.8f, m0, 0.1f, 4);
  CHECK(breaking.rate + breaking.stiffness ==
        doctest::Approx((source(m0 + h) - source(m0 - h)) / (2 * h)).epsilon(0.01));
}

// The roughness is that of Charnock plus 0.11 nu / u* of a smooth surface, nu = 1.5e-5 m2 s-1.
TEST_CASE("wave kernels: drag without waves follows Charnock") {
  const Drag drag = drag_over_waves(15, 0, {.charnock = 0.0185f, .cap = 1});
  const float u = drag.friction_velocity;
  CHECK(drag.roughness == doctest::Approx(0.0185 * u * u / 9.80616).epsilon(1e-4));
  CHECK(u == doctest::Approx(0.4 * 15 / std::log(10 / (drag.roughness + 0.11 * 1.5e-5 / u))).epsilon(1e-4));
}

// The coefficient is 16 |k|^6.
TEST_CASE("wave kernels: four equal waves couple as in Stokes' expansion") {
  const WaveVector k{0.3, 0.4};
  CHECK(webb_coupling(k, k, k, k) == doctest::Approx(16 * std::pow(0.5, 6)).epsilon(1e-9));
}

// The argument is the ratio of orbital amplitude to roughness length; the factor is constant below a limit.
TEST_CASE("wave kernels: the friction factor falls as the bed gets smoother") {
  const SwellDampingModel model{{}};
  CHECK(model.friction_factor(10) > model.friction_factor(1000));
  CHECK(model.friction_factor(1e5f) > model.friction_factor(1e7f));
  CHECK(model.friction_factor(1) == model.friction_factor(3));
}
