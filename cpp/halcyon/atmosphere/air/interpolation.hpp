#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

/// Columns (cell, level) brought to surfaces of their vertical coordinate, such as pressure or height.
struct Columns {
  std::span<const double> coordinate;  ///< (cell, level); along a column it only rises or only falls
  std::span<const double> values;      ///< (cell, level)
  std::size_t n_levels = 0;

  void check(std::span<const double> targets, bool logarithmic) const {
    require<InputError>(n_levels > 0, "The columns have no levels. Give arrays (cell, level).");
    require<InputError>(coordinate.size() == values.size(),
                        "The coordinate has {} numbers, the values {}. Give both for (cell, level).",
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
    return v[k] + share(target, x[k], x[k + 1], logarithmic) * (v[k + 1] - v[k]);
  }

 private:
  /// The first of the two levels that have a target between them; the last level where there are none.
  static std::size_t level_before(std::span<const double> x, double target) {
    std::size_t k = 0;
    while (k + 1 < x.size() &&
           !((x[k] <= target && target <= x[k + 1]) || (x[k + 1] <= target && target <= x[k])))
      ++k;
    return k;
  }
  static double share(double x, double first, double second, bool logarithmic) {
    return logarithmic ? std::log(x / first) / std::log(second / first) : (x - first) / (second - first);
  }
};

/// v = v_k + s (v_{k+1} - v_k),  s = (x - x_k) / (x_{k+1} - x_k)
/// where x is the coordinate, or its logarithm, and the target lies between the levels k and k + 1 of a
/// column. On a level it is that level's value; above the first and below the last there is none: NaN.
/// @param targets of the coordinate, in any order  @param logarithmic linear in ln of the coordinate
/// @returns (cell, target)
/// @throws InputError where the sizes do not fit, a target is not finite, or a logarithm has no number
inline std::vector<double> interpolate(const Columns& columns, std::span<const double> targets,
                                       bool logarithmic) {
  columns.check(targets, logarithmic);
  const std::size_t n = columns.n_levels;
  std::vector<double> found;
  found.reserve(columns.values.size() / n * targets.size());
  for (std::size_t first = 0; first < columns.values.size(); first += n) {
    const auto x = columns.coordinate.subspan(first, n), v = columns.values.subspan(first, n);
    for (const double target : targets) found.push_back(Columns::value_at(x, v, target, logarithmic));
  }
  return found;
}

/// How temperature falls with height below the lowest level of a file (ISO 2533:1975) [K m-1].
inline constexpr double kLapseRate = 0.0065;

/// A column of a file: values at levels, from the top down, linear in x = ln(p) between them and constant
/// beyond. Levels whose value is NaN are left out.
class SourceColumn {
 public:
  /// @param x (level), rising  @param values (level), at least one of them a number
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
  /// The mean over p of what is linear in x, between two x: of a mixing ratio what a layer of this mass has.
  /// Never beyond the values of the levels in it and beside it.
  double mean_by_mass(double up, double down) const {
    double x = up, q = (*this)(up), mass = 0, sum = 0;
    const auto add = [&](double to) {
      const double h = to - x, next = (*this)(to), added = std::exp(x - up) * std::expm1(h);
      sum += added * (q + share_of_lower_end(h) * (next - q));
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
  /// The place of a number among rising ones: the last that is not above it; -1 where all are.
  static int place_in(const std::vector<double>& rising, double number) {
    return static_cast<int>(std::ranges::upper_bound(rising, number) - rising.begin()) - 1;
  }
  /// The level above x, of which there is one below; -1 above the first, the last below it.
  int level_above(double x) const { return place_in(x_, x); }
  int last() const { return static_cast<int>(x_.size()) - 1; }

  std::vector<double> x_, values_;

 private:
  /// What the lower end of a piece of height h = ln(p_2 / p_1) counts in the mean over p of what is linear in
  /// ln(p): int_0^h (s/h) e^s ds / int_0^h e^s ds = 1/(1 - e^-h) - 1/h. By its series where that would
  /// cancel, to less than 1e-15.
  static double share_of_lower_end(double h) {
    if (h < 0.05) return 0.5 + h / 12 - h * h * h / 720 + h * h * h * h * h / 30240;
    return -1 / std::expm1(-h) - 1 / h;
  }
};

/// The same of temperature [K]: below the lowest level T = T_n (p / p_n)^(R Gamma / g), which is that of a
/// height that falls by Gamma = `kLapseRate`.
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
  /// The geopotential at x [m2 s-2], of a column that has `phi` at `from`: phi - R integral of T dx.
  double geopotential(double x, double from, double phi) const {
    return phi - gas_constant_ * (integral(x) - integral(from));
  }
  /// Where it is `wanted`: the same, inverted.
  double log_pressure(double wanted, double from, double phi) const {
    return inverse(integral(from) + (phi - wanted) / gas_constant_);
  }
  /// The mean over x between two.
  double mean(double up, double down) const { return (integral(down) - integral(up)) / (down - up); }

 private:
  /// Of T dx from the first level.
  double integral(double x) const {
    const int k = level_above(x);
    if (k < 0) return (x - x_.front()) * values_.front();
    const double beyond = x - x_[k];
    if (k == last()) return integrals_[k] + values_[k] * std::expm1(exponent_ * beyond) / exponent_;
    return integrals_[k] + beyond * (values_[k] + (*this)(x)) / 2;
  }
  double inverse(double integral) const {
    const int k = place_in(integrals_, integral);
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
