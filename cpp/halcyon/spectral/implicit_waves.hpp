#pragma once

#include <memory>
#include <vector>

#include "halcyon/spectral/equations.hpp"
#include "halcyon/spectral/vertical_modes.hpp"

namespace halcyon::spectral {

/// Solves the implicit equations of gravity waves and of the Coriolis force in vertical modes, which have the
/// squared speeds c^2, with alpha = (1 + epsilon) dt/2 and wind v of vorticity zeta and divergence delta:
///   zeta + alpha div(f v) = zeta*,  delta - alpha curl(f v) - alpha^2 c^2 del^2 delta = delta*
template <class Real>
class ImplicitWaves {
 public:
  virtual ~ImplicitWaves() = default;

  /// Collective. Replaces the right-hand sides zeta* and delta* (level, coefficient) by the solution.
  /// @param costs times and iterations are added
  virtual void solve(double alpha, Coefficient<Real>* zeta, Coefficient<Real>* delta, SolverCosts& costs) = 0;
  /// f [s-1] (point) of the implicit Coriolis force.
  virtual const std::vector<double>& coriolis() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Collective. The solver that the options name. @param basis must outlive the solver
template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_implicit_waves(Basis<Real>& basis, const SolverOptions& options,
                                                         VerticalModes modes);

/// The solver for each wavenumber, by elimination, with the Coriolis force of the rotation around the axis of
/// the grid (Temperton 1997, Atmosphere-Ocean 35, supplement 1, 293-302).
template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_direct_waves(const Basis<Real>& basis, VerticalModes modes);
/// The iterative solver on the grid, with all of the Coriolis force.
/// @throws ConfigError without a communicator, and for an invalid tolerance
template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_gcr_waves(Basis<Real>& basis, double tolerance,
                                                    VerticalModes modes);

}  // namespace halcyon::spectral
