#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

// The two curves of GRIST (Liu et al., Geosci. Model Dev. Discuss., sections 3.2 and 3.3), to be compared
// with those on the faces of a cube.

/// A place in oblique coordinates, whose axes meet at 60 degrees.
struct Oblique {
  std::int32_t x = 0, y = 0;
  bool operator==(const Oblique&) const = default;
};

/// The places of nodes seen from the first one with six neighbours, at (0, 0): its neighbours,
/// counter-clockwise as listed, lie at (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1) and (1, 0), theirs at the
/// same steps from them, and so on, breadth first. Others than hexagons hand nothing on; what is not reached
/// stays at (0, 0).
/// @throws InputError as `require_valid`
std::vector<Oblique> oblique_places(const NeighbourLists& graph);

/// The order along the Hilbert curve on the smallest grid of 2^n x 2^n that holds the oblique places; equals
/// by their number. @returns order[new] = old
/// @throws InputError as `require_valid`
std::vector<LocalIndex> grist_hilbert_order(const NeighbourLists& graph);

/// The order of the GeoHash texts of points, of 8 characters (boxes of 38 m x 19 m); equals by their number.
/// @returns order[new] = old
/// @throws InputError as `require_on_sphere`
std::vector<LocalIndex> grist_morton_order(std::span<const Vector3> points);

/// The interval that holds a value after [low, high] was halved `n` times, as a binary number: 0 for each
/// left half, and 1 for each right one, to which the middle belongs.
std::uint32_t interval_of(double value, double low, double high, int n);

/// The GeoHash of a point [degrees]: the binary digits of its intervals by turns, longitude first, five a
/// character.
/// @throws InputError where the point is none, ConfigError unless there are 1 to 12 characters
std::string geohash(double latitude, double longitude, int characters);

}  // namespace halcyon::graph
