#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/transform/plane/stages.hpp"
#include "halcyon/transform/share/shared_transform.hpp"

namespace halcyon::transform {

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
  Zonal zonal_;
  Meridional meridional_;
};

}  // namespace halcyon::transform
