#include "halcyon/atmosphere/dissipation.hpp"

namespace halcyon::atmosphere {

template <class Real>
Dissipation<Real>::Dissipation(const Horizontal<Real>& mesh, const Scheme& scheme, int n_levels)
    : n_levels_(n_levels),
      nu_2_(static_cast<Real>(scheme.diffusion)),
      nu_d_(static_cast<Real>(scheme.divergence_damping)),
      nu_4_(static_cast<Real>(scheme.hyperdiffusion)) {
  const auto n = static_cast<std::size_t>(n_levels);
  for (auto* of_cells : {&divergence_, &second_divergence_}) of_cells->resize(mesh.n_cells() * n);
  for (auto* of_edges : {&laplacian_, &tendency_}) of_edges->resize(mesh.n_edges() * n);
  second_curl_.resize(mesh.n_vertices() * n);
}

template <class Real>
void Dissipation<Real>::find(const Horizontal<Real>& mesh, const Sweeps& sweeps, bool is_early, In<Real> u,
                             In<Real> zeta) {
  const auto compute = [&](const Sweep& sweep, Out<Real> found, const auto& value) {
    for_columns<Real>(sweep.part(is_early), n_levels_,
                      [&](auto rows, LocalIndex item) { rows.put(found, item, value(rows, item)); });
  };
  compute(sweeps.divergences, divergence_,
          [&](auto rows, LocalIndex i) { return divergence(mesh, rows(u), i); });
  compute(sweeps.laplacians, laplacian_,
          [&](auto rows, LocalIndex e) { return laplacian(mesh, rows(divergence_), rows(zeta), e); });
  compute(sweeps.second_divergences, second_divergence_,
          [&](auto rows, LocalIndex i) { return divergence(mesh, rows(laplacian_), i); });
  compute(sweeps.second_curls, second_curl_,
          [&](auto rows, LocalIndex v) { return curl(mesh, rows(laplacian_), v); });
  compute(sweeps.dissipation, tendency_, [&](auto rows, LocalIndex e) {
    const Real d = mesh.spacing[e];
    auto sum = nu_2_ * d * rows(laplacian_)[e] + nu_d_ * d * gradient(mesh, rows(divergence_), e);
    sum -= nu_4_ * d * d * d * laplacian(mesh, rows(second_divergence_), rows(second_curl_), e);
    return sum;
  });
}

template <class Real>
void Dissipation<Real>::add(std::span<const Run> edges, Real dt, Out<Real> u_new,
                            std::span<const LocalIndex> places) const {
  for_columns<Real>(edges, n_levels_, [&](auto rows, LocalIndex e) {
    const auto place = places.empty() ? e : places[e];
    rows.put(u_new, place, rows(u_new)[place] + dt * rows(tendency_)[e]);
  });
}

template <class Real>
std::int64_t Dissipation<Real>::memory_bytes() const {
  const auto n = divergence_.size() + second_divergence_.size() + second_curl_.size() + laplacian_.size() +
                 tendency_.size();
  return static_cast<std::int64_t>(n * sizeof(Real));
}

template class Dissipation<double>;
template class Dissipation<float>;

}  // namespace halcyon::atmosphere
