#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/atmosphere/shallow_water/shallow_water.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"

namespace halcyon::atmosphere {

namespace {

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

}  // namespace

/// Collective. Brings the halo of the present state, and what follows from it around the owned cells.
template <class Real>
void ShallowWater<Real>::diagnose() {
  refresh();
  look(now_);
  const auto thickness = [&](const auto& rows) { return rows(now_.h); };
  for (const bool is_early : {true, false})
    potential_vorticity(part_.mesh, sweeps_.vertices.part(is_early), kLevels, part_.coriolis, thickness,
                        now_.u, vorticity_, pv_);
}

template <class Real>
std::vector<std::vector<double>> ShallowWater<Real>::products(const std::vector<std::string>& wanted) {
  diagnose();
  std::vector<std::vector<double>> found(wanted.size(), std::vector<double>(part_.n_cells));
  for (std::size_t p = 0; p < wanted.size(); ++p)
    for (LocalIndex i = 0; i < part_.n_cells; ++i) found[p][i] = product(product_named(wanted[p]), i);
  return found;
}

template <class Real>
double ShallowWater<Real>::product(Product wanted, LocalIndex cell) const {
  const Block<Real, 1> rows(kLevels, 0);
  switch (wanted) {
    case Product::height:
      return double{now_.h[cell]} + ground_[cell];
    case Product::thickness:
      return now_.h[cell];
    case Product::eastward_wind:
      return part_.eastward_northward(now_.u, kLevels, cell, 0)[0];
    case Product::northward_wind:
      return part_.eastward_northward(now_.u, kLevels, cell, 0)[1];
    case Product::vorticity:
      return at_cell(part_.mesh, rows(vorticity_), cell);
    case Product::potential_vorticity:
      return at_cell(part_.mesh, rows(pv_), cell);
    case Product::divergence:
      return operators::divergence(part_.mesh, rows(now_.u), cell);
    case Product::kinetic_energy:
      return kinetic_energy(part_.energy, rows(now_.u), cell);
  }
  return 0;
}

/// M = sum_i A_i h_i,  E = sum_i A_i h_i (K_i + g (h_i/2 + b_i)),  Z = sum_v A_v h_v q_v^2 / 2,
/// L = sum_i A_i h_i a . (r x u + r^2 Omega): along the axis a
template <class Real>
std::vector<double> ShallowWater<Real>::integrals() {
  diagnose();
  const Block<Real, 1> rows(kLevels, 0);
  const auto& planet = part_.options.planet;
  std::array<ExactSum, kIntegrals> sums;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const double h = now_.h[i], mass = part_.mesh.cell_area[i] * h;
    const double kinetic = kinetic_energy(part_.mesh, rows(now_.u), i);
    const auto wind = part_.eastward_northward(now_.u, kLevels, i, 0);
    sums[kMass].add(mass);
    sums[kEnergy].add(mass * (kinetic + planet.gravity * (h / 2 + ground_[i])));
    sums[kAngularMomentum].add(mass * part_.angular_momentum(i, wind));
  }
  for (LocalIndex v = 0; v < part_.n_vertices; ++v) {
    const double h = at_vertex(part_.mesh, rows(now_.h), v), q = pv_[v];
    sums[kEnstrophy].add(part_.mesh.vertex_area[v] * h * q * q / 2);
  }
  return comm::totals(part_.comm, sums);
}

template <class Real>
Numbers ShallowWater<Real>::prognostic(const std::string& name) {
  if (name == "layer_thickness") return now_.h.first(part_.n_cells);
  if (name == "ground") return std::span<Real>(ground_).first(part_.n_cells);
  require<InternalError>(name == "normal_wind", "'{}' is no state of shallow water.", name);
  return now_.u.first(part_.n_edges);
}

template <class Real>
std::int64_t ShallowWater<Real>::memory_bytes() const {
  const auto states = 3 * (now_.h.size() + now_.u.size());
  const auto dissipation = dissipation_ ? dissipation_->memory_bytes() : 0;
  const auto curvature = curvature_ ? curvature_->memory_bytes() : 0;
  const auto implicit = implicit_ ? implicit_->memory_bytes() : 0;
  return static_cast<std::int64_t>((states + second_derivatives_.size()) * sizeof(Real)) + memory_bytes_ +
         curvature + dissipation + part_.mesh.memory_bytes() + implicit;
}

template class ShallowWater<double>;
template class ShallowWater<float>;

}  // namespace halcyon::atmosphere
