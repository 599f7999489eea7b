#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "halcyon/mesh/geometry/cut.hpp"

namespace {

using namespace halcyon;
using mesh::Mesh;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Cells = nb::ndarray<const LocalIndex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Mesh select_cells(const Mesh& whole, Cells cells) {
  return mesh::select(whole, {cells.data(), cells.size()});
}

Mesh cut(const Mesh& whole, Flags keep) {
  return mesh::cut(whole, {keep.data(), keep.size()});
}

Mesh ordered(const Mesh& given, const std::string& order) {
  return mesh::ordered(given, graph::order_named(order));
}

auto clean(const Mesh& whole, Flags keep) {
  return to_numpy(mesh::clean({whole.cell_offsets, whole.cells_on_cell}, {keep.data(), keep.size()}));
}

}  // namespace

void bind_mesh_parts(nb::module_& m) {
  m.def("select", &select_cells, nb::arg("mesh"), nb::arg("cells"), Released(),
        "The part of a mesh that has the named cells (int32), in the order in which they are named. Raises "
        "InputError if there are none, or one is named twice or is not there.");
  m.def("cut", &cut, nb::arg("mesh"), nb::arg("keep"), Released(),
        "The part of a mesh whose cells keep (cell, uint8) names, in their order. Raises InputError if keep "
        "has "
        "another length, or keeps nothing.");
  m.def("ordered", &ordered, nb::arg("mesh"), nb::arg("order"), Released(),
        "The mesh with its cells in one of halcyon.graph.ORDERS, and edges and vertices as these touch them. "
        "Raises ConfigError where there is no such order.");
  m.def("clean", &clean, nb::arg("mesh"), nb::arg("keep"),
        "The cells (cell, uint8) of keep that neighbours join to the largest part, without dead ends: each "
        "has two "
        "kept neighbours or more. Raises InputError if keep has another length.");
}
