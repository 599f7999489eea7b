#include "halcyon/semi_lagrangian/stencil.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

namespace {

using Weights = std::array<double, 4>;

/// Weights at x in 0 .. 1 between the second and third of four equidistant points.
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

/// Weights of the four rows.
Weights row_weights(const Rows& rows, int north, double colatitude, Interpolation by) {
  const Weights nodes{rows.colatitude(north - 1), rows.colatitude(north), rows.colatitude(north + 1),
                      rows.colatitude(north + 2)};
  if (by == Interpolation::linear) return linear((colatitude - nodes[1]) / (nodes[2] - nodes[1]));
  return cubic(colatitude, nodes);
}

Weights column_weights(int row, double fraction, Interpolation by) {
  const bool inner = row == 1 || row == 2;
  const bool is_cubic = by == Interpolation::cubic || (by == Interpolation::quasi_cubic && inner);
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

void add_columns(const Rows& rows, std::span<const Point> points, Interpolation by,
                 ColumnSet& needed_columns) {
  for (const auto point : points) {
    const auto rows_around = stencil_rows(rows, point);
    for (int k = 0; k < n_points(by); ++k) needed_columns.add(rows_around.column_index(rows, kStencil[k]));
  }
}

Stencils::Stencils(const Rows& rows, const Columns& columns, std::span<const Point> points, Interpolation by)
    : n_points(semi_lagrangian::n_points(by)),
      positions(points.size() * n_points),
      weights(positions.size()) {
  std::size_t at = 0;
  for (const auto point : points) {
    const auto rows_around = stencil_rows(rows, point);
    const auto of_row = row_weights(rows, rows_around.north, point.colatitude, by);
    std::array<Weights, 4> of_column;
    for (int i = 0; i < 4; ++i) of_column[i] = column_weights(i, rows_around.rows[i].fraction, by);
    for (int k = 0; k < n_points; ++k, ++at) {
      const auto [row, column] = kStencil[k];
      positions[at] = columns.position(rows_around.column_index(rows, kStencil[k]));
      weights[at] = of_row[row] * of_column[row][column + 1];
      require<InternalError>(positions[at] != kNone,
                             "A departure point at longitude {}, colatitude {} rad lies beyond the halo.",
                             point.longitude, point.colatitude);
    }
  }
}

}  // namespace halcyon::semi_lagrangian
