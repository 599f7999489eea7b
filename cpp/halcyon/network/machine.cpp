#include "halcyon/network/machine.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr double kLongest = 1000;  // [s]
constexpr double kSlowest = 1000;  // [B s-1]

void require_kinds(const Machine& machine, const Topology& topology) {
  const auto& kinds = topology.kinds();
  require<ConfigError>(
      machine.links.size() == 1 || machine.links.size() == kinds.size(),
      "The machine has {} speeds of links, and the network {} kinds of them: {}. Give one speed "
      "for all, or one for each.",
      machine.links.size(), kinds.size(), fmt::join(kinds, ", "));
}

void require_crossbar(const Machine& machine) {
  if (machine.crossbar_factor == 0) return;
  const auto fastest = std::ranges::max(machine.links, {}, &LinkSpeed::bandwidth).bandwidth;
  require<ConfigError>(
      machine.crossbar_factor * fastest >= kSlowest,
      "The machine's crossbar_factor is {}, of links with {} B/s. Give 0 (no limit), or {} or "
      "more.",
      machine.crossbar_factor, fastest, kSlowest / fastest);
}

/// What is added up over a way, and what a byte takes, has room in the engine's numbers.
template <class T>
void require_number(const MachineNumber& number, std::string_view name, T value) {
  const auto real = static_cast<double>(value);
  require<ConfigError>(number.unit != "s" || (real >= 0 && real <= kLongest),
                       "The machine's {} is {}. Give 0 to {} [s].", name, value, kLongest);
  require<ConfigError>(real >= number.minimum, "The machine's {} is {}. Give {} or more.", name, value,
                       number.minimum);
}

options::Value value_in(const Machine& machine, const MachineNumber& number) {
  const auto value = [&]<class T, class Holder>(T Holder::* member) -> options::Value {
    if constexpr (std::is_same_v<Holder, LinkSpeed>)
      return machine.links[0].*member;
    else if constexpr (std::is_same_v<T, bool>)
      return number.names[machine.*member];
    else if constexpr (std::is_integral_v<T>)
      return std::int64_t{machine.*member};
    else
      return machine.*member;
  };
  return std::visit(value, number.member);
}

using Member = decltype(MachineNumber::member);

MachineNumber number(const char* name, Member member, const char* text, double minimum = 0,
                     double maximum = options::kUnbounded, const char* unit = "") {
  return {{.name = name, .text = text, .unit = unit, .minimum = minimum, .maximum = maximum}, member};
}

MachineNumber latency(const char* name, Member member, const char* text) {
  return number(name, member, text, 0, 10, "s");
}

MachineNumber bandwidth(const char* name, Member member, const char* text) {
  return number(name, member, text, kSlowest, 1e18, "B s-1");
}

MachineNumber limit(const char* name, Member member, const char* text) {
  auto made = number(name, member, text, 0, options::kUnbounded, "bytes");
  made.word = "unlimited";
  made.allowed = "an integer of at least 0 [bytes], or 'unlimited'";
  return made;
}

std::vector<MachineNumber> all_numbers() {
  using M = Machine;
  return {
      bandwidth("links.bandwidth", &LinkSpeed::bandwidth, "Of one direction."),
      latency("links.latency", &LinkSpeed::latency, "From leaving one switch to standing in the next."),
      latency("switch_latency", &M::switch_latency,
              "A switch adds to a hop, and to what it hands to a node."),
      number("crossbar_factor", &M::crossbar_factor,
             "A switch's inner bandwidth over that of a link; 0: without limit.", 0, 1e6),
      bandwidth("injection_bandwidth", &M::injection_bandwidth, "Of a NIC, from node to switch."),
      latency("injection_latency", &M::injection_latency, "From the NIC to the switch."),
      bandwidth("ejection_bandwidth", &M::ejection_bandwidth, "Of a NIC, from switch to node."),
      latency("ejection_latency", &M::ejection_latency, "From the switch to the NIC."),
      latency("send_overhead", &M::send_overhead, "A send keeps its rank busy."),
      latency("receive_overhead", &M::receive_overhead, "A receive keeps its rank busy."),
      limit("eager_bytes", &M::eager_bytes, "Larger messages wait until their receiver is ready."),
      limit("memory_eager_bytes", &M::memory_eager_bytes,
            "Larger messages between ranks of a node ask first, there and back."),
      {{.name = "progress",
        .text =
            "Whether a rank answers such messages while it computes, as its NIC or a thread may do for it.",
        .names = {"always", "in_calls"}},
       &M::progress_in_calls},
      number("bypass_bytes", &M::bypass_bytes,
             "Messages up to this size see latencies and NICs alone; 0: none.", 0, options::kUnbounded,
             "bytes"),
      number("packet_bytes", &M::packet_bytes, "What the network moves as one.", 1, 1 << 30, "bytes"),
      number("buffer_packets", &M::buffer_packets, "That a switch holds for each incoming link and channel.",
             1, 1 << 20),
      number("messages_at_once", &M::messages_at_once,
             "A NIC lets so many messages of a rank take turns, chunk by chunk; 1: one goes after the other.",
             1, 65535),
      number("nics_per_node", &M::nics_per_node, "The ranks of a node take them in turn.", 1, 1024),
      number("ranks_per_node", &M::ranks_per_node, "Places for ranks in a node.", 1, 65535),
      number("memory_channels", &M::memory_channels,
             "The ranks of a node take them in turn to send each other messages.", 1, 65535),
      bandwidth("memory_bandwidth", &M::memory_bandwidth,
                "Of a channel, which messages share, and of a rank's own copies."),
      latency("memory_latency", &M::memory_latency, "Of a message between ranks of a node."),
  };
}

NamedMachine named(const char* name, const char* text, const Machine& machine) {
  NamedMachine made{{.name = name, .text = text}, machine};
  for (const auto& number : machine_numbers())
    made.options.emplace_back(number).value = value_in(machine, number);
  return made;
}

/// Packets, buffers and bypass as in the simulator of Zheng and Marguinaud (2018), whose crossbars nothing
/// shared (no arbitration), with speeds that were typical there, for the paper does not say its own.
Machine zheng2018() {
  Machine machine;
  machine.links = {{.bandwidth = 10e9, .latency = 100e-9}};
  machine.injection_bandwidth = machine.ejection_bandwidth = 10e9;
  machine.bypass_bytes = 256;
  return machine;
}

}  // namespace

const std::vector<MachineNumber>& machine_numbers() {
  static const auto all = all_numbers();
  return all;
}

void require_valid(const Machine& machine, const Topology& topology) {
  require_kinds(machine, topology);
  for (const auto& number : machine_numbers()) {
    const auto check = [&]<class T, class Holder>(T Holder::* member) {
      if constexpr (std::is_same_v<Holder, Machine>)
        require_number(number, number.name, machine.*member);
      else
        for (std::size_t i = 0; i < machine.links.size(); ++i)
          require_number(number, fmt::format("links[{}]{}", i, number.name.substr(5)),
                         machine.links[i].*member);
    };
    std::visit(check, number.member);
  }
  require_crossbar(machine);
}

const std::vector<NamedMachine>& machines() {
  static const std::vector<NamedMachine> all{
      named("reference", "Of our figures and benchmarks.", {}),
      named("zheng2018", "As in the simulator of Zheng and Marguinaud (2018).", zheng2018()),
  };
  return all;
}

Machine named_machine(std::string_view name) {
  return options::find("machine", machines(), name).machine;
}

}  // namespace halcyon::network
