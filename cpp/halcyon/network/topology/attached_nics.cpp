#include "halcyon/network/topology/attached_nics.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

/// Number of nodes of each switch with nodes.
std::int32_t nodes_per_switch(const Topology& part) {
  const auto n = part.n_nodes() / part.n_edge_switches();
  for (Switch i = 0; i < part.n_edge_switches(); ++i) {
    const Node first = i * n, last = first + n - 1;
    require<ConfigError>(
        last < part.n_nodes() && part.switch_of(first) == part.edge_switch(i) &&
            part.switch_of(last) == part.edge_switch(i) && n * part.n_edge_switches() == part.n_nodes(),
        "{} has switches with different numbers of nodes, so that the NICs of a node cannot be attached to "
        "several of them. Give equal numbers, or attach all NICs of a node to its switch.",
        part.name());
  }
  return n;
}

}  // namespace

AttachedNics::AttachedNics(std::vector<const Topology*> parts, std::int32_t nics)
    : parts_(std::move(parts)), nics_(nics), first_switch_{0}, first_link_{0} {
  require<ConfigError>(
      nics >= 1 && (parts_.size() == 1 || std::ssize(parts_) == nics),
      "There are {} networks for {} NICs per node. Give one for all NICs, or one for each NIC.",
      parts_.size(), nics);
  const auto& first = *parts_.front();
  kinds_ = first.kinds();
  for (const auto* each : parts_) {
    require<ConfigError>(each->n_nodes() == first.n_nodes() && each->kinds() == kinds_,
                         "Rails must have equal numbers of nodes and equal kinds of links, but {} and {} "
                         "have not.",
                         first.name(), each->name());
    first_switch_.push_back(
        checked_count(std::int64_t{first_switch_.back()} + each->n_switches(), "switches"));
    first_link_.push_back(checked_count(std::int64_t{first_link_.back()} + each->n_links(), "links"));
    n_edge_switches_ += each->n_edge_switches();
  }
  n_nodes_ = first.n_nodes();
  if (!has_rails()) {
    per_switch_ = Divisor(nodes_per_switch(first));
    n_nodes_ = first.n_edge_switches() / nics * per_switch_.value();
    require<ConfigError>(n_nodes_ >= 1,
                         "{} has {} with nodes, but the {} NICs of a node are attached to as many switches. "
                         "Give more switches or fewer NICs.",
                         first.name(), count_with_noun(first.n_edge_switches(), "switch", "es"), nics);
  }
  checked_count(std::int64_t{n_nodes_} * nics, "NICs");
  nodes_ = Divisor(n_nodes_);
  n_switches_ = first_switch_.back();
  n_links_ = first_link_.back();
}

std::string AttachedNics::name() const {
  const auto& first = *parts_.front();
  if (!has_rails())
    return fmt::format("{}, where nodes are NICs: those of a node at {}", first.name(),
                       count_with_noun(nics_, "switch", "es"));
  const bool equal =
      std::ranges::all_of(parts_, [&](const Topology* each) { return each->name() == first.name(); });
  return fmt::format("{} rails, {}{}", nics_, equal ? "each a " : "the first a ", first.name());
}

Switch AttachedNics::edge_switch(Switch i) const {
  std::size_t part = 0;
  for (; i >= parts_[part]->n_edge_switches(); ++part) i -= parts_[part]->n_edge_switches();
  return first_switch_[part] + parts_[part]->edge_switch(i);
}

Link AttachedNics::first_link(Switch from) const {
  if (from == n_switches_) return n_links_;
  const auto part = part_of_switch(from);
  return first_link_[part] + parts_[part]->first_link(from - first_switch_[part]);
}

LinkEnds AttachedNics::ends(Link link) const {
  const auto part = part_of_link(link);
  const auto ends = parts_[part]->ends(link - first_link_[part]);
  return {.from = ends.from + first_switch_[part], .to = ends.to + first_switch_[part]};
}

int AttachedNics::distance(Switch from, Switch to) const {
  const auto part = part_of_switch(from);
  require<InputError>(part == part_of_switch(to), "Switches {} and {} belong to rails {} and {}.", from, to,
                      part, part_of_switch(to));
  return parts_[part]->distance(from - first_switch_[part], to - first_switch_[part]);
}

int AttachedNics::diameter() const {
  int largest = 0;
  for (const auto* each : parts_) largest = std::max(largest, each->diameter());
  return largest;
}

const std::vector<options::RegistryEntry>& nic_attachments() {
  static const std::vector<options::RegistryEntry> all{
      {.name = "node", .text = "All NICs of a node are attached to its switch, with a port each."},
      {.name = "switches",
       .text = "NIC k of a node is attached to the k-th of as many consecutive switches; the nodes of the "
               "topology are NICs. On a fat tree: rails of leaf switches under shared spines."},
      {.name = "rails",
       .text = "NIC k of each node is attached to the k-th of as many equal networks, its rail."},
  };
  return all;
}

}  // namespace halcyon::network
