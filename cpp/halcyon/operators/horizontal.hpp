#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::operators {

/// What the operators (trisk.hpp) read of one rank's mesh, on a sphere of a radius [m]: lists and weights in
/// the order of the mesh. Letters are those of Ringler et al. (2010): l the length of an edge, d the distance
/// of its cells, A the area of a cell, R_iv the area that a cell shares with a vertex, n_ei = +1 where the
/// normal of e points out of i, t_ev = +1 where the tangent of e points to v, so that its normal goes around
/// v counter-clockwise.
template <class Real>
struct Horizontal {
  /// @throws ConfigError for a radius that is not finite or not more than 0, InputError where the mesh does
  ///         not cover the globe
  Horizontal(const decomposition::LocalMesh& local, double radius);

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_offsets.size()) - 1; }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(cells_on_edge.size()); }
  LocalIndex n_vertices() const { return static_cast<LocalIndex>(cells_on_vertex.size()); }
  /// Cells, edges, vertices.
  std::array<LocalIndex, 3> n_items() const { return {n_cells(), n_edges(), n_vertices()}; }
  /// What the lists and weights take, most of it.
  std::int64_t memory_bytes() const;

  // Entries cell_offsets[i] .. cell_offsets[i + 1] are those of cell i.
  std::vector<LocalIndex> cell_offsets, edges_on_cell, vertices_on_cell;
  std::vector<Real> outward_length;  ///< n_ei l_e / A_i [m-1], beside edges_on_cell
  std::vector<Real> energy_share;    ///< l_e d_e / (4 A_i), beside edges_on_cell
  std::vector<Real> vertex_share;    ///< R_iv / A_i, beside vertices_on_cell

  std::vector<std::array<LocalIndex, 2>> cells_on_edge, vertices_on_edge;
  std::vector<Real> over_distance;  ///< 1 / d_e [m-1]
  std::vector<Real> over_length;    ///< 1 / l_e [m-1]
  std::vector<Real> spacing;        ///< d_e [m]
  // The other edges of the first cell of e are entries edge_offsets[2 e] .. edge_offsets[2 e + 1], those of
  // the second go on to edge_offsets[2 e + 2]: two sums, so that an edge may as well be turned round.
  std::vector<LocalIndex> edge_offsets, edges_on_edge;
  std::vector<Real> tangent_weight;  ///< w_ee' l_e' / d_e (Thuburn et al. 2009), beside edges_on_edge

  std::vector<std::array<LocalIndex, 3>> cells_on_vertex, edges_on_vertex;
  std::vector<std::array<Real, 3>> circulation;          ///< t_ev d_e / A_v [m-1], beside edges_on_vertex
  std::vector<std::array<Real, 3>> kite_share;           ///< R_iv / A_v, beside cells_on_vertex
  std::vector<std::array<Real, 3>> vertex_energy_share;  ///< l_e d_e / (4 A_v), beside edges_on_vertex

  std::vector<double> cell_area, vertex_area;  ///< [m2]

 private:
  void list_cells(const mesh::Mesh& mesh, double radius);
  void list_edges(const mesh::Mesh& mesh, double radius);
  void list_vertices(const mesh::Mesh& mesh, double radius);
};

/// The kinetic energy of cells as one sum over the edges at their vertices,
///   K_i = (1 - b) (1/A_i) sum_e (l_e d_e / 4) u_e^2 + b (1/A_i) sum_v R_iv K_v,
///   K_v = (1/A_v) sum_e (l_e d_e / 4) u_e^2
/// with a share b from the vertices (Gassmann 2013, Q. J. R. Meteorol. Soc. 139): entries offsets[i] ..
/// offsets[i + 1] are those of cell i, in the order of the mesh, first its own edges. Cells beyond the first
/// halo layer may lack some.
template <class Real>
struct Energy {
  Energy(const Horizontal<Real>& mesh, double share);

  std::vector<LocalIndex> offsets, edges;
  std::vector<Real> weights;  ///< beside edges
};

/// From vectors on the sphere to what of them crosses edges, and back.
template <class Real>
class Vectors {
 public:
  explicit Vectors(const decomposition::LocalMesh& local);

  /// The mean along an owned edge of what of a field crosses it: Gauss and Legendre's rule of three points.
  double mean_across(const std::function<Vector3(Vector3)>& field, LocalIndex edge) const;
  /// The vector at the centre of an owned cell, eastwards and northwards on the tangent plane, of what
  /// crosses edges (edge, level). Least squares: the (x, y) that makes sum_e (x cos a_e + y sin a_e - u_e)^2
  /// smallest, exact for a uniform field on a plane.
  std::array<double, 2> eastward_northward(const Horizontal<Real>& mesh, std::span<const Real> across,
                                           int n_levels, LocalIndex cell, int level) const;

 private:
  void fit(const mesh::Mesh& mesh, LocalIndex cell);

  std::vector<std::array<Real, 2>> weights_;  ///< of eastward_northward (edge of an owned cell)
  std::vector<Vector3> normals_;              ///< (owned edge)
  std::vector<std::array<Vector3, 2>> ends_;  ///< (owned edge)
};

/// Bounds of the largest eigenvalues [m-2] of the discrete Laplacians on a sphere of a radius [m], by the
/// rows of their matrices (Gershgorin): what a step must resolve of waves, and of what is explicitly
/// diffused.

/// 2/A_i sum_e l_e/d_e of a cell.
double cell_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);
/// 2/A_v sum_e d_e/l_e of the vertices, the largest around a cell.
double vertex_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);

}  // namespace halcyon::operators
