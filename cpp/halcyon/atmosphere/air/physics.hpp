#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/rank_domain.hpp"
#include "halcyon/atmosphere/tracers.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/physics/columns.hpp"

namespace halcyon::atmosphere {

/// The column physics of the air. Tendencies are computed once per step, from the state at its start, and are
/// constant during the step, but the drag, -r u, follows the wind of each stage. Wind tendencies in cells are
/// exchanged, averaged to edges and projected on their normals.
template <class Real>
class AirPhysics {
 public:
  /// Collective. @param local has at least one halo layer; not used after this call
  /// @param variables the variables of the core  @throws ConfigError as `physics::ColumnPhysics`
  AirPhysics(const decomposition::LocalMesh& local, const RankDomain<Real>& domain, const AirOptions& air,
             bool has_interfaces, const std::vector<fields::Variable>& variables);

  /// Collective. Computes the tendencies of a step dt [s].
  /// @param now the state at its start, with halo values of the wind
  /// @param surface_geopotential [m2 s-2] (cell)  @param tracers null without tracers
  void compute(double dt, const AirStateView<Real>& now, std::span<const Real> surface_geopotential,
               const Tracers<Real>* tracers, WallTimes& times);
  /// Adds the tendencies times dt [s] to the owned values of `next`; `now` has the winds of the drag.
  void add(const AirStateView<Real>& now, const AirStateView<Real>& next, Real dt);
  void add(Tracers<Real>& tracers, Real dt) const;
  Forcing<Real> forcing() { return {theta_tendency_, wind_tendency_, edge_drag_}; }

  physics::ColumnPhysics& columns() { return columns_; }
  const physics::ColumnPhysics& columns() const { return columns_; }
  std::int64_t memory_bytes() const;

 private:
  using State = physics::ColumnPhysics::State;
  using Tendencies = physics::ColumnPhysics::Tendencies;
  /// Weights of the eastward and northward components in both cells of an edge for the mean along its normal.
  struct EdgeWeights {
    std::array<Real, 2> eastward, northward;
  };

  void load(State& state, std::size_t first, std::size_t n, const AirStateView<Real>& now,
            std::span<const Real> surface_geopotential) const;
  void load_winds(State& state, std::size_t first, std::size_t n, std::span<const Real> u);
  void store(const State& state, const Tendencies& tendencies, std::size_t first, std::size_t n);
  void average_to_edges();

  const RankDomain<Real>& domain_;
  AirOptions air_;
  bool has_interfaces_;
  int n_levels_;
  physics::ColumnPhysics columns_;
  std::optional<halo::Halo> halo_;  ///< of the wind tendencies; empty if no scheme changes the wind
  std::optional<halo::FieldStorage<Real>>
      cell_tendencies_;                    ///< east, north [m s-2], drag [s-1] (cell, level)
  std::vector<EdgeWeights> edge_weights_;  ///< (owned edge)
  LargeArray<Real> theta_tendency_;        ///< [K s-1] (owned cell, level); empty without heating
  LargeArray<Real> wind_tendency_;         ///< along the normal [m s-2] (owned edge, level); empty if unused
  LargeArray<Real> edge_drag_;             ///< [s-1] (owned edge, level); empty if unused
  LargeArray<Real> tracer_tendencies_;     ///< [s-1] (tracer, owned cell, level); empty if unused
  std::vector<double> east_, north_;       ///< wind of a column (level)
};

}  // namespace halcyon::atmosphere
