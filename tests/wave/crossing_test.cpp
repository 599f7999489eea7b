#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/transport/edge_flow.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::wave;

namespace {

const SpectralGrid kGrid(3, 0.05, 1.1, 36);

EdgeFlow flow(double outward, double turn) {
  return EdgeFlow(kGrid, {.outward = outward, .length_over_area = 2, .turn = turn});
}

}  // namespace

TEST_CASE(
    "crossing: outflow is l k.n / A inside the half circle, and their sum does not depend on the normal") {
  for (const double outward : {0.0, 0.05, 1.0, 3.0, -2.5}) {
    const auto through = flow(outward, 0);
    const auto back = flow(outward + kPi, 0);
    double sum = 0;
    for (int m = 0; m < kGrid.n_directions; ++m) {
      const double across = 2 * std::cos(kGrid.direction[m] - outward);
      CHECK(through.outflow(m) - back.outflow(m) == doctest::Approx(across).epsilon(1e-12));
      CHECK(through.inflow(m) == doctest::Approx(back.outflow(m)).epsilon(1e-12));
      if (across > 0.2) CHECK(through.outflow(m) == doctest::Approx(across).epsilon(1e-12));
      sum += through.outflow(m);
    }
    CHECK(sum == doctest::Approx(2 / std::sin(kGrid.direction_width / 2)).epsilon(1e-12));
  }
}

TEST_CASE("crossing: what is swept on leaves a uniform spectrum as the cell itself sees the edge") {
  const int n = kGrid.n_directions;
  for (const double outward : {0.0, 0.3, 2.0}) {
    for (const double turn_bins : {0.3, -0.3, 0.5, 1.2, -7.4}) {
      const auto turned = flow(outward, turn_bins * kGrid.direction_width);
      const auto straight = flow(outward, 0);
      CHECK(turned.turn_bins() == std::lround(turn_bins));
      CHECK(turned.turns_clockwise() == (turn_bins > std::round(turn_bins)));
      for (int m = 0; m < n; ++m) {
        const int donor = turned.turns_clockwise() ? (m + n - 1) % n : (m + 1) % n;
        CHECK(turned.inflow(m) - turned.turned_inflow(m) + turned.turned_inflow(donor) ==
              doctest::Approx(straight.inflow(m)).epsilon(1e-12));
        CHECK(turned.turned_inflow(m) >= 0);
        CHECK(turned.turned_inflow(m) <= turned.inflow(m) + 1e-12);
      }
    }
  }
}
