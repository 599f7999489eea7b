#include "halcyon/network/machine.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr double kMaxLatency = 1000;    // [s]
constexpr double kMinBandwidth = 1000;  // [B s-1]

void require_speed_per_kind(const Machine& machine, const Topology& topology) {
  const auto& kinds = topology.kinds();
  require<ConfigError>(machine.links.size() == 1 || machine.links.size() == kinds.size(),
                       "The machine has {} link speeds, but the network has {} kinds of links: {}. Give one "
                       "speed for all links, or one per kind.",
                       machine.links.size(), kinds.size(), fmt::join(kinds, ", "));
}

void require_crossbar(const Machine& machine) {
  if (machine.crossbar_factor == 0) return;
  const auto fastest = std::ranges::max(machine.links, {}, &LinkSpeed::bandwidth).bandwidth;
  require<ConfigError>(
      machine.crossbar_factor * fastest >= kMinBandwidth,
      "The machine's crossbar_factor is {}, for links of {} B/s. Give 0 (unlimited), or {} or more.",
      machine.crossbar_factor, fastest, kMinBandwidth / fastest);
}

/// Checks a number. Latencies and bandwidths are limited, so that sums of times do not overflow.
template <class T>
void require_valid_number(const MachineNumber& number, std::string_view name, T value) {
  const auto real = static_cast<double>(value);
  require<ConfigError>(number.unit != "s" || (real >= 0 && real <= kMaxLatency),
                       "The machine's {} is {}. Give 0 to {} [s].", name, value, kMaxLatency);
  require<ConfigError>(real >= number.minimum, "The machine's {} is {}. Give {} or more.", name, value,
                       number.minimum);
}

options::Value option_value(const Machine& machine, const MachineNumber& number) {
  const auto value = [&]<class T, class Holder>(T Holder::* member) -> options::Value {
    if constexpr (std::is_same_v<Holder, LinkSpeed>)
      return machine.links[0].*member;
    else if constexpr (std::is_same_v<T, bool>)
      return number.names[machine.*member];
    else if constexpr (std::is_enum_v<T>)
      return number.names[static_cast<std::size_t>(machine.*member)];
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
  return number(name, member, text, kMinBandwidth, 1e18, "B s-1");
}

MachineNumber byte_limit(const char* name, Member member, const char* text) {
  auto result = number(name, member, text, 0, options::kUnbounded, "bytes");
  result.word = "unlimited";
  result.allowed = "an integer of at least 0 [bytes], or 'unlimited'";
  return result;
}

std::vector<MachineNumber> all_numbers() {
  using M = Machine;
  return {
      bandwidth("links.bandwidth", &LinkSpeed::bandwidth, "Bandwidth of a link, per direction."),
      latency("links.latency", &LinkSpeed::latency, "Latency of a link, from one switch to the next."),
      latency("switch_latency", &M::switch_latency, "Latency of a switch, added for every switch on a path."),
      number("crossbar_factor", &M::crossbar_factor,
             "Ratio of a switch's crossbar bandwidth to the fastest link's; 0: unlimited.", 0, 1e6),
      bandwidth("injection_bandwidth", &M::injection_bandwidth,
                "Bandwidth of a NIC from its node to the switch."),
      latency("injection_latency", &M::injection_latency, "Latency from the NIC to the switch."),
      bandwidth("ejection_bandwidth", &M::ejection_bandwidth,
                "Bandwidth of a NIC from the switch to its node."),
      latency("ejection_latency", &M::ejection_latency, "Latency from the switch to the NIC."),
      latency("message_gap", &M::message_gap,
              "Least time between the starts of two messages that a NIC sends, or receives (LogGP's g)."),
      latency("send_overhead", &M::send_overhead, "CPU overhead of a send (LogGP's o)."),
      latency("receive_overhead", &M::receive_overhead, "CPU overhead of a receive (LogGP's o)."),
      byte_limit("eager_bytes", &M::eager_bytes,
                 "Largest eager message between nodes; larger messages use the rendezvous protocol."),
      byte_limit("memory_eager_bytes", &M::memory_eager_bytes,
                 "Largest eager message within a node; larger messages cost an additional round trip."),
      number("copied_bytes", &M::copied_bytes,
             "Largest message between nodes that the CPU copies at both ends, into and out of buffers of the "
             "MPI library; 0: none. Messages above eager_bytes are not copied.",
             0, options::kUnbounded, "bytes"),
      {{.name = "rendezvous",
        .text =
            "Data of a rendezvous message: put by the sender, after the receiver's reply, or get, read by "
            "the NIC of the receiver, which then informs the sender.",
        .names = {"put", "get"}},
       &M::rendezvous_get},
      {{.name = "arbitration",
        .text =
            "Packet that a switch serves first: by arrival at the switch, round_robin over its inputs, or "
            "age, since the packet left its NIC.",
        .names = {"arrival", "round_robin", "age"}},
       &M::arbitration},
      {{.name = "progress",
        .text = "Progress of the rendezvous protocol: always (by the NIC or a progress thread), or in_calls "
                "(only during MPI calls of the rank).",
        .names = {"always", "in_calls"}},
       &M::progress_in_calls},
      number("bypass_bytes", &M::bypass_bytes,
             "Largest message that bypasses the queues of the network, subject to latencies and NICs only; "
             "0: none.",
             0, options::kUnbounded, "bytes"),
      number("packet_bytes", &M::packet_bytes, "Size of a packet.", 1, 1 << 30, "bytes"),
      number("buffer_packets", &M::buffer_packets,
             "Packets per buffer of an incoming link, divided equally among its virtual channels.", 1,
             1 << 20),
      number("messages_at_once", &M::messages_at_once,
             "Number of messages of a rank that a NIC interleaves, chunk by chunk; 1: messages are sent one "
             "after the other.",
             1, 65535),
      number("nics_per_node", &M::nics_per_node, "NICs per node.", 1, 1024),
      {{.name = "nic_choice",
        .text =
            "NIC of a message: by_rank (the sender's number on its node, modulo the NICs), per_socket "
            "(the same among the NICs of the sender's socket), or striped (a message is cut over all NICs "
            "of the node).",
        .names = {"by_rank", "per_socket", "striped"}},
       &M::nic_choice},
      number("sockets_per_node", &M::sockets_per_node,
             "Sockets per node, for nic_choice: per_socket. Each has consecutive ranks and NICs.", 1, 1024),
      number("stripe_bytes", &M::stripe_bytes,
             "Least size of a stripe, for nic_choice: striped; smaller messages use the NIC by_rank (16 KiB: "
             "least chunk of UCX's multi-rail rendezvous).",
             1, options::kUnbounded, "bytes"),
      number("ranks_per_node", &M::ranks_per_node, "Ranks per node.", 1, 65535),
      number("memory_channels", &M::memory_channels,
             "Memory channels per node for messages between its ranks, assigned round-robin.", 1, 65535),
      bandwidth("memory_bandwidth", &M::memory_bandwidth,
                "Bandwidth of a memory channel, shared by messages, and of a rank's own copies."),
      latency("memory_latency", &M::memory_latency, "Latency of a message between ranks of a node."),
      latency("noise_period", &M::noise_period,
              "Noise: time between two interruptions of a rank by its system, at random phases; 0: none."),
      latency("noise_duration", &M::noise_duration, "Noise: duration of an interruption."),
  };
}

NamedMachine named(const char* name, const char* text, const Machine& machine) {
  NamedMachine result{{.name = name, .text = text}, machine};
  for (const auto& number : machine_numbers())
    result.options.emplace_back(number).value = option_value(machine, number);
  return result;
}

/// Packets, buffers and bypass as in the simulator of Zheng and Marguinaud (2018), whose crossbars are
/// unlimited. The paper does not state link speeds; the values here were typical in 2018.
Machine zheng2018() {
  Machine machine;
  machine.links = {{.bandwidth = 10e9, .latency = 100e-9}};
  machine.injection_bandwidth = machine.ejection_bandwidth = 10e9;
  machine.bypass_bytes = 256;
  machine.buffer_packets = 8;
  return machine;
}

}  // namespace

const std::vector<MachineNumber>& machine_numbers() {
  static const auto all = all_numbers();
  return all;
}

void require_valid(const Machine& machine, const Topology& topology) {
  require_speed_per_kind(machine, topology);
  for (const auto& number : machine_numbers()) {
    const auto check = [&]<class T, class Holder>(T Holder::* member) {
      if constexpr (std::is_enum_v<T>)
        return;
      else if constexpr (std::is_same_v<Holder, Machine>)
        require_valid_number(number, number.name, machine.*member);
      else
        for (std::size_t i = 0; i < machine.links.size(); ++i)
          require_valid_number(number, fmt::format("links[{}]{}", i, number.name.substr(5)),
                               machine.links[i].*member);  // name without "links"
    };
    std::visit(check, number.member);
  }
  require_crossbar(machine);
  require<ConfigError>(machine.noise_period > 0 || machine.noise_duration == 0,
                       "noise_duration is {} s, but noise_period is 0. Give both, or neither.",
                       machine.noise_duration);
  const auto picoseconds = [](double seconds) { return std::llround(1e12 * seconds); };  // as simulated
  require<ConfigError>(
      machine.noise_period == 0 || picoseconds(machine.noise_duration) < picoseconds(machine.noise_period),
      "noise_duration is {} s, but must be shorter than noise_period, {} s, by 1 ps or more.",
      machine.noise_duration, machine.noise_period);
}

const std::vector<NamedMachine>& machines() {
  static const std::vector<NamedMachine> all{
      named("reference", "Reference machine of the figures and benchmarks of the documentation.", {}),
      named("zheng2018", "Machine of the simulator of Zheng and Marguinaud (2018).", zheng2018()),
  };
  return all;
}

Machine named_machine(std::string_view name) {
  return options::find("machine", machines(), name).machine;
}

}  // namespace halcyon::network
