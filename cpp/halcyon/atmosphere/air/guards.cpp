#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <ranges>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

namespace {

/// What a column of a state has at most: it tells whether a step may go on from there.
template <class Real>
class Extremes {
 public:
  Extremes(const HorizontalMesh<Real>& mesh, int n_levels, const LayerMass<Real>& mass,
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

  const HorizontalMesh<Real>& mesh_;
  int n_levels_;
  LayerMass<Real> mass_;
  const AirNumbers<Real>& now_;
  const AirFields<Real>& fields_;
};

}  // namespace

namespace {

/// No trouble may hide in what passes `std::max` and comparisons: all but a number above zero is one.
bool is_above_zero(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

/// Sound and wind across the mesh, and air through interfaces.
template <class Real>
double AirCore<Real>::longest_step() {
  diagnose();
  double highest = 0;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto column = profile(i);
    double warmest = 0, fastest = 0;
    for (int k = 0; k < n_levels_; ++k) {
      warmest = std::max(warmest, double{now_.theta[at(i, k)]} * column.exner[k]);
      fastest = std::max(fastest, part_.fastest(now_.u, n_levels_, i, k));
      highest = std::max(highest, StepLimits::vertical_rate(passing(kept_.vertical_flux, i, k, now_.ps[i])));
    }
    highest = std::max(highest, part_.limits.rate(i, speed_of_sound(warmest) + fastest));
  }
  return 1 / highest;
}

/// sqrt(gamma R T)
template <class Real>
double AirCore<Real>::speed_of_sound(double temperature) const {
  return std::sqrt(air_.air.gamma() * air_.air.gas_constant * temperature);
}

/// M / m [s-1]: what passes the interfaces of a layer of what it holds.
template <class Real>
double AirCore<Real>::passing(std::span<const Real> vertical_flux, LocalIndex cell, int level,
                              double ps) const {
  const double above = vertical_flux[at_interface(cell, level)],
               below = vertical_flux[at_interface(cell, level + 1)];
  return std::max(std::abs(above), std::abs(below)) / air_.hybrid.mass(level, ps);
}

/// Of the present state, whose columns are known in a tile.
template <class Real>
void AirCore<Real>::look(const Tile<Real>& tile) {
  const Extremes<Real> extremes(tile.mesh, n_levels_, mass(fields_.now), fields_);
  for (LocalIndex i = 0; i < tile.n_cells; ++i) {
    const auto found = extremes(i);
    const auto cell = tile.cells[i];
    const double ps = fields_.now.ps[i];
    const bool is_sound = found.is_sound && ps > air_.hybrid.top();
    if (!is_sound) {
      name_unsound(cell);
      continue;
    }
    const double courant = dt_ * part_.limits.rate(cell, speed_of_sound(found.warmest) + found.fastest);
    const auto levels = std::views::iota(0, n_levels_);
    const auto speed_at = [&](int level) { return part_.fastest(now_.u, n_levels_, cell, level); };
    if (courant > 1) note(cell, "courant_number", std::ranges::max(levels, {}, speed_at), courant);
    const double vertical = dt_ * StepLimits::vertical_rate(found.passing);
    const auto passing_at = [&](int level) { return passing(fields_.vertical_flux, i, level, ps); };
    if (vertical > 1)
      note(cell, "vertical_courant_number", std::ranges::max(levels, {}, passing_at), vertical);
  }
}

/// They change nothing else, so they are looked at where somebody asks for what they are.
template <class Real>
void AirCore<Real>::look_at_tracers() {
  for (int t = 0; t < n_tracers(); ++t)
    for (LocalIndex i = 0; i < part_.n_cells; ++i)
      for (int k = 0; k < n_levels_; ++k)
        if (const double value = tracers_->values(t)[at(i, k)]; !std::isfinite(value))
          note(i, air_.tracers[t], k, value);
}

/// Notes what is wrong in a column.
template <class Real>
void AirCore<Real>::name_unsound(LocalIndex cell) {
  const double ps = now_.ps[cell];
  if (!(ps > air_.hybrid.top())) note(cell, "surface_pressure", n_levels_ - 1, ps);
  for (int k = 0; k < n_levels_; ++k) {
    const double theta = now_.theta[at(cell, k)], speed = part_.fastest(now_.u, n_levels_, cell, k);
    if (!is_above_zero(air_.hybrid.mass(k, ps))) note(cell, "surface_pressure", k, ps);
    if (!is_above_zero(theta)) note(cell, "potential_temperature", k, theta);
    if (!std::isfinite(speed)) note(cell, "normal_wind", k, speed);
    if (!has_interfaces()) continue;
    const double w = now_.w[at_interface(cell, k)], phi = now_.phi[at_interface(cell, k)];
    if (!std::isfinite(w)) note(cell, "upward_wind_at_interfaces", k, w);
    if (!is_above_zero(phi - now_.phi[at_interface(cell, k + 1)]))
      note(cell, "geopotential_at_interfaces", k, phi);
  }
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
