#pragma once

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// What dissipates the wind, found once a step from its first state:
///   S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  D = div(u),  L(u) = grad(D) + k x grad(zeta)
/// with nu_2 = diffusion d_e, nu_d = divergence_damping d_e, nu_4 = hyperdiffusion d_e^3 (Skamarock et al.
/// 2012: coefficients by the local spacing).
template <class Real>
class Dissipation {
 public:
  /// @param part stays where it is as long as this is used
  Dissipation(const GlobePart<Real>& part, int n_levels);

  /// S by its sweeps, early or late.
  ///   u [m s-1] (edge, level);  zeta [s-1] (vertex, level)
  void find(bool is_early, In<Real> u, In<Real> zeta);
  /// u_new = u_new + dt S
  ///   dt [s];  u_new [m s-1] (edge, level)
  void add(Real dt, Out<Real> u_new) const;
  std::size_t n_numbers() const;

 private:
  const GlobePart<Real>& part_;
  int n_levels_;
  Large<Real> divergence_, second_divergence_;  ///< D [s-1], div(L) [m-2 s-1] (cell, level)
  Large<Real> second_curl_;                     ///< curl(L) [m-2 s-1] (vertex, level)
  Large<Real> laplacian_, tendency_;            ///< L [m-1 s-1], S [m s-2] (edge, level)
};

}  // namespace halcyon::atmosphere
