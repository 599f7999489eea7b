#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/partition.hpp"

namespace {

using namespace halcyon;

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

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("partition", &partition, nb::arg("offsets"), nb::arg("neighbours"), nb::arg("n_parts"), nb::kw_only(),
        nb::arg("method") = "kway", nb::arg("seed") = 1,
        "The part of each node of a graph cut by METIS; no part is empty. Negative neighbours mean none.");
}
