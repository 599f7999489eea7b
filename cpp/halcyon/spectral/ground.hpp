#pragma once

#include <span>
#include <vector>

#include "halcyon/spectral/basis.hpp"

namespace halcyon::spectral {

/// The ground under a fluid, truncated as its surface is, so that a flat surface over it stays flat.
class Ground {
 public:
  explicit Ground(Basis& basis) : basis_(basis), geopotential_(basis.n_points()) {}

  /// Collective. @param height [m] (point)  @throws InternalError where values and points are not as many
  void set(std::span<const double> height);

  const std::vector<double>& geopotential() const { return geopotential_; }  ///< [m2 s-2] (point)
  std::vector<double> height() const;                                        ///< [m] (point)

 private:
  Basis& basis_;
  std::vector<double> geopotential_;
};

}  // namespace halcyon::spectral
