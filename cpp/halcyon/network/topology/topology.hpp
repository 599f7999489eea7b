#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/options/option.hpp"

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
  Node n_nodes() const { return n_nodes_; }
  Switch n_switches() const { return n_switches_; }
  Link n_links() const { return n_links_; }

  virtual Switch switch_of(Node node) const = 0;

  /// Switches that nodes hang on.
  virtual Switch n_edge_switches() const { return n_switches_; }
  /// @param i 0 <= i < n_edge_switches()
  virtual Switch edge_switch(Switch i) const { return i; }

  /// The links that leave `from` are first_link(from) .. first_link(from + 1) - 1.
  /// @param from 0 <= from <= n_switches()
  virtual Link first_link(Switch from) const = 0;
  virtual Ends ends(Link link) const = 0;

  /// The kinds of links, such as {"local", "global"}; a machine may give each its own speed.
  const std::vector<std::string>& kinds() const { return kinds_; }
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

 protected:
  Node n_nodes_ = 0;
  Switch n_switches_ = 0;
  Link n_links_ = 0;
  std::vector<std::string> kinds_;
};

/// A number of switches, nodes or links as an index holds it.
/// @throws ConfigError where it is too large, with `what` there are so many of
std::int32_t counted(std::int64_t number, std::string_view what);

/// The product of sizes, each of which must be 1 or more.
/// @throws ConfigError that names `what` has a size below 1, or whose product is too large
std::int32_t counted_product(std::span<const std::int32_t> sizes, std::string_view what);

/// Such as "1 node" or "25 nodes".
std::string numbered(std::int64_t number, std::string_view what, std::string_view ending = "s");

/// Such as "25 x 25 x 25".
std::string joined_sizes(std::span<const std::int32_t> sizes);

/// A type of network as a user chooses it. Its first option is the type; where several have one name, the
/// second option tells which is meant.
struct TopologyChoice : options::Choice {
  std::unique_ptr<Topology> (*make)(const options::Values& values) = nullptr;
};

using Choices = std::vector<TopologyChoice>;

inline constexpr std::int64_t kMostCount = 2'147'483'647;

/// `type:` of a choice.
options::Option type_option(const std::string& type, std::string text);
/// Lists of at least 1 each, without a default.
options::Option sizes_option(std::string name, std::string text, std::string allowed);
/// A whole number, without a default.
options::Option count_option(std::string name, std::string text, std::int64_t least = 1,
                             std::int64_t most = kMostCount);
/// A whole number of 1 or more, 1 by default.
options::Option one_option(std::string name, std::string text);

/// The value of a list, and of a whole number.
std::vector<std::int32_t> sizes_in(const options::Values& values, std::string_view name);
std::int32_t count_in(const options::Values& values, std::string_view name);

/// What a grid of switches has, besides its `type`.
template <class Grid>
std::unique_ptr<Topology> make_grid(const options::Values& values) {
  return std::make_unique<Grid>(sizes_in(values, "sizes"), count_in(values, "nodes_per_switch"));
}
std::vector<options::Option> grid_options(const std::string& type, std::string text);

}  // namespace halcyon::network
