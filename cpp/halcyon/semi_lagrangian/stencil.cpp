#include "halcyon/semi_lagrangian/stencil.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

namespace {

using Weights = std::array<double, 4>;

/// Weights of four equidistant points at x in 0 .. 1 between the second and the third.
Weights linear(double x) {
  return {0, 1 - x, x, 0};
}
Weights cubic(double x) {
  return {-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2, -(x + 1) * x * (x - 2) / 2,
          (x + 1) * x * (x - 1) / 6};
}

/// w_i = prod_{j != i} (x - x_j) / (x_i - x_j)  (Lagrange)
Weights cubic(double x, const Weights& nodes) {
  Weights w{1, 1, 1, 1};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (j != i) w[i] *= (x - nodes[j]) / (nodes[i] - nodes[j]);
  return w;
}

Weights row_weights(const Rows& rows, int north, double colatitude, Interpolation interpolation) {
  const Weights nodes{rows.colatitude(north - 1), rows.colatitude(north), rows.colatitude(north + 1),
                      rows.colatitude(north + 2)};
  if (interpolation == Interpolation::linear) return linear((colatitude - nodes[1]) / (nodes[2] - nodes[1]));
  return cubic(colatitude, nodes);
}

Weights column_weights(int row, double fraction, Interpolation interpolation) {
  const bool inner = row == 1 || row == 2;
  const bool is_cubic =
      interpolation == Interpolation::cubic || (interpolation == Interpolation::quasi_cubic && inner);
  return is_cubic ? cubic(fraction) : linear(fraction);
}

}  // namespace

Interpolation interpolation_named(std::string_view name) {
  const auto* found = std::ranges::find(kInterpolations, name, [](const auto& each) { return each.first; });
  require<ConfigError>(found != kInterpolations.end(),
                       "There is no interpolation '{}'. Use linear, quasi_cubic or cubic.", name);
  return found->second;
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
  std::size_t i_weight = 0;
  for (const auto point : points) {
    const auto rows_around = stencil_rows(rows, point);
    const auto of_row = row_weights(rows, rows_around.north, point.colatitude, interpolation);
    std::array<Weights, 4> of_column;
    for (int i = 0; i < 4; ++i) of_column[i] = column_weights(i, rows_around.rows[i].fraction, interpolation);
    for (int k = 0; k < n_points; ++k, ++i_weight) {
      const auto [row, column] = kStencil[k];
      positions[i_weight] = columns.position(rows_around.column_index(rows, kStencil[k]));
      weights[i_weight] = of_row[row] * of_column[row][column + 1];
      require<InternalError>(positions[i_weight] != kNone,
                             "A departure point at longitude {}, colatitude {} rad lies beyond the halo.",
                             point.longitude, point.colatitude);
    }
  }
}

}  // namespace halcyon::semi_lagrangian
