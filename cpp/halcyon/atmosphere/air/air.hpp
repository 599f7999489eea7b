#pragma once

namespace halcyon::atmosphere {

/// Dry air as an ideal gas: p = rho R T, theta = T (p_0/p)^kappa.
struct Air {
  double gas_constant = 287.0;      ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;    ///< c_p [J kg-1 K-1], at constant pressure
  double reference_pressure = 1e5;  ///< p_0 [Pa], of the potential temperature

  double kappa() const { return gas_constant / heat_capacity; }
  /// c_p / c_v
  double gamma() const { return heat_capacity / (heat_capacity - gas_constant); }
};

}  // namespace halcyon::atmosphere
