#include "halcyon/atmosphere/dissipation.hpp"

namespace halcyon::atmosphere {

template <class Real>
Dissipation<Real>::Dissipation(const GlobePart<Real>& part, int n_levels)
    : part_(part),
      n_levels_(n_levels),
      divergence_(part.n_held(0, n_levels)),
      second_divergence_(part.n_held(0, n_levels)),
      second_curl_(part.n_held(2, n_levels)),
      laplacian_(part.n_held(1, n_levels)),
      tendency_(part.n_held(1, n_levels)) {}

template <class Real>
void Dissipation<Real>::find(bool is_early, In<Real> u, In<Real> zeta) {
  const auto& mesh = part_.mesh;
  const auto& sweeps = part_.sweeps;
  const auto& scheme = part_.options.scheme;
  const auto nu_2 = static_cast<Real>(scheme.diffusion), nu_d = static_cast<Real>(scheme.divergence_damping),
             nu_4 = static_cast<Real>(scheme.hyperdiffusion);
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
    auto sum = nu_2 * d * rows(laplacian_)[e] + nu_d * d * gradient(mesh, rows(divergence_), e);
    sum -= nu_4 * d * d * d * laplacian(mesh, rows(second_divergence_), rows(second_curl_), e);
    return sum;
  });
}

template <class Real>
void Dissipation<Real>::add(Real dt, Out<Real> u_new) const {
  const Runs owned{{0, part_.n_edges}};
  for_columns<Real>(owned, n_levels_, [&](auto rows, LocalIndex e) {
    rows.put(u_new, e, rows(u_new)[e] + dt * rows(tendency_)[e]);
  });
}

template <class Real>
std::size_t Dissipation<Real>::n_numbers() const {
  return divergence_.size() + second_divergence_.size() + second_curl_.size() + laplacian_.size() +
         tendency_.size();
}

template class Dissipation<double>;
template class Dissipation<float>;

}  // namespace halcyon::atmosphere
