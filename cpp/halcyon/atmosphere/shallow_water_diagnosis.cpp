#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/atmosphere/shallow_water.hpp"
#include "halcyon/base/exact_sum.hpp"

namespace halcyon::atmosphere {

namespace {

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

/// Collective. The sums of all ranks.
std::vector<double> totals(const comm::Communicator& comm, std::span<ExactSum> sums) {
  std::vector<double> found;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    comm.sum(limbs);
    found.push_back(ExactSum(limbs).value());
  }
  return found;
}

}  // namespace

/// Collective. Brings the halo of the present state, and what follows from it around the owned cells.
template <class Real>
void ShallowWater<Real>::diagnose() {
  refresh();
  look(now_);
  for (const bool is_early : {true, false})
    potential_vorticity(mesh_, sweeps_.vertices.part(is_early), kLevels, coriolis_, now_.thickness(),
                        now_.wind(), vorticity_, pv_, vertex_energy_);
}

template <class Real>
std::vector<std::vector<double>> ShallowWater<Real>::products(std::span<const Product> wanted) {
  diagnose();
  std::vector<std::vector<double>> found(wanted.size(), std::vector<double>(n_cells_));
  for (std::size_t p = 0; p < wanted.size(); ++p)
    for (LocalIndex i = 0; i < n_cells_; ++i) found[p][i] = product(wanted[p], i);
  return found;
}

template <class Real>
double ShallowWater<Real>::product(Product wanted, LocalIndex cell) const {
  const Block<Real, 1> rows(kLevels, 0);
  switch (wanted) {
    case Product::height:
      return double{now_.thickness()[cell]} + ground_[cell];
    case Product::thickness:
      return now_.thickness()[cell];
    case Product::eastward_wind:
      return wind(cell, 0);
    case Product::northward_wind:
      return wind(cell, 1);
    case Product::vorticity:
      return at_cell(mesh_, rows(vorticity_), cell);
    case Product::potential_vorticity:
      return at_cell(mesh_, rows(pv_), cell);
    case Product::divergence:
      return atmosphere::divergence(mesh_, rows(now_.wind()), cell);
    case Product::kinetic_energy:
      return mixed_energy<Real>(mesh_, static_cast<Real>(options_.scheme.vertex_energy), rows(now_.wind()),
                                rows(vertex_energy_), cell);
  }
  return 0;
}

/// The eastward (0) or northward (1) wind at the centre of a cell.
template <class Real>
double ShallowWater<Real>::wind(LocalIndex cell, int component) const {
  double sum = 0;
  for (auto j = mesh_.cell_offsets[cell]; j < mesh_.cell_offsets[cell + 1]; ++j)
    sum += double{mesh_.eastward_northward[j][component]} * now_.wind()[mesh_.edges_on_cell[j]];
  return sum;
}

/// M = sum_i A_i h_i,  E = sum_i A_i h_i (K_i + g (h_i/2 + b_i)),  Z = sum_v A_v h_v q_v^2 / 2,
/// L = sum_i A_i h_i a . (r x u + r^2 Omega): along the axis a
template <class Real>
std::vector<double> ShallowWater<Real>::integrals() {
  diagnose();
  const Block<Real, 1> rows(kLevels, 0);
  const auto& planet = options_.planet;
  std::array<ExactSum, kIntegrals> sums;
  for (LocalIndex i = 0; i < n_cells_; ++i) {
    const double h = now_.thickness()[i], mass = mesh_.cell_area[i] * h;
    const double kinetic = kinetic_energy(mesh_, rows(now_.wind()), i);
    const Vector3 p = cell_points_[i], around = cross(axis_, p);
    const Vector3 east = normalized(cross({0, 0, 1}, p)),
                  velocity = wind(i, 0) * east + wind(i, 1) * cross(p, east);
    const double turning = planet.rotation * planet.radius * dot(around, around);
    sums[kMass].add(mass);
    sums[kEnergy].add(mass * (kinetic + planet.gravity * (h / 2 + ground_[i])));
    sums[kAngularMomentum].add(mass * planet.radius * (dot(velocity, around) + turning));
  }
  for (LocalIndex v = 0; v < n_vertices_; ++v) {
    const double h = at_vertex(mesh_, rows(now_.thickness()), v), q = pv_[v];
    sums[kEnstrophy].add(mesh_.vertex_area[v] * h * q * q / 2);
  }
  return totals(comm_, sums);
}

template class ShallowWater<double>;
template class ShallowWater<float>;

}  // namespace halcyon::atmosphere
