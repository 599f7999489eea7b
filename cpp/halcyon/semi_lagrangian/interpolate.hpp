#pragma once

#include <algorithm>
#include <span>

#include "halcyon/base/view.hpp"
#include "halcyon/semi_lagrangian/division.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"

namespace halcyon::semi_lagrangian {

/// x(D) = sum_k w_k x_k for columns `columns` and the levels of a group; where `monotone`, no more than the
/// largest and no less than the smallest of the four x_k around D (Bermejo and Staniforth 1992, Mon. Wea.
/// Rev. 120, 2622-2632).
/// @param values (held column, field, level of the group); levels of the group among all
/// @param out field by field (owned column, level)
inline void interpolate(const Stencils& stencils, View<const double, 3> values, Range columns, Range levels,
                        std::size_t n_levels, bool monotone, std::span<const std::span<double>> out) {
  const auto n = static_cast<std::size_t>(stencils.n_points);
  const auto column_size = values.extent(1) * values.extent(2);
  for (int column = columns.begin; column < columns.end; ++column)
    for (int level = levels.begin; level < levels.end; ++level) {
      const auto at = std::size_t(column) * n_levels + std::size_t(level);
      const auto* place = &stencils.places[at * n];
      const auto* weight = &stencils.weights[at * n];
      const double* x = values.data() + (level - levels.begin);
      for (std::size_t field = 0; field < out.size(); ++field, x += values.extent(2)) {
        const auto value = [&](std::size_t k) { return x[std::size_t(place[k]) * column_size]; };
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += weight[k] * value(k);
        if (monotone) {
          const auto [least, most] = std::minmax({value(0), value(1), value(2), value(3)});
          sum = std::clamp(sum, least, most);
        }
        out[field][at] = sum;
      }
    }
}

}  // namespace halcyon::semi_lagrangian
