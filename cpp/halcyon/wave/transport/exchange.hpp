#pragma once

#include <vector>

#include "halcyon/wave/spectral_grid.hpp"
#include "halcyon/wave/transport/crossing.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

/// The diffusion that joins the discrete directions and frequencies of old swell again, against the
/// garden-sprinkler effect (Booij and Holthuijsen 1987, eq. 7):
///   D_aa = (cg dtheta)^2 T / 12 across the way of the waves,  D_ss = dcg^2 T / 12 along it,
/// T the age of swell, as a flux between neighbours with centres h apart,
///   l / A  kappa rho cg [a sin^2(theta - n) + b] N,   kappa = min(cg_1 dtheta^2 T / (12 h), kMost),
/// rho = cg / cg_1 in deep water, cg_1 that of the first frequency. On hexagons a = 2 (1 - q) and
/// b = (3 q - 1) / 2, q = D_ss / D_aa, give the tensor exactly; q is kept within 1/3 (a flux is never
/// negative) and 1. kMost keeps the step of transport long: where it acts, on fine meshes, T is shorter.
class Exchange {
 public:
  Exchange(const SpectralGrid& grid, const TransportOptions& options);

  bool is_on() const { return reach_ > 0; }
  /// kappa of an edge.
  double strength(const Crossing& edge) const;
  /// d [m-1] of a bin.
  double weight(const EdgeFlow& flow, double strength, int m) const;
  /// rho (frequency)
  const std::vector<float>& share() const { return share_; }

 private:
  double reach_ = 0;  ///< cg_1 dtheta^2 T / 12 [m]
  double sideways_ = 0, all_ = 0;
  std::vector<float> share_;
};

}  // namespace halcyon::wave
