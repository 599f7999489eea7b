#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/hyperx.hpp"

namespace halcyon::network {

/// In which order a dragonfly's groups have their global links to the other groups (Hastings et al. 2015,
/// IEEE Cluster, section II). Place p = 0 .. n_groups - 2 of group i leads to group
/// - `absolute`: p, or p + 1 from p = i on;
/// - `relative`: i + p + 1 modulo n_groups;
/// - `circulant`: i + 1, i - 1, i + 2, i - 2, ...
enum class Arrangement : std::uint8_t { absolute, relative, circulant };

inline constexpr std::array<std::string_view, 3> kArrangementNames{"absolute", "relative", "circulant"};

/// @throws ConfigError where there is no such arrangement
Arrangement arrangement_named(std::string_view name);

/// The group at place `place` of group `group`.
inline std::int32_t group_at(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                             std::int32_t place) {
  if (arrangement == Arrangement::absolute) return place + (place >= group);
  std::int32_t ahead = place + 1;
  if (arrangement == Arrangement::circulant)
    ahead = place % 2 == 0 ? place / 2 + 1 : n_groups - place / 2 - 1;
  return group + ahead < n_groups ? group + ahead : group + ahead - n_groups;
}

/// The place at which group `group` has its link to another one.
inline std::int32_t place_of(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                             std::int32_t other) {
  if (arrangement == Arrangement::absolute) return other - (other > group);
  const std::int32_t ahead = other > group ? other - group : other - group + n_groups;
  if (arrangement == Arrangement::relative) return ahead - 1;
  return 2 * ahead <= n_groups ? 2 * (ahead - 1) : 2 * (n_groups - ahead) - 1;
}

/// What a dragonfly is made of.
struct DragonflyShape {
  std::vector<std::int32_t> group;  ///< switches: {a}, all linked to all, or {columns, rows}, along both
  std::int32_t n_groups = 1;
  std::int32_t global_links = 0;  ///< of each switch
  std::int32_t nodes_per_switch = 1;
  Arrangement arrangement = Arrangement::absolute;
};

/// Groups of switches, of which each pair has the same number of global links (Kim et al. 2008): as many as
/// the switches' allow; what is left over stays unused. A group's global links are numbered from its first
/// switch's on, and lead to the other groups' in the order of the arrangement, once and again.
///
/// Routes are local-global-local: of the global links between both groups one with the fewest local links
/// before and after it, of several that which `Route::flow` draws. Local links before it and itself have
/// channel 0, those after it channel 1.
class Dragonfly final : public Topology {
 public:
  /// @throws ConfigError for sizes below 1, groups of more than two dimensions, too few global links to reach
  /// all groups, and networks that are too large
  explicit Dragonfly(const DragonflyShape& shape);

  static Choices choices();

  const DragonflyShape& shape() const { return shape_; }
  /// Global links from one group to another.
  std::int32_t links_per_pair() const { return links_per_pair_; }

  std::string name() const override;
  Switch switch_of(Node node) const override { return nodes_per_switch_.quotient(node); }
  Link first_link(Switch from) const override {
    const std::int32_t group = group_size_.quotient(from), local = from - group * group_size_.value();
    return group * group_links_.value() + first_of_local(local);
  }
  Ends ends(Link link) const override;
  int kind(Link link) const override;
  int distance(Switch from, Switch to) const override;
  int diameter() const override {
    return shape_.n_groups > 1 ? 2 * group_.diameter() + 1 : group_.diameter();
  }
  bool beyond_middle(Switch at) const override {
    return shape_.n_groups > 1 ? 2 * group_size_.quotient(at) >= shape_.n_groups : group_.beyond_middle(at);
  }

  int n_channels() const { return 2; }

  [[gnu::always_inline]] Hop hop(Switch at, Route& route) const {
    const std::int32_t group = group_size_.quotient(at), other = group_size_.quotient(route.goal);
    const Switch local = at - group * group_size_.value(), goal = route.goal - other * group_size_.value();
    const Link first = group * group_links_.value() + first_of_local(local);
    if (group == other) {
      const std::uint8_t channel = route.choice != kNone;
      return within(group, first, local, goal, channel);
    }
    if (route.choice == kNone)
      route.choice = links_per_pair_ == 1 ? place_of(shape_.arrangement, shape_.n_groups, group, other)
                                          : chosen_port({group, local}, {other, goal}, route.flow).port;
    const Switch gate = switch_of_port(route.choice);
    if (gate != local) return within(group, first, local, gate, 0);
    const Place far = far_end(group, route.choice);
    return {first + group_.n_ports() + route.choice - gate * shape_.global_links, 0, switch_at(far)};
  }

 private:
  struct Place {
    std::int32_t group;
    Switch local;
  };
  struct Way {
    std::int32_t port;  // of the first group's global links
    int hops;
  };

  Switch switch_at(Place place) const { return place.group * group_size_.value() + place.local; }

  // A hop of a switch, whose links begin with `first`, towards another of its group.
  Hop within(std::int32_t group, Link first, Switch local, Switch goal, std::uint8_t channel) const {
    const auto port = group_.port_towards(local, goal);
    return {first + port.number, channel, switch_at({group, port.to})};
  }
  // Links of a group's switches before `local`: local ones, and global ones while they last.
  Link first_of_local(Switch local) const {
    return local * group_.n_ports() + std::min(local * shape_.global_links, n_used_);
  }
  Switch switch_of_port(std::int32_t port) const { return global_links_.quotient(port); }
  Switch local_of_link(Link link) const;
  Place far_end(std::int32_t group, std::int32_t port) const;
  Way chosen_port(Place from, Place to, std::uint32_t flow) const;

  DragonflyShape shape_;
  HyperX group_;
  Divisor group_size_, group_links_, nodes_per_switch_, global_links_, other_groups_;
  std::int32_t links_per_pair_ = 0, n_used_ = 0;
};

}  // namespace halcyon::network
