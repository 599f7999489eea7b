#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halcyon::atmosphere {

/// Columns (cell, level) brought to surfaces of their vertical coordinate, such as pressure or height.
struct Columns {
  std::span<const double> coordinate;  ///< (cell, level); along a column it only rises or only falls
  std::span<const double> values;      ///< (cell, level)
  std::size_t n_levels = 0;
};

/// v = v_k + s (v_{k+1} - v_k),  s = (x - x_k) / (x_{k+1} - x_k)
/// where x is the coordinate, or its logarithm, and the target lies between the levels k and k + 1 of a
/// column. On a level it is that level's value; above the first and below the last there is none: NaN.
/// @param targets of the coordinate, in any order  @param logarithmic linear in ln of the coordinate
/// @returns (cell, target)
/// @throws InputError where the sizes do not fit, a target is not finite, or a logarithm has no number
std::vector<double> interpolate(const Columns& columns, std::span<const double> targets, bool logarithmic);

/// How temperature falls with height below the lowest level of a file (ISO 2533:1975) [K m-1].
inline constexpr double kLapseRate = 0.0065;

/// A column of a file: values at levels, from the top down, linear in x = ln(p) between them and constant
/// beyond. Levels whose value is NaN are left out.
class SourceColumn {
 public:
  /// @param x (level), rising  @param values (level), at least one of them a number
  SourceColumn(std::span<const double> x, std::span<const double> values);

  double operator()(double x) const;
  /// The mean over p of what is linear in x, between two x: of a mixing ratio what a layer of this mass has.
  /// Never beyond the values of the levels in it and beside it.
  double mean_by_mass(double up, double down) const;

 protected:
  /// The level above x, of which there is one below; -1 above the first, the last below it.
  int level_above(double x) const;
  int last() const { return static_cast<int>(x_.size()) - 1; }

  std::vector<double> x_, values_;
};

/// The same of temperature [K]: below the lowest level T = T_n (p / p_n)^(R Gamma / g), which is that of a
/// height that falls by Gamma = `kLapseRate`.
class SourceTemperature : public SourceColumn {
 public:
  SourceTemperature(std::span<const double> x, std::span<const double> temperature, double gas_constant,
                    double gravity);

  double operator()(double x) const;
  /// The geopotential at x [m2 s-2], of a column that has `phi` at `from`: phi - R integral of T dx.
  double geopotential(double x, double from, double phi) const;
  /// Where it is `wanted`: the same, inverted.
  double log_pressure(double wanted, double from, double phi) const;
  /// The mean over x between two.
  double mean(double up, double down) const { return (integral(down) - integral(up)) / (down - up); }

 private:
  /// Of T dx from the first level.
  double integral(double x) const;
  double inverse(double integral) const;

  double gas_constant_, exponent_;  ///< R, R Gamma / g
  std::vector<double> integrals_;   ///< (level)
};

}  // namespace halcyon::atmosphere
