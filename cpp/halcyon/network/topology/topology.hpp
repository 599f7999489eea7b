#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::network {

/// A place where ranks run; it hangs on one switch.
using Node = std::int32_t;
using Switch = std::int32_t;
/// One direction of a cable between two switches. What leads from a node to its switch and back is no link.
using Link = std::int32_t;

struct Ends {
  Switch from = kNone, to = kNone;
  bool operator==(const Ends&) const = default;
};

/// Which nodes, switches and links there are, numbered from zero. Nodes of a switch are consecutive, and so
/// are the links that leave a switch.
///
/// Those that are given by a formula (all but `Graph`) hold nothing that grows with the network, and answer
/// in a few nanoseconds. Each has besides, for `RoutingOver`, `Hop hop(Switch at, Route& route) const`: the
/// next link of a shortest route to `route.goal`, always inlined, so that routes stay in registers; and `int
/// n_channels() const`.
class Topology {
 public:
  virtual ~Topology() = default;

  /// Such as "torus 25 x 25 x 25 with 25 nodes a switch".
  virtual std::string name() const = 0;
  virtual Node n_nodes() const = 0;
  virtual Switch n_switches() const = 0;
  virtual Link n_links() const = 0;

  virtual Switch switch_of(Node node) const = 0;

  /// Switches that nodes hang on.
  virtual Switch n_edge_switches() const { return n_switches(); }
  /// @param i 0 <= i < n_edge_switches()
  virtual Switch edge_switch(Switch i) const { return i; }

  /// The links that leave `from` are first_link(from) .. first_link(from + 1) - 1.
  /// @param from 0 <= from <= n_switches()
  virtual Link first_link(Switch from) const = 0;
  virtual Ends ends(Link link) const = 0;

  /// The kinds of links, such as {"local", "global"}; a machine may give each its own speed.
  virtual const std::vector<std::string>& kinds() const = 0;
  /// @returns an index into kinds()
  virtual int kind(Link link) const = 0;

  /// Links on a shortest route between two edge switches. On a dragonfly, of those with one global link at
  /// most.
  virtual int distance(Switch from, Switch to) const = 0;
  /// No distance is larger.
  virtual int diameter() const = 0;

  /// Whether a switch lies in the second half: halves as equal as sizes permit, by the straight cut across
  /// the fewest links. Of a graph: by the numbers of nodes.
  virtual bool beyond_middle(Switch at) const = 0;
};

}  // namespace halcyon::network
