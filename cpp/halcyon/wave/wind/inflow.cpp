#include "halcyon/wave/wind/inflow.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

double phadke_inflow(double x) {
  if (x < 1) return 10 * kDegree * (1 + x);
  return kDegree * std::min(20 + 25 * (x - 1), 25.0);
}

double zhang_uhlhorn_inflow(double x, double peak, const RelativePosition& position, double eastward,
                            double northward, double rotation) {
  constexpr double kFarthest = 12, kFastest = 10;  // [1], [m s-1]
  const double velocity = std::sqrt(eastward * eastward + northward * northward);
  x = std::min(x, kFarthest);
  const double c = std::min(velocity, kFastest);
  const double mean = 0.90 * x + 0.09 * peak + 14.33;
  if (velocity == 0) return mean * kDegree;
  const double phase = (6.88 * x - 9.60 * c + 85.31) * kDegree;
  const double cosine = (position.east * eastward + position.north * northward) / velocity;
  const double sine = rotation * (position.east * northward - position.north * eastward) / velocity;
  const double wave = cosine * std::cos(phase) + sine * std::sin(phase);  // cos(theta - P)
  return mean * kDegree * (1 + (0.04 * x + 0.05 * c + 0.14) * wave);
}

double inflow_angle(const Inflow& inflow, double x, double peak, const RelativePosition& position,
                    double eastward, double northward, double rotation) {
  switch (inflow.profile) {
    case InflowProfile::phadke:
      return phadke_inflow(x);
    case InflowProfile::zhang_uhlhorn:
      return zhang_uhlhorn_inflow(x, peak, position, eastward, northward, rotation);
    default:
      return inflow.angle;
  }
}

}  // namespace halcyon::wave
