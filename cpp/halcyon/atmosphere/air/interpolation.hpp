#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

/// Columns (cell, level) to be interpolated to surfaces of a vertical coordinate, such as pressure or height.
struct Columns {
  std::span<const double> coordinate;  ///< (cell, level); monotonic in each column
  std::span<const double> values;      ///< (cell, level)
  std::size_t n_levels = 0;

  void check(std::span<const double> targets, bool logarithmic) const {
    require<InputError>(n_levels > 0, "The columns have no levels. Give arrays (cell, level).");
    require<InputError>(coordinate.size() == values.size(),
                        "The coordinate has {} elements, the values have {}. Give both as (cell, level).",
                        coordinate.size(), values.size());
    for (const double target : targets)
      require<InputError>(std::isfinite(target) && (!logarithmic || target > 0),
                          "A target is {}. Give a finite number{}.", target, logarithmic ? " above 0" : "");
  }
  /// Returns v at the target, interpolated in one column x of the coordinate; NaN outside the levels.
  static double value_at(std::span<const double> x, std::span<const double> v, double target,
                         bool logarithmic) {
    const std::size_t k = level_before(x, target);
    if (x[k] == target) return v[k];
    if (k + 1 == x.size()) return std::numeric_limits<double>::quiet_NaN();
    if (x[k + 1] == target) return v[k + 1];
    return v[k] + weight(target, x[k], x[k + 1], logarithmic) * (v[k + 1] - v[k]);
  }

 private:
  /// Returns the first level k such that the target is between levels k and k + 1, else the last level.
  static std::size_t level_before(std::span<const double> x, double target) {
    std::size_t k = 0;
    while (k + 1 < x.size() &&
           !((x[k] <= target && target <= x[k + 1]) || (x[k + 1] <= target && target <= x[k])))
      ++k;
    return k;
  }
  static double weight(double x, double x_0, double x_1, bool logarithmic) {
    return logarithmic ? std::log(x / x_0) / std::log(x_1 / x_0) : (x - x_0) / (x_1 - x_0);
  }
};

/// v = v_k + s (v_{k+1} - v_k),  s = (x - x_k) / (x_{k+1} - x_k)
/// where x is the coordinate, or its logarithm, and the target lies between the levels k and k + 1 of a
/// column. Outside the levels of a column the result is NaN.
/// @param targets values of the coordinate, in any order  @param logarithmic x is ln of the coordinate
/// @returns (cell, target)
/// @throws InputError for inconsistent sizes, and targets that are not finite or have no logarithm
inline std::vector<double> interpolate(const Columns& columns, std::span<const double> targets,
                                       bool logarithmic) {
  columns.check(targets, logarithmic);
  const std::size_t n = columns.n_levels;
  std::vector<double> result;
  result.reserve(columns.values.size() / n * targets.size());
  for (std::size_t begin = 0; begin < columns.values.size(); begin += n) {
    const auto x = columns.coordinate.subspan(begin, n), v = columns.values.subspan(begin, n);
    for (const double target : targets) result.push_back(Columns::value_at(x, v, target, logarithmic));
  }
  return result;
}

/// Lapse rate for extrapolation below the lowest level of an input file (ISO 2533:1975) [K m-1].
inline constexpr double kLapseRate = 0.0065;

/// A column of an input file: values at levels from the top down, linear in x = ln(p) between levels and
/// constant outside. Levels whose value is NaN are ignored.
class SourceColumn {
 public:
  /// @param x (level), increasing  @param values (level), not all NaN
  SourceColumn(std::span<const double> x, std::span<const double> values) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(values[k]) || std::isnan(x[k])) continue;
      x_.push_back(x[k]);
      values_.push_back(values[k]);
    }
  }

  double operator()(double x) const {
    const int k = level_above(x);
    if (k < 0) return values_.front();
    if (k == last_level()) return values_.back();
    return values_[k] + (x - x_[k]) / (x_[k + 1] - x_[k]) * (values_[k + 1] - values_[k]);
  }
  /// Mean over p of the profile between x = `top` and x = `bottom`: the mass-weighted mean of a mixing ratio
  /// in a layer. Bounded by the values of the levels inside the layer and adjacent to the layer.
  double mean_by_mass(double top, double bottom) const {
    double x = top, q = (*this)(top), mass = 0, sum = 0;
    const auto add_interval_to = [&](double end) {
      const double h = end - x, q_end = (*this)(end), interval_mass = std::exp(x - top) * std::expm1(h);
      sum += interval_mass * (q + lower_end_weight(h) * (q_end - q));
      mass += interval_mass;
      x = end, q = q_end;
    };
    const int above = level_above(top), lowest = level_above(bottom);
    for (int k = above + 1; k <= lowest; ++k)
      if (x_[k] < bottom) add_interval_to(x_[k]);
    add_interval_to(bottom);
    const auto [low, high] = std::minmax_element(values_.begin() + std::max(above, 0),
                                                 values_.begin() + std::min(lowest + 1, last_level()) + 1);
    return std::clamp(sum / mass, *low, *high);
  }

 protected:
  /// Returns the index of the last element <= value of an increasing sequence; -1 if all are greater.
  static int index_in(const std::vector<double>& increasing, double value) {
    return static_cast<int>(std::ranges::upper_bound(increasing, value) - increasing.begin()) - 1;
  }
  /// Returns the nearest level above x (or at x); -1 if x is above all levels.
  int level_above(double x) const { return index_in(x_, x); }
  int last_level() const { return static_cast<int>(x_.size()) - 1; }

  std::vector<double> x_, values_;

 private:
  /// Weight of the lower end of an interval h = ln(p_2 / p_1) in the mean over p of a function linear in
  /// ln(p): int_0^h (s/h) e^s ds / int_0^h e^s ds = 1/(1 - e^-h) - 1/h. For small h, where the formula
  /// suffers cancellation, the series is used; its error is below 1e-15.
  static double lower_end_weight(double h) {
    if (h < 0.05) return 0.5 + h / 12 - h * h * h / 720 + h * h * h * h * h / 30240;
    return -1 / std::expm1(-h) - 1 / h;
  }
};

/// A column of temperature [K]; below the lowest level T = T_n (p / p_n)^(R Gamma / g), Gamma = `kLapseRate`.
class SourceTemperature : public SourceColumn {
 public:
  SourceTemperature(std::span<const double> x, std::span<const double> temperature, double gas_constant,
                    double gravity)
      : SourceColumn(x, temperature),
        gas_constant_(gas_constant),
        exponent_(gas_constant * kLapseRate / gravity),
        integrals_{0} {
    for (int k = 0; k < last_level(); ++k)
      integrals_.push_back(integrals_[k] + (x_[k + 1] - x_[k]) * (values_[k] + values_[k + 1]) / 2);
  }

  double operator()(double x) const {
    return x > x_.back() ? values_.back() * std::exp(exponent_ * (x - x_.back()))
                         : SourceColumn::operator()(x);
  }
  /// Geopotential at x [m2 s-2], given its value phi_0 at x_0: phi_0 - R int T dx.
  double geopotential(double x, double x_0, double phi_0) const {
    return phi_0 - gas_constant_ * (integral(x) - integral(x_0));
  }
  /// The x at which the geopotential is `target`, given its value phi_0 at x_0.
  double log_pressure(double target, double x_0, double phi_0) const {
    return inverse_integral(integral(x_0) + (phi_0 - target) / gas_constant_);
  }
  /// Mean over x between x = `top` and x = `bottom`.
  double mean(double top, double bottom) const { return (integral(bottom) - integral(top)) / (bottom - top); }

 private:
  /// Integral of T dx from the first level.
  double integral(double x) const {
    const int k = level_above(x);
    if (k < 0) return (x - x_.front()) * values_.front();
    const double distance = x - x_[k];
    if (k == last_level()) return integrals_[k] + values_[k] * std::expm1(exponent_ * distance) / exponent_;
    return integrals_[k] + distance * (values_[k] + (*this)(x)) / 2;
  }
  /// The x at which the integral of T dx from the first level has this value.
  double inverse_integral(double integral) const {
    const int k = index_in(integrals_, integral);
    if (k < 0) return x_.front() + integral / values_.front();
    const double remainder = integral - integrals_[k], t = values_[k];
    if (k == last_level()) return x_[k] + std::log1p(exponent_ * remainder / t) / exponent_;
    const double slope = (values_[k + 1] - t) / (x_[k + 1] - x_[k]);
    return x_[k] + 2 * remainder / (t + std::sqrt(t * t + 2 * slope * remainder));
  }

  double gas_constant_, exponent_;  ///< R, R Gamma / g
  std::vector<double> integrals_;   ///< of T dx from the first level (level)
};

}  // namespace halcyon::atmosphere
