#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/spectral/basis.hpp"
#include "halcyon/spectral/equations.hpp"

/// What all sets of equations have: winds on the points.
namespace halcyon::spectral {

/// Of the air: levels, gas and forcing.
struct AirOptions {
  std::vector<double> a, b;       ///< pressure at interfaces is a [Pa] + b ps, from the top (interface)
  double gas_constant = 287.0;    ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;  ///< c_p [J kg-1 K-1]
  bool held_suarez = false;       ///< forcing of Held and Suarez (1994)

  /// @throws ConfigError for what cannot be
  void require_allowed() const;
};

/// A set of equations, which its own file declares. It `goes_with` the starts by these names.
struct EquationSet : options::Choice {
  std::unique_ptr<Equations> (*make)(Basis& basis, const AirOptions& air) = nullptr;
  /// In the order in which files and `halcyon describe spectral` show them.
  std::vector<fields::Variable> variables = {}, integral_variables = {};
};

EquationSet barotropic();
EquationSet shallow_water();
EquationSet primitive();

const std::vector<EquationSet>& equation_sets();

/// What a coefficient's real and imaginary part are the values of; coefficients of several levels stand level
/// by level.
inline constexpr const char* kPart = "part";
inline constexpr const char* kCoefficient = "coefficient";
inline constexpr const char* kLevelCoefficient = "level_coefficient";

/// The row of the coefficients of a state, by the start of its name.
inline constexpr const char* kCoefficients = "_coefficients";

/// What the last of the two times of a leapfrog scheme is called.
inline constexpr const char* kBefore = "_before";

/// Rows of the tables of variables: coefficients at the present time, and at the one before for leapfrog;
/// products of the surface or of levels; integrals over the globe.
void add_state(std::vector<fields::Variable>& table, const std::string& name, const char* units,
               const char* meaning, const char* dimension = kCoefficient);
fields::Variable map(const char* name, const char* units, const char* standard_name, const char* long_name);
fields::Variable on_levels(const char* name, const char* units, const char* standard_name,
                           const char* long_name);
fields::Variable whole(const char* name, const char* units, const char* long_name);
fields::Variable topography();

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
