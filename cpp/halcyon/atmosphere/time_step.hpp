#pragma once

#include <vector>

#include "halcyon/atmosphere/planet.hpp"
#include "halcyon/atmosphere/scheme.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::atmosphere {

/// How long a step may be. Gravity waves of speed c have frequencies up to c sqrt(lambda), where lambda, the
/// largest eigenvalue of the discrete Laplacian, is at most 2/A_i sum_e l_e/d_e at some cell (Gershgorin),
/// and the scheme of Wicker and Skamarock (2002) is stable up to dt sqrt(3) of them; wind adds to c.
/// Dissipation, which is explicit, takes its part: lambda nu dt is kept below 2.
class StepLimits {
 public:
  StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet, const Scheme& scheme);

  /// The Courant number of a second at a cell, of waves and wind together [m s-1]: above 1 / dt a step is not
  /// known to be stable.
  double rate(LocalIndex cell, double speed) const {
    return speed * per_distance_[cell] + dissipation_[cell];
  }

  /// The same where gravity waves are implicit: what is left has frequencies up to |u| sqrt(lambda) + |f|,
  /// and Imex is stable up to dt 3/2 of them.
  ///   u [m s-1], f [s-1]
  double semi_implicit_rate(LocalIndex cell, double speed, double turning) const {
    return (kRungeKuttaLimit * speed * per_distance_[cell] + turning) / kSemiImplicitLimit +
           dissipation_[cell];
  }

  /// The same of what passes an interface of what a layer beside it holds [s-1]: fluxes of third order are
  /// stable up to 1.6 of it a step (Wicker and Skamarock 2002, table 1), those of second up to more.
  static double vertical_rate(double passing) { return passing / 1.6; }

 private:
  static constexpr double kRungeKuttaLimit = 1.7320508075688772, kSemiImplicitLimit = 1.5;

  std::vector<double> per_distance_;  ///< [m-1] (cell)
  std::vector<double> dissipation_;   ///< [s-1] (cell)
};

}  // namespace halcyon::atmosphere
