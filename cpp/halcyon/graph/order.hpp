#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

/// How nodes may be numbered so that neighbours are near each other in memory.
enum class Order { natural, bfs, rcm, hilbert, morton, grist_hilbert, grist_morton };

/// Their names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> kOrderNames{
    "natural", "bfs", "rcm", "hilbert", "morton", "grist_hilbert", "grist_morton"};

/// @throws ConfigError where there is no such order
Order order_named(std::string_view name);

/// Breadth first, each part of the graph from its smallest node; neighbours as their list has them.
/// @returns the nodes in their new order: order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> bfs_order(const NeighbourLists& graph);

/// The reverse of Cuthill and McKee's (1969) order: breadth first, neighbours of fewest neighbours first,
/// each part of the graph from a node at its rim (George and Liu 1979, ACM Trans. Math. Softw. 5, 284-295).
/// Of equals the smaller node comes first.
/// @returns the nodes in their new order: order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> rcm_order(const NeighbourLists& graph);

/// The order of the given kind; `points` (node) on the unit sphere matter to curves alone, and `graph` to the
/// others and `grist_hilbert`.
/// @returns the nodes in their new order: order[new] = old
/// @throws InputError as `require_valid` and `hilbert_order`
std::vector<LocalIndex> order_of(Order kind, const NeighbourLists& graph, std::span<const Vector3> points);

}  // namespace halcyon::graph
