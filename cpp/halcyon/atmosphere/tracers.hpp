#pragma once

#include <span>
#include <vector>

#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// Tracers q [x] (tracer: cell, level), advected by the third-order scheme of Wicker and Skamarock (2002)
/// with mass fluxes of the core that are constant during a step. Each stage computes
///   q* = L(q, dt/3),  q** = L(q*, dt/2),  q_new = L(q**, dt)
/// where L is `advect` (kernels/transport.hpp); q_new is limited if `monotone`. The halos of all tracers are
/// exchanged once per stage; all other halo values are recomputed.
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
        now_(halo_),
        buffers_(n_levels) {
    const auto& cells = local.part.cells();
    const auto& offsets = cells.layer_offsets;
    const auto n_layers = static_cast<int>(offsets.size()) - 1;
    require<InternalError>(n_layers >= halo_layers(scheme), "Tracers have {} halo layers, and need {}.",
                           n_layers, halo_layers(scheme));
    const auto n_owned = cells.n_owned, n_extended = offsets[1];
    owned_cells_ = {IndexRange{0, n_owned}};
    extended_cells_ = {IndexRange{0, n_extended}};
    all_cells_ = {IndexRange{0, mesh.n_cells()}};
    owned_edges_ = ranges_of(decomposition::edges_of_cells(mesh, n_owned));
    extended_edges_ = ranges_of(decomposition::edges_of_cells(mesh, n_extended));
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
  template <class Old, class New>
  void step(Real dt, In<Real> flux, In<Real> vertical_flux, const Old& mass_old, const New& mass_new) {
    const auto stage = [&](const halo::FieldStorage<Real>& now, Real fraction) {
      const auto mass = [&](auto rows) { return blended_mass(fraction, mass_old(rows), mass_new(rows)); };
      halo_.start(now.fields()).wait();
      for (int t = 0; t < size(); ++t) {
        compute_edge_values(flux, now[t]);
        advect(mesh_, owned_cells_, n_levels_, order_, buffers_, fraction * dt, flux, vertical_flux, mass,
               edge_values_, now[t], values(t), fraction == 1 ? values(t) : now_[t]);
      }
    };
    stage(old_, Real(1) / 3);
    stage(now_, Real(1) / 2);
    if (!monotone_) return stage(now_, Real(1));
    halo_.start(now_.fields()).wait();
    const FluxLimits<Real> limits{q_low_, r_plus_, r_minus_, interface_corrections_};
    for (int t = 0; t < size(); ++t) {
      compute_edge_corrections(flux, now_[t], values(t));
      compute_limits(mesh_, extended_cells_, n_levels_, order_, buffers_, dt, flux, vertical_flux, mass_new,
                     edge_values_, now_[t], values(t), limits);
      add_limited_corrections(mesh_, owned_cells_, n_levels_, buffers_, dt, flux, vertical_flux, mass_new,
                              edge_values_, limits, values(t));
    }
  }

  std::int64_t halo_bytes() const { return halo_.received_bytes(); }
  std::int64_t memory_bytes() const {
    const auto n_cells = static_cast<std::size_t>(mesh_.n_cells()) * n_levels_;
    const auto n_work =
        edge_values_.size() + second_derivatives_.size() + 3 * q_low_.size() + interface_corrections_.size();
    return static_cast<std::int64_t>((2 * size() * n_cells + n_work) * sizeof(Real)) +
           curvature_.memory_bytes();
  }

 private:
  using Values = LargeArray<Real>;

  /// Computes q_e on the edges of owned cells.
  void compute_edge_values(In<Real> flux, In<Real> q) {
    second_derivatives<Real>(curvature_, extended_cells_, n_levels_, q, second_derivatives_);
    advected_values<Real>(mesh_, curvature_, owned_edges_, n_levels_, flux, q, second_derivatives_,
                          edge_values_);
  }
  /// Computes q_e minus the upwind value of q_old on the edges of owned cells and the first halo layer.
  void compute_edge_corrections(In<Real> flux, In<Real> q, In<Real> q_old) {
    second_derivatives<Real>(curvature_, all_cells_, n_levels_, q, second_derivatives_);
    edge_corrections<Real>(mesh_, curvature_, extended_edges_, n_levels_, flux, q, second_derivatives_, q_old,
                           edge_values_);
  }

  const HorizontalMesh<Real>& mesh_;
  Curvature<Real> curvature_;
  int n_levels_, order_;
  bool monotone_;
  halo::Halo halo_;
  halo::FieldStorage<Real> old_, now_;                    ///< q at the start of the step; q* or q**
  IndexRanges owned_cells_, extended_cells_, all_cells_;  ///< owned; with the first halo layer; with the halo
  IndexRanges owned_edges_, extended_edges_;              ///< edges of owned_cells_, of extended_cells_
  Values edge_values_, second_derivatives_;               ///< (edge, level), (cell, derivative, level)
  Values q_low_, r_plus_, r_minus_, interface_corrections_;  ///< FluxLimits
  ColumnBuffers<Real> buffers_;
};

}  // namespace halcyon::atmosphere
