#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// What a column of a state has at most: it tells whether a step may go on from there.
template <class Real>
class Extremes {
 public:
  Extremes(const Horizontal<Real>& mesh, int n_levels, const LayerMass<Real>& mass,
           const AirFields<Real>& fields)
      : mesh_(mesh), n_levels_(n_levels), mass_(mass), now_(fields.now), fields_(fields) {}

  struct Found {
    double warmest = 0;    ///< T = theta Pi [K]
    double fastest = 0;    ///< u across an edge [m s-1]
    double passing = 0;    ///< M / m: what passes an interface of what a layer beside it holds [s-1]
    bool is_sound = true;  ///< all numbers are finite, all m, theta and the depths of layers in phi above 0
  };

  Found operator()(LocalIndex cell) const {
    constexpr int kWidth = 32 / sizeof(Real);
    return n_levels_ < kWidth ? found<1>(cell) : found<kWidth>(cell);
  }

 private:
  /// So far, lane by lane.
  template <class Row>
  struct Most {
    Row warmest{}, fastest{}, passing{};
    Row least = Row{} + 1;  ///< of m, theta and depths
    Row zero{};             ///< or not a number where one of the numbers is not finite
  };

  /// By blocks of levels, the last of which may hold some of that before it again: it does no harm.
  template <int kWidth>
  Found found(LocalIndex cell) const {
    using Rows = Block<Real, kWidth>;
    Most<typename Rows::Row> most;
    for (int k = 0; k < n_levels_; k += kWidth)
      take(Rows(n_levels_, std::min(k, n_levels_ - kWidth)), cell, most);
    return {.warmest = std::ranges::max(numbers(most.warmest)),
            .fastest = std::ranges::max(numbers(most.fastest)),
            .passing = std::ranges::max(numbers(most.passing)),
            .is_sound = std::ranges::all_of(numbers(most.least + most.zero), [](Real x) { return x > 0; })};
  }

  template <class Rows, class Row = typename Rows::Row>
  void take(const Rows& rows, LocalIndex i, Most<Row>& most) const {
    const Row theta = rows(now_.theta)[i], m = mass_(rows)[i];
    const Row above = rows.above(fields_.vertical_flux)[i], below = rows.below(fields_.vertical_flux)[i];
    most.warmest = larger<Row>(theta * rows(fields_.exner)[i], most.warmest);
    most.passing = larger<Row>(larger<Row>(magnitude<Row>(above), magnitude<Row>(below)) / m, most.passing);
    most.least = smaller<Row>(smaller<Row>(theta, m), most.least);
    Row sum = theta + m + above + below;
    for (auto j = mesh_.cell_offsets[i]; j < mesh_.cell_offsets[i + 1]; ++j) {
      const Row across = rows(now_.u)[mesh_.edges_on_cell[j]];
      most.fastest = larger<Row>(magnitude<Row>(across), most.fastest);
      most.zero += across * Real(0);
    }
    if (!now_.phi.empty()) {
      const Row up = rows.above(now_.phi)[i], down = rows.below(now_.phi)[i];
      most.least = smaller<Row>(up - down, most.least);
      sum += up + down + rows.above(now_.w)[i] + rows.below(now_.w)[i];
    }
    most.zero += sum * Real(0);
  }

  template <class Row>
  static auto numbers(const Row& row) {
    return std::bit_cast<std::array<Real, sizeof(Row) / sizeof(Real)>>(row);
  }

  const Horizontal<Real>& mesh_;
  int n_levels_;
  LayerMass<Real> mass_;
  const AirNumbers<Real>& now_;
  const AirFields<Real>& fields_;
};

}  // namespace halcyon::atmosphere
