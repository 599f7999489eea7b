#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halcyon/transform/share/extents.hpp"

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
  std::vector<int> counts() const;  ///< (m)
  /// Of all m >= 0.
  std::size_t size() const;

 private:
  std::vector<int> last_;  ///< (m)
};

/// A wave: how often it fits into the plane along x and y.
struct PlaneWave {
  int m, n;
};

/// What each of V x W sets holds of a transform on a plane (Zheng and Marguinaud 2018, figure 3; their cx and
/// cy are V and W): values of all fields at a part of x (V) and y (W); rows of a part of y (W) and the fields
/// (V); columns of a part of m (W) and the fields (V); coefficients of all fields, of a part of m (W) and of
/// these again a part (V).
class PlaneSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1, and for more sets than there are rows, wavenumbers or values of a
  /// row for them
  PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts);

  int n_wavenumbers(int w) const { return static_cast<int>(wavenumbers(w).size()); }
  /// Over W.
  const schedule::Division& rows() const { return rows_; }
  /// Of a row, over V.
  const schedule::Division& parts() const { return parts_; }
  /// Of the coefficients that a rank holds: m by m, n = -N .. N.
  std::vector<PlaneWave> waves(int v, int w) const;
  std::vector<std::int64_t> points(int v, int w) const override;

  std::size_t points_before(int v, int w) const override { return rows_.size(w) * parts_.begin(v); }
  std::size_t panels_before(int w, int other) const override { return rows_.begin(other) * n_wavenumbers(w); }
  std::size_t blocks_before(int w, int of) const override { return rows_.size(w) * wavenumbers_before_[of]; }

 private:
  schedule::Division rows_, parts_;
  PlaneTruncation truncation_;
  std::vector<std::int64_t> wavenumbers_before_;  ///< (w)
};

}  // namespace halcyon::transform
