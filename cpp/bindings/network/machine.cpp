#include "halcyon/network/machine.hpp"

#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "../arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/network/mapping/placement.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::network;

void bind_machine(nb::module_& m) {
  nb::class_<LinkSpeed> links(m, "LinkSpeed", "Speed of a kind of link: bandwidth [B s-1], latency [s].");
  links.def(
      "__init__",
      [](LinkSpeed* self, double bandwidth, double latency) { new (self) LinkSpeed{bandwidth, latency}; },
      "bandwidth"_a, "latency"_a);
  nb::class_<Machine> machine(m, "Machine",
                              "Parameters of a machine, in SI units; by default the reference machine.");
  machine.def(nb::init<>()).def_rw("links", &Machine::links);
  for (const auto& number : machine_numbers()) {
    const auto bind = [&]<class T, class Holder>(T Holder::* member) {
      if constexpr (std::is_enum_v<T>)
        machine.def_prop_rw(
            number.name.c_str(),
            [member, &number](const Machine& self) {
              return number.names[static_cast<std::size_t>(self.*member)];
            },
            [member, &number](Machine& self, const std::string& name) {
              const auto found = std::ranges::find(number.names, name);
              require<ConfigError>(found != number.names.end(), "The machine's {} is '{}'. Give one of: {}.",
                                   number.name, name, fmt::join(number.names, ", "));
              self.*member = static_cast<T>(found - number.names.begin());
            });
      else if constexpr (std::is_same_v<Holder, Machine>)
        machine.def_rw(number.property().c_str(), member);
      else
        links.def_rw(number.name.substr(6).c_str(), member);  // without "links."
    };
    std::visit(bind, number.member);
  }
  m.def("require_valid", &require_valid, "machine"_a, "topology"_a,
        "Raises ConfigError naming an invalid parameter, or a kind of link without speed.");
  m.def("machine_names", [] { return options::names_of(machines()); });
  m.def("named_machine", &named_machine);
}

void bind_placement(nb::module_& m) {
  nb::class_<Placement>(m, "Placement",
                        "Assignment of ranks to nodes, from the node of each rank, int32 (rank). Raises "
                        "ConfigError for an invalid node, or more than ranks_per_node ranks on a node.")
      .def(
          "__init__",
          [](Placement* self, const Topology& topology, const Input<Node>& nodes, std::int32_t per_node) {
            const auto span = span_of(nodes);
            new (self) Placement(topology, {span.begin(), span.end()}, per_node);
          },
          "topology"_a, "nodes"_a, "ranks_per_node"_a = 1)
      .def_prop_ro(
          "nodes", [](nb::handle self) { return view(self, nb::cast<Placement&>(self).nodes()); },
          nb::rv_policy::automatic)
      .def(properties<&Placement::n_ranks, &Placement::ranks_per_node>());
  m.def(
      "make_placement",
      [](std::string_view name, const Topology& topology, Rank n_ranks, std::int32_t per_node,
         std::uint64_t seed, const schedule::Schedule* schedule) {
        const auto& entry = options::find("placement", placements(), name);
        return entry.make(topology, n_ranks, per_node, seed, schedule);
      },
      "name"_a, "topology"_a, "n_ranks"_a, "ranks_per_node"_a = 1, "seed"_a = 1, "schedule"_a = nb::none(),
      ReleaseGil(), "Makes a placement by its name. Without a schedule, 'mapped' is the linear placement.");
  m.def(
      "hop_bytes",
      [](const Topology& topology, const Placement& placement, const schedule::Schedule& schedule) {
        require<ConfigError>(placement.n_ranks() == schedule.n_ranks(),
                             "The placement has {} ranks, but the schedule has {}. Make them equal.",
                             placement.n_ranks(), schedule.n_ranks());
        return hop_bytes(topology, placement, schedule::volumes(schedule));
      },
      "topology"_a, "placement"_a, "schedule"_a, ReleaseGil(),
      "The sum over messages of size [bytes] times number of links on a shortest route. Raises ConfigError "
      "if the numbers of ranks differ.");
}

}  // namespace

void bind_network_machine(nb::module_& m) {
  bind_machine(m);
  bind_placement(m);
}
