#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/share/shared_transform.hpp"

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

class Zonal;
class Meridional;

/// Transforms between values on a doubly periodic plane and coefficients of waves:
///   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn)
/// over the waves of a truncation, so that X_00 is the mean of x. Coefficients are (field, coefficient), m by
/// m from 0, n = -N(m)..N(m), and values (field, y, x). Of m = 0 both signs of n are held; what is not
/// conjugate there is left out by a synthesis. Of ranks that share a transform each has all fields, values at
/// its points and coefficients of its waves, so that columns are whole on both sides (`PlaneSets`).
class Bifourier final : public SharedTransform {
 public:
  /// Of one rank, which holds all.
  /// @param group fields that are computed together, at most
  /// @throws ConfigError where the plane cannot hold the truncation: it needs 2 M + 1 values along x and 2 N
  /// + 1 along y, and lengths above 0
  Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group = 50);
  /// Collective. Of the ranks of a communicator, all of whose calls are collective, too.
  /// @throws ConfigError as the other one, where there are not V W ranks, and as `PlaneSets` and
  /// `comm::Exchange`
  Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
            const PlaneTruncation& truncation, int group = 50, Communication how = {});
  Bifourier(Bifourier&&);
  ~Bifourier() override;

  const Plane& plane() const { return plane_; }
  const PlaneTruncation& truncation() const { return truncation_; }
  const PlaneSets& sets() const { return *sets_; }

  /// Coefficients of derivatives [x m-1] of fields [x], both (field, coefficient); they may be the same.
  ///   (dx/dx)_mn = i k X_mn,  (dx/dy)_mn = i l X_mn,  k = 2 pi m / Lx,  l = 2 pi n / Ly
  void x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  void y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  /// -(k^2 + l^2) X_mn [x m-2].
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm, const Plane& plane,
            const PlaneTruncation& truncation, int group, Communication how);

  void work_on(Way way, Section& section, const Piece& piece) override;
  template <class Factor>
  void multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const;

  Plane plane_;
  PlaneTruncation truncation_;
  std::shared_ptr<const PlaneSets> sets_;
  std::vector<PlaneWave> waves_;
  std::unique_ptr<Zonal> zonal_;
  std::unique_ptr<Meridional> meridional_;
};

}  // namespace halcyon::transform
