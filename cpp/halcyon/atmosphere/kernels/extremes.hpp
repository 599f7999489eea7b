#pragma once

#include <algorithm>

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// What a column has at most, to tell whether a step may go on from it.
template <class Real>
class Extremes {
 public:
  /// Of u (edge, level) and T = theta Pi (cell, level).
  Extremes(const Horizontal<Real>& mesh, int n_levels, In<Real> u, In<Real> theta, In<Real> exner)
      : mesh_(mesh), n_levels_(n_levels), u_(u), theta_(theta), exner_(exner) {}

  struct Found {
    double warmest = 0, fastest = 0;  ///< [K], [m s-1] across an edge
    bool is_finite = true;            ///< all u and theta are, and theta is above 0
  };

  Found operator()(LocalIndex cell) const {
    Found found;
    for_rows<Real>(n_levels_, [&](const auto& rows) {
      using Row = typename std::remove_cvref_t<decltype(rows)>::Row;
      const Row theta = rows(theta_)[cell], warm = theta * rows(exner_)[cell];
      Row most{}, zero = theta * Real(0);
      for (auto j = mesh_.cell_offsets[cell]; j < mesh_.cell_offsets[cell + 1]; ++j) {
        const Row across = rows(u_)[mesh_.edges_on_cell[j]], size = across > 0 ? across : -across;
        most = size > most ? size : most;
        zero += across * Real(0);
      }
      each(warm, [&](Real value) { found.warmest = std::max<double>(found.warmest, value); });
      each(most, [&](Real value) { found.fastest = std::max<double>(found.fastest, value); });
      each(zero, [&](Real value) { found.is_finite &= value == 0; });
      each(theta, [&](Real value) { found.is_finite &= value > 0; });
    });
    return found;
  }

 private:
  template <class Row, class Visit>
  static void each(const Row& row, const Visit& visit) {
    if constexpr (std::is_same_v<Row, Real>) {
      visit(row);
    } else {
      for (std::size_t lane = 0; lane < sizeof row / sizeof(Real); ++lane) visit(row[lane]);
    }
  }

  const Horizontal<Real>& mesh_;
  int n_levels_;
  In<Real> u_, theta_, exner_;
};

}  // namespace halcyon::atmosphere
