#include <cmath>

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/mesh/geometry.hpp"

/// What starts give to a part of the globe, and what files and integrals take of it.
namespace halcyon::atmosphere {

template <class Real>
double GlobePart<Real>::mean_across(const std::function<Vector3(Vector3)>& wind, LocalIndex edge) const {
  static const double beside = (1 - std::sqrt(0.6)) / 2;
  const auto [from, to] = edge_ends_[edge];
  const auto at = [&](double right, double left) {
    return dot(wind(normalized(right * from + left * to)), edge_normals_[edge]);
  };
  return (8 * at(0.5, 0.5) + 5 * (at(1 - beside, beside) + at(beside, 1 - beside))) / 18;
}

/// Least squares: the wind (x, y) at the centre that makes sum_e (x cos a_e + y sin a_e - u_e)^2 smallest,
/// exact for a uniform wind on a plane. The normal of an edge keeps its angle to the
/// great circle between the two cells, which it lies on.
template <class Real>
void GlobePart<Real>::reconstruct(const mesh::Mesh& whole, LocalIndex cell) {
  const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  double cc = 0, cs = 0, ss = 0;
  std::vector<std::array<double, 2>> normals;
  for (auto i = begin; i < end; ++i) {
    const Vector3 here = cell_points[cell], there = cell_points[whole.cells_on_cell[i]];
    const double angle = mesh::angle_from_east(here, there - here);
    const double c = std::cos(angle), s = std::sin(angle);
    normals.push_back({c, s});
    cc += c * c, cs += c * s, ss += s * s;
  }
  const double determinant = cc * ss - cs * cs;
  for (auto i = begin; i < end; ++i) {
    const auto [c, s] = normals[i - begin];
    const bool is_outward = mesh.cells_on_edge[mesh.edges_on_cell[i]][0] == cell;
    const double out = (is_outward ? 1.0 : -1.0) / determinant;
    eastward_northward_.push_back(
        {static_cast<Real>(out * (ss * c - cs * s)), static_cast<Real>(out * (cc * s - cs * c))});
  }
}

template <class Real>
std::array<double, 2> GlobePart<Real>::eastward_northward(std::span<const Real> wind, int n_levels,
                                                          LocalIndex cell, int level) const {
  std::array<double, 2> sum{};
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const double across = wind[static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level];
    for (int c = 0; c < 2; ++c) sum[c] += double{eastward_northward_[j][c]} * across;
  }
  return sum;
}

template <class Real>
double GlobePart<Real>::angular_momentum(LocalIndex cell, std::array<double, 2> wind, Vector3 axis) const {
  const auto& planet = options.planet;
  const Vector3 p = cell_points[cell], around = cross(axis, p);
  const Vector3 east = normalized(cross({0, 0, 1}, p)), velocity = wind[0] * east + wind[1] * cross(p, east);
  const double turning = planet.rotation * planet.radius * dot(around, around);
  return planet.radius * (dot(velocity, around) + turning);
}

template <class Real>
std::vector<double> GlobePart<Real>::totals(std::span<ExactSum> sums) const {
  std::vector<double> found;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    comm.sum(limbs);
    found.push_back(ExactSum(limbs).value());
  }
  return found;
}

template class GlobePart<double>;
template class GlobePart<float>;

}  // namespace halcyon::atmosphere
