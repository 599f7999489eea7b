#include "halcyon/atmosphere/tracers.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

using decomposition::edges_of;

namespace {

std::vector<schedule::HaloField> exchanged(std::int64_t item_bytes, int n_tracers, int n_layers) {
  return std::vector<schedule::HaloField>(n_tracers,
                                          {.entity = 0, .item_bytes = item_bytes, .layers = n_layers});
}

}  // namespace

template <class Real>
Tracers<Real>::Tracers(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const Horizontal<Real>& mesh, const Scheme& scheme, int n_levels, int n_tracers,
                       comm::Method method)
    : mesh_(mesh),
      curvature_(mesh, local.mesh.cell_points, scheme.transport_order, scheme.upwinding),
      n_levels_(n_levels),
      order_(scheme.transport_order),
      monotone_(scheme.monotone),
      halo_(comm, local.part,
            exchanged(n_levels * static_cast<std::int64_t>(sizeof(Real)), n_tracers, halo_layers(scheme)),
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
  owned_edges_ = runs_of(edges_of(mesh, n_owned));
  near_edges_ = runs_of(edges_of(mesh, n_near));
  const auto n = static_cast<std::size_t>(n_levels);
  on_edges_.resize(mesh.n_edges() * n);
  if (!curvature_.empty()) second_derivatives_.resize(mesh.n_cells() * n * kSecondDerivatives);
  if (!monotone_) return;
  for (auto* values : {&low_, &raise_, &lower_}) values->resize(n_near * n);
  on_interfaces_.resize(n_near * (n + 1));
}

template <class Real>
void Tracers<Real>::find_on_edges(In<Real> flux, In<Real> q) {
  second_derivatives<Real>(curvature_, near_cells_, n_levels_, q, second_derivatives_);
  carried_values<Real>(mesh_, curvature_, owned_edges_, n_levels_, flux, q, second_derivatives_, on_edges_);
}

template <class Real>
void Tracers<Real>::find_lacks(In<Real> flux, In<Real> q, In<Real> q_old) {
  second_derivatives<Real>(curvature_, all_cells_, n_levels_, q, second_derivatives_);
  lacks<Real>(mesh_, curvature_, near_edges_, n_levels_, flux, q, second_derivatives_, q_old, on_edges_);
}

template <class Real>
std::int64_t Tracers<Real>::memory_bytes() const {
  const auto n_cells = static_cast<std::size_t>(mesh_.n_cells()) * n_levels_;
  const auto n_work = on_edges_.size() + second_derivatives_.size() + 3 * low_.size() + on_interfaces_.size();
  return static_cast<std::int64_t>((2 * size() * n_cells + n_work) * sizeof(Real)) +
         curvature_.memory_bytes();
}

template class Tracers<double>;
template class Tracers<float>;

}  // namespace halcyon::atmosphere
