#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::network {

/// Part of a route: a minimal route, or one of the two legs of a detour.
enum class Leg : std::uint8_t { direct, first, second };

/// Destination and routing state of a packet. The sender sets `source`, `target` and `path_selector`;
/// `Routing::start` sets the other members, and `path_selector` again.
struct Route {
  Node source = kNone, target = kNone;
  /// Selects among equal paths. Set by the sender: number of the message at its source or, from the second
  /// packet on, the selector of the packet before. Set by `start`: 31 random bits or, for d_mod_k, number of
  /// the target.
  std::uint32_t path_selector = 0;
  Switch goal = kNone;  ///< end of the current leg: an intermediate switch, or the target node's switch
  std::int32_t state = kNone;  ///< set by the topology's `hop`, for example to the chosen port or level
  Leg leg = Leg::direct;

  /// Whether the route ends at switch `current`.
  bool has_arrived(Switch current) const { return current == goal && leg != Leg::first; }
};

/// The next link of a route, the virtual channel on this link, and the switch at its end. Virtual channels
/// make every routing deadlock-free: the dependency graph of links and channels has no cycle.
struct Hop {
  Link link = kNone;
  std::uint8_t channel = 0;
  Switch to = kNone;
  bool operator==(const Hop&) const = default;
};

/// Queue length of each link, in any unit; implemented by the engine.
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  /// Returns what waits beyond the bytes in flight of a busy link without a queue.
  virtual double queue(Link link) const = 0;
  /// Returns the queue of one virtual channel; that of the link if channels have no queues of their own.
  virtual double queue(Link link, int /*channel*/) const { return queue(link); }
  /// Returns what waits for room at the end of the link.
  virtual double waiting(Link link) const { return queue(link); }
  virtual double waiting(Link link, int /*channel*/) const { return waiting(link); }
  /// Returns what waits, and all bytes whose credits have not returned.
  virtual double occupancy(Link link) const { return queue(link); }
  virtual double occupancy(Link link, int /*channel*/) const { return occupancy(link); }
};

/// An idle network: all queues are empty.
class NoLinkLoads final : public LinkLoads {
 public:
  double queue(Link) const override { return 0; }
};

class Routing;

/// The intermediate switch of a detour, and `Route::state` at the start of its first leg.
struct Via {
  Switch number = kNone;
  std::int32_t state = kNone;
};

/// The routing methods, in the order of `routings()`.
enum class Method : std::uint8_t { minimal, valiant, ugal, ugal_g, ugal_of_sstmacro, d_mod_k, adaptive };

/// A candidate detour of a packet that starts at switch `from`.
struct Detour {
  const Routing& routing;
  const LinkLoads& loads;
  const Route& minimal;  ///< minimal route of the packet
  Switch from;
  Via via;
};

struct RoutingEntry : options::RegistryEntry {
  bool (*takes_detour)(const Detour& detour) = nullptr;  ///< null: no packet takes a detour
  bool selects_by_target = false;  ///< `Route::path_selector` is the target's number, not random bits
  bool reads_queues = false;
  bool adapts_up = false;  ///< each switch of a fat tree chooses the up-port with the shortest queue
  bool reads_remote_queues = false;  ///< the first switch reads the queues of other switches
};

const std::vector<RoutingEntry>& routings();

std::string_view name_of(Method method);

Method method_named(std::string_view name);

/// Routing over a topology. Const and stateless: all state is in the Route, so threads may share it. Random
/// choices are hashes of the seed, the source, the target, and the numbers of message and packet.
class Routing {
 public:
  virtual ~Routing() = default;
  virtual const Topology& topology() const = 0;
  virtual Method method() const = 0;

  /// Number of virtual channels per link.
  virtual int n_channels() const = 0;

  /// Whether packets of a message may take different routes, so that they may arrive in another order.
  virtual bool spreads() const = 0;

  /// Whether `start` or `adapt` reads queues.
  virtual bool reads_queues() const = 0;

  /// Whether `start` reads queues of other switches than that of the source.
  virtual bool reads_remote_queues() const = 0;

  /// Whether `adapt` may choose another link than `next`.
  virtual bool adapts() const = 0;

  /// Chooses the route of a packet at the switch of its source.
  virtual void start(Route& route, const LinkLoads& loads) const = 0;

  /// Returns the next hop from switch `current`, which must not be the end of the route.
  virtual Hop next(Switch current, Route& route) const = 0;

  /// Returns the link that the packet takes, given the `hop` that `next` returned at switch `current`, when
  /// the packet has reached this switch: of the equivalent links, the one with the shortest queue.
  virtual Hop adapt(Switch current, const Route& route, const Hop& hop, const LinkLoads& loads) const = 0;
};

/// @param topology must outlive the routing
/// @throws ConfigError if the method does not support the topology
std::unique_ptr<Routing> make_routing(const Topology& topology, Method method, std::uint64_t seed = 1);

/// Finalizer of SplitMix64 (Steele et al. 2014, OOPSLA, section 2).
inline std::uint64_t splitmix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Counter-based random number: a hash of the arguments.
inline std::uint64_t random_number(std::uint64_t seed, std::uint32_t a, std::uint32_t b,
                                   std::uint32_t c = 0) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  const std::uint64_t pair = std::uint64_t{a} << 32 | b;
  return splitmix64(splitmix64(splitmix64(seed + kGolden) + pair + kGolden) + c + kGolden);
}

/// Maps the upper half of a random number to 0 .. n - 1, with a bias below n / 2^32 (Lemire 2019).
inline std::int32_t random_below(std::uint64_t random, std::int32_t n) {
  return static_cast<std::int32_t>((random >> 32) * static_cast<std::uint64_t>(n) >> 32);
}

}  // namespace halcyon::network
