#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

/// Tracers q [x] (tracer: cell, level), advected by the third-order scheme of Wicker and Skamarock (2002)
/// with mass fluxes of the core that are constant during a step. Each stage computes
///   q* = L(q, dt/3),  q** = L(q*, dt/2),  q_new = L(q**, dt)
/// where L is `advect` (kernels/transport.hpp); q_new is limited if `monotone`. The halos of all tracers are
/// exchanged once per stage, while the inner cells are computed; all other halo values are recomputed, and so
/// are the values that inner and boundary cells both need.
///
/// A limited tracer stays within the range of its neighbours if no layer loses more than its mass in a step.
template <class Real>
class Tracers {
 public:
  /// Collective. Initializes all tracers to 0.
  /// @param local has at least `halo_layers(scheme)` halo layers; not used after this call
  /// @param mesh the mesh of `local`; must outlive this object
  Tracers(const comm::Communicator& comm, const decomposition::LocalMesh& local,
          const HorizontalMesh<Real>& mesh, const Scheme& scheme, int n_levels, int n_tracers,
          comm::Method method)
      : mesh_(mesh),
        curvature_(mesh, local.mesh.cell_points, local.mesh.vertex_points, scheme.transport_order,
                   scheme.upwinding),
        n_levels_(n_levels),
        order_(scheme.transport_order),
        monotone_(scheme.monotone),
        halo_(comm, local.part,
              std::vector<schedule::HaloField>(
                  n_tracers, {.entity = kCells,
                              .item_bytes = n_levels * static_cast<std::int64_t>(sizeof(Real)),
                              .layers = halo_layers(scheme)}),
              method, comm::BufferPlacement::node_memory),
        old_(halo_),
        stage_1_(halo_),
        stage_2_(halo_),
        buffers_(n_levels) {
    const auto& cells = local.part.cells();
    const auto& offsets = cells.layer_offsets;
    const auto n_layers = static_cast<int>(offsets.size()) - 1;
    require<InternalError>(n_layers >= halo_layers(scheme), "Tracers have {} halo layers, and need {}.",
                           n_layers, halo_layers(scheme));
    const auto n_extended = offsets[1];
    n_owned_ = cells.n_owned;
    set_parts(n_extended, halo_layers(scheme));
    const auto n = static_cast<std::size_t>(n_levels);
    edge_values_.resize(mesh.n_edges() * n);
    if (!curvature_.empty()) second_derivatives_.resize(mesh.n_cells() * n * kSecondDerivatives);
    if (!monotone_) return;
    for (auto* values : {&q_low_, &r_plus_, &r_minus_}) values->resize(n_extended * n);
    interface_corrections_.resize(n_extended * (n + 1));
  }

  /// Number of halo layers: limited tracers need a third layer.
  static int halo_layers(const Scheme& scheme) { return scheme.monotone ? kHaloLayers + 1 : kHaloLayers; }

  /// Collective. Updates the halo values.
  void exchange() { halo_.start(old_.fields()).wait(); }

  int size() const { return static_cast<int>(old_.fields().size()); }
  /// q (local cell, level); halo values are updated by the next step.
  std::span<Real> values(int tracer) const { return old_[tracer]; }
  const Curvature<Real>& curvature() const { return curvature_; }

  /// Collective. Takes one step dt [s].
  /// @param flux F [Pa m s-1] (edge, level), on the edges of owned cells and, for limited tracers, of the
  ///        first halo layer
  /// @param vertical_flux M [Pa s-1] (cell, interface), positive downwards, zero at top and surface
  /// @param mass_old, mass_new m [Pa] before and after the step, with m_new = m_old - dt (div F + [M]) to
  ///        rounding; called as mass(rows)[i]
  /// @param overlap, exchange_s as `halo::with_halo`
  template <class Old, class New>
  void step(Real dt, In<Real> flux, In<Real> vertical_flux, const Old& mass_old, const New& mass_new,
            bool overlap, double& exchange_s) {
    const auto for_tracers = [&](const halo::FieldStorage<Real>& now, const auto& compute) {
      halo::with_halo(halo_, now.fields(), overlap, exchange_s, [&](bool is_inner) {
        const Part& part = is_inner ? inner_ : boundary_;
        for (int t = 0; t < size() && !part.cells.empty(); ++t) {
          if (is_inner) halo_.progress();
          second_derivatives<Real>(curvature_, part.derivatives, n_levels_, now[t], second_derivatives_);
          compute(part, t);
        }
      });
    };
    const auto stage = [&](const halo::FieldStorage<Real>& now, const halo::FieldStorage<Real>& next,
                           Real fraction) {
      const auto mass = [&](auto rows) { return blended_mass(fraction, mass_old(rows), mass_new(rows)); };
      for_tracers(now, [&](const Part& part, int t) {
        advected_values<Real>(mesh_, curvature_, part.edges, n_levels_, flux, now[t], second_derivatives_,
                              edge_values_);
        advect(mesh_, part.cells, n_levels_, order_, buffers_, fraction * dt, flux, vertical_flux, mass,
               edge_values_, now[t], values(t), next[t]);
      });
    };
    const auto limited_stage = [&](const halo::FieldStorage<Real>& now,
                                   const halo::FieldStorage<Real>& next) {
      const FluxLimits<Real> limits{q_low_, r_plus_, r_minus_, interface_corrections_};
      for_tracers(now, [&](const Part& part, int t) {
        edge_corrections<Real>(mesh_, curvature_, part.edges, n_levels_, flux, now[t], second_derivatives_,
                               values(t), edge_values_);
        compute_limits(mesh_, part.limits, n_levels_, order_, buffers_, dt, flux, vertical_flux, mass_new,
                       edge_values_, now[t], values(t), limits);
        add_limited_corrections(mesh_, part.cells, n_levels_, buffers_, dt, flux, vertical_flux, mass_new,
                                edge_values_, limits, next[t]);
      });
    };
    stage(old_, stage_1_, Real(1) / 3);
    stage(stage_1_, stage_2_, Real(1) / 2);
    monotone_ ? limited_stage(stage_2_, stage_1_) : stage(stage_2_, stage_1_, Real(1));
    for (int t = 0; t < size(); ++t)
      std::ranges::copy(stage_1_[t].first(static_cast<std::size_t>(n_owned_) * n_levels_), values(t).begin());
  }

  std::int64_t halo_bytes() const { return halo_.received_bytes(); }
  std::int64_t memory_bytes() const {
    const auto n_cells = static_cast<std::size_t>(mesh_.n_cells()) * n_levels_;
    const auto n_work =
        edge_values_.size() + second_derivatives_.size() + 3 * q_low_.size() + interface_corrections_.size();
    return static_cast<std::int64_t>((3 * size() * n_cells + n_work) * sizeof(Real)) +
           curvature_.memory_bytes();
  }

 private:
  using Values = LargeArray<Real>;

  /// Owned cells whose q_new is computed, and the items whose values they need.
  struct Part {
    IndexRanges cells, limits, edges, derivatives;
  };

  /// Sets the inner cells, those farther than `n_layers` from the halo, and the boundary cells, all others.
  void set_parts(LocalIndex n_extended, int n_layers) {
    Flags near_halo(mesh_.n_cells());
    std::fill(near_halo.begin() + n_owned_, near_halo.end(), std::uint8_t{1});
    for (int layer = 0; layer < n_layers; ++layer) near_halo = with_neighbours(near_halo, n_owned_);
    Flags inner(mesh_.n_cells()), boundary(mesh_.n_cells());
    for (LocalIndex i = 0; i < n_owned_; ++i) (near_halo[i] ? boundary : inner)[i] = 1;
    inner_ = part_of(inner, n_extended);
    boundary_ = part_of(boundary, n_extended);
  }
  Part part_of(const Flags& cells, LocalIndex n_extended) const {
    const auto limits = monotone_ ? with_neighbours(cells, n_extended) : cells;
    Flags edges(mesh_.n_edges()), derivatives(mesh_.n_cells());
    for (LocalIndex i = 0; i < n_extended; ++i)
      for (auto j = mesh_.cell_offsets[i]; limits[i] && j < mesh_.cell_offsets[i + 1]; ++j) {
        const auto e = mesh_.edges_on_cell[j];
        edges[e] = 1;
        for (const auto cell : mesh_.cells_on_edge[e]) derivatives[cell] = 1;
      }
    return {ranges_of(cells), ranges_of(limits), ranges_of(edges), ranges_of(derivatives)};
  }
  /// The flags, with those of the first n cells set that have a neighbour whose flag is set.
  Flags with_neighbours(const Flags& flags, LocalIndex n) const {
    auto result = flags;
    for (LocalIndex i = 0; i < n; ++i)
      for_neighbours(mesh_, i, [&](LocalIndex other, LocalIndex, Real) { result[i] |= flags[other]; });
    return result;
  }

  const HorizontalMesh<Real>& mesh_;
  Curvature<Real> curvature_;
  int n_levels_, order_;
  bool monotone_;
  halo::Halo halo_;
  halo::FieldStorage<Real> old_, stage_1_, stage_2_;  ///< q at the start of the step; results of stages
  LocalIndex n_owned_ = 0;
  Part inner_, boundary_;                    ///< cells that do not need the halo, and the others
  Values edge_values_, second_derivatives_;  ///< (edge, level), (cell, derivative, level)
  Values q_low_, r_plus_, r_minus_, interface_corrections_;  ///< FluxLimits
  ColumnBuffers<Real> buffers_;
};

}  // namespace halcyon::atmosphere
