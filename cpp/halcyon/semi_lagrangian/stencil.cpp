#include "halcyon/semi_lagrangian/stencil.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

using Weights = std::array<double, 4>;

namespace {

/// Weights of four equidistant points for interpolation to x: x = 0 is the second point, x = 1 the third.
Weights linear_weights(double x) {
  return {0, 1 - x, x, 0};
}
Weights cubic_weights(double x) {
  return {-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2, -(x + 1) * x * (x - 2) / 2,
          (x + 1) * x * (x - 1) / 6};
}

/// Weights of the four stencil rows. @param north number of stencil row 1
Weights row_weights(const Rows& rows, int north, double colatitude, Interpolation interpolation) {
  if (interpolation != Interpolation::linear) return rows.cubic_nodes(north).weights(colatitude);
  const double before = rows.colatitude(north);
  return linear_weights((colatitude - before) / (rows.colatitude(north + 1) - before));
}

/// Weights of the four points of a stencil row 0 .. 3, at a fraction of the way from the second to the third.
Weights column_weights(int row, double fraction, Interpolation interpolation) {
  const bool is_inner = row == 1 || row == 2;
  const bool is_cubic =
      interpolation == Interpolation::cubic || (interpolation == Interpolation::quasi_cubic && is_inner);
  return is_cubic ? cubic_weights(fraction) : linear_weights(fraction);
}

}  // namespace

Interpolation interpolation_named(std::string_view name) {
  const auto* entry = std::ranges::find(kInterpolations, name, [](const auto& pair) { return pair.first; });
  require<ConfigError>(entry != kInterpolations.end(),
                       "There is no interpolation '{}'. Use linear, quasi_cubic or cubic.", name);
  return entry->second;
}

StencilRows stencil_rows(const Rows& rows, Point point) {
  StencilRows rows_around{rows.row_north_of(point.colatitude), {}};
  const double circles = point.longitude / kTwoPi;
  for (int i = 0; i < 4; ++i) rows_around.rows[i] = rows.locate_circles(rows_around.north - 1 + i, circles);
  return rows_around;
}

void add_columns(const Rows& rows, std::span<const Point> points, Interpolation interpolation,
                 ColumnSet& needed_columns) {
  for (const auto point : points) {
    const auto rows_around = stencil_rows(rows, point);
    for (int k = 0, n = n_points(interpolation); k < n; ++k)
      needed_columns.add(rows_around.column_index(rows, kStencil[k]));
  }
}

PointStencil point_stencil(const Rows& rows, const Columns& columns, Point point,
                           Interpolation interpolation) {
  const auto rows_around = stencil_rows(rows, point);
  const auto weights_of_rows = row_weights(rows, rows_around.north, point.colatitude, interpolation);
  std::array<Weights, 4> weights_in_row;
  for (int i = 0; i < 4; ++i)
    weights_in_row[i] = column_weights(i, rows_around.rows[i].fraction, interpolation);
  PointStencil stencil;
  bool is_missing = false;
  for (int k = 0, n = n_points(interpolation); k < n; ++k) {
    const auto [row, column] = kStencil[k];
    stencil.positions[k] = columns.position(rows_around.column_index(rows, kStencil[k]));
    stencil.weights[k] = weights_of_rows[row] * weights_in_row[row][column + 1];
    if (rows_around.rows[row].across_pole) stencil.across_pole |= 1U << k;
    is_missing |= stencil.positions[k] == kNone;
  }
  require<InternalError>(!is_missing,
                         "A departure point at longitude {}, colatitude {} rad lies beyond the halo.",
                         point.longitude, point.colatitude);
  const auto linear_rows = row_weights(rows, rows_around.north, point.colatitude, Interpolation::linear);
  for (int k = 0; k < 4; ++k) {
    const auto [row, column] = kStencil[k];
    stencil.linear_weights[k] = linear_rows[row] * linear_weights(rows_around.rows[row].fraction)[column + 1];
  }
  return stencil;
}

Stencils::Stencils(const Rows& rows, const Columns& columns, std::span<const Point> points,
                   Interpolation interpolation)
    : n_points(semi_lagrangian::n_points(interpolation)),
      positions(points.size() * n_points),
      weights(positions.size()) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto stencil = point_stencil(rows, columns, points[i], interpolation);
    std::copy_n(stencil.positions.begin(), n_points, &positions[i * n_points]);
    std::copy_n(stencil.weights.begin(), n_points, &weights[i * n_points]);
  }
}

}  // namespace halcyon::semi_lagrangian
