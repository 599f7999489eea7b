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

/// A compute node, attached to one switch; of `AttachedNics`, also an end point, to which a NIC is attached.
using Node = std::int32_t;
using Switch = std::int32_t;
/// One direction of a cable between two switches. The connections of nodes to switches are not links.
using Link = std::int32_t;

struct LinkEnds {
  Switch from = kNone, to = kNone;
  bool operator==(const LinkEnds&) const = default;
};

/// The nodes, switches and links of a network, numbered from zero. The nodes of a switch are consecutive, and
/// so are the links that leave a switch.
///
/// Topologies given by a formula (all but `Graph`) need no memory that grows with the network, and compute
/// each result in a few nanoseconds. For `TopologyRouting`, each also has
/// - `int n_channels() const`, the virtual channels of minimal routes, and `int n_detour_channels() const`,
///   those of a routing with detours;
/// - `std::uint8_t detour_channel(Leg leg, std::uint8_t channel) const`, the channel on a leg of a detour
///   instead of the channel that `hop` returns. Where a saturated minimal route would block second legs, they
///   have channels of their own;
/// - `bool has_equal_routes() const`, whether `Route::path_selector` chooses among minimal routes;
/// - `Hop hop(Switch current, Route& route) const`, the next hop of a shortest route to `route.goal`: always
///   inlined, so that a `Route` stays in registers;
/// - `Via random_via(Switch from, Switch to, std::uint64_t random) const`, the intermediate switch of a
/// detour;
///   it may equal `from` or `to`, for no detour.
class Topology {
 public:
  virtual ~Topology() = default;

  /// Description, such as "torus 25 x 25 x 25 with 25 nodes per switch".
  virtual std::string name() const = 0;
  Node n_nodes() const { return n_nodes_; }
  Switch n_switches() const { return n_switches_; }
  Link n_links() const { return n_links_; }
  /// @param node 0 .. n_end_points() - 1
  virtual Switch switch_of(Node node) const = 0;
  /// Number of NICs of a node that are attached separately (`AttachedNics`): NIC k of node n is end point
  /// n + k n_nodes(). 1: all NICs of a node are attached to its switch.
  virtual std::int32_t attached_nics() const { return 1; }
  Node n_end_points() const { return n_nodes_ * attached_nics(); }

  /// Number of switches with nodes.
  virtual Switch n_edge_switches() const { return n_switches_; }
  /// Returns the i-th switch with nodes, 0 <= i < n_edge_switches().
  virtual Switch edge_switch(Switch i) const { return i; }

  /// The links that leave `from` are first_link(from) .. first_link(from + 1) - 1, 0 <= from <= n_switches().
  virtual Link first_link(Switch from) const = 0;
  virtual LinkEnds ends(Link link) const = 0;

  /// The kinds of links, such as {"local", "global"}; a machine may give each kind its own speed.
  const std::vector<std::string>& kinds() const { return kinds_; }
  /// @returns an index into kinds()
  virtual int kind(Link link) const = 0;

  /// Number of links on a shortest route between edge switches (dragonfly: with at most one global link).
  virtual int distance(Switch from, Switch to) const = 0;
  virtual int diameter() const = 0;

  /// Whether a switch is in the second half of the bisection: a straight cut across the fewest links, into
  /// halves as equal as the sizes permit. A `Graph` is cut in switch order, with equal numbers of nodes.
  virtual bool is_in_second_half(Switch number) const = 0;

 protected:
  Node n_nodes_ = 0;
  Switch n_switches_ = 0;
  Link n_links_ = 0;
  std::vector<std::string> kinds_;
};

/// Converts a number of switches, nodes or links to 32 bits.
/// @throws ConfigError naming `noun` if the number is too large
std::int32_t checked_count(std::int64_t number, std::string_view noun);

/// The product of sizes, each of which must be 1 or more.
/// @throws ConfigError naming `noun` for a size below 1, or if the product is too large
std::int32_t checked_product(std::span<const std::int32_t> sizes, std::string_view noun);

/// Returns a text such as "1 node" or "25 nodes".
std::string count_with_noun(std::int64_t number, std::string_view noun, std::string_view ending = "s");

/// Returns a text such as "25 x 25 x 25".
std::string joined_sizes(std::span<const std::int32_t> sizes);

/// A type of network in case files. The first option is the type; the second distinguishes equal types.
struct TopologyChoice : options::RegistryEntry {
  std::unique_ptr<Topology> (*make)(const options::Values& values) = nullptr;
};

using Choices = std::vector<TopologyChoice>;  ///< from the static `choices()` of a topology class

inline constexpr std::int64_t kMaxCount = 2'147'483'647;

options::Option type_option(const std::string& type, std::string text);
/// A required list of integers of at least 1.
options::Option sizes_option(std::string name, std::string text, std::string allowed);
/// A required integer.
options::Option count_option(std::string name, std::string text, std::int64_t min = 1,
                             std::int64_t max = kMaxCount);
/// An integer of 1 or more, 1 by default.
options::Option optional_count_option(std::string name, std::string text);

/// Return the value of an option of `sizes_option` or `count_option`.
std::vector<std::int32_t> sizes_in(const options::Values& values, std::string_view name);
std::int32_t count_in(const options::Values& values, std::string_view name);

/// Makes a grid of switches from the values of `grid_options`.
template <class Grid>
std::unique_ptr<Topology> make_grid(const options::Values& values) {
  return std::make_unique<Grid>(sizes_in(values, "sizes"), count_in(values, "nodes_per_switch"));
}
std::vector<options::Option> grid_options(const std::string& type, std::string text);

}  // namespace halcyon::network
