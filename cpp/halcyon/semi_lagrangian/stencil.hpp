#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/rows.hpp"

namespace halcyon::semi_lagrangian {

/// A point on the sphere [rad]; the colatitude is 0 .. pi.
struct Point {
  double longitude = 0, colatitude = 0;
};

enum class Interpolation {
  linear,       ///< 4 points
  quasi_cubic,  ///< 12 points: cubic on the inner two rows, linear on the outer two (Ritchie et al. 1995)
  cubic,        ///< 16 points
};

inline constexpr std::array kInterpolations{
    std::pair<std::string_view, Interpolation>("linear", Interpolation::linear),
    std::pair<std::string_view, Interpolation>("quasi_cubic", Interpolation::quasi_cubic),
    std::pair<std::string_view, Interpolation>("cubic", Interpolation::cubic)};

/// Returns the interpolation of this name. @throws ConfigError for an unknown name, listing the names
Interpolation interpolation_named(std::string_view name);

/// A stencil point: row 0 .. 3 from north to south, column relative to the column west of the target point.
struct StencilPoint {
  int row = 0, column = 0;
};
/// The stencil points, the nearest four first.
// clang-format off
inline constexpr std::array<StencilPoint, 16> kStencil{{
    {1, 0}, {1, 1}, {2, 0}, {2, 1}, {1, -1}, {1, 2}, {2, -1}, {2, 2},
    {0, 0}, {0, 1}, {3, 0}, {3, 1}, {0, -1}, {0, 2}, {3, -1}, {3, 2}}};
// clang-format on
constexpr int n_points(Interpolation interpolation) {
  return interpolation == Interpolation::linear ? 4 : interpolation == Interpolation::quasi_cubic ? 12 : 16;
}

struct StencilRows {
  int north = 0;                    ///< grid row of stencil row 1, at or north of the point
  std::array<RowPosition, 4> rows;  ///< the point's longitude in each row

  ColumnIndex column_index(const Rows& grid_rows, StencilPoint point) const {
    const auto& position = rows[point.row];
    return {position.row, position.column(point.column, grid_rows.grid().row_length(position.row))};
  }
};

/// Locates a point in the four rows of its stencil.
StencilRows stencil_rows(const Rows& rows, Point point);
/// Adds the columns of the stencils of these points to `needed_columns`.
void add_columns(const Rows& rows, std::span<const Point> points, Interpolation interpolation,
                 ColumnSet& needed_columns);

/// The stencil of one point: local indices of its columns, and their weights.
struct PointStencil {
  std::array<LocalIndex, 16> positions{};
  std::array<double, 16> weights{};
  std::array<double, 4> linear_weights{};  ///< of the nearest four, for linear interpolation
  unsigned across_pole = 0;  ///< bit k: stencil point k is beyond a pole, where winds change sign
};

/// @throws InternalError if the rank does not store a column
PointStencil point_stencil(const Rows& rows, const Columns& columns, Point point,
                           Interpolation interpolation);

/// Stencils of points, for Lagrange interpolation in longitude along each row, then in colatitude.
struct Stencils {
  int n_points = 0;                   ///< stencil points per point
  std::vector<LocalIndex> positions;  ///< local column indices (point, stencil point)
  std::vector<double> weights;        ///< (point, stencil point); the weights of a point add up to 1

  Stencils() = default;
  /// @throws InternalError if the rank does not store a column
  Stencils(const Rows& rows, const Columns& columns, std::span<const Point> points,
           Interpolation interpolation);
};

/// Interpolates fields x to the departure points D: x(D) = sum_k w_k x_k over the stencil points k; if
/// `monotone`, limited to the range of the four x_k around D (Bermejo and Staniforth 1992).
/// @param values (local column, field, level - levels.begin)  @param columns owned columns to interpolate
/// @param levels levels that `values` holds  @param out (field) results (owned column, level)
inline void interpolate(const Stencils& stencils, View<const double, 3> values, Range columns, Range levels,
                        std::size_t n_levels, bool monotone, std::span<const std::span<double>> out) {
  const auto n = static_cast<std::size_t>(stencils.n_points);
  const auto column_size = values.extent(1) * values.extent(2);
  for (int column = columns.begin; column < columns.end; ++column)
    for (int level = levels.begin; level < levels.end; ++level) {
      const auto index = std::size_t(column) * n_levels + std::size_t(level);
      const auto* position = &stencils.positions[index * n];
      const auto* weight = &stencils.weights[index * n];
      const double* x = values.data() + (level - levels.begin);
      for (std::size_t field = 0; field < out.size(); ++field, x += values.extent(2)) {
        const auto value = [&](std::size_t k) { return x[std::size_t(position[k]) * column_size]; };
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += weight[k] * value(k);
        if (monotone) {
          const auto [minimum, maximum] = std::minmax({value(0), value(1), value(2), value(3)});
          sum = std::clamp(sum, minimum, maximum);
        }
        out[field][index] = sum;
      }
    }
}

}  // namespace halcyon::semi_lagrangian
