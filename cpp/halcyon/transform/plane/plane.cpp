#include "halcyon/transform/plane/plane.hpp"

#include <cstdint>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

std::int64_t squared(std::int64_t x) {
  return x * x;
}

}  // namespace

PlaneShape plane_shape_named(std::string_view name) {
  require<ConfigError>(name == "ellipse" || name == "rectangle",
                       "shape of a truncation is '{}'. Use ellipse or rectangle.", name);
  return name == "ellipse" ? PlaneShape::ellipse : PlaneShape::rectangle;
}

PlaneTruncation::PlaneTruncation(int last_x, int last_y, PlaneShape shape) {
  require<ConfigError>(last_x >= 0 && last_y >= 0,
                       "The truncation {} x {} was asked for. Give 0 or more along x and y.", last_x, last_y);
  const auto m2 = squared(last_x), n2 = squared(last_y);
  int last = last_y;
  for (int m = 0; m <= last_x; ++m) {
    while (shape == PlaneShape::ellipse && squared(m) * n2 + squared(last) * m2 > m2 * n2) --last;
    last_.push_back(last);
  }
}

std::size_t PlaneTruncation::size() const {
  std::size_t n = 0;
  for (int m = 0; m <= last_x(); ++m) n += count(m);
  return n;
}

}  // namespace halcyon::transform
