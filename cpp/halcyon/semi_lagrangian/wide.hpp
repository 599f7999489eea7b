#pragma once

#include <vector>

#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/semi_lagrangian/division.hpp"
#include "halcyon/semi_lagrangian/rows.hpp"

namespace halcyon::semi_lagrangian {

/// Beyond the last grid point that air may come from: what interpolation needs around it.
inline constexpr int kStencilWidth = 2;
/// By how much rounding may move a point [rad].
inline constexpr double kRounding = 1e-12;

/// ceil(distance / grid point) + 2: the halo that serves air that comes from so far away (Zheng and
/// Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, 4.3). @param distance [rad] on the unit sphere
int width_for(const Rows& rows, double distance);

/// How far away air may come from [rad] where a halo has this width.
double reach_of(const Rows& rows, int width);

/// The columns beyond its own that a rank needs for all departure points within the reach of a halo:
/// `width` rows on each side, which over a pole go on along the meridian pi away, and of each row the
/// longitudes that a great circle of this length reaches, with `kStencilWidth` columns around them: all of
/// them where it reaches a pole. So neighbours of neighbours, too. Ascending ids.
/// @throws ConfigError for a width below 3 or above the number of rows
std::vector<GlobalIndex> wide_halo(const Rows& rows, const Division& division, Rank rank, int width);

/// Who receives how much from whom in an exchange of wide halos. @param column_bytes of a column
schedule::Volumes wide_volumes(const Rows& rows, const Division& division, int width,
                               std::int64_t column_bytes, int threads);

}  // namespace halcyon::semi_lagrangian
