#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/network/dragonfly.hpp"
#include "halcyon/network/fat_tree.hpp"
#include "halcyon/network/graph.hpp"
#include "halcyon/network/hyperx.hpp"
#include "halcyon/network/machine.hpp"
#include "halcyon/network/named.hpp"
#include "halcyon/network/placement.hpp"
#include "halcyon/network/routing.hpp"
#include "halcyon/network/torus.hpp"
#include "halcyon/schedule/volumes.hpp"

namespace {

using namespace halcyon::network;
using halcyon::Rank;
using Sizes = std::vector<std::int32_t>;

std::vector<std::string> texts(const auto& names) {
  return {names.begin(), names.end()};
}

void bind_topologies(nb::module_& m) {
  nb::class_<Topology>(m, "Topology", "Which nodes, switches and links there are.")
      .def_prop_ro("name", &Topology::name)
      .def_prop_ro("n_nodes", &Topology::n_nodes)
      .def_prop_ro("n_switches", &Topology::n_switches)
      .def_prop_ro("n_links", &Topology::n_links)
      .def_prop_ro("kinds", &Topology::kinds)
      .def_prop_ro("diameter", &Topology::diameter)
      .def("switch_of", &Topology::switch_of, nb::arg("node"))
      .def("distance", &Topology::distance, nb::arg("from_switch"), nb::arg("to_switch"))
      .def("kind", &Topology::kind, nb::arg("link"))
      .def("ends", [](const Topology& self, Link link) {
        const auto [from, to] = self.ends(link);
        return nb::make_tuple(from, to);
      });
  nb::class_<Torus, Topology>(m, "Torus")
      .def(nb::init<Sizes, std::int32_t>(), nb::arg("sizes"), nb::arg("nodes_per_switch"));
  nb::class_<HyperX, Topology>(m, "HyperX")
      .def(nb::init<Sizes, std::int32_t>(), nb::arg("sizes"), nb::arg("nodes_per_switch"));
  nb::class_<FatTree, Topology>(m, "FatTree")
      .def(nb::init<Sizes, Sizes>(), nb::arg("down"), nb::arg("up"))
      .def_static("of_radix", &FatTree::of_radix, nb::arg("levels"), nb::arg("radix"),
                  nb::arg("oversubscription") = 1);
  nb::class_<Dragonfly, Topology>(m, "Dragonfly")
      .def(
          "__init__",
          [](Dragonfly* self, const Sizes& group, std::int32_t n_groups, std::int32_t global_links,
             std::int32_t nodes_per_switch, const std::string& arrangement) {
            new (self)
                Dragonfly({group, n_groups, global_links, nodes_per_switch, arrangement_named(arrangement)});
          },
          nb::kw_only(), nb::arg("group"), nb::arg("n_groups"), nb::arg("global_links"),
          nb::arg("nodes_per_switch") = 1, nb::arg("arrangement") = "absolute");
  nb::class_<Graph, Topology>(m, "Graph");
  m.def("read_graph", &read_graph, nb::arg("path"));
  m.def("network_names", [] { return texts(network_names()); });
  m.def("named_network", [](const std::string& name) { return named_network(name); }, nb::arg("name"));
}

void bind_machine(nb::module_& m) {
  nb::class_<LinkSpeed>(m, "LinkSpeed")
      .def(
          "__init__",
          [](LinkSpeed* self, double bandwidth, double latency) { new (self) LinkSpeed{bandwidth, latency}; },
          nb::arg("bandwidth"), nb::arg("latency"))
      .def_rw("bandwidth", &LinkSpeed::bandwidth)
      .def_rw("latency", &LinkSpeed::latency);
  nb::class_<Machine>(m, "Machine", "How fast a machine is; SI units.")
      .def(nb::init<>())
      .def_rw("links", &Machine::links)
      .def_rw("switch_latency", &Machine::switch_latency)
      .def_rw("crossbar_factor", &Machine::crossbar_factor)
      .def_rw("injection_bandwidth", &Machine::injection_bandwidth)
      .def_rw("injection_latency", &Machine::injection_latency)
      .def_rw("ejection_bandwidth", &Machine::ejection_bandwidth)
      .def_rw("ejection_latency", &Machine::ejection_latency)
      .def_rw("send_overhead", &Machine::send_overhead)
      .def_rw("receive_overhead", &Machine::receive_overhead)
      .def_rw("eager_bytes", &Machine::eager_bytes)
      .def_rw("bypass_bytes", &Machine::bypass_bytes)
      .def_rw("packet_bytes", &Machine::packet_bytes)
      .def_rw("buffer_packets", &Machine::buffer_packets)
      .def_rw("nics_per_node", &Machine::nics_per_node)
      .def_rw("ranks_per_node", &Machine::ranks_per_node)
      .def_rw("memory_bandwidth", &Machine::memory_bandwidth)
      .def_rw("memory_latency", &Machine::memory_latency);
  m.def("machine_names", [] { return texts(machine_names()); });
  m.def("named_machine", [](const std::string& name) { return named_machine(name); }, nb::arg("name"));
}

void bind_placement(nb::module_& m) {
  nb::class_<Placement>(m, "Placement", "Where ranks run.")
      .def(
          "__init__",
          [](Placement* self, const Topology& topology, const Input<Node>& nodes, std::int32_t per_node) {
            const auto given = span_of(nodes);
            new (self) Placement(topology, {given.begin(), given.end()}, per_node);
          },
          nb::arg("topology"), nb::arg("nodes"), nb::arg("ranks_per_node"))
      .def_prop_ro("nodes", [](nb::handle self) { return view(self, nb::cast<Placement&>(self).nodes()); });
  m.def("linear_placement", &linear_placement, nb::arg("topology"), nb::arg("n_ranks"),
        nb::arg("ranks_per_node") = 1);
  m.def("random_placement", &random_placement, nb::arg("topology"), nb::arg("n_ranks"),
        nb::arg("ranks_per_node") = 1, nb::arg("seed") = 1);
  m.def(
      "mapped_placement",
      [](const Topology& topology, const halcyon::schedule::Schedule& schedule, std::int32_t per_node) {
        const nb::gil_scoped_release released;
        return mapped_placement(topology, halcyon::schedule::volumes(schedule), per_node);
      },
      nb::arg("topology"), nb::arg("schedule"), nb::arg("ranks_per_node") = 1);
}

}  // namespace

void bind_network(nb::module_& m) {
  bind_topologies(m);
  bind_machine(m);
  bind_placement(m);
  nb::class_<Routing>(m, "Routing", "How messages find their way.");
  m.def("routing_names", [] { return texts(kMethodNames); });
  m.def(
      "make_routing",
      [](const Topology& topology, const std::string& name, std::uint64_t seed) {
        return make_routing(topology, method_named(name), seed);
      },
      nb::arg("topology"), nb::arg("name"), nb::arg("seed") = 1, nb::keep_alive<0, 1>());
  bind_network_engine(m);
}
