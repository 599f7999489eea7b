#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace halcyon::transform {

/// A plane that is periodic along x and y, as limited-area spectral models have it: ny rows of nx values,
/// evenly spaced. Fields on it are (y, x).
struct Plane {
  int nx, ny;
  double length_x, length_y;  ///< [m] periods

  std::size_t n_points() const { return static_cast<std::size_t>(nx) * ny; }
};

enum class PlaneShape { ellipse, rectangle };

/// @throws ConfigError for a name that is none
PlaneShape plane_shape_named(std::string_view name);

/// The waves exp(2 pi i (m x / Lx + n y / Ly)) that are kept, |m| <= M and |n| <= N: all, or those in an
/// ellipse,
///   (m / M)^2 + (n / N)^2 <= 1,
/// so that scales are resolved alike in all directions (Machenhauer and Haugen 1987, ECMWF Workshop on
/// Techniques for Horizontal Discretization in NWP Models, 213-258).
class PlaneTruncation {
 public:
  /// @throws ConfigError for numbers below 0
  PlaneTruncation(int last_x, int last_y, PlaneShape shape);

  int last_x() const { return static_cast<int>(last_.size()) - 1; }
  int last_y() const { return last_.front(); }
  /// The last |n| that is kept with m.
  int last(int m) const { return last_[m]; }
  /// Waves that are kept with m: n = -last(m) .. last(m).
  int count(int m) const { return 2 * last_[m] + 1; }
  /// Of all m >= 0.
  std::size_t size() const;

 private:
  std::vector<int> last_;  ///< (m)
};

/// A wave: how often it fits into the plane along x and y.
struct PlaneWave {
  int m, n;
};

}  // namespace halcyon::transform
