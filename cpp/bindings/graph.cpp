#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/graph/partition.hpp"

namespace {

using namespace halcyon;

using WeightsOrNone = std::optional<std::span<const std::int64_t>>;

graph::Adjacency adjacency_of(Indices offsets, Indices neighbours, const WeightsOrNone& nodes,
                              const WeightsOrNone& edges) {
  const std::span<const std::int64_t> empty;
  return graph::make_adjacency(offsets, neighbours, {nodes.value_or(empty), edges.value_or(empty)});
}

auto partition(Indices offsets, Indices neighbours, int n_parts, const std::string& method, int seed,
               bool contiguous, const WeightsOrNone& node_weights, const WeightsOrNone& edge_weights,
               std::optional<int> ranks_per_node) {
  const auto adjacency = adjacency_of(offsets, neighbours, node_weights, edge_weights);
  const graph::PartitionOptions options{
      .method = graph::partition_method_named(method), .seed = seed, .contiguous = contiguous};
  return to_numpy(ranks_per_node ? graph::two_level_partition(adjacency, n_parts, *ranks_per_node, options)
                                 : graph::partition(adjacency, n_parts, options));
}

auto report(Indices offsets, Indices neighbours, std::span<const Rank> parts, int n_parts,
            const WeightsOrNone& node_weights, const WeightsOrNone& edge_weights) {
  return graph::partition_report(adjacency_of(offsets, neighbours, node_weights, edge_weights), parts,
                                 n_parts);
}

void bind_partition(nb::module_& m) {
  using graph::PartitionReport;
  m.attr("METHODS") = nb::tuple(nb::cast(texts(graph::kPartitionMethodNames)));
  nb::class_<PartitionReport>(m, "PartitionReport")
      .def(
          properties<&PartitionReport::n_parts, &PartitionReport::least_weight, &PartitionReport::mean_weight,
                     &PartitionReport::most_weight, &PartitionReport::imbalance, &PartitionReport::edge_cut,
                     &PartitionReport::n_empty, &PartitionReport::n_split>());
  m.def("partition", &partition, "offsets"_a, "neighbours"_a, "n_parts"_a, nb::kw_only(), "method"_a,
        "seed"_a, "contiguous"_a, "node_weights"_a.none(), "edge_weights"_a.none(),
        "ranks_per_node"_a.none());
  m.def("partition_report", &report, "offsets"_a, "neighbours"_a, "parts"_a, "n_parts"_a, nb::kw_only(),
        "node_weights"_a.none(), "edge_weights"_a.none());
}

template <std::vector<LocalIndex> (*order)(const graph::NeighbourLists&)>
auto graph_order(Indices offsets, Indices neighbours) {
  return to_numpy(order({offsets, neighbours}));
}

template <std::vector<LocalIndex> (*order)(std::span<const Vector3>)>
auto curve_order(std::span<const Vector3> points) {
  return to_numpy(order(points));
}

void bind_orders(nb::module_& m) {
  m.attr("ORDERS") = nb::tuple(nb::cast(texts(graph::kOrderNames)));
  m.def("bfs_order", &graph_order<graph::bfs_order>, "offsets"_a, "neighbours"_a,
        "Breadth-first order of the nodes of a graph, each connected component from its smallest node: "
        "order[new] = old. Negative neighbours are ignored. Raises InputError for invalid lists.");
  m.def("rcm_order", &graph_order<graph::rcm_order>, "offsets"_a, "neighbours"_a,
        "Reverse Cuthill-McKee order of the nodes of a graph: order[new] = old. Arguments and errors: see "
        "`bfs_order`.");
  m.def(
      "grist_hilbert_order", &graph_order<graph::grist_hilbert_order>, "offsets"_a, "neighbours"_a,
      "Order of the cells of a mesh along the Hilbert curve in the oblique coordinates of GRIST: order[new] "
      "= old. Neighbours must be listed counter-clockwise. Arguments and errors: see `bfs_order`.");
  m.def("grist_morton_order", &curve_order<graph::grist_morton_order>, "points"_a,
        "Order of points (n, 3) of the unit sphere by their GeoHash: order[new] = old. Raises InputError if "
        "a point is not on the unit sphere.");
  m.def("geohash", &graph::geohash, "latitude"_a, "longitude"_a, "characters"_a,
        "The GeoHash of a point [degrees], of 1 to 12 characters. Raises InputError for invalid coordinates, "
        "ConfigError for another number of characters.");
  m.def("hilbert_order", &curve_order<graph::hilbert_order>, "points"_a,
        "Order of points (n, 3) of the unit sphere along connected Hilbert curves on the faces of a cube: "
        "order[new] = old. Raises InputError if a point is not on the unit sphere.");
  m.def("morton_order", &curve_order<graph::morton_order>, "points"_a,
        "Like `hilbert_order`, but along Morton curves.");
}

}  // namespace

void bind_graph(nb::module_& m) {
  bind_partition(m);
  bind_orders(m);
}
