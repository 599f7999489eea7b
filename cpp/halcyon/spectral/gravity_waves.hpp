#pragma once

#include <vector>

#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// What makes gravity waves in air at rest of one temperature T_r over a ground of pressure p_r (Hoskins and
/// Simmons 1975; Simmons and Burridge 1981, section 3; Simmons, Hoskins and Burridge 1978 on T_r):
///   d(delta)/dt = -del^2 (gamma T + R T_r ln ps),  dT/dt = -tau delta,  d(ln ps)/dt = -nu . delta
/// with the matrices of the vertical scheme. R T_r is that of all levels, whatever the coordinate: where the
/// temperature is one, the scheme's force of pressure along a level is R T_r grad(ln ps).
class GravityWaves {
 public:
  static constexpr double kTemperature = 300;  ///< T_r [K]
  static constexpr double kPressure = 1e5;     ///< p_r [Pa]

  /// @param a, b of the interfaces, p = a + b ps
  GravityWaves(const std::vector<double>& a, const std::vector<double>& b, double gas_constant, double kappa);

  /// Where delta, T and ln ps stand in a state, (level, coefficient) and (coefficient).
  struct Fields {
    Complex *delta, *temperature, *log_pressure;
  };
  /// y += L x.
  void add(const Basis& basis, const Fields& x, const Fields& y) const;
  /// x becomes (1 - dt L)^-1 x, by
  ///   (1 + dt^2 n (n + 1)/a^2 (gamma tau + R T_r nu)) delta = delta + dt n (n + 1)/a^2 (gamma T + R T_r ln
  ///   ps)
  void solve(const Basis& basis, double dt, const Fields& x);

  std::size_t memory_bytes() const;

 private:
  using Matrix = std::vector<double>;  ///< (level, level), row after row
  struct Inverses {
    double dt = 0;
    std::vector<Matrix> by_degree;
  };
  const std::vector<Matrix>& inverses(const Basis& basis, double dt);

  std::size_t n_;  ///< levels
  Matrix gamma_, tau_;
  std::vector<double> nu_;
  double force_;  ///< R T_r
  std::vector<Inverses> kept_;
};

}  // namespace halcyon::spectral
