#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halcyon::atmosphere {

/// Columns (cell, level) brought to surfaces of their vertical coordinate, such as pressure or height.
struct Columns {
  std::span<const double> coordinate;  ///< (cell, level); along a column it only rises or only falls
  std::span<const double> values;      ///< (cell, level)
  std::size_t n_levels = 0;
};

/// v = v_k + s (v_{k+1} - v_k),  s = (x - x_k) / (x_{k+1} - x_k)
/// where x is the coordinate, or its logarithm, and the target lies between the levels k and k + 1 of a
/// column. On a level it is that level's value; above the first and below the last there is none: NaN.
/// @param targets of the coordinate, in any order  @param logarithmic linear in ln of the coordinate
/// @returns (cell, target)
/// @throws InputError where the sizes do not fit, a target is not finite, or a logarithm has no number
std::vector<double> interpolate(const Columns& columns, std::span<const double> targets, bool logarithmic);

}  // namespace halcyon::atmosphere
