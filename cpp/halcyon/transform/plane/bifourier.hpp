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

/// A doubly periodic plane, as in limited-area spectral models: ny rows of nx evenly spaced values. Fields
/// are (y, x).
struct Plane {
  int nx, ny;
  double length_x, length_y;  ///< [m] periods

  std::size_t n_points() const { return static_cast<std::size_t>(nx) * ny; }
};

enum class PlaneShape { ellipse, rectangle };

/// @throws ConfigError for an unknown name
PlaneShape plane_shape_named(std::string_view name);

/// The waves exp(2 pi i (m x / Lx + n y / Ly)) of a truncation, |m| <= M and |n| <= N: all of them
/// (rectangle), or those within an ellipse,
///   (m / M)^2 + (n / N)^2 <= 1,
/// which has the same resolution in all directions (Machenhauer and Haugen 1987, ECMWF Workshop on Techniques
/// for Horizontal Discretization in NWP Models, 213-258).
class PlaneTruncation {
 public:
  /// @throws ConfigError for negative wavenumbers
  PlaneTruncation(int last_x, int last_y, PlaneShape shape);

  int last_x() const { return static_cast<int>(last_.size()) - 1; }
  int last_y() const { return last_.front(); }
  /// The largest |n| of the waves with m.
  int last(int m) const { return last_[m]; }
  /// Number of waves with m: n = -last(m) .. last(m).
  int count(int m) const { return 2 * last_[m] + 1; }
  std::vector<int> counts() const;  ///< (m)
  std::size_t size() const;

 private:
  std::vector<int> last_;  ///< (m)
};

struct PlaneWave {
  int m, n;  ///< wavenumbers along x and y
};

/// The distribution of a transform on a plane over V x W sets (Zheng and Marguinaud 2018, figure 3; their cx
/// and cy are V and W). At the stages, a rank holds: values of all fields in its parts of x (V) and y (W);
/// complete rows in its part of y (W), for its part of the fields (V); complete columns in its part of m (W),
/// for its part of the fields (V); part v of the coefficients of all fields in its part of m (W).
class PlaneSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1 set, and for more sets than rows, wavenumbers or values per row
  PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts);

  int n_wavenumbers(int w) const { return static_cast<int>(wavenumbers(w).size()); }
  /// Rows, divided over W.
  const schedule::BlockDistribution& rows() const { return rows_; }
  /// Values of a row, divided over V.
  const schedule::BlockDistribution& parts() const { return parts_; }
  /// Waves of the coefficients that a rank holds: m ascending, and n = -N .. N for each m.
  std::vector<PlaneWave> waves(int v, int w) const;
  std::vector<std::int64_t> points(int v, int w) const override;

  std::size_t points_before(int v, int w) const override { return rows_.size(w) * parts_.begin(v); }
  std::size_t panels_before(int w, int other) const override { return rows_.begin(other) * n_wavenumbers(w); }
  std::size_t blocks_before(int w, int other) const override {
    return rows_.size(w) * wavenumbers_before_[other];
  }

 private:
  schedule::BlockDistribution rows_, parts_;
  PlaneTruncation truncation_;
  std::vector<std::int64_t> wavenumbers_before_;  ///< (w)
};

class Zonal;
class Meridional;

/// Transforms between values on a doubly periodic plane and Fourier coefficients:
///   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn)
/// over the waves of a truncation, so that X_00 is the mean of x. Coefficients are (field, coefficient), m by
/// m from 0, n = -N(m)..N(m); values are (field, y, x). For m = 0 both signs of n are stored, and a synthesis
/// uses only their conjugate-symmetric part. If ranks share a transform, each rank has all fields,
/// values at its points and coefficients of its waves, so that model columns are complete (`PlaneSets`).
class Bifourier final : public SharedTransform {
 public:
  /// Transform of a single rank.
  /// @param group maximum number of fields that are computed together
  /// @throws ConfigError if the plane cannot resolve the truncation: it needs 2 M + 1 values along x and 2 N
  ///        + 1 along y, and positive lengths
  Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group = 50);
  /// Collective. Transform that the ranks of a communicator share; all its calls are collective.
  /// @throws ConfigError unless there are V x W ranks, and the errors of the other constructor, `PlaneSets`
  ///        and `comm::Exchange`
  Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
            const PlaneTruncation& truncation, int group = 50, ExchangeSettings settings = {});
  Bifourier(Bifourier&&);
  ~Bifourier() override;

  const Plane& plane() const { return plane_; }
  const PlaneTruncation& truncation() const { return truncation_; }
  const PlaneSets& sets() const { return *sets_; }

  /// Coefficients of derivatives [x m-1] of fields [x], both (field, coefficient); in place if they are the
  /// same.
  ///   (dx/dx)_mn = i k X_mn,  (dx/dy)_mn = i l X_mn,  k = 2 pi m / Lx,  l = 2 pi n / Ly
  void x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  void y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  /// Coefficients of the Laplacian, -(k^2 + l^2) X_mn [x m-2].
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Coefficients of the field with mean 0 and this Laplacian; the mean of the Laplacian is ignored.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm, const Plane& plane,
            const PlaneTruncation& truncation, int group, ExchangeSettings settings);

  void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) override;
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
