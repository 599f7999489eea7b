#include "halcyon/decomposition/decomposition.hpp"

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/volumes.hpp"

namespace {

using namespace halcyon;
using mesh::Mesh;

using Owners = nb::ndarray<const Rank, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const Rank> owners_of(const Owners& owners) {
  return {owners.data(), owners.size()};
}

schedule::Volumes volumes_of(const Mesh& mesh, std::span<const Rank> owners, Rank n_ranks, int n_layers,
                             const std::vector<schedule::HaloField>& fields, int threads) {
  const nb::gil_scoped_release released;
  return decomposition::halo_volumes(decomposition::topology_of(mesh), owners, n_ranks, n_layers, fields,
                                     threads);
}

auto halo_volumes(const Mesh& mesh, const Owners& owners, Rank n_ranks, int n_layers, std::int64_t cell_bytes,
                  std::int64_t edge_bytes, std::int64_t vertex_bytes, int threads) {
  std::vector<schedule::HaloField> fields;
  for (const auto item_bytes : {cell_bytes, edge_bytes, vertex_bytes}) {
    const auto entity = static_cast<int>(fields.size());
    require<ConfigError>(item_bytes >= 0, "An item of a field has 0 bytes or more, not {}.", item_bytes);
    fields.push_back({.entity = entity, .item_bytes = item_bytes});
  }
  std::erase_if(fields, [](const auto& field) { return field.item_bytes == 0; });
  auto found = volumes_of(mesh, owners_of(owners), n_ranks, n_layers, fields, threads);
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.peers)),
                        to_numpy(std::move(found.messages)), to_numpy(std::move(found.bytes)));
}

auto decompose(const Mesh& mesh, const Owners& owners, Rank rank, int n_layers) {
  const auto part =
      decomposition::decompose(decomposition::topology_of(mesh), owners_of(owners), rank, n_layers);
  return nb::make_tuple(to_numpy(part.cells().to_global), part.n_inner, to_numpy(part.cells().layer_offsets));
}

}  // namespace

void bind_decomposition(nb::module_& m) {
  m.def("halo_volumes", &halo_volumes, nb::arg("mesh"), nb::arg("owners"), nb::arg("n_ranks"), nb::kw_only(),
        nb::arg("n_layers") = 1, nb::arg("cell_bytes") = 0, nb::arg("edge_bytes") = 0,
        nb::arg("vertex_bytes") = 0, nb::arg("threads") = 0,
        "What an exchange of so many bytes a cell, edge and vertex brings to each rank: offsets (rank + 1), "
        "peers, messages, bytes. Raises ConfigError and InputError for numbers and owners that cannot be.");
  m.def("decompose", &decompose, nb::arg("mesh"), nb::arg("owners"), nb::arg("rank"), nb::kw_only(),
        nb::arg("n_layers") = 1,
        "A rank's cells, inner, boundary, then halo layers; how many are inner; where the layers begin and "
        "the last one ends. Raises ConfigError for fewer layers than 1.");
}
