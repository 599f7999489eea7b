#pragma once

#include <optional>
#include <vector>

#include "halcyon/atmosphere/dissipation.hpp"
#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/shallow_water/semi_implicit.hpp"
#include "halcyon/atmosphere/variables.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// What is stepped, and exchanged in this order.
template <class Real>
struct LayerState : halo::Group<Real> {
  /// Collective.
  explicit LayerState(const halo::Halo& halo) : halo::Group<Real>(halo), h((*this)[0]), u((*this)[1]) {}

  std::span<Real> h, u;  ///< [m] (cell), [m s-1] (edge)
};

/// Shallow water: one layer of fluid of thickness h above the ground b (Ringler et al. 2010),
///   dh/dt = -div(h u),   du/dt = q (h u)^perp - grad(g (h + b) + K) + dissipation,   q = (f + curl(u)) / h.
template <class Real>
class ShallowWater final : public Core {
 public:
  /// Collective.
  ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
               const CoreOptions& options);

  void set(const std::string& start, const StartOptions& options) override;
  void set(const GivenState& given) override;
  void step(double dt) override;
  std::vector<fields::Variable> variables() const override { return shallow_water_variables(); }
  std::vector<fields::Variable> integral_variables() const override {
    return atmosphere::integral_variables();
  }
  Numbers prognostic(const std::string& name) override;
  std::vector<std::vector<double>> products(const std::vector<std::string>& wanted) override;
  std::vector<double> integrals() override;
  double longest_step() override { return longest_step(false); }
  double longest_step_with_room() override { return longest_step(true); }
  std::int64_t n_iterations() const override { return n_iterations_; }
  std::int64_t memory_bytes() const override;
  std::vector<double> ground() const override { return {ground_.begin(), ground_.begin() + part_.n_cells}; }

  /// An owned cell of the present state, once it is diagnosed.
  struct Point {
    const ShallowWater& core;
    LocalIndex cell;

    std::array<double, 2> wind() const {
      return core.part_.eastward_northward(core.now_.u, kLevels, cell, 0);
    }
  };
  static const std::vector<Product<Point>>& product_rows();

 private:
  using Values = Large<Real>;

  /// One stage of a step: new = old + dt f(now); the thickness of owned cells, the wind of owned edges.
  struct Stage {
    const LayerState<Real>& now;
    Pair<Real> old, next;
    Real dt;     ///< [s]
    Real ahead;  ///< how far potential vorticity is taken upstream [s]: in the last stage
    bool is_first;
  };

  void set_stages();
  void explicit_step(double dt);
  void semi_implicit_step(double dt);
  double resolving_step() const;
  double largest(double value) const;
  void add_waves(int stage, const LayerState<Real>& found);
  void check(const krylov::Result& result);
  static Pair<Real> pair(const LayerState<Real>& state) { return {state.h, state.u}; }
  void advance(const Stage& stage);
  void sweep(const Stage& stage, bool is_early);
  void carry_thickness(const Stage& stage, bool is_early);
  void look(const LayerState<Real>& now);
  void refresh();
  void diagnose();
  double longest_step(bool with_room);
  double waves(const LayerState<Real>& now, LocalIndex cell) const;
  double rate(const LayerState<Real>& now, LocalIndex cell, double speed) const;

  static constexpr int kLevels = 1;

  GlobePart<Real> part_;
  Sweeps sweeps_;
  std::optional<Curvature<Real>> curvature_;    ///< where the wind stays
  std::optional<SemiImplicit<Real>> implicit_;  ///< where gravity waves are implicit
  LayerState<Real> now_, first_, second_;
  bool wind_stays_ = false;
  double finest_ = 0;  ///< largest Courant number on the globe of a second of 1 m/s, where implicit
  std::int64_t n_iterations_ = 0;
  Values ground_;              ///< (cell)
  Values bernoulli_;           ///< (cell, level)
  Values second_derivatives_;  ///< of the thickness (cell, derivative, level), where it has any
  Values vorticity_, pv_;      ///< (vertex, level); the first only where files or dissipation ask for it
  Values flux_, pv_edge_;      ///< (edge, level)
  std::optional<Dissipation<Real>> dissipation_;  ///< where there is any
  std::int64_t memory_bytes_;                     ///< of all these fields but second derivatives
};

}  // namespace halcyon::atmosphere
