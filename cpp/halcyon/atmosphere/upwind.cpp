#include "halcyon/atmosphere/upwind.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halcyon/mesh/geometry.hpp"

namespace halcyon::atmosphere {

namespace {

constexpr int kTerms = 5;  // x, y, x^2, x y, y^2
using Terms = std::array<double, kTerms>;

Terms terms(double x, double y) {
  return {x, y, x * x, x * y, y * y};
}

/// A symmetric positive definite system of equations, by Cholesky's factors.
class System {
 public:
  void add(const Terms& row) {
    for (int a = 0; a < kTerms; ++a)
      for (int b = 0; b < kTerms; ++b) matrix_[a][b] += row[a] * row[b];
  }

  /// @returns false where it has no single solution
  bool factorize() {
    constexpr double kLeast = 1e-10;  // of a pivot, beside its diagonal
    for (int a = 0; a < kTerms; ++a) {
      const double diagonal = matrix_[a][a];
      for (int b = 0; b <= a; ++b) {
        double sum = matrix_[a][b];
        for (int c = 0; c < b; ++c) sum -= matrix_[a][c] * matrix_[b][c];
        if (a != b) {
          matrix_[a][b] = sum / matrix_[b][b];
        } else if (!(sum > kLeast * diagonal)) {
          return false;
        } else {
          matrix_[a][a] = std::sqrt(sum);
        }
      }
    }
    return true;
  }

  Terms solve(Terms x) const {
    for (int a = 0; a < kTerms; ++a) {
      for (int b = 0; b < a; ++b) x[a] -= matrix_[a][b] * x[b];
      x[a] /= matrix_[a][a];
    }
    for (int a = kTerms - 1; a >= 0; --a) {
      for (int b = a + 1; b < kTerms; ++b) x[a] -= matrix_[b][a] * x[b];
      x[a] /= matrix_[a][a];
    }
    return x;
  }

 private:
  std::array<Terms, kTerms> matrix_{};
};

/// Where neighbours lie from a cell: distances [rad] and directions along great circles.
struct Ring {
  std::vector<LocalIndex> cells;  ///< in the order of the mesh; empty where one is missing
  std::vector<double> distances, angles;
};

template <class Real>
Ring ring_of(const Horizontal<Real>& mesh, std::span<const Vector3> points, LocalIndex cell) {
  Ring ring;
  const Vector3 here = points[cell];
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const auto& beside = mesh.cells_on_edge[mesh.edges_on_cell[j]];
    const auto other = beside[0] == cell ? beside[1] : beside[0];
    if (other == kNone) return {};
    ring.cells.push_back(other);
    ring.distances.push_back(mesh::arc_length(here, points[other]));
    ring.angles.push_back(mesh::angle_from_east(here, points[other] - here));
  }
  return ring;
}

/// The weights of a ring for each of its edges, one edge after the other: of the second derivative towards
/// the edge times d^2 / 12. With N = sum_j t_j t_j^T over the terms of the neighbours, least squares give
/// the coefficients N^-1 sum_j t_j (q_j - q_i), and a derivative g of them the weights (N^-1 g) . t_j.
std::vector<double> weights_of(const Ring& ring) {
  const auto n = ring.cells.size();
  std::vector<double> weights(n * n);
  if (n == 0) return weights;
  const double scale = *std::ranges::max_element(ring.distances);
  System system;
  std::vector<Terms> rows;
  for (std::size_t j = 0; j < n; ++j) {
    const double r = ring.distances[j] / scale;
    rows.push_back(terms(r * std::cos(ring.angles[j]), r * std::sin(ring.angles[j])));
    system.add(rows.back());
  }
  if (!system.factorize()) return weights;
  for (std::size_t e = 0; e < n; ++e) {
    const double c = std::cos(ring.angles[e]), s = std::sin(ring.angles[e]), d = ring.distances[e] / scale;
    const Terms solved = system.solve({0, 0, 2 * c * c, 2 * c * s, 2 * s * s});
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int a = 0; a < kTerms; ++a) sum += solved[a] * rows[j][a];
      weights[e * n + j] = d * d / 12 * sum;
    }
  }
  return weights;
}

}  // namespace

template <class Real>
Curvature<Real>::Curvature(const Horizontal<Real>& mesh, std::span<const Vector3> cell_points,
                           const Scheme& scheme)
    : upwinding(static_cast<Real>(scheme.upwinding)) {
  offsets.assign(2 * static_cast<std::size_t>(mesh.n_edges()) + 1, 0);
  if (scheme.transport_order == 2) return;
  std::vector<Ring> rings;
  std::vector<std::vector<double>> of_rings;
  for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
    rings.push_back(ring_of(mesh, cell_points, i));
    of_rings.push_back(weights_of(rings.back()));
  }
  const auto is_whole = [&](LocalIndex i) { return i != kNone && !rings[i].cells.empty(); };
  const auto add = [&](LocalIndex i, LocalIndex e) {
    const auto& ring = rings[i].cells;
    const auto edges = std::span(mesh.edges_on_cell).subspan(mesh.cell_offsets[i], ring.size());
    const auto at = std::ranges::find(edges, e) - edges.begin();
    cells.insert(cells.end(), ring.begin(), ring.end());
    for (std::size_t j = 0; j < ring.size(); ++j)
      weights.push_back(static_cast<Real>(of_rings[i][at * ring.size() + j]));
  };
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    const auto& beside = mesh.cells_on_edge[e];
    for (std::size_t side = 0; side < 2; ++side) {
      if (is_whole(beside[0]) && is_whole(beside[1])) add(beside[side], e);
      offsets[2 * static_cast<std::size_t>(e) + side + 1] = static_cast<LocalIndex>(cells.size());
    }
  }
}

template struct Curvature<double>;
template struct Curvature<float>;

}  // namespace halcyon::atmosphere
