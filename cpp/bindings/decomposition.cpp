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
using decomposition::LocalMesh;
using decomposition::MeshFile;
using decomposition::Share;
using decomposition::Slice;
using decomposition::Topology;
using mesh::Mesh;
using Owners = std::span<const Rank>;

auto halo_volumes(const Mesh& mesh, Owners owners, Rank n_ranks, int n_layers, std::int64_t cell_bytes,
                  std::int64_t edge_bytes, std::int64_t vertex_bytes, int threads) {
  std::vector<schedule::HaloField> fields;
  for (const auto item_bytes : {cell_bytes, edge_bytes, vertex_bytes}) {
    const auto entity = static_cast<int>(fields.size());
    require<ConfigError>(item_bytes >= 0, "An item of a field has 0 bytes or more, not {}.", item_bytes);
    fields.push_back({.entity = entity, .item_bytes = item_bytes});
  }
  std::erase_if(fields, [](const auto& field) { return field.item_bytes == 0; });
  auto found = released([&] {
    return decomposition::halo_volumes(decomposition::topology_of(mesh), owners, n_ranks, n_layers, fields,
                                       threads);
  });
  return to_tuple(std::move(found.offsets), std::move(found.peers), std::move(found.messages),
                  std::move(found.bytes));
}

int shared_kind(const std::string& location) {
  const auto& kinds = decomposition::kKinds;
  const auto kind = std::ranges::find(kinds, location) - kinds.begin();
  require<ConfigError>(kind == 1 || kind == 2, "Cells share 'edge' or 'vertex', not '{}'.", location);
  return static_cast<int>(kind);
}

auto to_local(const Share& share, Ids ids) {
  std::vector<LocalIndex> local(ids.size());
  decomposition::to_local(share, ids, local);
  return to_numpy(std::move(local));
}

template <int kind>
const Share& share(const Decomposition& self) {
  return self.shares[kind];
}

void bind_topology(nb::module_& m) {
  nb::class_<Topology>(m, "Topology",
                       "Who is whose neighbour, and which edges and vertices cells share, of any mesh. Lists "
                       "of cell i are values[offsets[i] : offsets[i + 1]]; a negative value means none.")
      .def(made(nb::overload_cast<Indices, Indices>(&decomposition::topology_of)), "offsets"_a,
           "cells_on_cell"_a,
           "Raises InputError where the lists make no graph, or one cell has a neighbour that has not it.")
      .def(
          "share",
          [](Topology& self, const std::string& location, Indices offsets, Indices on_cell,
             LocalIndex n_shared) {
            decomposition::set_shared(self, shared_kind(location), offsets, on_cell, n_shared);
          },
          "location"_a, "offsets"_a, "on_cell"_a, "n_shared"_a,
          "Adds each cell's edges ('edge') or vertices ('vertex'), of n_shared in the mesh. Raises "
          "InputError as the constructor, ConfigError for another location.")
      .def_prop_ro("n_cells", &Topology::n_cells);
}

void bind_parts(nb::module_& m) {
  nb::class_<Share>(m, "Share", "The cells, edges or vertices that a rank holds: owned, then halo layers.")
      .def(views<&Share::to_global, &Share::layer_offsets>())
      .def_ro("n_owned", &Share::n_owned)
      .def("to_local", &to_local, "ids"_a,
           "Where the rank holds the items with these global ids (n), int64; -1 where it does not. Give all "
           "at once.");
  nb::class_<Decomposition>(m, "Decomposition",
                            "One rank's part of a mesh: cells inner, boundary, halo layer 1, ...")
      .def(made([](const Mesh& mesh, Owners owners, Rank rank, int n_layers) {
             return decomposition::decompose(decomposition::topology_of(mesh), owners, rank, n_layers);
           }),
           "mesh"_a, "owners"_a, "rank"_a, "n_layers"_a, Released())
      .def(made(nb::overload_cast<const Topology&, Owners, Rank, int>(&decomposition::decompose)),
           "topology"_a, "owners"_a, "rank"_a, "n_layers"_a, Released())
      .def_prop_ro("cells", &share<0>)
      .def_prop_ro("edges", &share<1>)
      .def_prop_ro("vertices", &share<2>)
      .def_ro("n_inner", &Decomposition::n_inner);
}

void bind_local_mesh(nb::module_& m) {
  nb::class_<LocalMesh>(
      m, "LocalMesh",
      "One rank's part of a mesh: cells, edges and vertices in local numbering, with the halo.")
      .def(made(nb::overload_cast<const Mesh&, Owners, Rank, int>(&decomposition::local_mesh)), "mesh"_a,
           "owners"_a, "rank"_a, "n_layers"_a = 1, Released())
      .def_ro("part", &LocalMesh::part, "The Decomposition.")
      .def_ro("mesh", &LocalMesh::mesh, "The Mesh, in local numbers; -1 for what is not in the halo.")
      .def_ro("n_items", &LocalMesh::n_items, "Cells, edges and vertices of the whole mesh.")
      .def_ro("most_edges", &LocalMesh::most_edges, "Of a cell of the whole mesh.")
      .def_prop_ro("checksum", &decomposition::checksum,
                   "Of the owned cells; the sum over ranks modulo 2**64 is that of the whole mesh.");
}

void bind_mesh_file(nb::module_& m) {
  nb::class_<Slice>(m, "Slice",
                    "What a rank knows of a mesh that none holds whole: the cells of its block, int32 "
                    "offsets and int64 global ids. Rank r of n has cells n_cells r // n to n_cells (r + 1) "
                    "// n - 1. A negative value means none.")
      .def(made(&decomposition::slice_of), "n_cells"_a, "offsets"_a, "cells_on_cell"_a,
           "Raises InputError where the lists make no graph of n_cells, those of the whole mesh.")
      .def(
          "share",
          [](Slice& self, const std::string& location, Indices offsets, Ids on_cell, GlobalIndex n_shared) {
            decomposition::set_shared(self, shared_kind(location), offsets, on_cell, n_shared);
          },
          "location"_a, "offsets"_a, "on_cell"_a, "n_shared"_a,
          "Adds each cell's edges ('edge') or vertices ('vertex'), of n_shared in the whole mesh.")
      .def(
          "partition",
          [](const Slice& self, const comm::Communicator& comm, const std::string& method, int seed) {
            const graph::PartitionOptions options{.method = graph::partition_method_named(method),
                                                  .seed = seed};
            return to_numpy(released([&] { return decomposition::partition(comm, self, options); }));
          },
          "comm"_a, nb::kw_only(), "method"_a = "kway", "seed"_a = 1)
      .def(
          "decompose",
          [](const Slice& self, const comm::Communicator& comm, Owners owners, int n_layers) {
            return decomposition::decompose(comm, self, owners, n_layers);
          },
          "comm"_a, "owners"_a, "n_layers"_a, Released());
  nb::class_<MeshFile>(m, "MeshFile", "A mesh file of Halcyon's, of which each rank reads what it needs.")
      .def(nb::init<const comm::Communicator&, const std::string&>(), "comm"_a, "path"_a, Released())
      .def_prop_ro("n_cells", &MeshFile::n_cells)
      .def("slice", &MeshFile::slice, Released(), "Collective.")
      .def("local_mesh", &MeshFile::local_mesh, "part"_a, Released(), "Collective.");
}

}  // namespace

void bind_decomposition(nb::module_& m) {
  bind_topology(m);
  bind_parts(m);
  bind_local_mesh(m);
  bind_mesh_file(m);
  m.def("halo_volumes", &halo_volumes, "mesh"_a, "owners"_a, "n_ranks"_a, nb::kw_only(), "n_layers"_a = 1,
        "cell_bytes"_a = 0, "edge_bytes"_a = 0, "vertex_bytes"_a = 0, "threads"_a = 0,
        "What an exchange of so many bytes a cell, edge and vertex brings to each rank: offsets (rank + 1), "
        "peers, messages, bytes. Raises ConfigError and InputError for numbers and owners that cannot be.");
}
