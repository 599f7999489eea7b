#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// What dissipates the wind, found once a step from its first state:
///   S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  D = div(u),  L(u) = grad(D) + k x grad(zeta)
/// with nu_2 = diffusion d_e, nu_d = divergence_damping d_e, nu_4 = hyperdiffusion d_e^3 (Skamarock et al.
/// 2012: coefficients by the local spacing).
template <class Real>
class Dissipation {
 public:
  /// @param n_items cells, edges and vertices: the most of a tile, or those of a rank that is not cut
  /// @param n_winds edges that the rank owns
  Dissipation(const Scheme& scheme, int n_levels, std::array<LocalIndex, 3> n_items, LocalIndex n_winds);

  /// S by its sweeps, early or late, of a tile or a rank. What they hand on stays until the next tile.
  ///   u [m s-1] (edge, level);  zeta [s-1] (vertex, level)
  /// @param places the rank's numbers of the edges; without any each has its own
  void find(const Horizontal<Real>& mesh, const Sweeps& sweeps, bool is_early, In<Real> u, In<Real> zeta,
            std::span<const LocalIndex> places = {});
  /// u_new = u_new + dt S
  ///   dt [s];  u_new [m s-1] (edge of the rank, level)
  void add(std::span<const Run> edges, Real dt, Out<Real> u_new,
           std::span<const LocalIndex> places = {}) const;
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  int n_levels_;
  Real nu_2_, nu_d_, nu_4_;                     ///< of d_e = 1, see above
  Large<Real> divergence_, second_divergence_;  ///< D [s-1], div(L) [m-2 s-1] (cell, level)
  Large<Real> second_curl_;                     ///< curl(L) [m-2 s-1] (vertex, level)
  Large<Real> laplacian_;                       ///< L [m-1 s-1] (edge, level)
  Large<Real> tendency_;                        ///< S [m s-2] (owned edge of the rank, level)
  std::int64_t memory_bytes_;
};

}  // namespace halcyon::atmosphere
