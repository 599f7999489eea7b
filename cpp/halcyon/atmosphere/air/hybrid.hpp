#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/rows.hpp"

namespace halcyon::atmosphere {

/// Hybrid levels of dry hydrostatic pressure (Simmons and Burridge 1981, Mon. Weather Rev. 109): the pressure
/// at interface k, counted from the top, is p = a_k + b_k ps. Top: a > 0, b = 0; surface: a = 0, b = 1.
struct HybridLevels {
  std::vector<double> a;  ///< [Pa] (interface)
  std::vector<double> b;  ///< [1] (interface)

  int n_levels() const { return static_cast<int>(a.size()) - 1; }
  double top() const { return a.front(); }  ///< [Pa]
  /// Pressure at an interface [Pa].
  double interface_pressure(int k, double ps) const { return a[k] + b[k] * ps; }
  /// Mass of a layer [Pa].
  double mass(int k, double ps) const { return interface_pressure(k + 1, ps) - interface_pressure(k, ps); }
  /// Pressure of a layer [Pa]: the mean of its interfaces.
  double layer_pressure(int k, double ps) const {
    return (interface_pressure(k, ps) + interface_pressure(k + 1, ps)) / 2;
  }

  /// @throws ConfigError for invalid coefficients, and if pressure does not increase downwards for surface
  /// pressures from max(300 hPa, 2 p_top) to 1100 hPa
  void check() const {
    require<ConfigError>(
        a.size() == b.size() && a.size() > 2,
        "The vertical coordinate has {} values of a and {} of b. Give the same number of both: "
        "the number of levels plus one, at least three.",
        a.size(), b.size());
    require<ConfigError>(b.front() == 0 && a.front() > 0,
                         "The top of the vertical coordinate has a = {} Pa and b = {}. Give a > 0 and b = 0.",
                         a.front(), b.front());
    require<ConfigError>(a.back() == 0 && b.back() == 1,
                         "The surface of the vertical coordinate has a = {} Pa and b = {}. Give 0 and 1.",
                         a.back(), b.back());
    for (const double ps : {std::max(3e4, 2 * top()), 1.1e5}) {
      for (int k = 0; k < n_levels(); ++k) {
        const double above = interface_pressure(k, ps), below = interface_pressure(k + 1, ps);
        require<ConfigError>(below > above,
                             "Level {} (0 is the top level) extends from {} to {} Pa for a surface pressure "
                             "of {} Pa. Give a and b with which pressure increases downwards.",
                             k, above, below, ps);
      }
    }
  }
};

/// The coefficients of interfaces and layers in the precision of the kernels.
template <class Real>
struct HybridCoefficients {
  explicit HybridCoefficients(const HybridLevels& hybrid)
      : a(hybrid.a.begin(), hybrid.a.end()), b(hybrid.b.begin(), hybrid.b.end()) {
    for (int k = 0; k < hybrid.n_levels(); ++k) {
      mass_a.push_back(static_cast<Real>(hybrid.a[k + 1] - hybrid.a[k]));
      mass_b.push_back(static_cast<Real>(hybrid.b[k + 1] - hybrid.b[k]));
    }
  }

  int n_levels() const { return static_cast<int>(mass_a.size()); }
  // Value: of one column, or of several in lanes.
  template <class Value>
  Value interface_pressure(int k, const Value& ps) const {
    return a[k] + b[k] * ps;
  }
  template <class Value>
  Value mass(int k, const Value& ps) const {
    return mass_a[k] + mass_b[k] * ps;
  }

  std::vector<Real> a, b;            ///< (interface)
  std::vector<Real> mass_a, mass_b;  ///< m_k = mass_a_k + mass_b_k ps [Pa] (level)
};

/// Calls layer(k, upper, lower, dp) for the layers of a column, from the top downwards, with the pressures of
/// their interfaces and their weight [Pa], with the water in them:
///   dp_k = m_k (1 + q_t),  p_{k+1/2} = p_{k-1/2} + dp_k;  without water p_{k+1/2} = a_{k+1} + b_{k+1} ps
/// @param levels HybridLevels or HybridCoefficients  @param ps surface pressure of the dry air
/// @param loading loading(k) returns 1 + q_t; called only with has_water
template <class Levels, class Value, class Loading, class Layer>
void for_weights(const Levels& levels, const Value& ps, bool has_water, const Loading& loading,
                 const Layer& layer) {
  Value upper = levels.interface_pressure(0, ps);
  for (int k = 0; k < levels.n_levels(); ++k) {
    const Value mass = levels.mass(k, ps), weight = has_water ? Value(mass * loading(k)) : mass,
                lower = has_water ? Value(upper + weight) : levels.interface_pressure(k + 1, ps);
    layer(k, upper, lower, weight);
    upper = lower;
  }
}

/// Layer masses m = a + b ps [Pa] at a block of consecutive levels.
template <class Real, class RowOfLevels>
struct MassRow {
  using Row = RowOfLevels;
  Row a, b;
  const Real* ps;  ///< (item)

  Row operator[](LocalIndex item) const { return a + b * ps[item]; }
  /// The mean mass of two cells, equal to the mass at their mean surface pressure.
  Row at_edge(const std::array<LocalIndex, 2>& cells) const {
    return a + b * (Real(0.5) * (ps[cells[0]] + ps[cells[1]]));
  }
};

/// The mass of layers as a field m [Pa] (item, level), computed from the surface pressure (item).
template <class Real>
class LayerMass {
 public:
  LayerMass(const HybridCoefficients<Real>& hybrid, std::span<const Real> ps)
      : hybrid_(&hybrid), ps_(ps.data()) {}

  template <class Rows>
  auto operator()(const Rows& rows) const {
    return MassRow<Real, typename Rows::Row>{rows(std::span<const Real>(hybrid_->mass_a))[0],
                                             rows(std::span<const Real>(hybrid_->mass_b))[0], ps_};
  }

 private:
  const HybridCoefficients<Real>* hybrid_;
  const Real* ps_;
};

}  // namespace halcyon::atmosphere
