#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::operators {

/// The lists and weights of one rank's mesh for the operators (trisk.hpp), on a sphere of a given radius [m],
/// in the order of the mesh. Notation of Ringler et al. (2010): l length of an edge, d distance of its cells,
/// A area of a cell, R_iv kite area of a cell at a vertex, n_ei = +1 where the
/// normal of e points out of i, t_ev = +1 where the tangent of e points to v, so that its normal circulates
/// counter-clockwise around v.
template <class Real>
struct HorizontalMesh {
  /// @throws ConfigError for a radius that is not finite and positive, InputError if the mesh does not cover
  ///         the globe
  HorizontalMesh(const decomposition::LocalMesh& local, double radius);

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_offsets.size()) - 1; }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(cells_on_edge.size()); }
  LocalIndex n_vertices() const { return static_cast<LocalIndex>(cells_on_vertex.size()); }
  /// Cells, edges, vertices.
  std::array<LocalIndex, 3> n_items() const { return {n_cells(), n_edges(), n_vertices()}; }
  /// Approximate memory of lists and weights [bytes].
  std::int64_t memory_bytes() const;

  // Entries cell_offsets[i] .. cell_offsets[i + 1] belong to cell i.
  std::vector<LocalIndex> cell_offsets, edges_on_cell, vertices_on_cell;
  std::vector<Real> outward_length;  ///< n_ei l_e / A_i [m-1], parallel to edges_on_cell
  std::vector<Real> energy_share;    ///< l_e d_e / (4 A_i), parallel to edges_on_cell
  std::vector<Real> vertex_share;    ///< R_iv / A_i, parallel to vertices_on_cell

  std::vector<std::array<LocalIndex, 2>> cells_on_edge, vertices_on_edge;
  std::vector<Real> inverse_distance;  ///< 1 / d_e [m-1]
  std::vector<Real> inverse_length;    ///< 1 / l_e [m-1]
  std::vector<Real> spacing;           ///< d_e [m]
  // Entries edge_offsets[2 e] .. edge_offsets[2 e + 1] are the other edges of the first cell of e, those up
  // to edge_offsets[2 e + 2] of the second. Each is summed separately, so that reversing an edge keeps the
  // bits.
  std::vector<LocalIndex> edge_offsets, edges_on_edge;
  std::vector<Real> tangent_weight;  ///< w_ee' l_e' / d_e (Thuburn et al. 2009), parallel to edges_on_edge

  std::vector<std::array<LocalIndex, 3>> cells_on_vertex, edges_on_vertex;
  std::vector<std::array<Real, 3>> circulation;  ///< t_ev d_e / A_v [m-1], parallel to edges_on_vertex
  std::vector<std::array<Real, 3>> kite_share;   ///< R_iv / A_v, parallel to cells_on_vertex
  std::vector<std::array<Real, 3>> vertex_energy_share;  ///< l_e d_e / (4 A_v), parallel to edges_on_vertex

  std::vector<double> cell_area, vertex_area;  ///< [m2]

 private:
  void list_cells(const mesh::Mesh& mesh, double radius);
  void list_edges(const mesh::Mesh& mesh, double radius);
  void list_vertices(const mesh::Mesh& mesh, double radius);
};

/// Weights of the kinetic energy of cells as one sum over the edges at their vertices,
///   K_i = (1 - b) (1/A_i) sum_e (l_e d_e / 4) u_e^2 + b (1/A_i) sum_v R_iv K_v,
///   K_v = (1/A_v) sum_e (l_e d_e / 4) u_e^2
/// with a share b from the vertices (Gassmann 2013, Q. J. R. Meteorol. Soc. 139): entries offsets[i] ..
/// offsets[i + 1] belong to cell i, in the order of the mesh, its own edges first. Cells beyond the first
/// halo layer may lack edges.
template <class Real>
struct KineticEnergyWeights {
  KineticEnergyWeights(const HorizontalMesh<Real>& mesh, double share);

  std::vector<LocalIndex> offsets, edges;
  std::vector<Real> weights;  ///< parallel to edges
};

/// Projects vector fields on the normals of edges, and reconstructs vectors at cell centres.
template <class Real>
class VectorReconstruction {
 public:
  explicit VectorReconstruction(const decomposition::LocalMesh& local);

  /// Mean normal component of a field along an owned edge: three-point Gauss-Legendre quadrature.
  double mean_normal_component(const std::function<Vector3(Vector3)>& field, LocalIndex edge) const;
  /// Reconstructs the eastward and northward component at the centre of an owned cell, on the tangent plane,
  /// from normal components (edge, level). Least squares: minimizes sum_e (x cos a_e + y sin a_e - u_e)^2
  /// over (x, y); exact for a uniform field on a plane.
  std::array<double, 2> eastward_northward(const HorizontalMesh<Real>& mesh, std::span<const Real> across,
                                           int n_levels, LocalIndex cell, int level) const;

 private:
  void fit(const mesh::Mesh& mesh, LocalIndex cell);

  std::vector<std::array<Real, 2>> weights_;  ///< for eastward_northward (edge of an owned cell)
  std::vector<Vector3> normals_;              ///< (owned edge)
  std::vector<std::array<Vector3, 2>> ends_;  ///< (owned edge)
};

/// Bounds of the largest eigenvalues [m-2] of the discrete Laplacians on a sphere of a given radius [m], from
/// the rows of their matrices (Gershgorin). They limit the time step of waves and of explicit diffusion.

/// 2/A_i sum_e l_e/d_e of a cell.
double cell_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);
/// 2/A_v sum_e d_e/l_e, the largest of the vertices of a cell.
double vertex_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);

}  // namespace halcyon::operators
