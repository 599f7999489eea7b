#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::network {

/// Where a message, or a part of one, has to go, and what it still knows of its way. The sender sets
/// `source`, `target` and `flow`; `Routing::start` the rest.
struct Route {
  Node source = kNone, target = kNone;
  std::uint32_t flow = 0;       ///< before: which message of its sender it is; after: its share of chance
  Switch goal = kNone;          ///< the switch that it heads for: an intermediate one, or the target's
  std::int32_t choice = kNone;  ///< the topology's own: which of several ways to the goal
  std::uint8_t legs = 0;        ///< intermediate goals that still lie ahead

  /// Whether the route ends at the switch `at`.
  bool arrived(Switch at) const { return at == goal && legs == 0; }
};

/// The next link, the virtual channel on it, and the switch at its end. Channels make every routing free of
/// deadlock: what waits for what by links and channels has no cycle.
struct Hop {
  Link link = kNone;
  std::uint8_t channel = 0;
  Switch to = kNone;
  bool operator==(const Hop&) const = default;
};

/// How much waits for each link: the engine's answer, in any unit.
class Loads {
 public:
  virtual ~Loads() = default;
  virtual double queue(Link link) const = 0;
};

/// Nothing waits anywhere.
class NoLoads final : public Loads {
 public:
  double queue(Link) const override { return 0; }
};

class Routing;

/// The methods, in the order of their rows in routing.cpp.
enum class Method : std::uint8_t { minimal, valiant, ugal, ugal_of_sstmacro, d_mod_k };

/// A message that starts at `from`, and may go by way of `middle`.
struct Detour {
  const Routing& routing;
  const Loads& loads;
  const Route& straight;
  Switch from, middle;
};

/// What a method does when a message starts.
struct RoutingEntry : options::Choice {
  bool (*takes)(const Detour& detour) = nullptr;  ///< whether it goes that way; none: always straight
  bool follows_target = false;                    ///< the target's number stands for chance
};

const std::vector<RoutingEntry>& routings();

std::string_view name_of(Method method);

/// @throws ConfigError where there is no such routing
Method method_named(std::string_view name);

/// How messages find their way. Const and without state: all there is to know stands in the Route, so threads
/// may share one. Chance is a hash of (seed, source, target, flow).
class Routing {
 public:
  virtual ~Routing() = default;

  virtual const Topology& topology() const = 0;
  virtual Method method() const = 0;

  /// Virtual channels a link: hops have channel 0 .. n_channels() - 1.
  virtual int n_channels() const = 0;

  /// Chooses the way of a message, when its sender injects it.
  virtual void start(Route& route, const Loads& loads) const = 0;

  /// The next hop from switch `at`, which the route has come to, and where it has not arrived.
  virtual Hop next(Switch at, Route& route) const = 0;
};

/// @param topology must outlive the routing
/// @throws ConfigError where the method is for other networks
std::unique_ptr<Routing> make_routing(const Topology& topology, Method method, std::uint64_t seed = 1);

/// Steele et al. (2014, OOPSLA, section 2), the finalizer of SplitMix64.
inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A number that looks random and depends on nothing but its arguments.
inline std::uint64_t random_number(std::uint64_t seed, std::uint32_t a, std::uint32_t b,
                                   std::uint32_t c = 0) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  const std::uint64_t pair = std::uint64_t{a} << 32 | b;
  return mixed(mixed(mixed(seed + kGolden) + pair + kGolden) + c + kGolden);
}

/// One of 0 .. n - 1 by the upper half of a number that looks random (Lemire 2019, without rejection: a bias
/// below n / 2^32).
inline std::int32_t drawn(std::uint64_t random, std::int32_t n) {
  return static_cast<std::int32_t>((random >> 32) * static_cast<std::uint64_t>(n) >> 32);
}

}  // namespace halcyon::network
