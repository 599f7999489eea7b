#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

/// Checks that all points are on the unit sphere. @throws InputError if not
void require_on_sphere(std::span<const Vector3> points);

/// Orders points of the unit sphere along a closed curve on a cube: each face has a Hilbert curve (1891),
/// which ends where the curve of the next face begins. Points closer than about 1e-7 rad keep their order.
/// @returns order[new] = old
/// @throws InputError if a point is not on the unit sphere
std::vector<LocalIndex> hilbert_order(std::span<const Vector3> points);

/// As `hilbert_order`, but along Z-order curves (Morton 1966): consecutive squares need not be adjacent.
std::vector<LocalIndex> morton_order(std::span<const Vector3> points);

/// Index of square (u, v) of 2^levels x 2^levels along the Hilbert curve from (0, 0) to (2^levels - 1, 0).
std::uint64_t hilbert_index(std::uint32_t u, std::uint32_t v, int levels);

/// Index of square (u, v) along the Morton curve: the interleaved bits of u and v, the highest from u.
std::uint64_t morton_index(std::uint32_t u, std::uint32_t v);

/// Sorts nodes by key, and nodes with equal keys by number. @returns order[new] = old
/// @param keys (node)
std::vector<LocalIndex> sorted_by_key(std::span<const std::uint64_t> keys);

// The two curves of GRIST (Liu et al., Geosci. Model Dev. Discuss., sections 3.2 and 3.3), for comparison
// with the curves on the faces of a cube.

/// Oblique coordinates, whose axes meet at 60 degrees.
struct Oblique {
  std::int32_t x = 0, y = 0;
  bool operator==(const Oblique&) const = default;
};

/// Assigns oblique coordinates to the nodes by a breadth-first search from the first hexagon (a node with six
/// neighbours), which is at (0, 0). The neighbours of a hexagon, listed counter-clockwise, are at the offsets
/// (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1) and (1, 0) from the hexagon. The search does not continue from
/// other nodes; nodes that it does not reach stay at (0, 0).
/// @throws InputError as `require_valid`
std::vector<Oblique> oblique_coordinates(const NeighbourLists& graph);

/// Orders nodes along the Hilbert curve on the smallest grid of 2^n x 2^n squares that contains their oblique
/// coordinates, and nodes with equal coordinates by number. @returns order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> grist_hilbert_order(const NeighbourLists& graph);

/// Orders points by their GeoHash of 8 characters (boxes of 38 m x 19 m), and the points of a box by number.
/// @returns order[new] = old
/// @throws InputError as `require_on_sphere`
std::vector<LocalIndex> grist_morton_order(std::span<const Vector3> points);

/// Bisects [low, high] n times, and returns the index of the interval that contains the value: each bisection
/// appends one bit, 0 for the lower half, 1 for the upper half, which includes the midpoint.
std::uint32_t bisection_index(double value, double low, double high, int n);

/// Returns the GeoHash of a point [degrees]: the interleaved bits of the `bisection_index` of its longitude
/// and latitude, longitude first, five bits per character.
/// @throws InputError for invalid coordinates, ConfigError unless the number of characters is 1 to 12
std::string geohash(double latitude, double longitude, int characters);

}  // namespace halcyon::graph
