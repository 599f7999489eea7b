#include "halcyon/network/topology/dragonfly.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

const DragonflyShape& checked(const DragonflyShape& shape) {
  require<ConfigError>(shape.group.size() == 1 || shape.group.size() == 2,
                       "A dragonfly's group has {} dimensions. Give one size (fully connected) or two.",
                       shape.group.size());
  require<ConfigError>(shape.n_groups >= 1, "A dragonfly has {} groups. Give 1 or more.", shape.n_groups);
  require<ConfigError>(shape.global_links >= 0, "A switch has {} global links. Give 0 or more.",
                       shape.global_links);
  return shape;
}

}  // namespace

Arrangement arrangement_named(std::string_view name) {
  const auto index = std::ranges::find(kArrangementNames, name) - kArrangementNames.begin();
  require<ConfigError>(index < std::ssize(kArrangementNames),
                       "There is no arrangement of global links '{}'. Use absolute, relative or circulant.",
                       name);
  return static_cast<Arrangement>(index);
}

Dragonfly::Dragonfly(const DragonflyShape& shape)
    : shape_(checked(shape)), group_(shape.group, shape.nodes_per_switch) {
  const std::int32_t size = group_.n_switches(), n_others = std::max(shape.n_groups - 1, 1);
  const std::int64_t n_ports = std::int64_t{size} * shape.global_links;
  require<ConfigError>(n_ports >= shape.n_groups - 1,
                       "A group of {} switches with {} global links each cannot reach {} other groups. Give "
                       "each switch {} or more, or use fewer groups.",
                       size, shape.global_links, shape.n_groups - 1, (shape.n_groups + size - 2) / size);
  if (shape.n_groups > 1) links_per_pair_ = checked_count(n_ports / n_others, "links between two groups");
  n_used_ports_ = links_per_pair_ * n_others;
  group_size_ = Divisor(size);
  const std::int64_t group_links = std::int64_t{size} * group_.n_ports() + n_used_ports_;
  n_links_ = checked_count(group_links * shape.n_groups, "links");
  n_switches_ = checked_count(std::int64_t{size} * shape.n_groups, "switches");
  n_nodes_ = checked_count(std::int64_t{n_switches_} * shape.nodes_per_switch, "nodes");
  group_links_ = Divisor(std::max(static_cast<std::int32_t>(group_links), 1));
  nodes_per_switch_ = Divisor(shape.nodes_per_switch);
  global_links_ = Divisor(std::max(shape.global_links, 1));
  other_groups_ = Divisor(n_others);
  kinds_ = shape.group.size() == 1 ? std::vector<std::string>{"local", "global"}
                                   : std::vector<std::string>{"row", "column", "global"};
}

Choices Dragonfly::choices() {
  return {{{.name = "dragonfly",
            .text = "Groups of switches, with global links between each pair of groups.",
            .options = {type_option("dragonfly", "Type of network: groups of switches."),
                        sizes_option("group",
                                     "Switches of a group: one size for a fully connected group, or columns "
                                     "and rows, connected along both.",
                                     "a list of one or two integers, such as [16, 6]"),
                        count_option("groups", "Number of groups."),
                        count_option("global_links", "Global links per switch.", 0),
                        optional_count_option("nodes_per_switch", "Nodes per switch."),
                        {.name = "arrangement",
                         .value = std::string(kArrangementNames[0]),
                         .text = "Arrangement of global links (Hastings et al. 2015).",
                         .names = {kArrangementNames.begin(), kArrangementNames.end()}}}},
           [](const options::Values& values) -> std::unique_ptr<Topology> {
             const auto& arrangement = std::get<std::string>(values.at("arrangement"));
             return std::make_unique<Dragonfly>(
                 DragonflyShape{.group = sizes_in(values, "group"),
                                .n_groups = count_in(values, "groups"),
                                .global_links = count_in(values, "global_links"),
                                .nodes_per_switch = count_in(values, "nodes_per_switch"),
                                .arrangement = arrangement_named(arrangement)});
           }}};
}

std::string Dragonfly::name() const {
  return fmt::format("dragonfly of {} of {} switch{}, {} ({}) and {} per switch",
                     count_with_noun(shape_.n_groups, "group"), joined_sizes(shape_.group),
                     group_.n_switches() == 1 ? "" : "es",
                     count_with_noun(shape_.global_links, "global link"),
                     kArrangementNames[static_cast<int>(shape_.arrangement)],
                     count_with_noun(shape_.nodes_per_switch, "node"));
}

/// Returns the switch at the beginning of a link, both numbered within the group. The first switches of a
/// group use all their global ports; one switch may use a part of its global ports, the other switches none.
Switch Dragonfly::switch_of_link(Link link) const {
  const std::int32_t n_fully_used = quotient(n_used_ports_, global_links_),
                     n_ports = group_.n_ports() + shape_.global_links;
  if (link < n_fully_used * n_ports) return link / n_ports;
  const Link partial_links = group_.n_ports() + n_used_ports_ - n_fully_used * shape_.global_links,
             remaining = link - n_fully_used * n_ports;
  return remaining < partial_links ? n_fully_used
                                   : n_fully_used + 1 + (remaining - partial_links) / group_.n_ports();
}

/// Returns the switch at the other end of a global port of a group.
Dragonfly::SwitchAddress Dragonfly::far_end(std::int32_t group, std::int32_t port) const {
  const std::int32_t parallel_link = quotient(port, other_groups_), slot = remainder(port, other_groups_);
  const std::int32_t other = group_at(shape_.arrangement, shape_.n_groups, group, slot);
  const std::int32_t other_slot = slot_of(shape_.arrangement, shape_.n_groups, other, group);
  return {.group = other, .local = switch_of_port(parallel_link * other_groups_.value() + other_slot)};
}

LinkEnds Dragonfly::ends(Link link) const {
  const std::int32_t group = quotient(link, group_links_);
  const Link in_group = link - group * group_links_.value();
  const Switch local = switch_of_link(in_group), first_switch = group * group_size_.value();
  const std::int32_t port = in_group - first_link_in_group(local);
  if (port < group_.n_ports())
    return {.from = first_switch + local,
            .to = first_switch + group_.ends(group_.first_link(local) + port).to};
  const SwitchAddress far = far_end(group, local * shape_.global_links + port - group_.n_ports());
  return {.from = first_switch + local, .to = switch_at(far)};
}

int Dragonfly::kind(Link link) const {
  const Link in_group = remainder(link, group_links_);
  const Switch local = switch_of_link(in_group);
  const std::int32_t port = in_group - first_link_in_group(local);
  return port < group_.n_ports() ? group_.kind(port) : static_cast<int>(kinds_.size()) - 1;
}

Dragonfly::GlobalLinkChoice Dragonfly::choose_global_link(SwitchAddress from, SwitchAddress to,
                                                          std::uint32_t random_bits) const {
  const std::int32_t from_slot = slot_of(shape_.arrangement, shape_.n_groups, from.group, to.group);
  const std::int32_t to_slot = slot_of(shape_.arrangement, shape_.n_groups, to.group, from.group);
  const auto hops_over = [&](std::int32_t parallel_link) {
    const Switch gateway = switch_of_port(parallel_link * other_groups_.value() + from_slot);
    const Switch arrival = switch_of_port(parallel_link * other_groups_.value() + to_slot);
    return group_.distance(from.local, gateway) + 1 + group_.distance(arrival, to.local);
  };
  int shortest = hops_over(0);
  if (links_per_pair_ == 1) return {.port = from_slot, .hops = shortest};
  std::uint32_t n_shortest = 1;
  for (std::int32_t parallel_link = 1; parallel_link < links_per_pair_; ++parallel_link) {
    const int hops = hops_over(parallel_link);
    n_shortest = hops < shortest ? 1 : n_shortest + (hops == shortest);
    shortest = std::min(shortest, hops);
  }
  std::uint32_t skip = random_bits % n_shortest;
  std::int32_t parallel_link = 0;
  while (hops_over(parallel_link) != shortest || skip-- > 0) ++parallel_link;
  return {.port = parallel_link * other_groups_.value() + from_slot, .hops = shortest};
}

int Dragonfly::distance(Switch from, Switch to) const {
  const SwitchAddress here{.group = quotient(from, group_size_), .local = remainder(from, group_size_)};
  const SwitchAddress there{.group = quotient(to, group_size_), .local = remainder(to, group_size_)};
  if (here.group == there.group) return group_.distance(here.local, there.local);
  return choose_global_link(here, there, /*random_bits=*/0).hops;
}

}  // namespace halcyon::network
