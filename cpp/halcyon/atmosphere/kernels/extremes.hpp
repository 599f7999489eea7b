#pragma once

#include <algorithm>

#include "halcyon/atmosphere/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// What is looked at to tell whether a step may go on from a state: (cell, level) where nothing else is said.
template <class Real>
struct LookedAt {
  In<Real> u;              ///< [m s-1] (edge, level)
  In<Real> theta, exner;   ///< [K], [1]
  In<Real> vertical_flux;  ///< M [Pa s-1] (cell, interface)
  In<Real> w, phi;         ///< [m s-1], [m2 s-2] (cell, interface); empty where the air is hydrostatic
};

/// What a column has at most.
template <class Real>
class Extremes {
 public:
  Extremes(const Horizontal<Real>& mesh, int n_levels, const LayerMass<Real>& mass,
           const LookedAt<Real>& fields)
      : mesh_(mesh), n_levels_(n_levels), mass_(mass), fields_(fields) {}

  struct Found {
    double warmest = 0;    ///< T = theta Pi [K]
    double fastest = 0;    ///< u across an edge [m s-1]
    double passing = 0;    ///< M / m: what passes an interface of what a layer beside it holds [s-1]
    bool is_sound = true;  ///< all numbers are finite, all m, theta and the depths of layers in phi above 0
  };

  Found operator()(LocalIndex cell) const {
    Found found;
    for_rows<Real>(n_levels_, [&](const auto& rows) { take(rows, cell, found); });
    return found;
  }

 private:
  template <class Rows>
  void take(const Rows& rows, LocalIndex i, Found& found) const {
    using Row = typename Rows::Row;
    const Row theta = rows(fields_.theta)[i], m = mass_(rows)[i], over_mass = Real(1) / m;
    const Row above = rows.above(fields_.vertical_flux)[i], below = rows.below(fields_.vertical_flux)[i];
    const Row passing = larger<Row>(size<Row>(above), size<Row>(below)) * over_mass;
    Row fastest{}, least = smaller<Row>(theta, m), zero = (theta + m + above + below) * Real(0);
    for (auto j = mesh_.cell_offsets[i]; j < mesh_.cell_offsets[i + 1]; ++j) {
      const Row across = rows(fields_.u)[mesh_.edges_on_cell[j]];
      fastest = larger<Row>(size<Row>(across), fastest);
      zero += across * Real(0);
    }
    if (!fields_.phi.empty()) {
      const Row up = rows.above(fields_.phi)[i], down = rows.below(fields_.phi)[i];
      least = smaller<Row>(up - down, least);
      zero += (up + down + rows.above(fields_.w)[i] + rows.below(fields_.w)[i]) * Real(0);
    }
    each(theta * rows(fields_.exner)[i], [&](Real value) { raise(found.warmest, value); });
    each(fastest, [&](Real value) { raise(found.fastest, value); });
    each(passing, [&](Real value) { raise(found.passing, value); });
    each(least, [&](Real value) { found.is_sound &= value > 0; });
    each(zero, [&](Real value) { found.is_sound &= value == 0; });
  }

  static void raise(double& most, double value) { most = std::max(most, value); }
  template <class Row>
  static Row size(Row value) {
    return value > Row{} ? value : -value;
  }

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
  LayerMass<Real> mass_;
  LookedAt<Real> fields_;
};

}  // namespace halcyon::atmosphere
