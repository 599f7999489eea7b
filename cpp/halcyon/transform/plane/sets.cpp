#include "halcyon/transform/plane/sets.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

SetCounts checked(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts) {
  require<ConfigError>(counts.v >= 1 && counts.w >= 1, "{} x {} sets of ranks. Give 1 or more of each.",
                       counts.v, counts.w);
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
    : Extents(checked(plane, truncation, counts), 2),
      rows_(plane.ny, counts.w),
      parts_(plane.nx, counts.v),
      truncation_(truncation),
      wavenumbers_(dealt_wavenumbers(truncation.last_x(), counts.w)),
      wavenumbers_before_{0} {
  for (const auto& held : wavenumbers_) {
    wavenumbers_before_.push_back(wavenumbers_before_.back() + std::ssize(held));
    auto& n = n_coefficients_.emplace_back(0);
    for (int m : held) n += truncation.count(m);
  }
}

std::vector<PlaneWave> PlaneSets::waves(int v, int w) const {
  std::vector<PlaneWave> all;
  for (int m : wavenumbers_[w])
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
