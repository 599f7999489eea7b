#include "halcyon/semi_lagrangian/stencil.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {
namespace {

using Weights = std::array<double, 4>;

/// Weights of four equidistant points for interpolation to x: x = 0 is the second point, x = 1 the third.
Weights linear_weights(double x) {
  return {0, 1 - x, x, 0};
}
Weights cubic_weights(double x) {
  return {-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2, -(x + 1) * x * (x - 2) / 2,
          (x + 1) * x * (x - 1) / 6};
}

/// w_i = prod_{j != i} (x - x_j) / (x_i - x_j)  (Lagrange)
Weights cubic_weights(double x, const Weights& nodes) {
  Weights w{1, 1, 1, 1};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (j != i) w[i] *= (x - nodes[j]) / (nodes[i] - nodes[j]);
  return w;
}

/// Weights of the four stencil rows. @param north number of stencil row 1
Weights row_weights(const Rows& rows, int north, double colatitude, Interpolation interpolation) {
  const Weights nodes{rows.colatitude(north - 1), rows.colatitude(north), rows.colatitude(north + 1),
                      rows.colatitude(north + 2)};
  if (interpolation == Interpolation::linear)
    return linear_weights((colatitude - nodes[1]) / (nodes[2] - nodes[1]));
  return cubic_weights(colatitude, nodes);
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
  for (int i = 0; i < 4; ++i) rows_around.rows[i] = rows.locate(rows_around.north - 1 + i, point.longitude);
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

Stencils::Stencils(const Rows& rows, const Columns& columns, std::span<const Point> points,
                   Interpolation interpolation)
    : n_points(semi_lagrangian::n_points(interpolation)),
      positions(points.size() * n_points),
      weights(positions.size()) {
  std::size_t index = 0;
  for (const auto point : points) {
    const auto rows_around = stencil_rows(rows, point);
    const auto weights_of_rows = row_weights(rows, rows_around.north, point.colatitude, interpolation);
    std::array<Weights, 4> weights_in_row;
    for (int i = 0; i < 4; ++i)
      weights_in_row[i] = column_weights(i, rows_around.rows[i].fraction, interpolation);
    for (int k = 0; k < n_points; ++k, ++index) {
      const auto [row, column] = kStencil[k];
      positions[index] = columns.position(rows_around.column_index(rows, kStencil[k]));
      weights[index] = weights_of_rows[row] * weights_in_row[row][column + 1];
      require<InternalError>(positions[index] != kNone,
                             "A departure point at longitude {}, colatitude {} rad lies beyond the halo.",
                             point.longitude, point.colatitude);
    }
  }
}

}  // namespace halcyon::semi_lagrangian
