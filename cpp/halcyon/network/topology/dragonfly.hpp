#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/hyperx.hpp"

namespace halcyon::network {

/// Arrangement of a dragonfly's global links (Hastings et al. 2015, IEEE Cluster, section II). Each group has
/// one slot per other group. Slot p = 0 .. n_groups - 2 of group i is connected to group
/// - `absolute`: p, or p + 1 for p >= i;
/// - `relative`: i + p + 1 modulo n_groups;
/// - `circulant`: i + 1, i - 1, i + 2, i - 2, ...
enum class Arrangement : std::uint8_t { absolute, relative, circulant };

inline constexpr std::array<std::string_view, 3> kArrangementNames{"absolute", "relative", "circulant"};

Arrangement arrangement_named(std::string_view name);

/// The group that slot `slot` of a group is connected to.
inline std::int32_t group_at(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                             std::int32_t slot) {
  if (arrangement == Arrangement::absolute) return slot + (slot >= group);
  std::int32_t offset = slot + 1;
  if (arrangement == Arrangement::circulant) offset = slot % 2 == 0 ? slot / 2 + 1 : n_groups - slot / 2 - 1;
  return group + offset < n_groups ? group + offset : group + offset - n_groups;
}

/// The slot of a group that is connected to another group.
inline std::int32_t slot_of(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                            std::int32_t other) {
  if (arrangement == Arrangement::absolute) return other - (other > group);
  const std::int32_t offset = other > group ? other - group : other - group + n_groups;
  if (arrangement == Arrangement::relative) return offset - 1;
  return 2 * offset <= n_groups ? 2 * (offset - 1) : 2 * (n_groups - offset) - 1;
}

struct DragonflyShape {
  std::vector<std::int32_t> group;  ///< switches of a group: {n}, fully connected, or {columns, rows}
  std::int32_t n_groups = 1;
  std::int32_t global_links = 0;  ///< per switch
  std::int32_t nodes_per_switch = 1;
  Arrangement arrangement = Arrangement::absolute;
};

/// Groups of switches, with the same number of global links between each pair of groups (Kim et al. 2008), as
/// many as the ports allow; surplus ports stay unused. A group's global links are numbered switch by switch,
/// and are assigned to the other groups cyclically, in the order of the arrangement.
///
/// Routes are local-global-local: they use the global link between the two groups that needs the fewest local
/// links; `Route::path_selector` chooses among equal routes. The global link and the local links before it
/// have channel 0, the local links after it have channel 1. On a detour, the first leg has channel 2, and the
/// second leg channel 3, or channel 1 after its global link.
class Dragonfly final : public Topology {
 public:
  /// @throws ConfigError for sizes below 1, groups of more than two dimensions, too few global links to reach
  /// all groups, or too large a network
  explicit Dragonfly(const DragonflyShape& shape);
  static Choices choices();
  const DragonflyShape& shape() const { return shape_; }
  /// Number of global links from one group to another.
  std::int32_t links_per_pair() const { return links_per_pair_; }
  std::string name() const override;
  Switch switch_of(Node node) const override { return quotient(node, nodes_per_switch_); }
  Link first_link(Switch from) const override {
    const std::int32_t group = quotient(from, group_size_), local = from - group * group_size_.value();
    return group * group_links_.value() + first_link_in_group(local);
  }
  LinkEnds ends(Link link) const override;
  int kind(Link link) const override;
  int distance(Switch from, Switch to) const override;
  int diameter() const override {
    return shape_.n_groups > 1 ? 2 * group_.diameter() + 1 : group_.diameter();
  }
  bool is_in_second_half(Switch number) const override {
    return shape_.n_groups > 1 ? 2 * quotient(number, group_size_) >= shape_.n_groups
                               : group_.is_in_second_half(number);
  }

  int n_channels() const { return 2; }
  int n_detour_channels() const { return 4; }
  std::uint8_t detour_channel(Leg leg, std::uint8_t channel) const {
    return leg == Leg::first ? 2 : channel == 0 ? 3 : 1;
  }
  bool has_equal_routes() const { return links_per_pair_ > 1; }

  /// Between groups: the switch at the end of a random global link of the source's group, so that the detour
  /// leads over a random group (Kim et al. 2008, section 4.1). Within a group: a random switch of the group.
  Via random_via(Switch from, Switch to, std::uint64_t random) const {
    const std::int32_t group = quotient(from, group_size_), goal_group = quotient(to, group_size_);
    if (group == goal_group) return {switch_at({group, random_below(random, group_size_.value())})};
    const std::int32_t port = random_below(random, n_used_ports_);
    const SwitchAddress end = far_end(group, port);
    return {end.group == goal_group ? to : switch_at(end), port};
  }

  /// `route.state` is the chosen global port of the group where the current leg starts; kNone: none yet.
  [[gnu::always_inline]] Hop hop(Switch current, Route& route) const {
    const std::int32_t group = quotient(current, group_size_), goal_group = quotient(route.goal, group_size_);
    const Switch local = current - group * group_size_.value(),
                 goal = route.goal - goal_group * group_size_.value();
    const Link first_link = group * group_links_.value() + first_link_in_group(local);
    if (group == goal_group) {
      const std::uint8_t channel = route.state != kNone;  // 1 after the global link
      return local_hop(group, first_link, local, goal, channel);
    }
    if (route.state == kNone)
      route.state = links_per_pair_ == 1
                        ? slot_of(shape_.arrangement, shape_.n_groups, group, goal_group)
                        : choose_global_link({group, local}, {goal_group, goal}, route.path_selector).port;
    const Switch gateway = switch_of_port(route.state);
    if (gateway != local) return local_hop(group, first_link, local, gateway, /*channel=*/0);
    const SwitchAddress far = far_end(group, route.state);
    return {.link = first_link + group_.n_ports() + route.state - gateway * shape_.global_links,
            .to = switch_at(far)};
  }

 private:
  struct SwitchAddress {
    std::int32_t group;
    Switch local;  // number within the group
  };
  struct GlobalLinkChoice {
    std::int32_t port;  // global port of the group where the route starts
    int hops;
  };

  Switch switch_at(SwitchAddress at) const { return at.group * group_size_.value() + at.local; }

  // Hop from switch `local` of a group, whose links begin with `first_link`, towards switch `goal`.
  Hop local_hop(std::int32_t group, Link first_link, Switch local, Switch goal, std::uint8_t channel) const {
    const auto port = group_.port_towards(local, goal);
    return {.link = first_link + port.number, .channel = channel, .to = switch_at({group, port.to})};
  }
  // Number of links of the group's switches before `local`: local links, and global links in use.
  Link first_link_in_group(Switch local) const {
    return local * group_.n_ports() + std::min(local * shape_.global_links, n_used_ports_);
  }
  Switch switch_of_port(std::int32_t port) const { return quotient(port, global_links_); }
  Switch switch_of_link(Link link) const;
  SwitchAddress far_end(std::int32_t group, std::int32_t port) const;
  GlobalLinkChoice choose_global_link(SwitchAddress from, SwitchAddress to, std::uint32_t random_bits) const;

  DragonflyShape shape_;
  HyperX group_;
  Divisor group_size_, group_links_, nodes_per_switch_, global_links_, other_groups_;
  std::int32_t links_per_pair_ = 0, n_used_ports_ = 0;
};

}  // namespace halcyon::network
