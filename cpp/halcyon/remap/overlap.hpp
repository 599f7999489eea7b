#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/remap/latlon_grid.hpp"

namespace halcyon::remap {

/// Polygons of the sphere whose sides are great-circle arcs, each smaller than a hemisphere, in either sense.
struct Faces {
  std::span<const Vector3> nodes;             ///< on the unit sphere
  std::span<const LocalIndex> offsets;        ///< (face + 1) into nodes_on_face
  std::span<const LocalIndex> nodes_on_face;  ///< around each face

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
};

/// What faces and boxes share: entries offsets[b] .. offsets[b + 1] of a box, by ascending face.
struct Overlaps {
  std::vector<std::int64_t> offsets;  ///< (box + 1)
  std::vector<LocalIndex> faces;      ///< (entry)
  std::vector<double> areas;          ///< (entry) [unit sphere], positive
  std::vector<double> box_areas;      ///< (box) [unit sphere]
  std::vector<double> face_areas;     ///< (face) [unit sphere]
};

/// The areas that faces share with the boxes of a grid, exact to rounding: integrals along their sides
/// (after Jones 1999, Mon. Wea. Rev. 127, 2204-2210, here of great circles in closed form). What a face
/// shares with all boxes adds up to its area where the grid covers it. The same bits for any number of
/// threads.
/// @throws InputError if a face has fewer than 3 nodes, or one that is not there or not on the unit sphere
Overlaps overlaps(const Faces& faces, const LatLonGrid& grid, int threads = 0);

/// Means over boxes of values on faces, which are constant in a face: m_b = sum_f A_bf v_f / sum_f A_bf, over
/// the faces whose value is a number; NaN where a box has none.
/// @param values (face), NaN where missing
/// @param means (box)
/// @param covered (box) the part of each box that those faces cover, 0..1
/// So sum_b m_b covered_b A_b = sum_f v_f A_f where the grid covers the faces. Same bits for any `threads`.
void average(const Overlaps& overlaps, std::span<const double> values, std::span<double> means,
             std::span<double> covered, int threads = 0);

}  // namespace halcyon::remap
