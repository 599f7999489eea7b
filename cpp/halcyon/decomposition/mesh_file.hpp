#pragma once

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/io/reader.hpp"

namespace halcyon::decomposition {

/// A mesh file written by `mesh::write_mpas` (classic netCDF, unit sphere), of which each rank reads only its
/// part. All functions are collective.
class MeshFile {
 public:
  /// @throws InputError if the file cannot be read, or has another format or radius
  MeshFile(const comm::Communicator& comm, const std::string& path);

  const comm::Communicator& comm() const { return ranks_.comm(); }
  GlobalIndex n_cells() const { return n_items_[0]; }
  /// The topology of the cells in the block of this rank.
  Slice slice();
  /// Reads the mesh of the part of this rank.
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
