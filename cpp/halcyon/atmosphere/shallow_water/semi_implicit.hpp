#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/krylov/gcr.hpp"

namespace halcyon::atmosphere {

/// The implicit-explicit Runge-Kutta scheme of semi-implicit steps: of y' = e(y) + i(y), of which i is taken
/// implicitly,
///   y_s = y_0 + dt sum_{j < s} (E_sj e(y_j) + I_sj i(y_j)) + dt gamma i(y_s),   s = 1 .. kStages
/// and the last is the state after the step. E is the scheme of Wicker and Skamarock (2002), as of explicit
/// steps. I is ours, of the kind that Kar (2006, Mon. Weather Rev. 134) and Weller, Lock and Wood (2013,
/// J. Comput. Phys. 252) add to explicit schemes: at the times of E's stages, of second order together with
/// it, and of what that leaves free (gamma, I_32, I_42) as a search found it, so that with |e| dt up to 3/2
/// no wave grows by more than 1e-4 a step, whatever the frequency of i (tests/atmosphere/imex_test.cpp).
struct Imex {
  static constexpr int kStages = 3;
  using Rows = std::array<std::array<double, kStages>, kStages>;

  static constexpr double kGamma = 0.24;
  static constexpr Rows kExplicit{{{1.0 / 3, 0, 0}, {0, 1.0 / 2, 0}, {0, 0, 1}}};
  static constexpr Rows kImplicit{{{1.0 / 3 - kGamma, 0, 0}, {-0.09, 0.35, 0}, {0.04, 0.6, 0.12}}};
};

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

/// Thickness (cell) and wind (edge) of shallow water, or what changes them.
template <class Real>
struct Pair {
  std::span<Real> thickness, wind;
};

/// What a semi-implicit step of shallow water keeps beside its states: the tendencies of its stages, all of
/// them and those by waves alone.
template <class Real>
class SemiImplicit {
 public:
  /// Collective. @param part stays where it is as long as this is used
  SemiImplicit(const GlobePart<Real>& part, const decomposition::Decomposition& decomposition,
               double tolerance);

  /// dy/dt of y_stage, of owned cells and edges, to be written.
  Pair<Real> tendency(int stage) { return pair(tendencies_[stage]); }
  /// Of it the part by waves (owned cell), (local edge).
  Pair<Real> by_waves(int stage) { return pair(by_waves_[stage]); }
  /// Zeros (owned cell), (owned edge).
  Pair<Real> zeros() { return pair(zeros_); }

  /// y_0 + dt sum_{j <= stage} (E_sj (f - i)(y_j) + I_sj i(y_j)): the next state without its own waves.
  void sum(int stage, double dt, const Pair<Real>& start, const Pair<Real>& found) const;

  std::int64_t memory_bytes() const;

  GravityWaves<Real> waves;
  halo::Halo wind_halo;  ///< of u*, on the edges of owned cells: all that these solutions read of the halo

 private:
  struct Values {
    std::vector<Real> thickness, wind;
  };
  static Pair<Real> pair(Values& values) { return {values.thickness, values.wind}; }

  LocalIndex n_cells_, n_edges_;
  std::array<Values, Imex::kStages> tendencies_, by_waves_;
  Values zeros_;
};

}  // namespace halcyon::atmosphere
