#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::network {

inline constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();

/// Which of the packets that wait for the same link, virtual channel or NIC a switch serves first: the first
/// to arrive at the switch, the inputs in turn, or the first to leave its NIC.
enum class Arbitration : std::int32_t { arrival, round_robin, age };
/// Which NIC of a node carries a message, in the order of the option's names.
enum class NicChoice : std::uint8_t { by_rank, per_socket, striped };

struct LinkSpeed {
  double bandwidth = 12.5e9;  ///< [B s-1], per direction
  double latency = 100e-9;    ///< [s] from one switch to the next
};

/// Parameters of a machine, in SI units; `machine_numbers` describes each. Its network is a `Topology`. The
/// defaults are the reference machine of the figures and benchmarks of the documentation.
struct Machine {
  std::vector<LinkSpeed> links{{}};                ///< one per entry of Topology::kinds(), or one for all
  double switch_latency = 0, crossbar_factor = 0;  ///< factor: crossbar per link bandwidth; 0: unlimited
  double injection_bandwidth = 12.5e9, injection_latency = 1e-6;  ///< from NIC to switch
  double ejection_bandwidth = 12.5e9, ejection_latency = 0;       ///< from switch to NIC
  double message_gap = 0;  ///< least time between the starts of messages that a NIC sends, and receives
  double send_overhead = 0, receive_overhead = 0;                          ///< CPU time per message
  std::int64_t eager_bytes = kUnlimited, memory_eager_bytes = kUnlimited;  ///< between, within nodes
  std::int64_t copied_bytes = 0;   ///< messages between nodes up to this size are copied at both ends
  bool rendezvous_get = false;     ///< the receiver reads the data of a rendezvous message
  bool progress_in_calls = false;  ///< the rendezvous protocol progresses only during MPI calls
  std::int64_t bypass_bytes = 0, packet_bytes = 4096;  ///< bypass: messages up to this size never queue
  std::int32_t buffer_packets = 32, messages_at_once = 1;
  Arbitration arbitration = Arbitration::arrival;
  std::int32_t nics_per_node = 1, ranks_per_node = 1, memory_channels = 1;
  NicChoice nic_choice = NicChoice::by_rank;
  std::int32_t sockets_per_node = 1;
  std::int64_t stripe_bytes = 16384;  ///< least size of a stripe
  double memory_bandwidth = 100e9, memory_latency = 200e-9;
  double noise_period = 0, noise_duration = 0;  ///< each rank loses its core once in every period; 0: never

  const LinkSpeed& link(int kind) const { return links.size() == 1 ? links[0] : links[kind]; }
};

/// A numeric option of machine files, and the member that it sets. The maximum holds only in files.
struct MachineNumber : options::Option {
  std::variant<double LinkSpeed::*, double Machine::*, std::int64_t Machine::*, std::int32_t Machine::*,
               bool Machine::*, Arbitration Machine::*, NicChoice Machine::*>
      member;

  /// Name of the Python property. An option with two values is a boolean property, true for the second value.
  std::string property() const { return names.size() == 2 ? name + "_" + names[1] : name; }
};

/// All numeric options, in the order of machine files; the names of link options begin with "links.".
const std::vector<MachineNumber>& machine_numbers();

/// A predefined machine; its `options` are the parameters of `machine`.
struct NamedMachine : options::RegistryEntry {
  Machine machine = {};
};

const std::vector<NamedMachine>& machines();

/// @throws ConfigError naming the option if a bandwidth is below 1 kB/s, a latency is negative or above 1000
/// s, a size is negative, or a kind of link has no speed
void require_valid(const Machine& machine, const Topology& topology);

Machine named_machine(std::string_view name);

}  // namespace halcyon::network
