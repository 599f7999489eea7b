#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::network {

/// A network to which each NIC of a node is attached separately. It consists of other networks, its parts:
/// - one part: the end points of the part are NICs. NIC k of a node is attached to the k-th of `nics`
///   consecutive switches, as in a chassis whose blades are cabled to all of its switches; so on a fat tree
///   the k-th leaf switches are rail k, under shared spines;
/// - a part for each NIC, its rail: NIC k of node n is end point n of part k.
///
/// Switches and links are numbered part by part. NIC k of node n is end point n + k n_nodes(), so the end
/// points below n_nodes() are the first NICs of the nodes, and `switch_of` a node is the switch of its first
/// NIC.
class AttachedNics final : public Topology {
 public:
  /// @param parts one, or one for each NIC; must outlive this network
  /// @throws ConfigError for another number of parts, parts of different numbers of nodes or kinds of links,
  /// and one part with fewer switches with nodes than NICs, or with different numbers of nodes on them
  AttachedNics(std::vector<const Topology*> parts, std::int32_t nics);

  const std::vector<const Topology*>& parts() const { return parts_; }
  bool has_rails() const { return parts_.size() > 1; }
  std::int32_t attached_nics() const override { return nics_; }
  std::string name() const override;
  Switch switch_of(Node end_point) const override {
    const auto nic = nic_of(end_point);
    return first_switch_[part_of_nic(nic)] + parts_[part_of_nic(nic)]->switch_of(in_part(end_point));
  }
  Switch n_edge_switches() const override { return n_edge_switches_; }
  Switch edge_switch(Switch i) const override;
  Link first_link(Switch from) const override;
  LinkEnds ends(Link link) const override;
  int kind(Link link) const override {
    const auto part = part_of_link(link);
    return parts_[part]->kind(link - first_link_[part]);
  }
  /// @throws InputError for switches of different rails
  int distance(Switch from, Switch to) const override;
  int diameter() const override;
  bool is_in_second_half(Switch number) const override {
    const auto part = part_of_switch(number);
    return parts_[part]->is_in_second_half(number - first_switch_[part]);
  }

  std::int32_t nic_of(Node end_point) const { return quotient(end_point, nodes_); }
  std::size_t part_of_nic(std::int32_t nic) const { return has_rails() ? static_cast<std::size_t>(nic) : 0; }
  std::size_t part_of_switch(Switch number) const { return part(first_switch_, number); }
  std::size_t part_of_link(Link link) const { return part(first_link_, link); }
  Switch first_switch_of_part(std::size_t part) const { return first_switch_[part]; }
  Link first_link_of_part(std::size_t part) const { return first_link_[part]; }

  /// The end point's number in its part; kNone of kNone.
  Node in_part(Node end_point) const {
    if (end_point == kNone) return kNone;
    const auto nic = nic_of(end_point);
    const Node node = end_point - nic * nodes_.value();
    if (has_rails()) return node;
    const auto chassis = quotient(node, per_switch_);  // of `nics_` switches
    return node + (chassis * (nics_ - 1) + nic) * per_switch_.value();
  }

 private:
  static std::size_t part(const std::vector<std::int32_t>& firsts, std::int32_t number) {
    std::size_t part = firsts.size() - 2;
    while (number < firsts[part]) --part;
    return part;
  }

  std::vector<const Topology*> parts_;
  std::int32_t nics_;
  Divisor nodes_, per_switch_;  // per_switch: end points of a switch of the only part
  std::vector<std::int32_t> first_switch_, first_link_;  // (part + 1)
  Switch n_edge_switches_ = 0;
};

/// How the NICs of a node can be attached to a network, in case files.
const std::vector<options::RegistryEntry>& nic_attachments();

}  // namespace halcyon::network
