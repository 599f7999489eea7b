#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/spectral/equation_set.hpp"

namespace halcyon::spectral {

/// Columns of air at some points side by side, by the vertical scheme of Simmons and Burridge (1981, Mon.
/// Weather Rev. 109, 758-766): it keeps energy and angular momentum. Levels k lie between interfaces k and k
/// + 1, from the top; p = a + b ps there, Dp_k = p_{k+1} - p_k, r_k = ln(p_{k+1}/p_k), alpha_k = 1 - p_k r_k
/// / Dp_k. The pressure of a level is that by which its height follows from the interface below:
///   ln p = ln p_{k+1} - alpha_k
class Columns {
 public:
  static constexpr std::size_t kWidth = 64;  ///< points side by side

  Columns(const Basis& basis, const AirOptions& air);

  /// The air at all points: (level, point), or (point) of ln ps, its derivatives and the ground's
  /// geopotential.
  struct Air {
    const double *zeta, *delta, *temperature, *u, *v;
    const double *east_of_t, *north_of_t;  ///< derivatives of T [K m-1]
    const double *log_ps, *east_of_ps, *north_of_ps, *ground;
  };
  /// Changes: of the wind without the gradient of energy, of temperature (level, point), of ln ps (point);
  /// and the energy phi + (u^2 + v^2)/2 (level, point).
  struct Change {
    double *p, *q, *temperature, *energy, *log_ps;
  };

  /// Pressures, heights and mass fluxes of `n` points from `first` on, n <= kWidth.
  void enter(const Air& air, std::size_t first, std::size_t n);
  /// Of the points that were entered:
  ///   P = (zeta + f) v - (M du)_k - R T c ln(ps)_x,  Q = -(zeta + f) u - (M dv)_k - R T c ln(ps)_y
  ///   dT/dt = -v . grad(T) - (M dT)_k + kappa T omega/p,  d(ln ps)/dt = -1/ps sum_k D_k
  /// where c_k = ps/Dp_k (b_k r_k + alpha_k Db_k),  D_k = Dp_k delta_k + ps v_k . grad(ln ps) Db_k,
  ///   (M dX)_k = (M_{k+1} (X_{k+1} - X_k) + M_k (X_k - X_{k-1})) / (2 Dp_k),  M_k = b_k sum D - sum_{j<k}
  ///   D_j (omega/p)_k = c_k v_k . grad(ln ps) - (r_k sum_{j<k} D_j + alpha_k D_k) / Dp_k
  void change(const Air& air, const Change& change) const;

  // Of the points that were entered, by level or interface and position:
  double surface_pressure(std::size_t i) const { return ps_[i]; }
  double pressure(int k, std::size_t i) const;                                         ///< of a level
  double mass(int k, std::size_t i) const { return p_[at(k + 1, i)] - p_[at(k, i)]; }  ///< Dp
  double geopotential(int k, std::size_t i) const { return phi_[at(k, i)]; }           ///< of a level
  double omega_over_p(int k, std::size_t i) const { return omega_[at(k, i)]; }
  /// max |M| / Dp [s-1]: what passes the interfaces of a level of what it holds.
  double passing(int k, std::size_t i) const;

 private:
  static std::size_t at(int k, std::size_t i) { return k * kWidth + i; }
  void pressures(const Air& air);
  void fluxes(const Air& air);
  void heights(const Air& air);
  void force(const Air& air, const Change& change, int k) const;
  void held_suarez(const Air& air, const Change& change, int k) const;

  const Basis& basis_;
  AirOptions air_;
  int n_levels_;
  double kappa_;
  std::size_t first_ = 0, n_ = 0;
  std::vector<double> ps_, p_, log_p_;         ///< (interface, position)
  std::vector<double> ratio_, alpha_, c_;      ///< (level, position): r, alpha, c
  std::vector<double> outflow_, omega_, phi_;  ///< (level, position): D, omega/p, phi
  std::vector<double> above_, flux_;           ///< (interface, position): sum of D above, M
  std::vector<double> phi_at_interface_;
};

}  // namespace halcyon::spectral
