#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::operators {

/// The edges of a vertex, then the other edges of its three neighbours; kNone where missing.
inline constexpr int kVorticityEdges = 9;
using VorticityEdges = std::array<LocalIndex, kVorticityEdges>;
template <class Real>
using VorticityWeights = std::vector<std::array<Real, kVorticityEdges>>;

/// Returns the edges on which the vorticity at each vertex depends (vertex).
std::vector<VorticityEdges> vorticity_edges(const mesh::Mesh& mesh);

/// Connectivity of one rank's mesh and weights of the operators (trisk.hpp), on a sphere of a given radius
/// [m], in the order of the mesh. Notation of Ringler et al. (2010): l_e length of edge e, d_e distance of
/// its two cells, A_i area of cell i, A_v area of the triangle of vertex v, R_iv area of the kite of cell i
/// at vertex v; n_ei = +1 where the normal of e points out of i, else -1; t_ev = +1 where the tangent of e
/// points to v (the normal of e then circulates counter-clockwise around v), else -1.
template <class Real>
struct HorizontalMesh {
  /// @throws ConfigError for a radius that is not finite and positive, InputError if the mesh does not cover
  ///         the globe
  HorizontalMesh(const decomposition::LocalMesh& local, double radius);

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_offsets.size()) - 1; }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(cells_on_edge.size()); }
  LocalIndex n_vertices() const { return static_cast<LocalIndex>(cells_on_vertex.size()); }
  std::array<LocalIndex, 3> n_items() const { return {n_cells(), n_edges(), n_vertices()}; }
  std::int64_t memory_bytes() const;

  // Entries cell_offsets[i] .. cell_offsets[i + 1] - 1 of the lists and weights of cells belong to cell i.
  std::vector<LocalIndex> cell_offsets, edges_on_cell, vertices_on_cell;
  std::vector<Real> outward_length;  ///< n_ei l_e / A_i [m-1], parallel to edges_on_cell
  std::vector<Real> energy_share;    ///< l_e d_e / (4 A_i), parallel to edges_on_cell
  std::vector<Real> vertex_share;    ///< R_iv / A_i, parallel to vertices_on_cell

  std::vector<std::array<LocalIndex, 2>> cells_on_edge, vertices_on_edge;
  std::vector<Real> inverse_distance;  ///< 1 / d_e [m-1]
  std::vector<Real> inverse_length;    ///< 1 / l_e [m-1]
  std::vector<Real> spacing;           ///< d_e [m]
  // Entries edge_offsets[2 e] .. edge_offsets[2 e + 1] - 1 of edges_on_edge are the edges of the first cell
  // of e without e, entries up to edge_offsets[2 e + 2] - 1 the edges of the second cell. The sums over the
  // two cells are separate, so that a result has the same bits if the two cells are exchanged.
  std::vector<LocalIndex> edge_offsets, edges_on_edge;
  std::vector<Real> tangent_weight;  ///< w_ee' l_e' / d_e (Thuburn et al. 2009), parallel to edges_on_edge

  std::vector<std::array<LocalIndex, 3>> cells_on_vertex, edges_on_vertex;
  std::vector<std::array<Real, 3>> circulation;  ///< t_ev d_e / A_v [m-1], parallel to edges_on_vertex
  /// Weights of the vorticity [m-1], for winds u_e that are means along edges. The circulation around the
  /// triangle of a vertex needs winds at the middle of the line between two cells, which is not the middle of
  /// the edge: its vorticity has an error that does not decrease with the spacing. These weights are the
  /// closest to those of the circulation (least squares) that are exact for all winds that are linear around
  /// the vertex; where winds on these edges do not determine a linear wind, those of the circulation.
  VorticityWeights<Real> vorticity_weight;
  /// The same, closest to twice the circulation of the vertex minus the mean of those of its three
  /// neighbours.
  VorticityWeights<Real> sharp_vorticity_weight;
  std::vector<VorticityEdges> vorticity_edges;           ///< parallel to both
  std::vector<std::array<Real, 3>> kite_share;           ///< R_iv / A_v, parallel to cells_on_vertex
  std::vector<std::array<Real, 3>> vertex_energy_share;  ///< l_e d_e / (4 A_v), parallel to edges_on_vertex

  std::vector<double> cell_area, vertex_area;  ///< [m2]

 private:
  void set_cells(const mesh::Mesh& mesh, double radius);
  void set_edges(const mesh::Mesh& mesh, double radius);
  void set_vertices(const mesh::Mesh& mesh, double radius);
  void set_vorticity(const mesh::Mesh& mesh, double radius);
};

/// Weights of the kinetic energy of a cell as one sum over its edges and the other edges at its vertices,
///   K_i = (1 - b) (1/A_i) sum_e (l_e d_e / 4) u_e^2 + b (1/A_i) sum_v R_iv K_v,
///   K_v = (1/A_v) sum_e (l_e d_e / 4) u_e^2
/// with a share b from the vertices (Gassmann 2013). Cells beyond the first halo layer may lack edges.
template <class Real>
struct KineticEnergyWeights {
  KineticEnergyWeights(const HorizontalMesh<Real>& mesh, double b);
  /// If b is not 0, the closest weights (least squares) that give K = u^2/2 at the centre of a cell for winds
  /// u_e at the middles of edges that are uniform, or linear up to second-order terms, around it. The weights
  /// above are exact for uniform winds only where the line between two cells meets the middle of their edge.
  KineticEnergyWeights(const HorizontalMesh<Real>& mesh, double b, const mesh::Mesh& points);

  // Entries offsets[i] .. offsets[i + 1] - 1 belong to cell i, the edges of the cell first.
  std::vector<LocalIndex> offsets, edges;
  std::vector<Real> weights;  ///< parallel to edges
};

/// Projects vector fields on the normals of edges, and reconstructs vectors at cell centres.
template <class Real>
class VectorReconstruction {
 public:
  explicit VectorReconstruction(const decomposition::LocalMesh& local);

  /// Returns the mean normal component of a vector field along an owned edge (3-point Gauss-Legendre).
  double mean_normal_component(const std::function<Vector3(Vector3)>& field, LocalIndex edge) const;
  /// Returns the eastward and northward component (x, y) at the centre of an owned cell: the least-squares
  /// solution of x cos a_e + y sin a_e = u_e for the edges e of the cell, a_e the angle of the normal from
  /// east; exact for a uniform field on a plane.
  /// @param u normal components (edge, level)
  std::array<double, 2> eastward_northward(const HorizontalMesh<Real>& mesh, std::span<const Real> u,
                                           int n_levels, LocalIndex cell, int level) const;
  /// The same of all levels. @param eastward, northward results (level)
  void eastward_northward(const HorizontalMesh<Real>& mesh, std::span<const Real> u, int n_levels,
                          LocalIndex cell, std::span<double> eastward, std::span<double> northward) const;

 private:
  void fit_weights(const mesh::Mesh& mesh, LocalIndex cell);

  std::vector<std::array<Real, 2>> weights_;  ///< eastward, northward; parallel to edges_on_cell, owned cells
  std::vector<Vector3> normals_;              ///< (owned edge)
  std::vector<std::array<Vector3, 2>> ends_;  ///< the two vertices of an edge (owned edge)
};

/// Upper bounds of the eigenvalues [m-2] of the discrete Laplacians on a sphere of a given radius [m], from
/// the rows of their matrices (Gershgorin). They limit the time step of waves and of explicit diffusion.

/// Laplacian of a field on cells: 2/A_i sum_e l_e/d_e of a cell.
double cell_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);
/// Laplacian of a field on vertices: the largest 2/A_v sum_e d_e/l_e of the vertices of a cell.
double vertex_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);

}  // namespace halcyon::operators
