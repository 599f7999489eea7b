#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/atmosphere/rank_domain.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/halo/with_halo.hpp"
#include "halcyon/krylov/gcr.hpp"

namespace halcyon::atmosphere {

/// The implicit-explicit (IMEX) Runge-Kutta scheme of semi-implicit steps for y' = e(y) + i(y), i implicit:
///   y_s = y_0 + dt sum_{j < s} (E_sj e(y_j) + I_sj i(y_j)) + dt gamma i(y_s),   s = 1 .. kStages
/// The last stage is the new state. E is the scheme of Wicker and Skamarock (2002), as in explicit steps. I
/// was constructed for Halcyon by the method of Kar (2006, Mon. Weather Rev. 134) and Weller, Lock and Wood
/// (2013, J. Comput. Phys. 252): the stages of I are at the same times as those of E, and E and I together
/// are of second order. The free parameters (gamma, I_21, I_31) were found by a search: for |e| dt up to 3/2
/// no wave grows by more than 1e-4 per step, for any frequency of i (tests/atmosphere/imex_test.cpp).
struct Imex {
  static constexpr int kStages = 3;
  using Rows = std::array<std::array<double, kStages>, kStages>;

  static constexpr double kGamma = 0.24;
  // E_sj and I_sj (stage s = 1 .. kStages, j = 0 .. s - 1)
  static constexpr Rows kExplicit{{{1.0 / 3, 0, 0}, {0, 1.0 / 2, 0}, {0, 0, 1}}};
  static constexpr Rows kImplicit{{{1.0 / 3 - kGamma, 0, 0}, {-0.09, 0.35, 0}, {0.04, 0.6, 0.12}}};
};

/// Implicit gravity waves of shallow water (kernels/shallow_water.hpp): a Helmholtz equation for the height
/// eta of the free surface, symmetric positive definite in the area-weighted inner product, solved in 64 bits
/// by GCR with the Jacobi preconditioner. The waves are linearized about the thickness H on edges at the
/// start of a step, so that the explicit remainder is small for any orography and surface.
template <class Real>
class GravityWaves {
 public:
  /// Collective. @param domain must outlive this object
  GravityWaves(const RankDomain<Real>& domain, const decomposition::Decomposition& decomposition,
               double tolerance)
      : domain_(domain),
        halo_(domain.comm, decomposition, {{.entity = kCells, .item_bytes = sizeof(double), .layers = 1}},
              domain.options.method, comm::BufferPlacement::node_memory),
        memory_(halo_.allocate(0)),
        exchanged_{memory_.bytes()},
        surface_(reinterpret_cast<double*>(memory_.bytes().data()), domain.mesh.n_cells()),
        cells_{{IndexRange{0, decomposition.n_inner}}, {IndexRange{decomposition.n_inner, domain.n_cells}}},
        inverse_diagonal_(domain.n_cells),
        thickness_(domain.mesh.n_edges()),
        right_side_(domain.n_cells),
        solution_(domain.n_cells),
        operator_([this](std::span<const double> x, std::span<double> y) { apply_operator(x, y); }),
        preconditioner_([this](std::span<const double> x, std::span<double> y) { precondition(x, y); }),
        gcr_(domain.comm, domain.n_cells,
             {.k = kDirections, .tolerance = tolerance, .most_iterations = 300}) {
    const auto& mesh = domain.mesh;
    const Flags owned_cells = owned(decomposition.cells());
    split(edges_, decomposition::edges_of_cells(mesh, domain.n_cells), {{mesh.cells_on_edge, owned_cells}});
    for (LocalIndex i = 0; i < domain.n_cells; ++i) {
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
        const auto e = mesh.edges_on_cell[j];
        const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
        neighbours_.push_back(cell_1 == i ? cell_2 : cell_1);
        edge_weight_.push_back(domain.options.planet.gravity * std::abs(double{mesh.outward_length[j]}) *
                               mesh.inverse_distance[e]);
      }
    }
    coupling_.resize(edge_weight_.size());
  }
  GravityWaves(const GravityWaves&) = delete;
  GravityWaves& operator=(const GravityWaves&) = delete;

  /// Begins a step: computes H and the gravity-wave tendencies of a state whose halo is valid.
  /// @param tau implicit time step of each stage, gamma dt [s]
  /// @param rate dh/dt [m s-1] (owned cell)  @param acceleration du/dt [m s-2] on edges of owned cells
  void begin(std::span<const Real> orography, std::span<const Real> h, std::span<const Real> u, double tau,
             std::span<Real> rate, std::span<Real> acceleration) {
    tau_ = tau;
    const auto& mesh = domain_.mesh;
    for (const auto* edges : {&edges_.inner, &edges_.boundary})
      thickness_on_edges<Real>(mesh, *edges, h, thickness_);
    helmholtz_coefficients<Real>(mesh, tau * tau, edge_weight_, thickness_, coupling_, inverse_diagonal_);
    for (std::size_t i = 0; i < surface_.size(); ++i) surface_[i] = double{h[i]} + orography[i];
    std::copy_n(surface_.begin(), domain_.n_cells, solution_.begin());
    for (const bool is_inner : {true, false}) {
      surface_acceleration<Real>(mesh, edges_.part(is_inner), domain_.options.planet.gravity, surface_,
                                 acceleration);
      thickness_tendency<Real>(mesh, cells_.part(is_inner), thickness_, u, rate);
    }
  }

  /// Computes the right side in inner or boundary cells from the explicit part of a stage, h* and u*.
  void set_right_side(std::span<const Real> orography, std::span<const Real> h, std::span<const Real> u,
                      bool is_inner) {
    helmholtz_right_side<Real>(domain_.mesh, cells_.part(is_inner), tau_, thickness_, orography, h, u,
                               right_side_);
  }
  /// Collective. Solves for the surface, with the previous solution as first guess; computes the gravity-wave
  /// tendencies `rate` and `acceleration` (as in `begin`), and h and u of the stage from h* and u*. h follows
  /// from the divergence of u, so that mass is conserved to rounding for any solver tolerance.
  krylov::Result solve(std::span<const Real> h_explicit, std::span<const Real> u_explicit,
                       std::span<Real> rate, std::span<Real> acceleration, std::span<Real> h,
                       std::span<Real> u) {
    const auto tau = static_cast<Real>(tau_);
    auto result = gcr_.solve(operator_, preconditioner_, right_side_, solution_);
    exchange_s_ += result.waited_s;
    std::ranges::copy(solution_, surface_.begin());
    halo::with_halo(halo_, exchanged_, domain_.options.overlap, exchange_s_, [&](bool is_inner) {
      const auto& edges = edges_.part(is_inner);
      surface_acceleration<Real>(domain_.mesh, edges, domain_.options.planet.gravity, surface_, acceleration);
      add_tendency<Real>(edges, tau, u_explicit, acceleration, u);
    });
    for (const bool is_inner : {true, false}) {
      thickness_tendency<Real>(domain_.mesh, cells_.part(is_inner), thickness_, u, rate);
      add_tendency<Real>(cells_.part(is_inner), tau, h_explicit, rate, h);
    }
    return result;
  }

  /// Time that this rank has waited for other ranks in `solve` [s].
  double exchange_s() const { return exchange_s_; }
  std::int64_t memory_bytes() const {
    const auto n_values = surface_.size() + (4 + 2 * (kDirections + 1) + 3) * right_side_.size();  // with Gcr
    return static_cast<std::int64_t>(n_values * sizeof(double) + thickness_.size() * sizeof(Real) +
                                     neighbours_.size() * (sizeof(LocalIndex) + 2 * sizeof(double)));
  }

 private:
  static constexpr int kDirections = 3;  ///< search directions stored by GCR; more do not save time

  void apply_operator(std::span<const double> eta, std::span<double> result) {
    std::ranges::copy(eta, surface_.begin());
    halo::with_halo(halo_, exchanged_, domain_.options.overlap, exchange_s_, [&](bool is_inner) {
      helmholtz(domain_.mesh.cell_offsets, neighbours_, coupling_, cells_.part(is_inner), surface_, result);
    });
  }
  void precondition(std::span<const double> residual, std::span<double> result) const {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = inverse_diagonal_[i] * residual[i];
  }

  const RankDomain<Real>& domain_;
  halo::Halo halo_;
  halo::FieldMemory memory_;
  std::array<std::span<std::byte>, 1> exchanged_;
  std::span<double> surface_;                  ///< eta [m] (local cell)
  Sweep cells_, edges_;                        ///< owned cells; edges of owned cells
  std::vector<LocalIndex> neighbours_;         ///< (edge of an owned cell), in the order of edges_on_cell
  std::vector<double> edge_weight_;            ///< g l_e / (A_i d_e) [m-1 s-2] (edge of an owned cell)
  std::vector<double> coupling_;               ///< tau^2 H_e edge_weight (edge of an owned cell)
  std::vector<double> inverse_diagonal_;       ///< inverse diagonal of the matrix (owned cell)
  std::vector<Real> thickness_;                ///< H [m] (local edge)
  std::vector<double> right_side_, solution_;  ///< (owned cell)
  double tau_ = 0, exchange_s_ = 0;
  krylov::Apply operator_, preconditioner_;
  krylov::Gcr gcr_;
};

/// Thickness (cell) and wind (edge) of shallow water, or their tendencies.
template <class Real>
struct LayerFields {
  std::span<Real> thickness, wind;
};

/// Work data of a semi-implicit step: the full and the gravity-wave tendencies of all stages, and the solver.
template <class Real>
class SemiImplicitWorkspace {
 public:
  /// Collective. @param domain must outlive this object
  SemiImplicitWorkspace(const RankDomain<Real>& domain, const decomposition::Decomposition& decomposition,
                        double tolerance)
      : waves(domain, decomposition, tolerance),
        wind_halo(domain.comm, decomposition, {{.entity = kEdges, .item_bytes = sizeof(Real), .layers = 1}},
                  domain.options.method, comm::BufferPlacement::node_memory),
        n_cells_(domain.n_cells),
        n_edges_(domain.n_edges) {
    for (int stage = 0; stage < Imex::kStages; ++stage) {
      tendencies_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
      wave_tendencies_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(domain.mesh.n_edges())};
    }
    zeros_ = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
  }

  /// The full dy/dt at y_stage: (owned cell), (owned edge), written by the caller.
  LayerFields<Real> tendency(int stage) { return views_of(tendencies_[stage]); }
  /// The gravity-wave part of dy/dt at y_stage: (owned cell), (local edge).
  LayerFields<Real> wave_tendency(int stage) { return views_of(wave_tendencies_[stage]); }
  /// Zeros: (owned cell), (owned edge).
  LayerFields<Real> zeros() { return views_of(zeros_); }

  /// y_0 + dt sum_{j <= stage} (E_sj e(y_j) + I_sj i(y_j)): the explicit part of the next stage s, where i is
  /// the gravity-wave tendency, and e the full tendency minus i
  void compute_explicit_part(int stage, double dt, const LayerFields<Real>& start,
                             const LayerFields<Real>& result) const {
    std::array<Term, 2 * Imex::kStages> cell_terms, edge_terms;
    std::size_t n = 0;
    const auto add = [&](double coefficient, const Values& values) {
      const auto weight = static_cast<Real>(dt * coefficient);
      if (weight == 0) return;
      cell_terms[n] = {weight, values.thickness.data()};
      edge_terms[n++] = {weight, values.wind.data()};
    };
    for (int j = 0; j <= stage; ++j) {
      add(Imex::kExplicit[stage][j], tendencies_[j]);
      add(Imex::kImplicit[stage][j] - Imex::kExplicit[stage][j], wave_tendencies_[j]);
    }
    add_terms(std::span(cell_terms).first(n), start.thickness.first(n_cells_),
              result.thickness.first(n_cells_));
    add_terms(std::span(edge_terms).first(n), start.wind.first(n_edges_), result.wind.first(n_edges_));
  }

  std::int64_t memory_bytes() const {
    const auto n_cell_values = (2 * Imex::kStages + 1) * zeros_.thickness.size();
    const auto n_edge_values =
        (Imex::kStages + 1) * zeros_.wind.size() + Imex::kStages * wave_tendencies_[0].wind.size();
    return static_cast<std::int64_t>((n_cell_values + n_edge_values) * sizeof(Real)) + waves.memory_bytes();
  }

  GravityWaves<Real> waves;
  halo::Halo wind_halo;  ///< u* on the edges of owned cells; the right side reads no other halo values

 private:
  struct Values {
    std::vector<Real> thickness, wind;
  };
  struct Term {
    Real weight;
    const Real* values;
  };

  static LayerFields<Real> views_of(Values& values) { return {values.thickness, values.wind}; }
  /// v = a + sum_j w_j b_j, (item), in the order of the terms
  static void add_terms(std::span<const Term> terms, std::span<const Real> a, std::span<Real> v) {
    constexpr std::size_t kBlock = 1024;  // items; the sums stay in the L1 cache
    for (std::size_t begin = 0; begin < v.size(); begin += kBlock) {
      const auto end = std::min(begin + kBlock, v.size());
      for (auto i = begin; i < end; ++i) v[i] = a[i];
      for (const auto& [weight, values] : terms)
        for (auto i = begin; i < end; ++i) v[i] += weight * values[i];
    }
  }

  LocalIndex n_cells_, n_edges_;
  std::array<Values, Imex::kStages> tendencies_, wave_tendencies_;
  Values zeros_;
};

}  // namespace halcyon::atmosphere
