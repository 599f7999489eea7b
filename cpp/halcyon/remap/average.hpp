#pragma once

#include <span>

#include "halcyon/remap/overlap.hpp"

namespace halcyon::remap {

/// Means over boxes of values on faces, which are constant in a face: m_b = sum_f A_bf v_f / sum_f A_bf, over
/// the faces whose value is a number; NaN where a box has none.
/// @param values (face), NaN where missing
/// @param means (box)
/// @param covered (box) the part of each box that those faces cover, 0..1
/// So sum_b m_b covered_b A_b = sum_f v_f A_f where the grid covers the faces. Same bits for any `threads`.
void average(const Overlaps& overlaps, std::span<const double> values, std::span<double> means,
             std::span<double> covered, int threads = 0);

}  // namespace halcyon::remap
