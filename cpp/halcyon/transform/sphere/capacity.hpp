#pragma once

#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::transform {

/// Of the mean square of a P_nm, at most this may lie in rows too short for its m: round trips of random
/// coefficients of size 1 are then within 1e-10.
inline constexpr double kMostLost = 1e-11;

/// Whether T + 1 rows or more, 2 T + 1 values at the equator or more, and rows elsewhere let an analysis give
/// back what a synthesis was given. A row of L values holds wavenumbers to (L - 1) / 2. Where m is larger,
/// |P_nm| must be small enough there that w P_nm^2 <= kMostLost of the pair of rows, whose Gaussian weights
/// are w each (sum over all rows: 2): the sum over latitudes that makes P_nm orthogonal (Courtier and
/// Naughton 1994, Q. J. R. Meteorol. Soc. 120, 1389-1407) lacks that. |P_nm| shrinks as m grows, so that the
/// first m a row cannot hold tells. Grids that hold T hold all below; `Grid::octahedral(T + 1)` holds T, the
/// cubic grid TCo of Malardel et al. (2016).
bool holds(const Grid& grid, int truncation);
/// The largest truncation that it holds.
int largest_truncation(const Grid& grid);

}  // namespace halcyon::transform
