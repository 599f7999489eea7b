#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

/// Methods of numbering nodes so that neighbours are close to each other in memory.
enum class Order { natural, bfs, rcm, hilbert, morton, grist_hilbert, grist_morton };

/// Names of the orders, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> kOrderNames{
    "natural", "bfs", "rcm", "hilbert", "morton", "grist_hilbert", "grist_morton"};

/// @throws ConfigError for an unknown name
Order order_named(std::string_view name);

/// Breadth-first order: each component from its lowest-numbered node, with neighbours in the listed order.
/// @returns order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> bfs_order(const NeighbourLists& graph);

/// Reverse Cuthill-McKee order (1969): the reverse of a breadth-first order that takes the neighbours of a
/// node by degree, then number, and begins each connected component at a pseudo-peripheral node (George and
/// Liu 1979, ACM Trans. Math. Softw. 5, 284-295).
/// @returns order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> rcm_order(const NeighbourLists& graph);

/// Returns the order of the given kind. `hilbert`, `morton` and `grist_morton` use `points` (node) on the
/// unit sphere; the other kinds use `graph`.
/// @returns order[new] = old
/// @throws InputError as `require_valid` and `hilbert_order`
std::vector<LocalIndex> order_of(Order kind, const NeighbourLists& graph, std::span<const Vector3> points);

}  // namespace halcyon::graph
