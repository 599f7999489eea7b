#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

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

}  // namespace halcyon::graph
