#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/krylov/gcr.hpp"

namespace halcyon::atmosphere {

/// The implicit gravity waves of shallow water (kernels/gravity_waves.hpp): one equation for the height of
/// the surface, symmetric and positive where cells weigh by their areas, solved by GCR with Jacobi's
/// preconditioner in 64 bits. The thickness H that they run on is that of a step's start on each edge: what
/// is left to the explicit part is small wherever ground and surface are.
template <class Real>
class GravityWaves {
 public:
  /// Collective. @param part stays where it is as long as this is used
  GravityWaves(const GlobePart<Real>& part, const decomposition::Decomposition& decomposition,
               double tolerance);
  GravityWaves(const GravityWaves&) = delete;
  GravityWaves& operator=(const GravityWaves&) = delete;

  /// Begins a step at a state with its halo: takes H from it, and gives its tendencies by waves, rate [m s-1]
  /// (owned cell) and push [m s-2] (local edge; those of owned cells are set).
  /// @param tau the implicit time [s] of each solution
  void begin(std::span<const Real> ground, std::span<const Real> h, std::span<const Real> u, double tau,
             std::span<Real> rate, std::span<Real> push);

  /// The right side from a state without its own waves, h* (owned cell) and u* (local edge): of the cells
  /// that need nothing from the halo, or of the others.
  void set_right_side(std::span<const Real> ground, std::span<const Real> h, std::span<const Real> u,
                      bool is_early);
  /// Collective. Solves for the surface, from the one before, and gives its tendencies as `begin` does, and
  /// the state that they make of h* and u*, of which the thickness follows from the wind: mass is kept as
  /// well as sums can be, whatever the tolerance.
  krylov::Result solve(std::span<const Real> h_without, std::span<const Real> u_without, std::span<Real> rate,
                       std::span<Real> push, std::span<Real> h, std::span<Real> u);

  /// What this rank waited for others, in all solutions [s].
  double exchange_s() const { return exchange_s_; }
  std::int64_t memory_bytes() const;

 private:
  void operate(std::span<const double> eta, std::span<double> found);
  void precondition(std::span<const double> residual, std::span<double> found) const;

  const GlobePart<Real>& part_;
  halo::Halo halo_;
  halo::FieldMemory memory_;
  std::array<std::span<std::byte>, 1> exchanged_;
  std::span<double> surface_;             ///< eta [m] (local cell)
  Sweep cells_, edges_;                   ///< owned cells, edges of owned cells
  std::vector<LocalIndex> neighbours_;    ///< beside edges_on_cell, of owned cells
  std::vector<double> share_;             ///< g l_e / (A_i d_e) [m-1 s-2], beside them
  std::vector<double> coupling_;          ///< tau^2 H_e share, beside them
  std::vector<double> over_diagonal_;     ///< of the equation's matrix, its inverse (owned cell)
  std::vector<Real> thickness_;           ///< H [m] (local edge)
  std::vector<double> right_, solution_;  ///< (owned cell)
  double tau_ = 0, exchange_s_ = 0;
  krylov::Apply operator_, preconditioner_;
  krylov::Gcr gcr_;
};

}  // namespace halcyon::atmosphere
