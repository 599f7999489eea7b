#pragma once

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/io/reader.hpp"

namespace halcyon::decomposition {

/// A mesh file as `mesh::write_mpas` writes it (classic netCDF, unit sphere), of which each rank reads what
/// it needs. Every call is collective.
class MeshFile {
 public:
  /// @throws InputError if it cannot be read or is another kind of file (another radius, another format)
  MeshFile(const comm::Communicator& comm, const std::string& path);

  const comm::Communicator& comm() const { return ranks_.comm(); }
  GlobalIndex n_cells() const { return n_items_[0]; }
  /// Who is whose neighbour, and the edges and vertices of cells, of this rank's block of the cells.
  Slice slice();
  /// The mesh of this rank's part.
  LocalMesh local_mesh(Decomposition part);

 private:
  GlobalIndex dimension(const std::string& name) const;
  bool has(const std::string& variable) const;
  void read_cells(LocalMesh& local);
  void read_edges(LocalMesh& local);
  void read_vertices(LocalMesh& local);

  io::Ranks ranks_;
  io::Reader reader_;
  std::vector<GlobalIndex> n_items_;  ///< cells, edges, vertices
};

}  // namespace halcyon::decomposition
