#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "../arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/attached_nics.hpp"
#include "halcyon/network/topology/topologies.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::network;
using NodeNumbers = Input<std::int32_t>;
using Sizes = std::vector<std::int32_t>;

std::int32_t checked(std::int32_t number, std::int32_t n, const char* noun) {
  require<InputError>(number >= 0 && number < n, "There is no {} {}. Give 0 to {}.", noun, number, n - 1);
  return number;
}

/// Returns value(number) of each number, which must be 0 .. n - 1.
template <class Value>
auto map_numbers(const NodeNumbers& numbers, std::int32_t n, const char* noun, Value value) {
  std::vector<std::int32_t> values;
  for (const std::int32_t number : span_of(numbers)) values.push_back(value(checked(number, n, noun)));
  return to_numpy(std::move(values));
}

/// Returns whether each switch has nodes; distances are defined only between such switches.
std::vector<bool> switches_with_nodes(const Topology& topology) {
  std::vector<bool> has_nodes(topology.n_switches());
  for (Switch i = 0; i < topology.n_edge_switches(); ++i) has_nodes[topology.edge_switch(i)] = true;
  return has_nodes;
}

auto distances(const Topology& topology, const NodeNumbers& from, const NodeNumbers& to) {
  require<InputError>(from.size() == to.size(),
                      "{} from_switches and {} to_switches were given. Give equal numbers.", from.size(),
                      to.size());
  const auto has_nodes = switches_with_nodes(topology);
  const auto checked_edge = [&](std::int32_t number) {
    require<InputError>(has_nodes[checked(number, topology.n_switches(), "switch")],
                        "Switch {} has no nodes, so it has no distances.", number);
    return number;
  };
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < from.size(); ++i)
    result.push_back(topology.distance(checked_edge(from.data()[i]), checked_edge(to.data()[i])));
  return to_numpy(std::move(result));
}

auto links(const Topology& topology) {
  std::vector<std::int32_t> from, to, kinds;
  for (Link link = 0; link < topology.n_links(); ++link) {
    const LinkEnds ends = topology.ends(link);
    from.push_back(ends.from), to.push_back(ends.to), kinds.push_back(topology.kind(link));
  }
  return nb::make_tuple(to_numpy(std::move(from)), to_numpy(std::move(to)), to_numpy(std::move(kinds)));
}

void bind_topology(nb::module_& m) {
  nb::class_<Topology>(
      m, "Topology",
      "The nodes, switches and links of a network, numbered from 0. The nodes of a switch are consecutive, "
      "and so are the links that leave a switch. A link is one direction of a cable.")
      .def(properties<&Topology::name, &Topology::n_nodes, &Topology::n_end_points, &Topology::n_switches,
                      &Topology::n_links, &Topology::attached_nics>())
      .def_prop_ro("kinds", &Topology::kinds, "Kinds of links, such as ['local', 'global'].")
      .def_prop_ro("diameter", &Topology::diameter,
                   "The largest distance [links] between switches with nodes.")
      .def(
          "switch_of",
          [](const Topology& self, const NodeNumbers& nodes) {
            return map_numbers(nodes, self.n_end_points(), "node",
                               [&](Node node) { return self.switch_of(node); });
          },
          "nodes"_a, "The switch of each node or end point, int32. Raises InputError for an invalid number.")
      .def("distance", &distances, "from_switches"_a, "to_switches"_a,
           "Number of links, int32, on shortest routes between switches with nodes; on a dragonfly, shortest "
           "among routes with at most one global link. Raises InputError for switches without nodes.")
      .def("links", &links, "The source switches, target switches and kinds, int32 (link).")
      .def(
          "in_second_half",
          [](const Topology& self) {
            std::vector<std::int32_t> halves(self.n_switches());
            for (Switch i = 0; i < self.n_switches(); ++i) halves[i] = self.is_in_second_half(i);
            return to_numpy(std::move(halves));
          },
          "1 for each switch in the second half of the bisection, else 0, int32 (switch).")
      .def("__repr__", [](const Topology& self) { return "<" + self.name() + ">"; });
  m.def("make_topology", &make_topology, "type"_a, "options"_a,
        "Makes a network from its type and options in case files. Raises ConfigError for unknown names.");
  m.def("network_names", &network_names);
  m.def("named_network", &named_network);
}

template <class Grid>
Sizes sizes_of(const Grid& self) {
  return {self.sizes().begin(), self.sizes().end()};
}

void bind_topologies(nb::module_& m) {
  nb::class_<Torus, Topology>(
      m, "Torus",
      "A grid of switches, each dimension a ring; the first dimension varies fastest. Raises ConfigError for "
      "sizes or nodes below 1, or too large a network.")
      .def(nb::init<Sizes, std::int32_t>(), "sizes"_a, "nodes_per_switch"_a = 1)
      .def_prop_ro("sizes", &sizes_of<Torus>);
  nb::class_<HyperX, Topology>(m, "HyperX",
                               "A grid of switches, each linked to all others of its row along every "
                               "dimension. Raises ConfigError as Torus does.")
      .def(nb::init<Sizes, std::int32_t>(), "sizes"_a, "nodes_per_switch"_a = 1)
      .def_prop_ro("sizes", &sizes_of<HyperX>);
  nb::class_<FatTree, Topology>(
      m, "FatTree",
      "Levels of switches; those of level i have down[i] down-ports and up[i] up-ports. The "
      "nodes are below level 0; the highest level has no up-ports. Raises ConfigError for "
      "ports below 1, different numbers of levels, or too large a tree.")
      .def(nb::init<Sizes, Sizes>(), "down"_a, "up"_a)
      .def_prop_ro("down", &FatTree::down, "Down-ports (level).")
      .def_prop_ro("up", &FatTree::up, "Up-ports (level except the highest).")
      .def_static("of_radix", &FatTree::of_radix, "levels"_a, "radix"_a, "oversubscription"_a = 1,
                  "The tree of switches with `radix` ports: half down and half up, except all down on the "
                  "highest level, and on the lowest level `oversubscription` times as many down as up. "
                  "Raises ConfigError if the ports cannot be divided in this way.");
  nb::class_<Dragonfly, Topology>(
      m, "Dragonfly",
      "Groups of switches, fully connected ([a]) or along columns and rows ([x, y]), with the same number of "
      "global links between each pair, as many as the ports allow. arrangement: absolute, relative or "
      "circulant. Raises ConfigError as Torus does, and if a group has too few links to reach all others.")
      .def(
          "__init__",
          [](Dragonfly* self, const Sizes& group, std::int32_t n_groups, std::int32_t global_links,
             std::int32_t nodes_per_switch, const std::string& arrangement) {
            new (self) Dragonfly({.group = group,
                                  .n_groups = n_groups,
                                  .global_links = global_links,
                                  .nodes_per_switch = nodes_per_switch,
                                  .arrangement = arrangement_named(arrangement)});
          },
          nb::kw_only(), "group"_a, "n_groups"_a, "global_links"_a, "nodes_per_switch"_a = 1,
          "arrangement"_a = "absolute")
      .def_prop_ro(
          "group", [](const Dragonfly& self) { return self.shape().group; },
          "Sizes of a group: [a] or [x, y].")
      .def_prop_ro("n_groups", [](const Dragonfly& self) { return self.shape().n_groups; })
      .def_prop_ro("links_per_pair", &Dragonfly::links_per_pair,
                   "Number of global links from one group to another.");
  nb::class_<Graph, Topology>(m, "Graph", "Any network, from lists; at most 16,384 switches.")
      .def(
          "__init__",
          [](Graph* self, const Sizes& nodes, const NodeNumbers& cables, std::vector<std::string> kinds) {
            std::vector<Cable> cable_list;
            for (std::size_t i = 0; i + 2 < cables.size(); i += 3)
              cable_list.push_back({cables.data()[i], cables.data()[i + 1], cables.data()[i + 2]});
            new (self) Graph(nodes, cable_list, std::move(kinds));
          },
          "nodes"_a, "cables"_a, "kinds"_a);
  m.def("read_graph", &read_graph);
  nb::class_<AttachedNics, Topology>(
      m, "AttachedNics",
      "A network to which each NIC of a node is attached separately: NIC k of node n is end point n + k "
      "n_nodes. parts: one network, whose nodes are NICs, those of a node at as many consecutive switches; "
      "or "
      "one for each NIC, its rail. Raises ConfigError for another number of parts, different rails, and a "
      "part with too few switches or different numbers of nodes on them.")
      .def(nb::init<std::vector<const Topology*>, std::int32_t>(), "parts"_a, "nics"_a,
           nb::keep_alive<1, 2>())
      .def_prop_ro("parts", &AttachedNics::parts, nb::rv_policy::reference_internal);
}

/// Returns the links and channels of message number `flow` on an idle network.
auto route(const Routing& routing, Node source, Node target, std::uint32_t flow) {
  const Topology& topology = routing.topology();
  for (const Node node : {source, target}) checked(node, topology.n_nodes(), "node");
  Route path{.source = source, .target = target, .path_selector = flow};
  routing.start(path, NoLinkLoads());
  std::vector<std::int32_t> links, channels;
  for (Switch current = topology.switch_of(source); !path.has_arrived(current);
       current = topology.ends(links.back()).to) {
    const Hop hop = routing.next(current, path);
    links.push_back(hop.link), channels.push_back(hop.channel);
  }
  return nb::make_tuple(to_numpy(std::move(links)), to_numpy(std::move(channels)));
}

void bind_routing(nb::module_& m) {
  nb::class_<Routing>(m, "Routing", "Routing of messages over a network. Stateless; see make_routing.")
      .def_prop_ro("topology", &Routing::topology, nb::rv_policy::reference_internal)
      .def_prop_ro("name", [](const Routing& self) { return name_of(self.method()); })
      .def_prop_ro("n_channels", &Routing::n_channels, "Virtual channels per link, which prevent deadlock.")
      .def("route", &route, "source"_a, "target"_a, "flow"_a = 0,
           "Links and their channels, int32, on which message number `flow` travels between two nodes of an "
           "idle network. Raises InputError for an invalid node.");
  m.def("routing_names", [] { return options::names_of(routings()); });
  m.def(
      "make_routing",
      [](const Topology& topology, std::string_view name, std::uint64_t seed) {
        return make_routing(topology, method_named(name), seed);
      },
      nb::keep_alive<0, 1>());
}

}  // namespace

void bind_network(nb::module_& m) {
  bind_topology(m);
  bind_topologies(m);
  bind_routing(m);
  bind_network_machine(m);
  bind_network_engine(m);
}
