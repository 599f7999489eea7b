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
    for (const double target : targets) {
      require<InputError>(std::isfinite(target) && (!logarithmic || target > 0),
                          "A target is {}, but must be a number{}.", target, logarithmic ? " above 0" : "");
    }
  }
  static double value_at(std::span<const double> x, std::span<const double> v, double target,
                         bool logarithmic) {
    const std::size_t k = level_before(x, target);
    if (x[k] == target) return v[k];
    if (k + 1 == x.size()) return std::numeric_limits<double>::quiet_NaN();
    if (x[k + 1] == target) return v[k + 1];
    return v[k] + weight(target, x[k], x[k + 1], logarithmic) * (v[k + 1] - v[k]);
  }

 private:
  /// The first level k such that the target lies between k and k + 1; the last level if there is none.
  static std::size_t level_before(std::span<const double> x, double target) {
    std::size_t k = 0;
    while (k + 1 < x.size() &&
           !((x[k] <= target && target <= x[k + 1]) || (x[k + 1] <= target && target <= x[k])))
      ++k;
    return k;
  }
  static double weight(double x, double first, double second, bool logarithmic) {
    return logarithmic ? std::log(x / first) / std::log(second / first) : (x - first) / (second - first);
  }
};

/// v = v_k + s (v_{k+1} - v_k),  s = (x - x_k) / (x_{k+1} - x_k)
/// where x is the coordinate, or its logarithm, and the target lies between the levels k and k + 1 of a
/// column. Outside the levels of a column the result is NaN.
/// @param targets values of the coordinate, in any order  @param logarithmic linear in ln of the coordinate
/// @returns (cell, target)
/// @throws InputError for inconsistent sizes, and targets that are not finite or have no logarithm
inline std::vector<double> interpolate(const Columns& columns, std::span<const double> targets,
                                       bool logarithmic) {
  columns.check(targets, logarithmic);
  const std::size_t n = columns.n_levels;
  std::vector<double> result;
  result.reserve(columns.values.size() / n * targets.size());
  for (std::size_t first = 0; first < columns.values.size(); first += n) {
    const auto x = columns.coordinate.subspan(first, n), v = columns.values.subspan(first, n);
    for (const double target : targets) result.push_back(Columns::value_at(x, v, target, logarithmic));
  }
  return result;
}

/// Lapse rate for extrapolation below the lowest level of a file (ISO 2533:1975) [K m-1].
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
    if (k == last()) return values_.back();
    return values_[k] + (x - x_[k]) / (x_[k + 1] - x_[k]) * (values_[k + 1] - values_[k]);
  }
  /// Mean over p, between two x, of the profile that is linear in x: the mass-weighted mean of a mixing ratio
  /// in a layer. Bounded by the values of the levels inside the layer and adjacent to it.
  double mean_by_mass(double up, double down) const {
    double x = up, q = (*this)(up), mass = 0, sum = 0;
    const auto add = [&](double to) {
      const double h = to - x, next = (*this)(to), added = std::exp(x - up) * std::expm1(h);
      sum += added * (q + lower_end_weight(h) * (next - q));
      mass += added;
      x = to, q = next;
    };
    const int above = level_above(up), lowest = level_above(down);
    for (int k = above + 1; k <= lowest; ++k)
      if (x_[k] < down) add(x_[k]);
    add(down);
    const auto [low, high] = std::minmax_element(values_.begin() + std::max(above, 0),
                                                 values_.begin() + std::min(lowest + 1, last()) + 1);
    return std::clamp(sum / mass, *low, *high);
  }

 protected:
  /// The index of the last element <= value in an increasing sequence; -1 if there is none.
  static int index_in(const std::vector<double>& increasing, double value) {
    return static_cast<int>(std::ranges::upper_bound(increasing, value) - increasing.begin()) - 1;
  }
  /// The lowest level above x; -1 if x is above all levels.
  int level_above(double x) const { return index_in(x_, x); }
  int last() const { return static_cast<int>(x_.size()) - 1; }

  std::vector<double> x_, values_;

 private:
  /// Weight of the lower end of an interval h = ln(p_2 / p_1) in the mean over p of a function linear in
  /// ln(p): int_0^h (s/h) e^s ds / int_0^h e^s ds = 1/(1 - e^-h) - 1/h. For small h the
  /// formula suffers cancellation; its series has an error below 1e-15.
  static double lower_end_weight(double h) {
    if (h < 0.05) return 0.5 + h / 12 - h * h * h / 720 + h * h * h * h * h / 30240;
    return -1 / std::expm1(-h) - 1 / h;
  }
};

/// A column of temperature [K], extrapolated below the lowest level by T = T_n (p / p_n)^(R Gamma / g), with
/// the lapse rate Gamma = `kLapseRate`.
class SourceTemperature : public SourceColumn {
 public:
  SourceTemperature(std::span<const double> x, std::span<const double> temperature, double gas_constant,
                    double gravity)
      : SourceColumn(x, temperature),
        gas_constant_(gas_constant),
        exponent_(gas_constant * kLapseRate / gravity),
        integrals_{0} {
    for (int k = 0; k < last(); ++k)
      integrals_.push_back(integrals_[k] + (x_[k + 1] - x_[k]) * (values_[k] + values_[k + 1]) / 2);
  }

  double operator()(double x) const {
    return x > x_.back() ? values_.back() * std::exp(exponent_ * (x - x_.back()))
                         : SourceColumn::operator()(x);
  }
  /// Geopotential at x [m2 s-2], given phi at x = `from`: phi - R int T dx.
  double geopotential(double x, double from, double phi) const {
    return phi - gas_constant_ * (integral(x) - integral(from));
  }
  /// The x at which the geopotential is `target`: the inverse of `geopotential`.
  double log_pressure(double target, double from, double phi) const {
    return inverse(integral(from) + (phi - target) / gas_constant_);
  }
  /// Mean over x between two values of x.
  double mean(double up, double down) const { return (integral(down) - integral(up)) / (down - up); }

 private:
  /// Integral of T dx from the first level.
  double integral(double x) const {
    const int k = level_above(x);
    if (k < 0) return (x - x_.front()) * values_.front();
    const double beyond = x - x_[k];
    if (k == last()) return integrals_[k] + values_[k] * std::expm1(exponent_ * beyond) / exponent_;
    return integrals_[k] + beyond * (values_[k] + (*this)(x)) / 2;
  }
  double inverse(double integral) const {
    const int k = index_in(integrals_, integral);
    if (k < 0) return x_.front() + integral / values_.front();
    const double rest = integral - integrals_[k], t = values_[k];
    if (k == last()) return x_[k] + std::log1p(exponent_ * rest / t) / exponent_;
    const double slope = (values_[k + 1] - t) / (x_[k + 1] - x_[k]);
    return x_[k] + 2 * rest / (t + std::sqrt(t * t + 2 * slope * rest));
  }

  double gas_constant_, exponent_;  ///< R, R Gamma / g
  std::vector<double> integrals_;   ///< (level)
};

}  // namespace halcyon::atmosphere
