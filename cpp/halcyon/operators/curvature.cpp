#include "halcyon/operators/curvature.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halcyon/base/normal_equations.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::operators {
namespace {

constexpr int kTerms = 5;  // of a quadratic without its constant: x, y, x^2, x y, y^2
using Terms = NormalEquations<kTerms>::Row;

Terms terms(double x, double y) {
  return {x, y, x * x, x * y, y * y};
}

/// The neighbours of a cell, with the great circles from the cell to each of them.
struct Ring {
  std::vector<LocalIndex> cells;  ///< in the order of the mesh; empty if a neighbour is missing
  std::vector<double> distances;  ///< lengths of the great circles [rad]
  std::vector<double> angles;     ///< directions of the great circles from east, at the cell [rad]

  double radius() const { return std::ranges::max(distances); }
};

template <class Real>
Ring neighbour_ring(const HorizontalMesh<Real>& mesh, std::span<const Vector3> points, LocalIndex cell) {
  Ring ring;
  const Vector3 here = points[cell];
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const auto& edge_cells = mesh.cells_on_edge[mesh.edges_on_cell[j]];
    const auto other = edge_cells[0] == cell ? edge_cells[1] : edge_cells[0];
    if (other == kNone) return {};
    ring.cells.push_back(other);
    ring.distances.push_back(mesh::arc_length(here, points[other]));
    ring.angles.push_back(mesh::angle_from_east(here, points[other] - here));
  }
  return ring;
}

using Weights = SecondDerivatives<double>;

/// Returns the weights of the neighbours of a cell for its second derivatives times D, the square of the
/// ring's radius. t_j are the terms of neighbour j, N = sum_j t_j t_j^T: the coefficients of the
/// least-squares quadratic are N^-1 sum_j t_j (q_j - q_i); the weight of neighbour j in a derivative, g times
/// the coefficients, is N^-1 g . t_j.
std::vector<Weights> second_derivative_weights(const Ring& ring) {
  constexpr SecondDerivatives<Terms> kDerivatives{{{0, 0, 2, 0, 2}, {0, 0, 2, 0, -2}, {0, 0, 0, 2, 0}}};  // g
  const auto n = ring.cells.size();
  std::vector<Weights> weights(n);
  if (n == 0) return weights;
  NormalEquations<kTerms> equations;
  std::vector<Terms> rows;
  for (std::size_t j = 0; j < n; ++j) {
    const double r = ring.distances[j] / ring.radius();
    rows.push_back(terms(r * std::cos(ring.angles[j]), r * std::sin(ring.angles[j])));
    equations.add(rows.back());
  }
  if (!equations.factorize()) return weights;
  for (int c = 0; c < kSecondDerivatives; ++c) {
    const Terms solved = equations.solve(kDerivatives[c]);
    for (std::size_t j = 0; j < n; ++j)
      for (int a = 0; a < kTerms; ++a) weights[j][c] += solved[a] * rows[j][a];
  }
  return weights;
}

/// Returns the weights w of the second derivatives s of a cell (times D) for which w . s = d^2/12 q_nn, where
/// n is the direction of neighbour j, distance d, angle a: D q_nn = (s_0 + s_1 cos 2a + s_2 sin 2a) / 2.
Weights normal_derivative_weights(const Ring& ring, std::size_t j) {
  const double d = ring.distances[j] / ring.radius(), factor = d * d / 24;
  return {factor, factor * std::cos(2 * ring.angles[j]), factor * std::sin(2 * ring.angles[j])};
}

template <class Real>
SecondDerivatives<Real> to_precision(const Weights& weights) {
  return {static_cast<Real>(weights[0]), static_cast<Real>(weights[1]), static_cast<Real>(weights[2])};
}

/// Returns the weights of s dq/dt (`Curvature::shifts`) of an edge.
/// @param cells first, second, right, left  @param right, left vertices of the edge
std::array<double, 2> shift_weights(const std::array<Vector3, 4>& cells, Vector3 right, Vector3 left) {
  const Vector3 middle = normalized(cells[0] + cells[1]), tangent = normalized(left - right),
                normal = cells[1] - cells[0], across = cells[3] - cells[2];
  const double weight = dot(normalized(right + left) - middle, tangent) / dot(across, tangent);
  return {weight, -weight * dot(across, normal) / dot(normal, normal)};
}

}  // namespace

template <class Real>
Curvature<Real>::Curvature(const HorizontalMesh<Real>& mesh, std::span<const Vector3> cell_points,
                           std::span<const Vector3> vertex_points, int order, double beta)
    : upwinding(static_cast<Real>(beta)) {
  if (order < 3) return;
  offsets.assign(1, 0);
  normal_weights.resize(mesh.n_edges());
  side_cells.resize(mesh.n_edges());
  shifts.resize(mesh.n_edges());
  std::vector<Ring> rings;
  for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
    rings.push_back(neighbour_ring(mesh, cell_points, i));
    const auto& ring = rings.back();
    cells.insert(cells.end(), ring.cells.begin(), ring.cells.end());
    for (const auto& weight : second_derivative_weights(ring)) weights.push_back(to_precision<Real>(weight));
    offsets.push_back(static_cast<LocalIndex>(cells.size()));
  }
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    const auto& edge_cells = mesh.cells_on_edge[e];
    if (std::ranges::any_of(edge_cells, [&](LocalIndex i) { return i == kNone || rings[i].cells.empty(); }))
      continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto i = edge_cells[side];
      const auto edges = std::span(mesh.edges_on_cell).subspan(mesh.cell_offsets[i], rings[i].cells.size());
      normal_weights[e][side] = to_precision<Real>(
          normal_derivative_weights(rings[i], std::ranges::find(edges, e) - edges.begin()));
    }
    const auto& ends = mesh.vertices_on_edge[e];
    const auto [first, second] = edge_cells;
    for (std::size_t side = 0; side < 2; ++side)
      side_cells[e][side] = *std::ranges::find_if(mesh.cells_on_vertex[ends[side]],
                                                  [&](LocalIndex i) { return i != first && i != second; });
    const auto [right, left] = side_cells[e];
    const auto shift =
        shift_weights({cell_points[first], cell_points[second], cell_points[right], cell_points[left]},
                      vertex_points[ends[0]], vertex_points[ends[1]]);
    shifts[e] = {static_cast<Real>(shift[0]), static_cast<Real>(shift[1])};
  }
}

template <class Real>
std::int64_t Curvature<Real>::memory_bytes() const {
  const auto indices = (offsets.size() + cells.size() + 2 * side_cells.size()) * sizeof(LocalIndex);
  const auto numbers = kSecondDerivatives * (weights.size() + 2 * normal_weights.size()) + 2 * shifts.size();
  return static_cast<std::int64_t>(indices + numbers * sizeof(Real));
}

template struct Curvature<double>;
template struct Curvature<float>;

}  // namespace halcyon::operators
