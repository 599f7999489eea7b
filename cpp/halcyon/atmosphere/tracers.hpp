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

/// What a core carries with the fluxes of its mass, q [x] (tracer: cell, level), by the third-order scheme of
/// Wicker and Skamarock (2002) with fluxes that stay for a step:
///   q* = L(q, dt/3),  q** = L(q*, dt/2),  q_new = L(q**, dt), limited if `monotone`
/// (kernels/transport.hpp). One exchange a stage, of all tracers, and none but these: what ranks need of each
/// other's rim, both compute.
///
/// A limited tracer stays within the values around it while no layer of a cell gives up more than it holds in
/// a step.
template <class Real>
class Tracers {
 public:
  /// Collective. Tracers that are zero.
  /// @param local with `halo_layers(scheme)` halo layers or more; needed no longer than this call
  /// @param mesh of it; stays where it is
  Tracers(const comm::Communicator& comm, const decomposition::LocalMesh& local, const HorizontalMesh<Real>& mesh,
          const Scheme& scheme, int n_levels, int n_tracers, comm::Method method)
      : mesh_(mesh),
        curvature_(mesh, local.mesh.cell_points, scheme.transport_order, scheme.upwinding),
        n_levels_(n_levels),
        order_(scheme.transport_order),
        monotone_(scheme.monotone),
        halo_(comm, local.part,
              std::vector<schedule::HaloField>(
                  n_tracers, {.entity = 0,
                              .item_bytes = n_levels * static_cast<std::int64_t>(sizeof(Real)),
                              .layers = halo_layers(scheme)}),
              method, comm::Placement::node_memory),
        old_(halo_),
        now_(halo_),
        room_(n_levels) {
    const auto& cells = local.part.cells();
    const auto& offsets = cells.layer_offsets;
    const auto n_layers = static_cast<int>(offsets.size()) - 1;
    require<InternalError>(n_layers >= halo_layers(scheme), "Tracers have {} halo layers, and need {}.",
                           n_layers, halo_layers(scheme));
    const auto n_owned = cells.n_owned, n_near = offsets[1];
    owned_cells_ = {Run{0, n_owned}};
    near_cells_ = {Run{0, n_near}};
    all_cells_ = {Run{0, mesh.n_cells()}};
    owned_edges_ = runs_of(decomposition::edges_of(mesh, n_owned));
    near_edges_ = runs_of(decomposition::edges_of(mesh, n_near));
    const auto n = static_cast<std::size_t>(n_levels);
    on_edges_.resize(mesh.n_edges() * n);
    if (!curvature_.empty()) second_derivatives_.resize(mesh.n_cells() * n * kSecondDerivatives);
    if (!monotone_) return;
    for (auto* values : {&low_, &raise_, &lower_}) values->resize(n_near * n);
    on_interfaces_.resize(n_near * (n + 1));
  }

  /// Those that travel: a limited tracer needs a third.
  static int halo_layers(const Scheme& scheme) { return scheme.monotone ? kHaloLayers + 1 : kHaloLayers; }

  int size() const { return static_cast<int>(old_.fields().size()); }
  /// q (local cell, level); what belongs to the halo comes with a step.
  std::span<Real> values(int tracer) const { return old_[tracer]; }
  const Curvature<Real>& curvature() const { return curvature_; }

  /// Collective. One step dt [s].
  /// @param flux F [Pa m s-1] (edge, level), on the edges of owned cells and, where tracers are limited, of
  ///        the first halo layer's
  /// @param vertical_flux M [Pa s-1] (cell, interface), positive downwards, zero at both ends; and
  /// @param mass_old, mass_new m [Pa] before and after, with m_new = m_old - dt (div F + [M]) to rounding, as
  ///        mass(rows)[i], for the same cells
  template <class Old, class New>
  void step(Real dt, In<Real> flux, In<Real> vertical_flux, const Old& mass_old, const New& mass_new) {
    const auto stage = [&](const halo::Group<Real>& from, Real part) {
      const auto mass = [&](auto rows) { return between(part, mass_old(rows), mass_new(rows)); };
      halo_.start(from.fields()).wait();
      for (int t = 0; t < size(); ++t) {
        find_on_edges(flux, from[t]);
        carry(mesh_, owned_cells_, n_levels_, order_, room_, part * dt, flux, vertical_flux, mass, on_edges_,
              from[t], values(t), part == 1 ? values(t) : now_[t]);
      }
    };
    stage(old_, Real(1) / 3);
    stage(now_, Real(1) / 2);
    if (!monotone_) return stage(now_, Real(1));
    halo_.start(now_.fields()).wait();
    const Limits<Real> found{low_, raise_, lower_, on_interfaces_};
    for (int t = 0; t < size(); ++t) {
      find_lacks(flux, now_[t], values(t));
      limits(mesh_, near_cells_, n_levels_, order_, room_, dt, flux, vertical_flux, mass_new, on_edges_,
             now_[t], values(t), found);
      correct(mesh_, owned_cells_, n_levels_, room_, dt, flux, vertical_flux, mass_new, on_edges_, found,
              values(t));
    }
  }

  std::int64_t halo_bytes() const { return halo_.received_bytes(); }
  std::int64_t memory_bytes() const {
    const auto n_cells = static_cast<std::size_t>(mesh_.n_cells()) * n_levels_;
    const auto n_work =
        on_edges_.size() + second_derivatives_.size() + 3 * low_.size() + on_interfaces_.size();
    return static_cast<std::int64_t>((2 * size() * n_cells + n_work) * sizeof(Real)) +
           curvature_.memory_bytes();
  }

 private:
  using Values = Large<Real>;

  /// q_e on the edges of owned cells.
  void find_on_edges(In<Real> flux, In<Real> q) {
    second_derivatives<Real>(curvature_, near_cells_, n_levels_, q, second_derivatives_);
    advected_values<Real>(mesh_, curvature_, owned_edges_, n_levels_, flux, q, second_derivatives_, on_edges_);
  }
  /// The same on those of near cells, less what comes from upstream of the old values.
  void find_lacks(In<Real> flux, In<Real> q, In<Real> q_old) {
    second_derivatives<Real>(curvature_, all_cells_, n_levels_, q, second_derivatives_);
    lacks<Real>(mesh_, curvature_, near_edges_, n_levels_, flux, q, second_derivatives_, q_old, on_edges_);
  }

  const HorizontalMesh<Real>& mesh_;
  Curvature<Real> curvature_;
  int n_levels_, order_;
  bool monotone_;
  halo::Halo halo_;
  halo::Group<Real> old_, now_;                 ///< by tracer
  Runs owned_cells_, near_cells_, all_cells_;   ///< owned; and those of the first halo layer; of all layers
  Runs owned_edges_, near_edges_;               ///< those of these cells
  Values on_edges_, second_derivatives_;        ///< (edge, level), (cell, derivative, level)
  Values low_, raise_, lower_, on_interfaces_;  ///< of the limiter
  ColumnRoom<Real> room_;
};

}  // namespace halcyon::atmosphere
