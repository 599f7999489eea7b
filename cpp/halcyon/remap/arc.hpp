#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::remap {

/// A place on the unit sphere: longitude [rad] of any turn, height h = 1 - sin(latitude) below the pole.
struct Place {
  double longitude = 0, height = 0;
};

/// The height of a point of the unit sphere below the pole, to all digits beside it.
inline double height_of(Vector3 p) {
  return p.z > 0 ? (p.x * p.x + p.y * p.y) / (1 + p.z) : 1 - p.z;
}

/// Area between the pole and the great-circle arc of two places, positive if b is east of a. With
/// t = tan(colatitude / 2) = sqrt(h / (2 - h)) and d the difference of longitudes:
/// tan(A/2) = t_a t_b sin d / (1 + t_a t_b cos d)      (Todhunter and Leathem 1901, article 103).
inline double area_to_pole(Place a, Place b) {
  const double d = b.longitude - a.longitude;
  const double t = std::sqrt(a.height / (2 - a.height) * (b.height / (2 - b.height)));
  return 2 * std::atan2(t * std::sin(d), 1 + t * std::cos(d));
}

/// A great-circle arc that runs eastward. Along it tan(latitude) = v / |n_z|, v = -(n_x cos + n_y sin) of the
/// longitude, where n is normal to its plane.
struct Arc {
  Place west, east;
  Vector3 normal;
  double top = 0;  ///< [rad] longitude, of any turn, at which the circle is nearest to the pole

  /// @param p,q the points of unit length at `west` and `east`
  Arc(Place west, Vector3 p, Place east, Vector3 q) : west(west), east(east), normal(cross(p, q - p)) {
    top = std::atan2(-normal.y, -normal.x);
    slopes_ = {normal.x * p.y - normal.y * p.x, normal.x * q.y - normal.y * q.x};
  }

  /// Height of the circle at a longitude, within those of two places of the arc.
  double height_at(double cosine, double sine, Place a, Place b) const {
    return std::clamp(height(-(normal.x * cosine + normal.y * sine)), std::min(a.height, b.height),
                      std::max(a.height, b.height));
  }

  /// Whether the arc has its northern- or southernmost place between its ends.
  bool turns() const { return slopes_.first * slopes_.second < 0; }

  /// That place.
  Place turning_place() const {
    const bool at_top = slopes_.first > 0;
    const double around = std::hypot(normal.x, normal.y), reached = height(at_top ? around : -around);
    const double there = near(top + (at_top ? 0 : kPi), (west.longitude + east.longitude) / 2);
    return {std::clamp(there, west.longitude, east.longitude),
            at_top ? std::min({reached, west.height, east.height})
                   : std::max({reached, west.height, east.height})};
  }

  /// Where the arc crosses a parallel between two of its places, between which it does not turn.
  /// @param height,cotangent of the parallel; see `Rows`
  Place crossing(double height, double cotangent, Place a, Place b) const {
    const double way =
        std::acos(std::clamp(cotangent * std::abs(normal.z) / std::hypot(normal.x, normal.y), -1.0, 1.0));
    const double middle = (a.longitude + b.longitude) / 2, from_top = std::abs(near(top, middle) - middle);
    const double there = b.height < a.height ? middle + from_top - way : middle - from_top + way;
    return {std::clamp(there, a.longitude, b.longitude), height};
  }

 private:
  /// The angle, of any turn, that is nearest to another.
  static double near(double angle, double other) { return other + std::remainder(angle - other, kTwoPi); }

  double height(double v) const {
    const double length = std::hypot(normal.z, v);
    return v > 0 ? normal.z * normal.z / (length * (length + v)) : 1 - v / length;
  }

  std::pair<double, double> slopes_;  // dv / d longitude at the ends, times what is positive
};

}  // namespace halcyon::remap
