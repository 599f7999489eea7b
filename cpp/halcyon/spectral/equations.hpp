#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/exact_sum.hpp"
#include "halcyon/spectral/basis.hpp"

namespace halcyon::spectral {

/// Fields that are advanced, one after the other, each (level, coefficient).
using Spectrum = std::vector<Complex>;

/// One of them. Those that hyperdiffusion acts on are `diffused`.
struct Prognostic {
  std::string name;
  int n_levels;
  bool diffused;
};

/// A state by its values at the points. What a set of equations does not need may be empty.
struct GivenState {
  std::span<const double> ground;       ///< height [m] (point)
  std::span<const double> surface;      ///< of air its pressure [Pa], of shallow water its height [m] (point)
  std::span<const double> temperature;  ///< [K] (level, point)
  std::span<const double> east, north;  ///< wind [m s-1] (level, point)
  Vector3 axis{0, 0, 1};                ///< around which the planet turns, of length 1
};

/// Where a state is not fit to be gone on from: a number that is not finite or cannot be, or motions that are
/// too fast for the step.
struct Trouble {
  std::int64_t point = -1;  ///< the first; -1: all is well
  std::int64_t step = 0;    ///< how many steps the model had taken
  std::string variable;     ///< of the table of variables; "courant_number" of the step
  int level = 0;
  double value = 0;
};

/// How fast a state changes, as a step must bear it [s-1]: by advection and, where these are not taken
/// implicitly, gravity waves.
struct Rates {
  double along = 0;     ///< U k + 2 Omega of the largest wavenumber k
  double vertical = 0;  ///< of a level, of what passes its interfaces
};

/// A set of equations in spectral space. `to_grid` brings a state to the points; what follows is of that one.
class Equations {
 public:
  virtual ~Equations() = default;

  virtual std::vector<Prognostic> prognostics() const = 0;
  virtual int n_levels() const { return 1; }
  /// Coefficients of a state by its values, truncated. @throws InternalError where sizes do not fit
  virtual void set(const GivenState& given, Spectrum& state) = 0;

  virtual void to_grid(const Spectrum& state) = 0;
  /// d(state)/dt.
  virtual void tendencies(Spectrum& change) = 0;

  /// y += L x, with the part L of the equations that makes gravity waves, linear around a state of rest.
  virtual void add_waves(const Spectrum& x, Spectrum& y) const = 0;
  /// x becomes (1 - dt L)^-1 x.
  virtual void solve_waves(double dt, Spectrum& x) = 0;

  /// The first point and variable that is not fit, without the step; `point` is -1 where all is well.
  virtual Trouble look() const = 0;
  /// The rates at a point and level. @param waves whether those of gravity waves count
  virtual Rates rates(std::size_t point, int level, bool waves) const = 0;

  /// (level, point), or (point) as its row says, of a variable that is output and changes in time.
  virtual std::vector<double> product(const std::string& name) = 0;
  /// In the order of the set's `integral_variables`: this rank's part.
  virtual std::vector<ExactSum> integrals() = 0;
  /// Height of the ground [m] (point), truncated.
  virtual std::vector<double> ground() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace halcyon::spectral
