#pragma once

#include <vector>

#include "halcyon/atmosphere/air/hybrid.hpp"

namespace halcyon::atmosphere {

/// A column of air with water, on layers whose dry mass the hybrid levels give.
struct MoistColumn {
  double dry_ps;                           ///< surface pressure of the dry air [Pa]
  std::vector<double> mixing_ratio;        ///< of all water [kg kg-1] (level)
  std::vector<double> interface_pressure;  ///< with the water [Pa] (interface)
};

/// Finds the surface pressure p_d of the dry air and the layers of a column of known surface pressure ps,
///   p_top + sum_k m_k (1 + r_k) = ps,  m_k = a_k + b_k p_d
/// where the mixing ratio r_k of a layer depends on its interfaces. The first guess of their pressures is
/// wrong by r; each iteration reduces the error by a factor of about d ln(r) / d ln(p) r, at most .1.
/// @param mixing_ratio mixing_ratio(k, upper, lower) returns r_k [kg kg-1] between two pressures [Pa]
template <class MixingRatio>
MoistColumn moist_column(const HybridLevels& hybrid, double ps, const MixingRatio& mixing_ratio,
                         int n_iterations = 10) {
  const int n = hybrid.n_levels();
  MoistColumn column{.dry_ps = ps, .mixing_ratio = std::vector<double>(n), .interface_pressure = {}};
  auto& [dry_ps, r, p] = column;
  for (int k = 0; k <= n; ++k) p.push_back(hybrid.interface_pressure(k, ps));
  for (int i = 0; i < n_iterations; ++i) {
    double constant = hybrid.top(), per_dry_ps = 0;
    for (int k = 0; k < n; ++k) {
      r[k] = mixing_ratio(k, p[k], p[k + 1]);
      constant += (hybrid.a[k + 1] - hybrid.a[k]) * (1 + r[k]);
      per_dry_ps += (hybrid.b[k + 1] - hybrid.b[k]) * (1 + r[k]);
    }
    dry_ps = (ps - constant) / per_dry_ps;
    for_weights(
        hybrid, dry_ps, /*has_water=*/true, [&](int k) { return 1 + r[k]; },
        [&](int k, double, double lower, double) { p[k + 1] = lower; });
  }
  return column;
}

}  // namespace halcyon::atmosphere
