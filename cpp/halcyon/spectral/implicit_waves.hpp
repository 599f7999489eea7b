#pragma once

#include <memory>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/spectral/basis.hpp"
#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// Solves the implicit equations of gravity waves and of the Coriolis force of the grid's axis, in vertical
/// modes and per wavenumber m (Temperton 1997, Atmosphere-Ocean 35, supplement 1, 293-302). With the modes'
/// squared speeds c^2, alpha = (1 + epsilon) dt/2, F = 2 Omega, s_n = 1 - alpha F i m/(n (n + 1)),
/// a_n = (n + 1)/n epsilon_n and b_n = n/(n + 1) epsilon_{n+1}:
///   s_n zeta_n + alpha F (a_n delta_{n-1} + b_n delta_{n+1}) = zeta*_n
///   (s_n + alpha^2 c^2 n (n + 1)/a^2) delta_n - alpha F (a_n zeta_{n-1} + b_n zeta_{n+1}) = delta*_n
/// The first equation eliminates zeta from the second, which becomes tridiagonal in n - 2, n, n + 2. If V
/// sets share the coefficients of a wavenumber, each solves some of the modes, between two all-to-alls.
class ImplicitWaves {
 public:
  /// Modes of one layer: @param squared_speed c^2 [m2 s-2]
  ImplicitWaves(const Basis& basis, double squared_speed);
  /// Modes of a matrix G (level, level) that couples the divergence of the levels [m2 s-2], and is symmetric
  /// in the inner product with the weights `thickness`: the eigenvectors of G, by Jacobi's method.
  ImplicitWaves(const Basis& basis, const std::vector<double>& matrix, const std::vector<double>& thickness);

  /// Collective. Replaces the right-hand sides zeta* and delta* (level, coefficient) by the solution.
  /// @param polar_rotation Omega [rad s-1]  @param costs the time of exchanges is added
  void solve(double alpha, double polar_rotation, Complex* zeta, Complex* delta, SolverCosts& costs);

  /// c^2 of the modes [m2 s-2].
  const std::vector<double>& squared_speeds() const { return squared_speeds_; }
  std::size_t memory_bytes() const;

 private:
  void prepare();
  void solve_modes(double alpha, double polar_rotation);
  void solve_wavenumber(int m, double squared_speed, Complex* zeta, Complex* delta) const;

  const Basis& basis_;
  std::vector<double> squared_speeds_, to_modes_, to_levels_;  ///< (mode), (mode, level), (level, mode)
  /// Right-hand sides and solution: of all modes at this rank's coefficients (mode, zeta or delta,
  /// coefficient); of this rank's modes at all coefficients of its wavenumbers (V set, mode, zeta or delta,
  /// coefficient).
  std::vector<Complex> own_coefficients_, own_modes_;
  std::unique_ptr<comm::Exchange> to_own_modes_, to_own_coefficients_;  ///< null: one V set
  // Of a wavenumber, at n = m .. T: 1/s_n, alpha F a_n, alpha F b_n, s_n, alpha^2 n (n + 1)/a^2.
  std::vector<Complex> inverse_s_, s_;
  std::vector<double> coupling_below_, coupling_above_, gravity_;
  mutable std::vector<Complex> ratios_;
};

}  // namespace halcyon::spectral
