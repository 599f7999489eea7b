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

/// A doubly periodic plane: ny rows of nx evenly spaced values. Fields are stored as (y, x).
struct Plane {
  int nx, ny;
  double length_x, length_y;  ///< [m] periods

  std::size_t n_points() const { return static_cast<std::size_t>(nx) * ny; }
};

enum class PlaneShape { ellipse, rectangle };

/// @throws ConfigError for an unknown name
PlaneShape plane_shape_named(std::string_view name);

/// The waves exp(2 pi i (m x / Lx + n y / Ly)) of a truncation with m = 0 .. M, -N <= n <= N: all such waves
/// (rectangle), or the waves within an ellipse,
///   (m / M)^2 + (n / N)^2 <= 1,
/// which has the same resolution in all directions (Machenhauer and Haugen 1987, ECMWF Workshop on Techniques
/// for Horizontal Discretization in NWP Models, 213-258).
class PlaneTruncation {
 public:
  /// @throws ConfigError for negative wavenumbers
  PlaneTruncation(int largest_m, int largest_n, PlaneShape shape);

  int largest_m() const { return static_cast<int>(largest_n_.size()) - 1; }
  int largest_n() const { return largest_n_.front(); }
  /// The largest |n| of the waves with m.
  int largest_n(int m) const { return largest_n_[m]; }
  /// Number of waves with m, which have n = -largest_n(m) .. largest_n(m).
  int count(int m) const { return 2 * largest_n_[m] + 1; }
  std::vector<int> counts() const;  ///< (m) number of waves
  std::size_t size() const;         ///< number of all waves

 private:
  std::vector<int> largest_n_;  ///< (m)
};

struct PlaneWave {
  int m, n;  ///< wavenumbers along x and y
};

/// The distribution of a transform on a plane over V x W sets (Zheng and Marguinaud 2018, Geosci. Model Dev.
/// 11, figure 3, where V and W are called cx and cy). Rank (v, w) holds, in the order of an analysis
/// (a synthesis reverses the order):
/// 1. values of all fields at part v of x and part w of y;
/// 2. complete rows at part w of y, for part v of the fields (zonal stage);
/// 3. complete columns y of the wavenumbers m of W set w, for part v of the fields (meridional stage);
/// 4. part v of the coefficients at the wavenumbers m of W set w, for all fields.
class PlaneSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1 set, and for more sets than rows, wavenumbers or values per row
  PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts);

  int n_wavenumbers(int w) const { return static_cast<int>(wavenumbers(w).size()); }
  /// The rows, divided among the W sets.
  const schedule::BlockDistribution& rows() const { return rows_; }
  /// The values of a row, divided among the V sets.
  const schedule::BlockDistribution& parts() const { return parts_; }
  /// Waves of the coefficients of a rank: m ascending, and n = -largest_n(m) .. largest_n(m) for each m.
  std::vector<PlaneWave> waves(int v, int w) const;
  std::vector<std::int64_t> points(int v, int w) const override;

  std::size_t points_before(int v, int w) const override { return rows_.size(w) * parts_.begin(v); }
  std::size_t panel_offset(int w, int other) const override { return rows_.begin(other) * n_wavenumbers(w); }
  std::size_t wavenumber_offset(int w, int other) const override {
    return rows_.size(w) * wavenumbers_before_[other];
  }

 private:
  schedule::BlockDistribution rows_, parts_;
  PlaneTruncation truncation_;
  std::vector<std::int64_t> wavenumbers_before_;  ///< (w) number of wavenumbers of the sets before w
};

class Zonal;
class Meridional;

/// Transforms between values on a doubly periodic plane and Fourier coefficients:
///   f(x, y) = sum_m sum_n F_mn exp(2 pi i (m x / Lx + n y / Ly)),  F_-m,-n = conj(F_mn)
/// over the waves of a truncation, so that F_00 is the mean of f. Coefficients are (field, coefficient),
/// ordered by m = 0..M and then n = -N(m)..N(m); values are (field, y, x). For m = 0 both signs of n are
/// stored, and a synthesis uses only their conjugate-symmetric part. If ranks share a transform, each rank
/// has the values of all fields at its points and the coefficients of all fields at its waves (`PlaneSets`).
class Bifourier final : public SharedTransform {
 public:
  /// Transform of a single rank.
  /// @param max_batch maximum number of fields that are computed together
  /// @throws ConfigError if the plane cannot resolve the truncation: it needs 2 M + 1 values along x and 2 N
  ///        + 1 along y; and for lengths that are not positive
  Bifourier(const Plane& plane, const PlaneTruncation& truncation, int max_batch = 50);
  /// Collective. Transform that the ranks of a communicator share; all calls of the transform are collective.
  /// @throws ConfigError unless there are V x W ranks, and as the other constructor, `PlaneSets`,
  /// `comm::Exchange`
  Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
            const PlaneTruncation& truncation, int max_batch = 50, ExchangeSettings settings = {});
  Bifourier(Bifourier&&);
  ~Bifourier() override;

  const Plane& plane() const { return plane_; }
  const PlaneTruncation& truncation() const { return truncation_; }
  const PlaneSets& sets() const { return *sets_; }

  /// Computes coefficients of derivatives [f m-1] of fields [f: any unit]; the two arrays may be the same.
  ///   (df/dx)_mn = i k F_mn,  (df/dy)_mn = i l F_mn,  k = 2 pi m / Lx,  l = 2 pi n / Ly
  void x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  void y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  /// Computes coefficients of the Laplacian: -(k^2 + l^2) F_mn, in the unit of the field per m2.
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Computes coefficients of the field with mean 0 and a given Laplacian, whose mean is ignored.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm, const Plane& plane,
            const PlaneTruncation& truncation, int max_batch, ExchangeSettings settings);

  void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) override;
  template <class Factor>
  void multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const;

  Plane plane_;
  PlaneTruncation truncation_;
  std::shared_ptr<const PlaneSets> sets_;
  std::vector<PlaneWave> waves_;  ///< of the coefficients of this rank
  std::unique_ptr<Zonal> zonal_;
  std::unique_ptr<Meridional> meridional_;
};

}  // namespace halcyon::transform
