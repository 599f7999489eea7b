#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/products/sea.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// What waves carry: water at the surface, and energy. Both in the frame that moves with the water.
class SeaTransports {
 public:
  explicit SeaTransports(const SpectralGrid& grid);

  /// Adds Stokes drift and energy flux to a sea.
  ///   u_s = int sigma k cosh(2kd)/sinh^2(kd) F (sin, cos)(theta) df dtheta   (Kenyon 1969, at the surface)
  ///   P = rho g int cg F (sin, cos)(theta) df dtheta                         (Komen et al. 1994)
  /// with a tail f^-5 on deep water beyond the last frequency.
  /// @param density F [m2 s] (frequency, direction)  @param depth [m]  @param wavenumber [m-1] (frequency)
  void add(std::span<const double> density, double depth, std::span<const float> wavenumber, Sea& sea) const;

 private:
  SpectralGrid grid_;
  std::vector<double> sine_, cosine_;
};

}  // namespace halcyon::wave
