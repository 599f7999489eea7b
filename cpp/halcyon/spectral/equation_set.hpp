#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/physics/scheme.hpp"
#include "halcyon/spectral/basis.hpp"
#include "halcyon/spectral/equations.hpp"

/// Equation sets and the functions that they share.
namespace halcyon::spectral {

/// Options of the equations: levels, gas constants and physics of the air.
struct AirOptions {
  std::vector<double> a, b;       ///< pressure at interfaces is a [Pa] + b ps, from the top (interface)
  double gas_constant = 287.0;    ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;  ///< c_p [J kg-1 K-1]
  std::vector<physics::ColumnScheme> physics = {};  ///< schemes of the column physics, in order
  bool is_lagrangian = false;                       ///< for semi-Lagrangian steps
  SolverOptions solver = {};                        ///< of semi-Lagrangian steps
  std::vector<std::string> tracers = {};            ///< names; only for semi-Lagrangian steps
  bool is_moist = false;  ///< with water, the first tracers; only for semi-Lagrangian steps

  /// @throws ConfigError for invalid levels
  void validate() const;
};

/// Registry entry of an equation set, defined in the file of the set. `only_with` lists its starts.
struct EquationSet : options::RegistryEntry {
  /// `air.is_lagrangian` and `air.solver` are for all sets.
  template <class Real>
  using Make = std::unique_ptr<Equations<Real>> (*)(Basis<Real>& basis, const AirOptions& air);
  Make<double> make = nullptr;
  Make<float> make_single = nullptr;  ///< in 32 bits
  bool can_be_lagrangian = false;
  /// In the order of output files and `halcyon describe spectral`.
  std::vector<fields::Variable> variables = {}, integral_variables = {};
};

/// Makes equations of a class `Set`, the value of EquationSet::make.
template <template <class> class Set, class Real>
std::unique_ptr<Equations<Real>> make_set(Basis<Real>& basis, const AirOptions& air) {
  return std::make_unique<Set<Real>>(basis, air);
}

EquationSet barotropic();
EquationSet shallow_water();
EquationSet primitive();

const std::vector<EquationSet>& equation_sets();

/// The tables of variables and of integrals of the primitive equations.
std::vector<fields::Variable> primitive_variables();
std::vector<fields::Variable> primitive_integral_variables();

/// Dimensions in restart files: real and imaginary part; coefficient; level times coefficient.
inline constexpr const char* kPart = "part";
inline constexpr const char* kCoefficient = "coefficient";
inline constexpr const char* kLevelCoefficient = "level_coefficient";

/// Suffix of prognostic variables in restart files.
inline constexpr const char* kCoefficientsSuffix = "_coefficients";

/// Dimension and suffix of the values of tracers at the points in restart files: level times point.
inline constexpr const char* kLevelPoint = "level_point";
inline constexpr const char* kValuesSuffix = "_values";

/// Second suffix of variables at the previous time level (leapfrog).
inline constexpr const char* kPreviousSuffix = "_before";

using fields::integral_variable, fields::topography_variable;
// Add to a table of variables: coefficients for restarts, at the present and the previous time level; an
// output variable at the surface or on levels.
void add_restart_variables(std::vector<fields::Variable>& table, const std::string& name, const char* units,
                           const char* meaning, const char* dimension = kCoefficient);
void add_surface_variable(std::vector<fields::Variable>& table, const char* name, const char* units,
                          const char* standard_name, const char* long_name);
void add_level_variable(std::vector<fields::Variable>& table, const char* name, const char* units,
                        const char* standard_name, const char* long_name);

/// Checks the size of an array of a given state. @throws InternalError for a wrong size
void require_size(const char* name, std::size_t size, std::size_t needed);

/// Iterates over the contiguous fields of a state or tendency.
template <class Real>
class StateSlices {
 public:
  StateSlices(Spectrum<Real>& spectrum, std::size_t n_coefficients)
      : next_(spectrum.data()), n_(n_coefficients) {}
  /// Returns the next field (level, coefficient).
  std::span<Coefficient<Real>> next(int n_levels) {
    const std::span<Coefficient<Real>> result(next_, n_levels * n_);
    next_ += result.size();
    return result;
  }

 private:
  Coefficient<Real>* next_;
  std::size_t n_;
};

/// Flux of absolute vorticity, rotated by 90 degrees [m s-2] (level, point):
///   P = (zeta + f) v,  Q = -(zeta + f) u
/// The curl of (P, Q) is the vorticity tendency; its divergence is the divergence tendency without the
/// Laplacian of energy (Williamson et al. 1992, equations 2-5, in vector form).
template <class Real>
void vorticity_flux(const Basis<Real>& basis, std::span<const Real> zeta, std::span<const Real> u,
                    std::span<const Real> v, std::span<Real> p, std::span<Real> q);

/// Specific kinetic energy [m2 s-2].
inline double kinetic_energy(double u, double v) {
  return (u * u + v * v) / 2;
}

inline double speed(double u, double v) {
  return std::sqrt(u * u + v * v);
}

/// Specific angular momentum [m2 s-1] about the axis of rotation A: A . (r x u + r x (Omega A x r)), |r| = a,
/// which is a cos(phi) (u + Omega a cos(phi)) if A is the axis of the grid.
template <class Real>
double angular_momentum(const Basis<Real>& basis, std::size_t point, double u, double v) {
  const double east = basis.planet().radius * basis.lever_arms_east()[point],
               north = basis.planet().radius * basis.lever_arms_north()[point];
  return east * u + north * v + basis.planet().rotation * (east * east + north * north);
}

/// Largest frequency [s-1] for a propagation speed [m s-1]: frequency of the shortest wave plus 2 Omega.
template <class Real>
double horizontal_rate(const Basis<Real>& basis, double speed) {
  return speed * basis.largest_wavenumber() + 2 * std::abs(basis.planet().rotation);
}

/// Orography, spectrally truncated like the surface of the fluid, so that a flat surface stays flat.
template <class Real>
class Orography {
 public:
  explicit Orography(Basis<Real>& basis)
      : basis_(basis),
        geopotential_(basis.n_points()),
        slope_x_(basis.n_points()),
        slope_y_(basis.n_points()) {}

  /// Collective. @param height [m] (point)  @throws InternalError for a wrong size
  void set(std::span<const double> height);

  const std::vector<Real>& geopotential() const { return geopotential_; }  ///< [m2 s-2] (point)
  /// Eastward and northward derivative of the geopotential [m s-2] (point).
  const std::vector<Real>& slope_x() const { return slope_x_; }
  const std::vector<Real>& slope_y() const { return slope_y_; }
  std::vector<double> height() const;  ///< [m] (point)

 private:
  Basis<Real>& basis_;
  std::vector<Real> geopotential_, slope_x_, slope_y_;
};

/// Frequency that limits semi-Lagrangian steps [s-1]: |zeta| + |delta| + 2 Omega. Trajectories must not
/// cross, which bounds the step by the gradients of the wind (Smolarkiewicz and Pudykiewicz 1992, J. Atmos.
/// Sci. 49, 2082-2096); 2 Omega makes the step resolve inertial oscillations.
template <class Real>
double deformation_rate(const Basis<Real>& basis, double vorticity, double divergence) {
  return std::abs(vorticity) + std::abs(divergence) + 2 * std::abs(basis.planet().rotation);
}

/// Collective. Global mean of a field (point).
template <class Real>
double global_mean(const Basis<Real>& basis, std::span<const Real> values);

/// The numbers in another precision.
template <class To, class From>
std::vector<To> converted(std::span<const From> values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const From value : values) result.push_back(static_cast<To>(value));
  return result;
}

}  // namespace halcyon::spectral
