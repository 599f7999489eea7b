#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// How fast the links of a kind are.
struct LinkSpeed {
  double bandwidth = 12.5e9;  ///< [B s-1], one direction
  double latency = 100e-9;    ///< [s] from leaving one switch to standing in the next one
};

/// How fast a machine is, beside which it is (`Topology`). The numbers given here are the reference machine,
/// of our figures and benchmarks: 12.5 GB/s and 100 ns a hop, a NIC of 12.5 GB/s and 1 us, packets of 4096 B.
struct Machine {
  std::vector<LinkSpeed> links{{}};  ///< one for each of Topology::kinds(), or one for all
  double switch_latency = 0;         ///< [s] a switch adds to each hop, and to what it hands to a node
  double crossbar_factor = 0;  ///< the bandwidth that all that crosses a switch shares, over that of the
                               ///< fastest links; 0: without limit
  double injection_bandwidth = 12.5e9;  ///< [B s-1] of a NIC, node to switch
  double injection_latency = 1e-6;      ///< [s] from the NIC to the switch
  double ejection_bandwidth = 12.5e9;   ///< [B s-1] of a NIC, switch to node
  double ejection_latency = 0;          ///< [s] from the switch to the NIC
  double send_overhead = 0;             ///< [s] that a send keeps its rank busy
  double receive_overhead = 0;          ///< [s] that a receive keeps its rank busy
  std::int64_t eager_bytes = std::numeric_limits<std::int64_t>::max();  ///< larger messages wait for their
                                                                        ///< receiver (rendezvous)
  bool progress_in_calls = false;     ///< a rank that computes answers no rendezvous
  std::int64_t bypass_bytes = 0;      ///< messages up to this size see latency and NIC alone; 0: none
  std::int64_t packet_bytes = 4096;   ///< what the network moves as one
  std::int32_t buffer_packets = 8;    ///< that a switch holds for each incoming link and channel
  std::int32_t messages_at_once = 1;  ///< that a rank's NIC sends chunk by chunk in turn
  std::int32_t nics_per_node = 1;     ///< ranks of a node take them in turn
  std::int32_t ranks_per_node = 1;
  std::int32_t memory_channels = 1;  ///< of a node; its ranks take them in turn to send each other messages
  double memory_bandwidth = 100e9;   ///< [B s-1] of a channel, and of a rank's own copies
  std::int64_t memory_eager_bytes = std::numeric_limits<std::int64_t>::max();  ///< larger messages between
                                                                               ///< ranks of a node ask first
  double memory_latency = 200e-9;  ///< [s] of a message between ranks of a node

  const LinkSpeed& link(int kind) const { return links.size() == 1 ? links[0] : links[kind]; }
};

/// @throws ConfigError that names the entry, where a bandwidth is below 1 kB/s, a latency negative or above
/// 1000 s, a size negative, or a kind of links has no speed
void require_valid(const Machine& machine, const Topology& topology);

/// - `reference`: that of our figures and benchmarks;
/// - `zheng2018`: packets, buffers and bypass as in the simulator of Zheng and Marguinaud (2018), whose
///   crossbars nothing shared (no arbitration), with speeds that were typical there, for the paper does not
///   say its own: 10 GB/s and 100 ns a hop, injection at 10 GB/s and 1 us.
std::vector<std::string_view> machine_names();

/// @throws ConfigError where there is no machine of that name
Machine named_machine(std::string_view name);

}  // namespace halcyon::network
