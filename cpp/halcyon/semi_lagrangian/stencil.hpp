#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/rows.hpp"

namespace halcyon::semi_lagrangian {

/// A point on the sphere [rad]; the colatitude is 0 .. pi.
struct Point {
  double longitude = 0, colatitude = 0;
};

/// Which points around it make the value at a point.
enum class Interpolation {
  linear,       ///< 4
  quasi_cubic,  ///< 12: cubic on the two rows next to it, linear on the two beyond (Ritchie et al. 1995)
  cubic,        ///< 16
};

/// @throws ConfigError that lists them
Interpolation interpolation_named(std::string_view name);

/// The points of an interpolation around a point: rows 0 .. 3 from north to south, and columns from the one
/// west of it on, the nearest four first.
struct StencilPoint {
  int row = 0, column = 0;
};
inline constexpr std::array<StencilPoint, 16> kStencil{{{1, 0},
                                                        {1, 1},
                                                        {2, 0},
                                                        {2, 1},
                                                        {1, -1},
                                                        {1, 2},
                                                        {2, -1},
                                                        {2, 2},
                                                        {0, 0},
                                                        {0, 1},
                                                        {3, 0},
                                                        {3, 1},
                                                        {0, -1},
                                                        {0, 2},
                                                        {3, -1},
                                                        {3, 2}}};
constexpr int n_points(Interpolation by) {
  return by == Interpolation::linear ? 4 : by == Interpolation::quasi_cubic ? 12 : 16;
}

/// The four rows around a point.
struct Spot {
  int north = 0;  ///< the row north of it: the second of the four
  std::array<RowSpot, 4> rows;

  Place place(const Rows& grid_rows, StencilPoint at) const {
    const auto& spot = rows[at.row];
    return {spot.row, spot.column(at.column, grid_rows.grid().row_length(spot.row))};
  }
};

Spot spot_of(const Rows& rows, Point point);

/// Adds the columns that points are interpolated from.
void add_columns(const Rows& rows, std::span<const Point> points, Interpolation by, Wanted& wanted);

/// Where to find what makes the values at points, and by which weights: Lagrange's polynomials in longitude,
/// each row by its own columns, then in colatitude.
struct Stencils {
  int n_points = 0;
  std::vector<LocalIndex> places;  ///< (point, n_points)
  std::vector<double> weights;     ///< (point, n_points); their sum is 1

  Stencils() = default;
  /// @throws InternalError where a column is not held
  Stencils(const Rows& rows, const Columns& columns, std::span<const Point> points, Interpolation by);
};

}  // namespace halcyon::semi_lagrangian
