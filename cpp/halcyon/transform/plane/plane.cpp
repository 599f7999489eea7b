#include "halcyon/transform/plane/plane.hpp"

#include <algorithm>
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

std::vector<int> PlaneTruncation::counts() const {
  std::vector<int> found;
  for (int m = 0; m <= last_x(); ++m) found.push_back(count(m));
  return found;
}

std::size_t PlaneTruncation::size() const {
  std::size_t n = 0;
  for (int m = 0; m <= last_x(); ++m) n += count(m);
  return n;
}

namespace {

SetCounts checked(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts) {
  require_sets(counts);
  const int n_wavenumbers = truncation.last_x() + 1, most = std::min(plane.ny, n_wavenumbers);
  require<ConfigError>(
      counts.w <= most,
      "{} W sets share {} rows, and {} wavenumbers along x. Give at most {}, and more V sets.", counts.w,
      plane.ny, n_wavenumbers, most);
  require<ConfigError>(counts.v <= plane.nx,
                       "{} V sets share rows of {} values. Give at most {}, and more W sets.", counts.v,
                       plane.nx, plane.nx);
  return counts;
}

}  // namespace

PlaneSets::PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts)
    : Extents(checked(plane, truncation, counts), truncation.counts(), 2),
      rows_(plane.ny, counts.w),
      parts_(plane.nx, counts.v),
      truncation_(truncation),
      wavenumbers_before_{0} {
  for (int w = 0; w < counts.w; ++w)
    wavenumbers_before_.push_back(wavenumbers_before_.back() + n_wavenumbers(w));
}

std::vector<PlaneWave> PlaneSets::waves(int v, int w) const {
  std::vector<PlaneWave> all;
  for (int m : wavenumbers(w))
    for (int n = -truncation_.last(m); n <= truncation_.last(m); ++n) all.push_back({m, n});
  const auto shares = coefficients(w);
  return {all.begin() + shares.begin(v), all.begin() + shares.begin(v + 1)};
}

std::vector<std::int64_t> PlaneSets::points(int v, int w) const {
  std::vector<std::int64_t> found;
  for (auto y = rows_.begin(w); y < rows_.begin(w + 1); ++y)
    for (auto x = parts_.begin(v); x < parts_.begin(v + 1); ++x) found.push_back(y * parts_.n + x);
  return found;
}

}  // namespace halcyon::transform
