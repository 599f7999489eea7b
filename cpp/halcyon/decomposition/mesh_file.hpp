#pragma once

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/io/reader.hpp"

namespace halcyon::decomposition {

/// A mesh file written by `mesh::write_mpas` (classic netCDF, unit sphere), from which each rank reads only
/// its part. All functions are collective.
class MeshFile {
 public:
  /// @throws InputError if the file cannot be read, is not an MPAS mesh, or is not on the unit sphere
  MeshFile(const comm::Communicator& comm, const std::string& path);

  const comm::Communicator& comm() const { return ranks_.comm(); }
  GlobalIndex n_cells() const { return n_items_[0]; }
  /// Reads the topology of the cells in the block of this rank (BlockDistribution).
  Slice slice();
  LocalMesh local_mesh(Decomposition part);

 private:
  GlobalIndex dimension(const std::string& name) const;
  bool has(const std::string& variable) const;
  void read_cells(LocalMesh& local);
  void read_edges(LocalMesh& local);
  void read_vertices(LocalMesh& local);

  io::Ranks ranks_;
  io::Reader reader_;
  std::vector<GlobalIndex> n_items_;  ///< numbers of cells, edges, vertices in the file
};

}  // namespace halcyon::decomposition
