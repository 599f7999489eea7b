#include "halcyon/operators/vectors.hpp"

#include <cmath>

#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::operators {

template <class Real>
Vectors<Real>::Vectors(const decomposition::LocalMesh& local) {
  const auto& mesh = local.mesh;
  for (LocalIndex e = 0; e < local.part.shares[1].n_owned; ++e) {
    const auto [from, to] = mesh.cells_on_edge[e];
    const auto [right, left] = mesh.vertices_on_edge[e];
    normals_.push_back(normalized(mesh.cell_points[to] - mesh.cell_points[from]));
    ends_.push_back({mesh.vertex_points[right], mesh.vertex_points[left]});
  }
  for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) fit(mesh, cell);
}

template <class Real>
double Vectors<Real>::mean_across(const std::function<Vector3(Vector3)>& field, LocalIndex edge) const {
  static const double beside = (1 - std::sqrt(0.6)) / 2;
  const auto [from, to] = ends_[edge];
  const auto at = [&](double right, double left) {
    return dot(field(normalized(right * from + left * to)), normals_[edge]);
  };
  return (8 * at(0.5, 0.5) + 5 * (at(1 - beside, beside) + at(beside, 1 - beside))) / 18;
}

/// The normal of an edge keeps its angle to the great circle between the two cells, which it lies on.
template <class Real>
void Vectors<Real>::fit(const mesh::Mesh& mesh, LocalIndex cell) {
  const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  double cc = 0, cs = 0, ss = 0;
  std::vector<std::array<double, 2>> directions;
  for (auto i = begin; i < end; ++i) {
    const Vector3 here = mesh.cell_points[cell], there = mesh.cell_points[mesh.cells_on_cell[i]];
    const double angle = mesh::angle_from_east(here, there - here);
    const double c = std::cos(angle), s = std::sin(angle);
    directions.push_back({c, s});
    cc += c * c, cs += c * s, ss += s * s;
  }
  const double determinant = cc * ss - cs * cs;
  for (auto i = begin; i < end; ++i) {
    const auto [c, s] = directions[i - begin];
    const bool is_outward = mesh.cells_on_edge[mesh.edges_on_cell[i]][0] == cell;
    const double out = (is_outward ? 1.0 : -1.0) / determinant;
    weights_.push_back(
        {static_cast<Real>(out * (ss * c - cs * s)), static_cast<Real>(out * (cc * s - cs * c))});
  }
}

template <class Real>
std::array<double, 2> Vectors<Real>::eastward_northward(const Horizontal<Real>& mesh,
                                                        std::span<const Real> across, int n_levels,
                                                        LocalIndex cell, int level) const {
  std::array<double, 2> sum{};
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const double value = across[static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level];
    for (int c = 0; c < 2; ++c) sum[c] += double{weights_[j][c]} * value;
  }
  return sum;
}

template class Vectors<double>;
template class Vectors<float>;

}  // namespace halcyon::operators
