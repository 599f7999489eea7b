#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/direction_rows.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Constants of breaking by saturation (Ardhuin et al. 2010, as in the IFS).
struct SaturationOptions {
  float threshold = 9e-4f;    ///< B_r
  float strength = -2.2e-5f;  ///< C
  float isotropic = 0.3f;     ///< delta: share of the saturation's maximum over directions
  float window = 80;          ///< half width of the sector [degree]
  float cumulative = 0;       ///< C_cu of the cumulative term; 0 for none
};

/// Whitecapping by saturation (Ardhuin et al. 2010, eq. 11 to 13, as in IFS documentation CY45R1, part VII):
///   B'(k, theta) = int over |theta' - theta| <= window of (k^3 cg / 2 pi) cos^2(theta' - theta) F dtheta',
///   S/F = C sigma { delta [max(B/B_r - 1, 0)]^2 + (1 - delta) [max(B'/B_r - 1, 0)]^2 },  B = max B';
/// and, if asked for, what larger breakers sweep away (eq. 15 with its k' below r^2 k, r = 0.5):
///   S/F = C_cu 28.16 / (2 pi^2) int |c - c'| [max(sqrt B' - sqrt B_r, 0)]^2 dsigma' dtheta' / cg'.
class Saturation {
 public:
  Saturation(const SpectralGrid& grid, const SaturationOptions& options);

  /// Directions that the sector reaches to each side.
  static int reach(const SpectralGrid& grid, double window);

  /// The rates S/F [s-1], not above zero.
  /// @param energy F, wrapped as far as `reach`   @param wavenumber, depth of the cell
  void rates(const DirectionRows& energy, const float* wavenumber, float depth, DirectionRows& rates);

 private:
  float saturate(const float* energy, float factor, float* row) const;
  void add_cumulative(const float* wavenumber, DirectionRows& rates);

  SpectralGrid grid_;
  SaturationOptions options_;
  std::vector<float> sector_;         // weight by distance in directions [rad]
  std::vector<float> group_, phase_;  // speeds of the cell [m s-1] (frequency)
  DirectionRows breakers_;            // (max(sqrt B' - sqrt B_r, 0))^2, wrapped by a circle
};

}  // namespace halcyon::wave
