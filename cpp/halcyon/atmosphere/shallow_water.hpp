#pragma once

#include <optional>
#include <vector>

#include "halcyon/atmosphere/core.hpp"
#include "halcyon/atmosphere/horizontal.hpp"
#include "halcyon/atmosphere/state.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/atmosphere/time_step.hpp"
#include "halcyon/atmosphere/upwind.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// Shallow water: one layer of fluid of thickness h above the ground b (Ringler et al. 2010),
///   dh/dt = -div(h u),   du/dt = q (h u)^perp - grad(g (h + b) + K) + dissipation,   q = (f + curl(u)) / h.
template <class Real>
class ShallowWater final : public Core {
 public:
  /// Collective.
  ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
               const CoreOptions& options);

  void set(const Start& start) override;
  void step(double dt) override;
  Numbers prognostic(const std::string& name) override;
  std::vector<std::vector<double>> products(std::span<const Product> wanted) override;
  std::vector<double> integrals() override;
  double longest_step() override;
  const Trouble& trouble() const override { return trouble_; }

  const decomposition::Decomposition& decomposition() const override { return decomposition_; }
  const PartTimes& times() const override { return times_; }
  const std::string& exchange() const override { return halo_.description(); }
  std::int64_t halo_bytes() const override { return halo_.received_bytes(); }
  std::int64_t memory_bytes() const override;
  std::vector<double> ground() const override { return {ground_.begin(), ground_.begin() + n_cells_}; }

 private:
  using Values = std::vector<Real>;

  /// One stage of a step: new = old + dt f(now).
  struct Stage {
    const State<Real>&now, &old, &next;
    Real dt;
    bool is_first;
  };

  void advance(const Stage& stage, Real ahead);
  void sweep(const Stage& stage, Real ahead, bool is_early);
  void carry_thickness(const Stage& stage, bool is_early);
  void dissipate(const State<Real>& now, bool is_early);
  void look(const State<Real>& now);
  void refresh();
  void diagnose();
  double product(Product wanted, LocalIndex cell) const;
  double wind(LocalIndex cell, int component) const;
  double fastest(const State<Real>& now, LocalIndex cell) const;
  double waves(const State<Real>& now, LocalIndex cell) const;

  static constexpr int kLevels = 1;

  comm::Communicator comm_;
  CoreOptions options_;
  decomposition::Decomposition decomposition_;
  LocalIndex n_cells_, n_edges_, n_vertices_;  ///< owned
  std::vector<Vector3> cell_points_, edge_points_, vertex_points_, edge_normals_;
  std::vector<std::array<Vector3, 2>> edge_ends_;  ///< (owned edge)
  Horizontal<Real> mesh_;
  std::optional<Curvature<Real>> curvature_;  ///< where the wind stays
  Sweeps sweeps_;
  StepLimits limits_;
  halo::Halo halo_;
  State<Real> now_, first_, second_;
  Vector3 axis_{0, 0, 1};
  bool wind_stays_ = false;
  double dt_ = 0;             ///< of the last step
  std::int64_t n_steps_ = 0;  ///< taken
  Trouble trouble_;
  Runs owned_edges_;
  Values ground_, coriolis_;               ///< (cell), (vertex)
  Values bernoulli_;                       ///< (cell, level)
  Values vorticity_, pv_, vertex_energy_;  ///< (vertex, level)
  Values flux_, pv_edge_;                  ///< (edge, level)
  Values divergence_, second_divergence_;  ///< (cell, level)
  Values second_curl_;                     ///< (vertex, level)
  Values laplacian_, dissipation_;         ///< (edge, level)
  PartTimes times_;
};

}  // namespace halcyon::atmosphere
