#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "halcyon/physics/tracers.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// The masses of the tracers of the air, and the water of moist air. Tracers are mixing ratios q over the
/// mass of the dry air of a layer, Dp_k / (1 + q_t), where q_t = q_v + q_c + q_r is that of all water; q_t is
/// 0 in dry air.
template <class Real>
class AirTracers {
 public:
  /// Number of the tracers of water, which are the first ones of moist air.
  static constexpr int kWater = physics::kWaterTracers.size();

  /// @param tracers outlives this object
  AirTracers(Basis<Real>& basis, const AirOptions& air, GridTracers<Real>& tracers);

  bool is_moist() const { return is_moist_; }
  /// Collective. Computes 1 + q_t, and in moist air, for the temperature and its gradient (level, point),
  ///   T_v = T (1 + R_v/R q_v) / (1 + q_t),  grad(T_v) = grad(T) + grad(T_v - T)
  /// where T_v - T is transformed to spectral space for its gradient.
  void compute_virtual_temperature(std::span<const Real> temperature, std::span<const Real> t_x,
                                   std::span<const Real> t_y);
  // Results of the last call (level, point).
  const std::vector<Real>& virtual_temperature() const { return virtual_temperature_; }
  const std::vector<Real>& gradient_x() const { return gradient_x_; }
  const std::vector<Real>& gradient_y() const { return gradient_y_; }
  double loading(std::size_t here) const { return is_moist() ? loading_[here] : 1; }  ///< 1 + q_t

  /// Weight of the dry air of a layer [Pa], with the loading above.
  double dry_weight(int level, std::size_t point, double ps) const {
    return weight(level, ps) / loading(at(level, point));
  }
  /// Weight of the water that a column gains [Pa] if its tracers become `after` (tracer, level, point).
  double gained_weight(std::size_t point, double ps, std::span<const Real> after) const;
  /// Weight of a tracer in a column [Pa].
  double column_weight(int tracer, std::size_t point, double ps) const;
  /// Collective. Multiplies each tracer by a factor, so that its mass becomes that of `before`, with the
  /// loading above. For water, it is the mass over that of the whole air that is multiplied.
  /// @param ps, ps_after surface pressures of `before` and `after` [Pa] (point)
  void fix_masses(const std::vector<double>& ps, const std::vector<double>& ps_after,
                  std::span<const Real> before, std::span<Real> after) const;

  std::size_t memory_bytes() const;

 private:
  std::size_t at(int level, std::size_t point) const { return level * basis_.n_points() + point; }
  /// Weight of a layer with its water [Pa].
  double weight(int level, double ps) const {
    return a_[level + 1] - a_[level] + (b_[level + 1] - b_[level]) * ps;
  }
  double water(std::span<const Real> tracers, std::size_t here) const;
  void scale(int begin, int end, const std::vector<double>& ps, const std::vector<double>& ps_after,
             std::span<const Real> before, std::span<Real> after,
             const std::vector<double>& loading_after) const;

  Basis<Real>& basis_;
  GridTracers<Real>& tracers_;
  std::vector<double> a_, b_;
  bool is_moist_;
  double vapour_ratio_;  ///< R_v/R
  std::size_t n_values_;
  /// (level, point); empty in dry air.
  std::vector<Real> loading_, virtual_temperature_, gradient_x_, gradient_y_, increment_;
  Spectrum<Real> coefficients_;  ///< of T_v - T
};

}  // namespace halcyon::spectral
