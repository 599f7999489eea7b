#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

/// @throws InputError where a point is not on the unit sphere
void require_on_sphere(std::span<const Vector3> points);

/// The order of points of the unit sphere along a closed curve: Hilbert curves (1891) on the faces of a cube,
/// each of which ends where the next begins. Points nearer than some 1e-7 rad keep their order.
/// @returns the points in their new order: order[new] = old
/// @throws InputError where a point is not on the unit sphere
std::vector<LocalIndex> hilbert_order(std::span<const Vector3> points);

/// The same along Morton's (1966) Z-shaped curves, which jump.
/// @returns the points in their new order: order[new] = old
/// @throws InputError where a point is not on the unit sphere
std::vector<LocalIndex> morton_order(std::span<const Vector3> points);

/// The place of a square of a grid of 2^levels x 2^levels along Hilbert's curve from (0, 0) to the end of the
/// axis of u.
std::uint64_t hilbert_place(std::uint32_t u, std::uint32_t v, int levels);

/// The same along Morton's curve: the digits of u and v by turns, those of u first.
std::uint64_t morton_place(std::uint32_t u, std::uint32_t v);

/// The nodes by their places, equals by their number: order[new] = old.
/// @param places (node)
std::vector<LocalIndex> order_by(std::span<const std::uint64_t> places);

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
