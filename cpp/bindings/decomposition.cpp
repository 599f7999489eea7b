#include "halcyon/decomposition/decomposition.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/from_lists.hpp"
#include "halcyon/decomposition/mesh_file.hpp"

namespace {

using namespace halcyon;
using decomposition::Decomposition;
using decomposition::IndexMap;
using decomposition::LocalMesh;
using decomposition::MeshFile;
using decomposition::Slice;
using decomposition::Topology;
using mesh::Mesh;
using Owners = std::span<const Rank>;

auto halo_volumes(const Mesh& mesh, Owners owners, Rank n_ranks, int n_layers, std::int64_t cell_bytes,
                  std::int64_t edge_bytes, std::int64_t vertex_bytes, int threads) {
  std::vector<schedule::HaloField> fields;
  for (const auto item_bytes : {cell_bytes, edge_bytes, vertex_bytes}) {
    const auto entity = static_cast<int>(fields.size());
    require<ConfigError>(item_bytes >= 0, "The bytes per item are {}. Give 0 or more.", item_bytes);
    fields.push_back({.entity = entity, .item_bytes = item_bytes});
  }
  std::erase_if(fields, [](const auto& field) { return field.item_bytes == 0; });
  auto volumes = without_gil([&] {
    return decomposition::halo_volumes(decomposition::topology_of(mesh), owners, n_ranks, n_layers, fields,
                                       threads);
  });
  return to_tuple(std::move(volumes.offsets), std::move(volumes.peers), std::move(volumes.messages),
                  std::move(volumes.bytes));
}

/// Returns the kind of the entities that cells share: 1 (edges) or 2 (vertices).
int shared_kind(const std::string& location) {
  const auto& kinds = decomposition::kKinds;
  const auto kind = std::ranges::find(kinds, location) - kinds.begin();
  require<ConfigError>(kind == 1 || kind == 2, "The location is '{}'. Give 'edge' or 'vertex'.", location);
  return static_cast<int>(kind);
}

auto to_local(const IndexMap& index_map, Ids ids) {
  std::vector<LocalIndex> local(ids.size());
  decomposition::to_local(index_map, ids, local);
  return to_numpy(std::move(local));
}

template <int kind>
const IndexMap& index_map(const Decomposition& self) {
  return self.index_maps[kind];
}

void bind_topology(nb::module_& m) {
  nb::class_<Topology>(m, "Topology",
                       "Connectivity of any mesh: neighbours of cells, and the edges and vertices that cells "
                       "share. List i is values[offsets[i] : offsets[i + 1]]; negative values are ignored.")
      .def(init_from(nb::overload_cast<Indices, Indices>(&decomposition::topology_of)), "offsets"_a,
           "cells_on_cell"_a, "Raises InputError unless the lists describe an undirected graph.")
      .def(
          "share",
          [](Topology& self, const std::string& location, Indices offsets, Indices on_cell,
             LocalIndex n_shared) {
            decomposition::set_shared(self, shared_kind(location), offsets, on_cell, n_shared);
          },
          "location"_a, "offsets"_a, "on_cell"_a, "n_shared"_a,
          "Sets the edges ('edge') or vertices ('vertex') of the cells, numbered 0 to n_shared - 1. Raises "
          "InputError for invalid lists, ConfigError for another location.")
      .def_prop_ro("n_cells", &Topology::n_cells);
}

void bind_parts(nb::module_& m) {
  nb::class_<IndexMap>(
      m, "IndexMap",
      "Local numbering of the cells, edges or vertices of a rank: owned entities, then halo layers.")
      .def(views<&IndexMap::to_global, &IndexMap::layer_offsets>())
      .def_ro("n_owned", &IndexMap::n_owned)
      .def("to_local", &to_local, "ids"_a,
           "Local indices of global ids, int64 (n); -1 for ids not on this rank. Each call takes time "
           "proportional to the size of the map.");
  nb::class_<Decomposition>(m, "Decomposition",
                            "The part of a mesh on one rank: inner cells, boundary cells, halo layer 1, ...")
      .def(init_from([](const Mesh& mesh, Owners owners, Rank rank, int n_layers) {
             return decomposition::decompose(decomposition::topology_of(mesh), owners, rank, n_layers);
           }),
           "mesh"_a, "owners"_a, "rank"_a, "n_layers"_a, ReleaseGil())
      .def(init_from(nb::overload_cast<const Topology&, Owners, Rank, int>(&decomposition::decompose)),
           "topology"_a, "owners"_a, "rank"_a, "n_layers"_a, ReleaseGil())
      .def_prop_ro("cells", &index_map<0>)
      .def_prop_ro("edges", &index_map<1>)
      .def_prop_ro("vertices", &index_map<2>)
      .def_ro("n_inner", &Decomposition::n_inner);
}

void bind_local_mesh(nb::module_& m) {
  nb::class_<LocalMesh>(
      m, "LocalMesh",
      "The part of a mesh on one rank, including its halo: cells, edges and vertices in local numbering.")
      .def(init_from(nb::overload_cast<const Mesh&, Owners, Rank, int>(&decomposition::local_mesh)), "mesh"_a,
           "owners"_a, "rank"_a, "n_layers"_a = 1, ReleaseGil())
      .def_ro("part", &LocalMesh::part, "The Decomposition.")
      .def_ro("mesh", &LocalMesh::mesh, "The Mesh, in local indices; -1 for entities outside the halo.")
      .def_ro("n_items", &LocalMesh::n_items, "Numbers of cells, edges and vertices of the whole mesh.")
      .def_ro("most_edges", &LocalMesh::most_edges, "Largest number of edges of a cell of the whole mesh.")
      .def_prop_ro(
          "checksum", &decomposition::checksum,
          "Checksum of the owned cells; the sum over ranks modulo 2**64 is the checksum of the mesh.");
}

void bind_mesh_file(nb::module_& m) {
  nb::class_<Slice>(m, "Slice",
                    "One rank's block of the cells of a mesh that no rank holds completely, with int32 "
                    "offsets and int64 global ids. Rank r of n ranks has cells n_cells r // n to n_cells (r "
                    "+ 1) // n - 1. Negative values are ignored.")
      .def(init_from(&decomposition::slice_of), "n_cells"_a, "offsets"_a, "cells_on_cell"_a,
           "n_cells: number of cells of the whole mesh. Raises InputError for invalid lists.")
      .def(
          "share",
          [](Slice& self, const std::string& location, Indices offsets, Ids on_cell, GlobalIndex n_shared) {
            decomposition::set_shared(self, shared_kind(location), offsets, on_cell, n_shared);
          },
          "location"_a, "offsets"_a, "on_cell"_a, "n_shared"_a,
          "Sets the edges ('edge') or vertices ('vertex') of the cells, numbered 0 to n_shared - 1.")
      .def(
          "partition",
          [](const Slice& self, const comm::Communicator& comm, const std::string& method, int seed) {
            const graph::PartitionOptions options{.method = graph::partition_method_named(method),
                                                  .seed = seed};
            return to_numpy(without_gil([&] { return decomposition::partition(comm, self, options); }));
          },
          "comm"_a, nb::kw_only(), "method"_a = "kway", "seed"_a = 1)
      .def(
          "decompose",
          [](const Slice& self, const comm::Communicator& comm, Owners owners, int n_layers) {
            return decomposition::decompose(comm, self, owners, n_layers);
          },
          "comm"_a, "owners"_a, "n_layers"_a, ReleaseGil());
  nb::class_<MeshFile>(m, "MeshFile",
                       "A mesh file written by Halcyon, of which each rank reads only its part.")
      .def(nb::init<const comm::Communicator&, const std::string&>(), "comm"_a, "path"_a, ReleaseGil())
      .def_prop_ro("n_cells", &MeshFile::n_cells)
      .def("slice", &MeshFile::slice, ReleaseGil(), "Collective.")
      .def("local_mesh", &MeshFile::local_mesh, "part"_a, ReleaseGil(), "Collective.");
}

}  // namespace

void bind_decomposition(nb::module_& m) {
  bind_topology(m);
  bind_parts(m);
  bind_local_mesh(m);
  bind_mesh_file(m);
  m.def("halo_volumes", &halo_volumes, "mesh"_a, "owners"_a, "n_ranks"_a, nb::kw_only(), "n_layers"_a = 1,
        "cell_bytes"_a = 0, "edge_bytes"_a = 0, "vertex_bytes"_a = 0, "threads"_a = 0,
        "Returns the messages and bytes that each rank receives in an exchange, given bytes per cell, edge "
        "and vertex: arrays offsets (rank + 1), peers, messages, bytes. Raises ConfigError or InputError.");
}
