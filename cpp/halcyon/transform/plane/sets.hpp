#pragma once

#include <cstdint>
#include <vector>

#include "halcyon/transform/plane/plane.hpp"
#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

/// What each of V x W sets holds of a transform on a plane (Zheng and Marguinaud 2018, figure 3; their cx and
/// cy are V and W): values of all fields at a part of x (V) and y (W); rows of a part of y (W) and the fields
/// (V); columns of a part of m (W) and the fields (V); coefficients of all fields, of a part of m (W) and of
/// these again a part (V).
class PlaneSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1, and for more sets than there are rows, wavenumbers or values of a
  /// row for them
  PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts);

  /// m: dealt 1 .. W, W .. 1, so that all have as many coefficients, or nearly; ascending.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  int n_wavenumbers(int w) const { return static_cast<int>(wavenumbers_[w].size()); }
  /// Over W.
  const schedule::Division& rows() const { return rows_; }
  /// Of a row, over V.
  const schedule::Division& parts() const { return parts_; }
  /// Coefficients of w over V: m by m, n = -N .. N.
  schedule::Division coefficients(int w) const override { return {n_coefficients_[w], counts().v}; }
  /// Those that a rank holds.
  std::vector<PlaneWave> waves(int v, int w) const;
  /// The points of a rank as the plane counts them, row by row.
  std::vector<std::int64_t> points(int v, int w) const;

  std::size_t points_before(int v, int w) const override { return rows_.size(w) * parts_.begin(v); }
  std::size_t panels_before(int w, int other) const override { return rows_.begin(other) * n_wavenumbers(w); }
  std::size_t blocks_before(int w, int of) const override { return rows_.size(w) * wavenumbers_before_[of]; }

 private:
  schedule::Division rows_, parts_;
  PlaneTruncation truncation_;
  std::vector<std::vector<int>> wavenumbers_;
  std::vector<std::int64_t> wavenumbers_before_, n_coefficients_;  ///< (w)
};

}  // namespace halcyon::transform
