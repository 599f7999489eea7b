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

/// Extreme values of columns, which decide whether the next step is stable.
template <class Real>
class ColumnExtremes {
 public:
  ColumnExtremes(const HorizontalMesh<Real>& mesh, int n_levels, const LayerMass<Real>& mass,
                 const TileFields<Real>& fields)
      : mesh_(mesh), n_levels_(n_levels), mass_(mass), now_(fields.now), tile_fields_(fields) {}

  struct Result {
    double max_temperature = 0;     ///< T = theta Pi [K]
    double max_wind = 0;            ///< |u| on an edge [m s-1]
    double vertical_flux_rate = 0;  ///< largest |M| / m of a layer and its interfaces [s-1]
    bool is_valid = true;           ///< all values finite; all m, theta and layer depths dphi positive
  };

  /// Returns the extremes of the column of a cell.
  Result operator()(LocalIndex cell) const {
    constexpr int kWidth = 32 / sizeof(Real);  // levels in a vector register of 32 bytes
    return n_levels_ < kWidth ? compute<1>(cell) : compute<kWidth>(cell);
  }

 private:
  /// Running extremes (lane).
  template <class Row>
  struct LaneExtremes {
    Row max_temperature{}, max_wind{}, vertical_flux_rate{};
    Row minimum = Row{} + 1;  ///< of m, theta and dphi
    Row zero{};               ///< 0; NaN if any value is not finite
  };

  /// Loops over blocks of levels; the last block may overlap the previous one.
  template <int kWidth>
  Result compute(LocalIndex cell) const {
    using Rows = LevelBlock<Real, kWidth>;
    LaneExtremes<typename Rows::Row> extremes;
    for (int k = 0; k < n_levels_; k += kWidth)
      update(Rows(n_levels_, std::min(k, n_levels_ - kWidth)), cell, extremes);
    return {.max_temperature = std::ranges::max(lanes(extremes.max_temperature)),
            .max_wind = std::ranges::max(lanes(extremes.max_wind)),
            .vertical_flux_rate = std::ranges::max(lanes(extremes.vertical_flux_rate)),
            .is_valid =
                std::ranges::all_of(lanes(extremes.minimum + extremes.zero), [](Real x) { return x > 0; })};
  }

  template <class Rows, class Row = typename Rows::Row>
  void update(const Rows& rows, LocalIndex i, LaneExtremes<Row>& extremes) const {
    const Row theta = rows(now_.theta)[i], m = mass_(rows)[i];
    const Row above = rows.above(tile_fields_.vertical_flux)[i],
              below = rows.below(tile_fields_.vertical_flux)[i];
    extremes.max_temperature = larger<Row>(theta * rows(tile_fields_.exner)[i], extremes.max_temperature);
    extremes.vertical_flux_rate = larger<Row>(larger<Row>(magnitude<Row>(above), magnitude<Row>(below)) / m,
                                              extremes.vertical_flux_rate);
    extremes.minimum = smaller<Row>(smaller<Row>(theta, m), extremes.minimum);
    Row sum = theta + m + above + below;
    for (auto j = mesh_.cell_offsets[i]; j < mesh_.cell_offsets[i + 1]; ++j) {
      const Row u = rows(now_.u)[mesh_.edges_on_cell[j]];
      extremes.max_wind = larger<Row>(magnitude<Row>(u), extremes.max_wind);
      extremes.zero += u * Real(0);
    }
    if (!now_.phi.empty()) {
      const Row up = rows.above(now_.phi)[i], down = rows.below(now_.phi)[i];
      extremes.minimum = smaller<Row>(up - down, extremes.minimum);
      sum += up + down + rows.above(now_.w)[i] + rows.below(now_.w)[i];
    }
    extremes.zero += sum * Real(0);
  }

  template <class Row>
  static auto lanes(const Row& row) {
    return std::bit_cast<std::array<Real, sizeof(Row) / sizeof(Real)>>(row);
  }

  const HorizontalMesh<Real>& mesh_;
  int n_levels_;
  LayerMass<Real> mass_;
  const AirStateView<Real>& now_;
  const TileFields<Real>& tile_fields_;
};

bool is_finite_and_positive(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

/// The step is limited by horizontal sound waves plus wind, and by vertical transport.
template <class Real>
double AirCore<Real>::longest_step() {
  diagnose();
  double highest_rate = 0;
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    const auto column = profile(i);
    double max_temperature = 0, max_wind = 0;
    for (int k = 0; k < n_levels_; ++k) {
      max_temperature = std::max(max_temperature, double{now_.theta[at_level(i, k)]} * column.exner[k]);
      max_wind = std::max(max_wind, domain_.max_normal_wind(now_.u, n_levels_, i, k));
      highest_rate = std::max(highest_rate, StepLimits::vertical_rate(vertical_flux_rate(
                                                rank_fields_.vertical_flux, i, k, now_.ps[i])));
    }
    highest_rate = std::max(highest_rate, domain_.limits.rate(i, speed_of_sound(max_temperature), max_wind));
  }
  return 1 / highest_rate;
}

/// sqrt(gamma R T)
template <class Real>
double AirCore<Real>::speed_of_sound(double temperature) const {
  return std::sqrt(air_.air.gamma() * air_.air.gas_constant * temperature);
}

/// Largest |M| / m [s-1] of a layer: the fraction of the layer's mass that crosses an interface per second.
template <class Real>
double AirCore<Real>::vertical_flux_rate(std::span<const Real> vertical_flux, LocalIndex cell, int level,
                                         double ps) const {
  const double above = vertical_flux[at_interface(cell, level)],
               below = vertical_flux[at_interface(cell, level + 1)];
  return std::max(std::abs(above), std::abs(below)) / air_.hybrid.mass(level, ps);
}

/// Checks the present state in a tile after `AirColumns::diagnose`, and records failures.
template <class Real>
void AirCore<Real>::check_state(const Tile<Real>& tile) {
  const ColumnExtremes<Real> extremes(tile.mesh, n_levels_, mass(tile_fields_.now), tile_fields_);
  for (LocalIndex i = 0; i < tile.n_cells; ++i) {
    const auto result = extremes(i);
    const auto cell = tile.cells[i];
    const double ps = tile_fields_.now.ps[i];
    if (air_.moist) check_water(cell);
    const bool is_valid = result.is_valid && ps > air_.hybrid.top();
    if (!is_valid) {
      record_invalid_column(cell);
      continue;
    }
    const double courant =
        dt_ * domain_.limits.rate(cell, speed_of_sound(result.max_temperature), result.max_wind);
    const auto levels = std::views::iota(0, n_levels_);
    const auto speed_at = [&](int level) { return domain_.max_normal_wind(now_.u, n_levels_, cell, level); };
    if (courant > kLargestCourantNumber)
      record_failure(cell, "courant_number", std::ranges::max(levels, {}, speed_at), courant);
    const double vertical = dt_ * StepLimits::vertical_rate(result.vertical_flux_rate);
    const auto flux_rate_at = [&](int level) {
      return vertical_flux_rate(tile_fields_.vertical_flux, i, level, ps);
    };
    if (vertical > kLargestCourantNumber)
      record_failure(cell, "vertical_courant_number", std::ranges::max(levels, {}, flux_rate_at), vertical);
  }
}

/// Records water that is not finite or outweighs the dry air with a negative sign: it is a part of the
/// pressure.
template <class Real>
void AirCore<Real>::check_water(LocalIndex cell) {
  const auto levels = static_cast<std::size_t>(n_levels_);
  const auto load = loading().subspan(cell * levels, levels);
  const auto invalid =
      std::ranges::find_if_not(load, [](Real value) { return is_finite_and_positive(double{value}); });
  if (invalid == load.end()) return;
  const auto k = static_cast<int>(invalid - load.begin());
  const auto value = [&](int t) { return double{tracers_->values(t)[at_level(cell, k)]}; };
  int worst = 0;
  for (int t = 1; t < kWaterTracerCount; ++t)
    if (!std::isfinite(value(t)) || (std::isfinite(value(worst)) && value(t) < value(worst))) worst = t;
  record_failure(cell, air_.tracers[worst], k, value(worst));
}

/// Tracers other than water are passive, so tracers are checked only when output or integrals are computed.
template <class Real>
void AirCore<Real>::check_tracers() {
  for (int t = 0; t < n_tracers(); ++t)
    for (LocalIndex i = 0; i < domain_.n_cells; ++i)
      for (int k = 0; k < n_levels_; ++k)
        if (const double value = tracers_->values(t)[at_level(i, k)]; !std::isfinite(value))
          record_failure(i, air_.tracers[t], k, value);
}

template <class Real>
void AirCore<Real>::record_invalid_column(LocalIndex cell) {
  const double ps = now_.ps[cell];
  if (!(ps > air_.hybrid.top())) record_failure(cell, "surface_pressure", n_levels_ - 1, ps);
  for (int k = 0; k < n_levels_; ++k) {
    const double theta = now_.theta[at_level(cell, k)],
                 speed = domain_.max_normal_wind(now_.u, n_levels_, cell, k);
    if (!is_finite_and_positive(air_.hybrid.mass(k, ps))) record_failure(cell, "surface_pressure", k, ps);
    if (!is_finite_and_positive(theta)) record_failure(cell, "potential_temperature", k, theta);
    if (!std::isfinite(speed)) record_failure(cell, "normal_wind", k, speed);
    if (!has_interfaces()) continue;
    const double w = now_.w[at_interface(cell, k)], phi = now_.phi[at_interface(cell, k)];
    if (!std::isfinite(w)) record_failure(cell, "upward_wind_at_interfaces", k, w);
    if (!is_finite_and_positive(phi - now_.phi[at_interface(cell, k + 1)]))
      record_failure(cell, "geopotential_at_interfaces", k, phi);
  }
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
