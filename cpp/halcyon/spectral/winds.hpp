#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "halcyon/spectral/equations.hpp"

/// What all sets of equations have: winds on the points.
namespace halcyon::spectral {

/// @throws InternalError where an array of a given state has another size
void require_size(const char* what, std::size_t size, std::size_t needed);

/// The fields of one state or change, one after the other.
class Parts {
 public:
  Parts(Spectrum& all, std::size_t n_coefficients) : at_(all.data()), n_(n_coefficients) {}
  /// Of the next field, (level, coefficient).
  std::span<Complex> next(int n_levels) {
    const std::span<Complex> found(at_, n_levels * n_);
    at_ += found.size();
    return found;
  }

 private:
  Complex* at_;
  std::size_t n_;
};

/// The flux of absolute vorticity, turned by a right angle [m s-2] (level, point):
///   P = (zeta + f) v,  Q = -(zeta + f) u
/// so that the curl of (P, Q) is the change of vorticity, its divergence that of divergence but for the
/// gradient of energy (Williamson et al. 1992, equations 2-5, in vector form).
void vorticity_flux(const Basis& basis, std::span<const double> zeta, std::span<const double> u,
                    std::span<const double> v, std::span<double> p, std::span<double> q);

/// Of a unit of mass [m2 s-2].
inline double kinetic_energy(double u, double v) {
  return (u * u + v * v) / 2;
}

inline double speed(double u, double v) {
  return std::sqrt(u * u + v * v);
}

/// Angular momentum of a unit of mass around the planet's axis [m2 s-1]: a cos(phi) (u + Omega a cos(phi))
/// where that is the grid's, else a A . (r x u + r x (Omega A x r)) of the axis A.
inline double angular_momentum(const Basis& basis, std::size_t point, double u, double v) {
  const double east = basis.planet().radius * basis.arms_east()[point],
               north = basis.planet().radius * basis.arms_north()[point];
  return east * u + north * v + basis.planet().rotation * (east * east + north * north);
}

/// The largest rate of motions of a speed [m s-1]: of the shortest wave that they carry, and of rotation.
inline double rate_along(const Basis& basis, double speed) {
  return speed * basis.largest_wavenumber() + 2 * std::abs(basis.planet().rotation);
}

}  // namespace halcyon::spectral
