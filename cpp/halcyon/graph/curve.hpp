#pragma once

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

}  // namespace halcyon::graph
