#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/transform/plane/meridional.hpp"
#include "halcyon/transform/share/sections.hpp"
#include "halcyon/transform/sphere/zonal.hpp"

namespace halcyon::transform {

/// Transforms between values on a doubly periodic plane and coefficients of waves:
///   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn)
/// over the waves of a truncation, so that X_00 is the mean of x. Coefficients are (field, coefficient), m by
/// m from 0, n = -N(m)..N(m), and values (field, y, x). Of m = 0 both signs of n are held; what is not
/// conjugate there is left out by a synthesis. Ranks may share a transform: each has all fields, values at
/// its points and coefficients of its waves, so that columns are whole on both sides (`PlaneSets`). Bits of a
/// field depend on no other field, on no option, and not on who shares. Threads of one rank alone take turns.
class Bifourier {
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
  int v() const { return v_; }
  int w() const { return w_; }
  std::size_t n_points() const { return sets_->n_points(v_, w_); }  ///< that this rank holds
  std::size_t n_coefficients() const { return waves_.size(); }

  /// Values of fields; the number of fields follows from that of values.
  void synthesis(std::span<const Complex> coefficients, std::span<double> values);
  /// Coefficients of fields.
  void analysis(std::span<const double> values, std::span<Complex> coefficients);

  /// Coefficients of derivatives [x m-1] of fields [x], both (field, coefficient); they may be the same.
  ///   (dx/dx)_mn = i k X_mn,  (dx/dy)_mn = i l X_mn,  k = 2 pi m / Lx,  l = 2 pi n / Ly
  void x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  void y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const;
  /// -(k^2 + l^2) X_mn [x m-2].
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

  /// Collective. From now on ranks exchange so.
  /// @throws ConfigError for fewer than 1 group
  void communicate(Communication how) { sections_.communicate(std::move(how)); }
  /// What synthesis or analysis of so many fields exchange, for measurements and simulations.
  /// @throws ConfigError for one rank, which exchanges nothing
  schedule::Pipeline schedule(Way way, int n_fields) const { return sections_.schedule(way, n_fields); }
  /// The work of a synthesis or analysis without its exchanges, on what lies there: for measurements.
  void compute(Way way, std::span<Complex> coefficients, std::span<double> values);
  /// What all calls since the last `communicate` have exchanged and taken.
  comm::Statistics statistics() const { return sections_.statistics(); }
  Times times() const { return sections_.times(); }
  const Sections& sections() const { return sections_; }

 private:
  Bifourier(const comm::Communicator* comm, SetCounts counts, const Plane& plane,
            const PlaneTruncation& truncation, int group, Communication how);

  int n_fields(std::size_t n_values, std::size_t n_coefficients) const;
  Section::Work work(Section& section, Way way);
  template <class Factor>
  void multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const;

  Plane plane_;
  PlaneTruncation truncation_;
  std::shared_ptr<const PlaneSets> sets_;
  int v_, w_;
  std::vector<PlaneWave> waves_;
  Zonal zonal_;
  Meridional meridional_;
  Buffer memory_;
  Sections sections_;
};

}  // namespace halcyon::transform
