#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/sweeps.hpp"

namespace halcyon::atmosphere {

/// D = div(u)
///   u [x] (edge, level) -> D [m-1 x] (cell, level)
template <class Real>
void divergences(const Horizontal<Real>& mesh, std::span<const Run> cells, int n_levels, In<Real> u,
                 Out<Real> found) {
  for_columns<Real>(cells, n_levels,
                    [&](auto rows, LocalIndex i) { rows.put(found, i, divergence(mesh, rows(u), i)); });
}

/// zeta = curl(u)
///   u [x] (edge, level) -> zeta [m-1 x] (vertex, level)
template <class Real>
void curls(const Horizontal<Real>& mesh, std::span<const Run> vertices, int n_levels, In<Real> u,
           Out<Real> found) {
  for_columns<Real>(vertices, n_levels,
                    [&](auto rows, LocalIndex v) { rows.put(found, v, curl(mesh, rows(u), v)); });
}

/// L = grad(D) + k x grad(zeta)
///   D [m-1 x] (cell, level), zeta [m-1 x] (vertex, level) -> L [m-2 x] (edge, level)
template <class Real>
void laplacians(const Horizontal<Real>& mesh, std::span<const Run> edges, int n_levels, In<Real> divergence,
                In<Real> zeta, Out<Real> found) {
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(found, e, laplacian(mesh, rows(divergence), rows(zeta), e));
  });
}

/// S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  nu_2 = diffusion d_e, nu_d = divergence_damping d_e,
/// nu_4 = hyperdiffusion d_e^3 (Skamarock et al. 2012: coefficients by the local spacing)
///   D, D2 = div(L) (cell, level);  L (edge, level);  zeta2 = curl(L) (vertex, level) -> S [m s-2] (edge,
///   level)
template <class Real>
void dissipation(const Horizontal<Real>& mesh, std::span<const Run> edges, int n_levels, const Scheme& scheme,
                 In<Real> divergence, In<Real> first, In<Real> second_divergence, In<Real> second_curl,
                 Out<Real> found) {
  const auto of_wind = static_cast<Real>(scheme.diffusion),
             of_divergence = static_cast<Real>(scheme.divergence_damping),
             of_laplacian = static_cast<Real>(scheme.hyperdiffusion);
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    const Real d = mesh.spacing[e];
    auto sum = of_wind * d * rows(first)[e] + of_divergence * d * gradient(mesh, rows(divergence), e);
    sum -= of_laplacian * d * d * d * laplacian(mesh, rows(second_divergence), rows(second_curl), e);
    rows.put(found, e, sum);
  });
}

/// The tendency S of a state by its sweeps, early or late; all between is scratch.
template <class Real>
void dissipate(const Horizontal<Real>& mesh, const Sweeps& sweeps, bool is_early, int n_levels,
               const Scheme& scheme, In<Real> u, In<Real> vorticity, Out<Real> divergence, Out<Real> first,
               Out<Real> second_divergence, Out<Real> second_curl, Out<Real> found) {
  divergences<Real>(mesh, sweeps.divergences.part(is_early), n_levels, u, divergence);
  laplacians<Real>(mesh, sweeps.laplacians.part(is_early), n_levels, divergence, vorticity, first);
  divergences<Real>(mesh, sweeps.second_divergences.part(is_early), n_levels, first, second_divergence);
  curls<Real>(mesh, sweeps.second_curls.part(is_early), n_levels, first, second_curl);
  dissipation<Real>(mesh, sweeps.dissipation.part(is_early), n_levels, scheme, divergence, first,
                    second_divergence, second_curl, found);
}

/// u_new = u_new + dt S
///   dt [s];  S [m s-2], u [m s-1] (edge, level)
template <class Real>
void add(std::span<const Run> edges, int n_levels, Real dt, In<Real> tendency, Out<Real> u_new) {
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(u_new, e, rows(u_new)[e] + dt * rows(tendency)[e]);
  });
}

}  // namespace halcyon::atmosphere
