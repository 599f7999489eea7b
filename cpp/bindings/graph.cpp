#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/graph/partition.hpp"

namespace {

using namespace halcyon;

using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

graph::PartitionMethod method_named(const std::string& name) {
  if (name == "kway") return graph::PartitionMethod::kway;
  if (name == "recursive") return graph::PartitionMethod::recursive;
  throw ConfigError(fmt::format("There is no partition method '{}'. Use kway or recursive.", name));
}

auto partition(const Input<LocalIndex>& offsets, const Input<LocalIndex>& neighbours, int n_parts,
               const std::string& method, int seed) {
  const auto adjacency = graph::make_adjacency(span_of(offsets), span_of(neighbours));
  return to_numpy(graph::partition(adjacency, n_parts, method_named(method), seed));
}

template <std::vector<LocalIndex> (*order)(const graph::NeighbourLists&)>
auto graph_order(const Input<LocalIndex>& offsets, const Input<LocalIndex>& neighbours) {
  return to_numpy(order({span_of(offsets), span_of(neighbours)}));
}

template <std::vector<LocalIndex> (*order)(std::span<const Vector3>)>
auto curve_order(const Points& points) {
  return to_numpy(order({reinterpret_cast<const Vector3*>(points.data()), points.shape(0)}));
}

void bind_orders(nb::module_& m) {
  nb::list names;
  for (const auto name : graph::kOrderNames) names.append(nb::str(name.data(), name.size()));
  m.attr("ORDERS") = nb::tuple(names);
  m.def("bfs_order", &graph_order<graph::bfs_order>, nb::arg("offsets"), nb::arg("neighbours"),
        "The nodes of a graph breadth first, each part from its smallest node: order[new] = old. Negative "
        "neighbours mean none. Raises InputError where the lists make no graph.");
  m.def("rcm_order", &graph_order<graph::rcm_order>, nb::arg("offsets"), nb::arg("neighbours"),
        "The nodes of a graph in the reverse of Cuthill and McKee's order: order[new] = old. Arguments and "
        "errors "
        "as `bfs_order`.");
  m.def("hilbert_order", &curve_order<graph::hilbert_order>, nb::arg("points"),
        "Points (n, 3) of the unit sphere along joined Hilbert curves on the faces of a cube: order[new] = "
        "old. "
        "Raises InputError where a point is not on the unit sphere.");
  m.def("morton_order", &curve_order<graph::morton_order>, nb::arg("points"),
        "The same along Morton's curves.");
}

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("partition", &partition, nb::arg("offsets"), nb::arg("neighbours"), nb::arg("n_parts"), nb::kw_only(),
        nb::arg("method") = "kway", nb::arg("seed") = 1,
        "The part of each node of a graph cut by METIS; no part is empty. Negative neighbours mean none.");
  bind_orders(m);
}
