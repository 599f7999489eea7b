#include "halcyon/mesh/generate/spacing_table.hpp"

#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// A point of the cube, of sides -1 .. 1; u and v as in SpacingTable's operator().
Vector3 on_cube(int face, double u, double v) {
  const double side = face % 2 == 0 ? 1 : -1;
  if (face / 2 == 0) return {side, u, v};
  if (face / 2 == 1) return {v, side, u};
  return {u, v, side};
}

}  // namespace

SpacingTable::SpacingTable(int n, std::vector<float> values) : n_(n), values_(std::move(values)) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps a side. Give at least 1.", n);
  const std::size_t size = 6 * std::size_t(n + 1) * (n + 1);
  require<InputError>(values_.size() == size,
                      "A table of spacing with {} steps a side has {} values, not {}.", n, size,
                      values_.size());
  for (std::size_t i = 0; i < size; ++i)
    require<InputError>(values_[i] > 0 && std::isfinite(values_[i]),
                        "Spacing is {} at node {} of its table. Spacing must be positive everywhere.",
                        values_[i], i);
}

std::vector<Vector3> SpacingTable::nodes(int n) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps a side. Give at least 1.", n);
  std::vector<Vector3> points;
  points.reserve(6 * std::size_t(n + 1) * (n + 1));
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        points.push_back(normalized(on_cube(face, 2.0 * i / n - 1, 2.0 * j / n - 1)));
  return points;
}

double SpacingTable::n_cells() const {
  double cells = 0;
  const double step = 2.0 / n_;
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) {
        const double u = (i + 0.5) * step - 1, v = (j + 0.5) * step - 1;
        const double solid = step * step / std::pow(1 + u * u + v * v, 1.5);  // of the cell of the table
        const double h = on_face(face, u, v);
        cells += 2 / std::sqrt(3.0) * solid / (h * h);
      }
  return cells;
}

SpacingTable SpacingTable::scaled(double factor) const {
  std::vector<float> values = values_;
  for (float& value : values) value = static_cast<float>(factor * value);
  return {n_, std::move(values)};
}

}  // namespace halcyon::mesh
