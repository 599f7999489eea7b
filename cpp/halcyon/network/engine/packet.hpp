#pragma once

#include <cstdint>

#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/routing/routing.hpp"

namespace halcyon::network {

enum class Kind : std::uint8_t {
  credit,  ///< a place in a buffer has become free
  data,
  request,    ///< a sender asks whether it may send (rendezvous)
  clearance,  ///< a receiver says that it may
  resume,     ///< a rank goes on, or heeds what came while it computed (`choice`: a request, a clearance)
};

inline constexpr int kMessageBits = 40;
inline constexpr std::int64_t kMostMessageBytes = (std::int64_t{1} << kMessageBits) - 1;

/// A message, or a chunk or packet of one, that is due at a place: its head is there at `time`, its tail
/// `span` later. One cache line, and all there is to know about what is under way.
struct alignas(64) Packet {
  Time time = 0;
  Time sent = 0;  ///< when the message began to leave; of a credit: from when on it counts
  std::uint64_t message_bytes : kMessageBits = 0;
  Kind kind : 3 = Kind::data;
  bool last : 1 = true;      ///< of its message
  bool started : 1 = false;  ///< its route has been chosen
  bool bypass : 1 = false;   ///< it sees latency and NIC alone
  std::uint8_t legs : 2 = 0;
  std::uint8_t channel : 8 = 0, from_channel : 8 = 0;  ///< of `place` and `from`, where they are links
  Rank source = kNone, target = kNone;
  std::uint32_t flow = 0;  ///< this, `legs` and the next two: of its `Route`
  Switch goal = kNone;
  std::int32_t choice = kNone;
  std::int32_t place = kNone;  ///< `Places`
  std::int32_t from = kNone;   ///< the place before, whose buffer it fills
  std::uint32_t bytes = 0;
  std::uint32_t span = 0;   ///< [ps]
  std::uint32_t order = 0;  ///< of its source, counted up

  /// What orders packets of one time first: credits, then data by source.
  std::uint32_t precedence() const {
    return kind == Kind::credit ? 0 : static_cast<std::uint32_t>(source) + 1;
  }

  /// A total order of what may meet at one place.
  bool before(const Packet& other) const {
    if (time != other.time) return time < other.time;
    if (precedence() != other.precedence()) return precedence() < other.precedence();
    if (order != other.order) return order < other.order;
    if (place != other.place) return place < other.place;
    return channel != other.channel ? channel < other.channel : sent < other.sent;
  }

  void keep(const Route& route) {
    flow = route.flow;
    goal = route.goal;
    choice = route.choice;
    legs = route.legs & 3;
  }
};
static_assert(sizeof(Packet) == 64);

/// Where a packet may be due: at a link, at a NIC to leave the network (out), or at a switch fresh from a NIC
/// (in).
struct Places {
  std::int32_t n_links = 0, n_nics = 0;

  std::int32_t out(std::int32_t nic) const { return n_links + nic; }
  std::int32_t in(std::int32_t nic) const { return n_links + n_nics + nic; }
  bool is_link(std::int32_t place) const { return place < n_links; }
  bool is_out(std::int32_t place) const { return place < n_links + n_nics; }
  std::int32_t nic(std::int32_t place) const {
    return is_out(place) ? place - n_links : place - n_links - n_nics;
  }
};

}  // namespace halcyon::network
