#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/transport/edge_flow.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::wave;

namespace {

const SpectralGrid kGrid(3, 0.05, 1.1, 36);

/// Returns the weights of an edge with l / A = 2 m-1, the direction of its outward normal [rad] and the turn
/// of compass direction from the neighbour's centre to the cell's [rad].
EdgeFlow flow(double outward, double turn) {
  return EdgeFlow(kGrid, {.outward_direction = outward, .length_over_area = 2, .compass_turn = turn});
}

}  // namespace

TEST_CASE(
    "crossing: outflow is l k.n / A inside the half circle, and their sum does not depend on the normal") {
  for (const double outward : {0.0, 0.05, 1.0, 3.0, -2.5}) {
    const auto edge = flow(outward, 0);
    const auto opposite = flow(outward + kPi, 0);
    double sum = 0;
    for (int m = 0; m < kGrid.n_directions; ++m) {
      const double net = 2 * std::cos(kGrid.direction[m] - outward);
      CHECK(edge.outflow(m) - opposite.outflow(m) == doctest::Approx(net).epsilon(1e-12));
      CHECK(edge.inflow(m) == doctest::Approx(opposite.outflow(m)).epsilon(1e-12));
      if (net > 0.2) CHECK(edge.outflow(m) == doctest::Approx(net).epsilon(1e-12));
      sum += edge.outflow(m);
    }
    CHECK(sum == doctest::Approx(2 / std::sin(kGrid.direction_width / 2)).epsilon(1e-12));
  }
}

// The residual turn moves part of each bin's inflow into the next bin. With equal action in all bins, each
// bin must then receive the inflow of an edge without a turn.
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
