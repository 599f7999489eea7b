#pragma once

#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// The circumcentre of points a, b, c of the unit sphere, which run counter-clockwise. Arcs between two of
/// them cross the side that they share at a right angle to 1e-14 rad where sides are 0.007 (G7) or more.
///
/// The exact centre is rounded to doubles, which turns it by up to 1e-16 rad and thereby arcs by more, the
/// shorter they are. So its length is chosen, within 3e-15 of 1, for a rounding that turns it less.
Vector3 vertex_point(Vector3 a, Vector3 b, Vector3 c);

}  // namespace halcyon::mesh
