#include "halcyon/network/machine.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/network/mapping/placement.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::network;
using Released = nb::call_guard<nb::gil_scoped_release>;

void bind_machine(nb::module_& m) {
  nb::class_<LinkSpeed>(m, "LinkSpeed", "How fast links of a kind are: bandwidth [B s-1], latency [s].")
      .def(
          "__init__",
          [](LinkSpeed* self, double bandwidth, double latency) { new (self) LinkSpeed{bandwidth, latency}; },
          nb::arg("bandwidth"), nb::arg("latency"))
      .def_rw("bandwidth", &LinkSpeed::bandwidth)
      .def_rw("latency", &LinkSpeed::latency);
  nb::class_<Machine>(m, "Machine",
                      "How fast a machine is, in SI units: the reference machine, until set otherwise.")
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
      .def_rw("progress_in_calls", &Machine::progress_in_calls)
      .def_rw("bypass_bytes", &Machine::bypass_bytes)
      .def_rw("packet_bytes", &Machine::packet_bytes)
      .def_rw("buffer_packets", &Machine::buffer_packets)
      .def_rw("messages_at_once", &Machine::messages_at_once)
      .def_rw("nics_per_node", &Machine::nics_per_node)
      .def_rw("ranks_per_node", &Machine::ranks_per_node)
      .def_rw("memory_channels", &Machine::memory_channels)
      .def_rw("memory_eager_bytes", &Machine::memory_eager_bytes)
      .def_rw("memory_bandwidth", &Machine::memory_bandwidth)
      .def_rw("memory_latency", &Machine::memory_latency);
  m.def("require_valid", &require_valid, nb::arg("machine"), nb::arg("topology"),
        "Raises ConfigError that names what no machine has, or a kind of links without speed.");
  m.def("machine_names", &machine_names);
  m.def("named_machine", &named_machine);
}

void bind_placement(nb::module_& m) {
  nb::class_<Placement>(
      m, "Placement",
      "Where ranks run, from the node of each, int32 (rank). Raises ConfigError for a node that is "
      "none, or has more ranks than ranks_per_node.")
      .def(
          "__init__",
          [](Placement* self, const Topology& topology, const Input<Node>& nodes, std::int32_t per_node) {
            const auto given = span_of(nodes);
            new (self) Placement(topology, {given.begin(), given.end()}, per_node);
          },
          nb::arg("topology"), nb::arg("nodes"), nb::arg("ranks_per_node") = 1)
      .def_prop_ro(
          "nodes", [](nb::handle self) { return view(self, nb::cast<Placement&>(self).nodes()); },
          nb::rv_policy::automatic)
      .def_prop_ro("n_ranks", &Placement::n_ranks)
      .def_prop_ro("ranks_per_node", &Placement::ranks_per_node);
  m.def("linear_placement", &linear_placement, nb::arg("topology"), nb::arg("n_ranks"),
        nb::arg("ranks_per_node") = 1,
        "Rank r on node r // ranks_per_node. Raises ConfigError where there are more ranks than places.");
  m.def("random_placement", &random_placement, nb::arg("topology"), nb::arg("n_ranks"),
        nb::arg("ranks_per_node") = 1, nb::arg("seed") = 1,
        "As many consecutive ranks a node, on nodes drawn by chance. Raises as linear_placement.");
  m.def(
      "mapped_placement",
      [](const Topology& topology, const schedule::Schedule& schedule, std::int32_t per_node) {
        return mapped_placement(topology, schedule::volumes(schedule), per_node);
      },
      nb::arg("topology"), nb::arg("schedule"), nb::arg("ranks_per_node") = 1, Released(),
      "Ranks that send each other much near each other, on the nodes of linear_placement, and never with "
      "more hop bytes than that. Raises as linear_placement.");
  m.def(
      "hop_bytes",
      [](const Topology& topology, const Placement& placement, const schedule::Schedule& schedule) {
        require<ConfigError>(placement.n_ranks() == schedule.n_ranks(),
                             "The placement is of {} ranks, and the schedule of {}. Make one of as many.",
                             placement.n_ranks(), schedule.n_ranks());
        return hop_bytes(topology, placement, schedule::volumes(schedule));
      },
      nb::arg("topology"), nb::arg("placement"), nb::arg("schedule"), Released(),
      "The sum over messages of bytes times links on a shortest route. Raises ConfigError for a placement of "
      "another number of ranks.");
}

}  // namespace

void bind_network_machine(nb::module_& m) {
  bind_machine(m);
  bind_placement(m);
}
