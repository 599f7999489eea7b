#pragma once

#include <cstdint>

#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/routing/routing.hpp"

namespace halcyon::network {

enum class PacketKind : std::uint8_t {
  credit,  ///< a buffer slot has become free, or the packets that wait for one are retried
  data,
  request_to_send,  ///< rendezvous request of a sender
  clear_to_send,    ///< rendezvous reply of the receiver
  finished,         ///< the receiver has read a rendezvous message
  resume,           ///< a rank continues, or handles a control message that arrived while the rank computed;
                    ///< `Packet::route_state` is then the kind of the message
};

inline constexpr int kMessageBits = 40;
inline constexpr std::int64_t kMaxMessageBytes = (std::int64_t{1} << kMessageBits) - 1;

/// A message, chunk or packet in flight, or a control event, due at a resource: its head arrives at `time`,
/// its tail `span` later. One cache line.
struct alignas(64) Packet {
  Time time = 0;
  /// Start of the message's injection; with arbitration by age, when the packet would have left its NIC if no
  /// buffer had been full; of a credit: its arrival time, or kNever for a retry.
  Time sent = 0;
  std::uint64_t message_bytes : kMessageBits = 0;
  PacketKind kind : 3 = PacketKind::data;
  bool is_last : 1 = true;     ///< last chunk of its message
  bool is_routed : 1 = false;  ///< the route has been chosen
  bool bypass : 1 = false;     ///< bypasses the queues of the network: delayed by latencies and NICs only
  std::uint8_t leg : 2 = 0;    ///< `leg`, `path_selector`, `goal`, `route_state`: the members of the `Route`
  std::uint8_t channel : 8 = 0;           ///< virtual channel of `resource`, if it is a link
  std::uint8_t previous_channel : 8 = 0;  ///< virtual channel of `previous_resource`, if it is a link
  Rank source = kNone, target = kNone;
  std::uint32_t path_selector = 0;
  Switch goal = kNone;
  std::int32_t route_state = kNone;
  std::int32_t resource = kNone;           ///< where the packet is due; numbered as in `Resources`
  std::int32_t previous_resource = kNone;  ///< link or NIC whose buffer holds the packet; of a chunk before
                                           ///< its injection: first resource of the route
  std::uint32_t bytes = 0;
  std::uint32_t span = 0;      ///< time between the arrivals of head and tail [ps]
  std::uint32_t sequence = 0;  ///< sequence number of the message at its source rank

  /// Order of packets due at the same time: credits first, then data by source rank.
  std::uint32_t precedence() const {
    return kind == PacketKind::credit ? 0 : static_cast<std::uint32_t>(source) + 1;
  }

  /// A total order of the packets that may be due at the same resource.
  bool before(const Packet& other) const {
    if (time != other.time) return time < other.time;
    if (precedence() != other.precedence()) return precedence() < other.precedence();
    if (sequence != other.sequence) return sequence < other.sequence;
    if (resource != other.resource) return resource < other.resource;
    if (channel != other.channel) return channel < other.channel;
    if (sent != other.sent) return sent < other.sent;
    if (path_selector != other.path_selector) return path_selector < other.path_selector;
    return previous_resource < other.previous_resource;
  }

  void store_route(const Route& route) {
    path_selector = route.path_selector;
    goal = route.goal;
    route_state = route.state;
    leg = static_cast<std::uint8_t>(route.leg) & 3;
  }
};
static_assert(sizeof(Packet) == 64);

/// Numbering of the resources at which packets queue: first the links, then the NICs for ejection from the
/// network, then the NICs for injection into it.
struct Resources {
  std::int32_t n_links = 0, n_nics = 0;

  std::int32_t ejection(std::int32_t nic) const { return n_links + nic; }
  std::int32_t injection(std::int32_t nic) const { return n_links + n_nics + nic; }
  bool is_link(std::int32_t resource) const { return resource < n_links; }
  /// @param resource not a link
  bool is_ejection(std::int32_t resource) const { return resource < n_links + n_nics; }
  std::int32_t nic(std::int32_t resource) const {
    return is_ejection(resource) ? resource - n_links : resource - n_links - n_nics;
  }
};

}  // namespace halcyon::network
