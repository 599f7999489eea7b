#include "halcyon/atmosphere/air/interpolation.hpp"

#include <cmath>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

namespace {

/// The first of the two levels that have a target between them; the last level where there are none.
std::size_t level_before(std::span<const double> x, double target) {
  std::size_t k = 0;
  while (k + 1 < x.size() &&
         !((x[k] <= target && target <= x[k + 1]) || (x[k + 1] <= target && target <= x[k])))
    ++k;
  return k;
}

double share(double x, double first, double second, bool logarithmic) {
  return logarithmic ? std::log(x / first) / std::log(second / first) : (x - first) / (second - first);
}

double value_at(std::span<const double> x, std::span<const double> v, double target, bool logarithmic) {
  const std::size_t k = level_before(x, target);
  if (x[k] == target) return v[k];
  if (k + 1 == x.size()) return std::numeric_limits<double>::quiet_NaN();
  if (x[k + 1] == target) return v[k + 1];
  return v[k] + share(target, x[k], x[k + 1], logarithmic) * (v[k + 1] - v[k]);
}

void check(const Columns& columns, std::span<const double> targets, bool logarithmic) {
  require<InputError>(columns.n_levels > 0, "The columns have no levels. Give arrays (cell, level).");
  require<InputError>(columns.coordinate.size() == columns.values.size(),
                      "The coordinate has {} numbers, the values {}. Give both for (cell, level).",
                      columns.coordinate.size(), columns.values.size());
  for (const double target : targets) {
    require<InputError>(std::isfinite(target) && (!logarithmic || target > 0),
                        "A target is {}, but must be a number{}.", target, logarithmic ? " above 0" : "");
  }
}

}  // namespace

std::vector<double> interpolate(const Columns& columns, std::span<const double> targets, bool logarithmic) {
  check(columns, targets, logarithmic);
  const std::size_t n = columns.n_levels;
  std::vector<double> found;
  found.reserve(columns.values.size() / n * targets.size());
  for (std::size_t first = 0; first < columns.values.size(); first += n) {
    const auto x = columns.coordinate.subspan(first, n), v = columns.values.subspan(first, n);
    for (const double target : targets) found.push_back(value_at(x, v, target, logarithmic));
  }
  return found;
}

}  // namespace halcyon::atmosphere
