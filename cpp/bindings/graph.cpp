#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/grist_order.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/graph/partition.hpp"

namespace {

using namespace halcyon;

using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

using WeightsOrNone = std::optional<Input<std::int64_t>>;

graph::Adjacency adjacency_of(const Input<LocalIndex>& offsets, const Input<LocalIndex>& neighbours,
                              const WeightsOrNone& nodes, const WeightsOrNone& edges) {
  const auto span = [](const WeightsOrNone& given) {
    return given ? span_of(*given) : std::span<const std::int64_t>();
  };
  return graph::make_adjacency(span_of(offsets), span_of(neighbours), {span(nodes), span(edges)});
}

auto partition(const Input<LocalIndex>& offsets, const Input<LocalIndex>& neighbours, int n_parts,
               const std::string& method, int seed, bool contiguous, const WeightsOrNone& node_weights,
               const WeightsOrNone& edge_weights, std::optional<int> ranks_per_node) {
  const auto adjacency = adjacency_of(offsets, neighbours, node_weights, edge_weights);
  const graph::PartitionOptions options{graph::partition_method_named(method), seed, contiguous};
  return to_numpy(ranks_per_node ? graph::two_level_partition(adjacency, n_parts, *ranks_per_node, options)
                                 : graph::partition(adjacency, n_parts, options));
}

auto report(const Input<LocalIndex>& offsets, const Input<LocalIndex>& neighbours, const Input<Rank>& parts,
            int n_parts, const WeightsOrNone& node_weights, const WeightsOrNone& edge_weights) {
  return graph::partition_report(adjacency_of(offsets, neighbours, node_weights, edge_weights),
                                 span_of(parts), n_parts);
}

void bind_partition(nb::module_& m) {
  using graph::PartitionReport;
  m.attr("METHODS") = nb::tuple(nb::cast(texts(graph::kPartitionMethodNames)));
  nb::class_<PartitionReport>(m, "PartitionReport")
      .def_ro("n_parts", &PartitionReport::n_parts)
      .def_ro("least_weight", &PartitionReport::least_weight)
      .def_ro("mean_weight", &PartitionReport::mean_weight)
      .def_ro("most_weight", &PartitionReport::most_weight)
      .def_ro("imbalance", &PartitionReport::imbalance)
      .def_ro("edge_cut", &PartitionReport::edge_cut)
      .def_ro("n_empty", &PartitionReport::n_empty)
      .def_ro("n_split", &PartitionReport::n_split);
  m.def("partition", &partition, nb::arg("offsets"), nb::arg("neighbours"), nb::arg("n_parts"), nb::kw_only(),
        nb::arg("method"), nb::arg("seed"), nb::arg("contiguous"), nb::arg("node_weights").none(),
        nb::arg("edge_weights").none(), nb::arg("ranks_per_node").none());
  m.def("partition_report", &report, nb::arg("offsets"), nb::arg("neighbours"), nb::arg("parts"),
        nb::arg("n_parts"), nb::kw_only(), nb::arg("node_weights").none(), nb::arg("edge_weights").none());
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
  m.attr("ORDERS") = nb::tuple(nb::cast(texts(graph::kOrderNames)));
  m.def("bfs_order", &graph_order<graph::bfs_order>, nb::arg("offsets"), nb::arg("neighbours"),
        "The nodes of a graph breadth first, each part from its smallest node: order[new] = old. Negative "
        "neighbours mean none. Raises InputError where the lists make no graph.");
  m.def("rcm_order", &graph_order<graph::rcm_order>, nb::arg("offsets"), nb::arg("neighbours"),
        "The nodes of a graph in the reverse of Cuthill and McKee's order: order[new] = old. Arguments and "
        "errors "
        "as `bfs_order`.");
  m.def("grist_hilbert_order", &graph_order<graph::grist_hilbert_order>, nb::arg("offsets"),
        nb::arg("neighbours"),
        "The cells of a mesh along the Hilbert curve of GRIST's oblique coordinates: order[new] = old. "
        "Neighbours "
        "are listed counter-clockwise. Arguments and errors as `bfs_order`.");
  m.def("grist_morton_order", &curve_order<graph::grist_morton_order>, nb::arg("points"),
        "Points (n, 3) of the unit sphere by their GeoHash: order[new] = old. Raises InputError where a "
        "point is "
        "not on the unit sphere.");
  m.def("geohash", &graph::geohash, nb::arg("latitude"), nb::arg("longitude"), nb::arg("characters"),
        "The GeoHash of a point [degrees], of 1 to 12 characters. Raises InputError where the point is none, "
        "ConfigError for another number of characters.");
  m.def("hilbert_order", &curve_order<graph::hilbert_order>, nb::arg("points"),
        "Points (n, 3) of the unit sphere along joined Hilbert curves on the faces of a cube: order[new] = "
        "old. "
        "Raises InputError where a point is not on the unit sphere.");
  m.def("morton_order", &curve_order<graph::morton_order>, nb::arg("points"),
        "The same along Morton's curves.");
}

}  // namespace

void bind_graph(nb::module_& m) {
  bind_partition(m);
  bind_orders(m);
}
