#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/halo/with_halo.hpp"
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

/// The implicit gravity waves of shallow water (kernels/shallow_water.hpp): one equation for the height of
/// the surface, symmetric and positive where cells weigh by their areas, solved by GCR with Jacobi's
/// preconditioner in 64 bits. The thickness H that they run on is that of a step's start on each edge: what
/// is left to the explicit part is small wherever ground and surface are.
template <class Real>
class GravityWaves {
 public:
  /// Collective. @param part stays where it is as long as this is used
  GravityWaves(const GlobePart<Real>& part, const decomposition::Decomposition& decomposition,
               double tolerance)
      : part_(part),
        halo_(part.comm, decomposition, {{.entity = 0, .item_bytes = sizeof(double), .layers = 1}},
              part.options.method, comm::Placement::node_memory),
        memory_(halo_.allocate(0)),
        exchanged_{memory_.bytes()},
        surface_(reinterpret_cast<double*>(memory_.bytes().data()), part.mesh.n_cells()),
        cells_{{Run{0, decomposition.n_inner}}, {Run{decomposition.n_inner, part.n_cells}}},
        over_diagonal_(part.n_cells),
        thickness_(part.mesh.n_edges()),
        right_(part.n_cells),
        solution_(part.n_cells),
        operator_([this](std::span<const double> x, std::span<double> y) { operate(x, y); }),
        preconditioner_([this](std::span<const double> x, std::span<double> y) { precondition(x, y); }),
        gcr_(part.comm, part.n_cells, {.k = kDirections, .tolerance = tolerance, .most_iterations = 300}) {
    const auto& mesh = part.mesh;
    const Flags own_cells = owned(decomposition.cells());
    split(edges_, decomposition::edges_of(mesh, part.n_cells), {{mesh.cells_on_edge, own_cells}});
    for (LocalIndex i = 0; i < part.n_cells; ++i) {
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
        const auto e = mesh.edges_on_cell[j];
        const auto [first, second] = mesh.cells_on_edge[e];
        neighbours_.push_back(first == i ? second : first);
        share_.push_back(part.options.planet.gravity * std::abs(double{mesh.outward_length[j]}) *
                         mesh.inverse_distance[e]);
      }
    }
    coupling_.resize(share_.size());
  }
  GravityWaves(const GravityWaves&) = delete;
  GravityWaves& operator=(const GravityWaves&) = delete;

  /// Begins a step at a state with its halo: takes H from it, and gives its tendencies by waves, rate [m s-1]
  /// (owned cell) and push [m s-2] (local edge; those of owned cells are set).
  /// @param tau the implicit time [s] of each solution
  void begin(std::span<const Real> ground, std::span<const Real> h, std::span<const Real> u, double tau,
             std::span<Real> rate, std::span<Real> push) {
    tau_ = tau;
    const auto& mesh = part_.mesh;
    for (const auto* edges : {&edges_.early, &edges_.late})
      thickness_on_edges<Real>(mesh, *edges, h, thickness_);
    wave_coupling<Real>(mesh, tau * tau, share_, thickness_, coupling_, over_diagonal_);
    for (std::size_t i = 0; i < surface_.size(); ++i) surface_[i] = double{h[i]} + ground[i];
    std::copy_n(surface_.begin(), part_.n_cells, solution_.begin());
    for (const bool is_early : {true, false}) {
      surface_push<Real>(mesh, edges_.part(is_early), part_.options.planet.gravity, surface_, push);
      thickening<Real>(mesh, cells_.part(is_early), thickness_, u, rate);
    }
  }

  /// The right side from a state without its own waves, h* (owned cell) and u* (local edge): of the cells
  /// that need nothing from the halo, or of the others.
  void set_right_side(std::span<const Real> ground, std::span<const Real> h, std::span<const Real> u,
                      bool is_early) {
    surface_without_waves<Real>(part_.mesh, cells_.part(is_early), tau_, thickness_, ground, h, u, right_);
  }
  /// Collective. Solves for the surface, from the one before, and gives its tendencies as `begin` does, and
  /// the state that they make of h* and u*, of which the thickness follows from the wind: mass is kept as
  /// well as sums can be, whatever the tolerance.
  krylov::Result solve(std::span<const Real> h_without, std::span<const Real> u_without, std::span<Real> rate,
                       std::span<Real> push, std::span<Real> h, std::span<Real> u) {
    const auto tau = static_cast<Real>(tau_);
    auto result = gcr_.solve(operator_, preconditioner_, right_, solution_);
    exchange_s_ += result.waited_s;
    std::ranges::copy(solution_, surface_.begin());
    halo::with_halo(halo_, exchanged_, part_.options.overlap, exchange_s_, [&](bool is_early) {
      const auto& edges = edges_.part(is_early);
      surface_push<Real>(part_.mesh, edges, part_.options.planet.gravity, surface_, push);
      with_waves<Real>(edges, tau, u_without, push, u);
    });
    for (const bool is_early : {true, false}) {
      thickening<Real>(part_.mesh, cells_.part(is_early), thickness_, u, rate);
      with_waves<Real>(cells_.part(is_early), tau, h_without, rate, h);
    }
    return result;
  }

  /// What this rank waited for others, in all solutions [s].
  double exchange_s() const { return exchange_s_; }
  std::int64_t memory_bytes() const {
    const auto of_cells = surface_.size() + (4 + 2 * (kDirections + 1) + 3) * right_.size();
    return static_cast<std::int64_t>(of_cells * sizeof(double) + thickness_.size() * sizeof(Real) +
                                     neighbours_.size() * (sizeof(LocalIndex) + 2 * sizeof(double)));
  }

 private:
  static constexpr int kDirections = 3;  ///< that GCR keeps: more cost more than they spare

  void operate(std::span<const double> eta, std::span<double> found) {
    std::ranges::copy(eta, surface_.begin());
    halo::with_halo(halo_, exchanged_, part_.options.overlap, exchange_s_, [&](bool is_early) {
      helmholtz(part_.mesh.cell_offsets, neighbours_, coupling_, cells_.part(is_early), surface_, found);
    });
  }
  void precondition(std::span<const double> residual, std::span<double> found) const {
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = over_diagonal_[i] * residual[i];
  }

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
               double tolerance)
      : waves(part, decomposition, tolerance),
        wind_halo(part.comm, decomposition, {{.entity = 1, .item_bytes = sizeof(Real), .layers = 1}},
                  part.options.method, comm::Placement::node_memory),
        n_cells_(part.n_cells),
        n_edges_(part.n_edges) {
    for (int stage = 0; stage < Imex::kStages; ++stage) {
      tendencies_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
      by_waves_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(part.mesh.n_edges())};
    }
    zeros_ = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
  }

  /// dy/dt of y_stage, of owned cells and edges, to be written.
  Pair<Real> tendency(int stage) { return pair(tendencies_[stage]); }
  /// Of it the part by waves (owned cell), (local edge).
  Pair<Real> by_waves(int stage) { return pair(by_waves_[stage]); }
  /// Zeros (owned cell), (owned edge).
  Pair<Real> zeros() { return pair(zeros_); }

  /// y_0 + dt sum_{j <= stage} (E_sj (f - i)(y_j) + I_sj i(y_j)): the next state without its own waves.
  void sum(int stage, double dt, const Pair<Real>& start, const Pair<Real>& found) const {
    std::array<Term, 2 * Imex::kStages> of_cells, of_edges;
    std::size_t n = 0;
    const auto add = [&](double coefficient, const Values& values) {
      const auto weight = static_cast<Real>(dt * coefficient);
      if (weight == 0) return;
      of_cells[n] = {weight, values.thickness.data()};
      of_edges[n++] = {weight, values.wind.data()};
    };
    for (int j = 0; j <= stage; ++j) {
      add(Imex::kExplicit[stage][j], tendencies_[j]);
      add(Imex::kImplicit[stage][j] - Imex::kExplicit[stage][j], by_waves_[j]);
    }
    add_up(std::span(of_cells).first(n), start.thickness.first(n_cells_), found.thickness.first(n_cells_));
    add_up(std::span(of_edges).first(n), start.wind.first(n_edges_), found.wind.first(n_edges_));
  }

  std::int64_t memory_bytes() const {
    const auto of_cells = (2 * Imex::kStages + 1) * zeros_.thickness.size();
    const auto of_edges = (Imex::kStages + 1) * zeros_.wind.size() + Imex::kStages * by_waves_[0].wind.size();
    return static_cast<std::int64_t>((of_cells + of_edges) * sizeof(Real)) + waves.memory_bytes();
  }

  GravityWaves<Real> waves;
  halo::Halo wind_halo;  ///< of u*, on the edges of owned cells: all that these solutions read of the halo

 private:
  struct Values {
    std::vector<Real> thickness, wind;
  };
  /// A field and what it counts.
  struct Term {
    Real weight;
    const Real* values;
  };

  static Pair<Real> pair(Values& values) { return {values.thickness, values.wind}; }
  /// v = a + sum_j w_j b_j, (item), in the order of the terms
  static void add_up(std::span<const Term> terms, std::span<const Real> a, std::span<Real> v) {
    constexpr std::size_t kBlock = 1024;  // items: what is added to stays in the first cache
    for (std::size_t begin = 0; begin < v.size(); begin += kBlock) {
      const auto end = std::min(begin + kBlock, v.size());
      for (auto i = begin; i < end; ++i) v[i] = a[i];
      for (const auto& [weight, values] : terms)
        for (auto i = begin; i < end; ++i) v[i] += weight * values[i];
    }
  }

  LocalIndex n_cells_, n_edges_;
  std::array<Values, Imex::kStages> tendencies_, by_waves_;
  Values zeros_;
};

}  // namespace halcyon::atmosphere
