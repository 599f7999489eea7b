#pragma once

#include <vector>

#include "halcyon/wave/kernels/direction_rows.hpp"
#include "halcyon/wave/kernels/lanes.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// A point between bins: its lower neighbour, in bins away from the centre, and the weight of the upper one.
struct Between {
  int lower;
  float weight;
};

/// The four bins around a point off the centre, as offsets and weights in frequency and direction.
struct Corners {
  int frequency, direction;  ///< of the nearest corner towards the centre's direction
  float near_low, near_high, far_low, far_high;
};

/// Nonlinear transfer by the discrete interaction approximation (Hasselmann, Hasselmann, Allender and Barnett
/// 1985): one quadruplet and its mirror image for every bin,
///   f+- = (1 +- lambda) f,
///   q = C g^-4 f^11 {E^2 [E+/(1+lambda)^4 + E-/(1-lambda)^4] - 2 E E+ E-/(1-lambda^2)^4},
/// which takes the action 2 n from the centre and gives n to each of + and -, n = q df dtheta / sigma.
///
/// E+ and E- are interpolated linearly in frequency and direction between the four bins around them; what
/// they get is spread with the same weights (the adjoint). The weights sum to one and have f+ and f- as their
/// mean, so action and energy are conserved to round-off. Only complete quadruplets, those with all their
/// bins on the grid, are counted.
class Dia {
 public:
  /// Throws ConfigError if the grid has fewer than 8 directions, or so few frequencies that no quadruplet is
  /// whole.
  /// @param lambda of the quadruplet   @param strength C
  Dia(const SpectralGrid& grid, double lambda, double strength);

  /// Rates of all quadruplets of a spectrum [m2 Hz-1 rad-1], whose rows are wrapped.
  void interact(const DirectionRows& energy);

  struct Rate {
    Lanes transfer, derivative;  ///< S and dS/dE, to be multiplied by scale(frequency) and by R(kd)
  };

  /// What eight bins get from all quadruplets. Call after `interact`.
  Rate gather(int frequency, int direction) const;

  /// sigma / df of a frequency: turns action into a rate of the variance density.
  float scale(int frequency) const { return scale_[frequency]; }

  /// One past the last frequency whose quadruplets are complete.
  int end_centre() const { return end_centre_; }

  /// Directions that a quadruplet reaches away from its centre.
  int reach() const { return reach_; }

 private:
  Between between_directions(double angle) const;
  Between between_frequencies(double factor) const;

  int n_frequencies_;
  double ratio_, direction_width_;
  int reach_ = 0, first_centre_ = 0, end_centre_ = 0;
  float plus_factor_, minus_factor_;      // (1 +- lambda)^-4
  Corners plus_, minus_;                  // corners and weights
  Corners plus_squared_, minus_squared_;  // the same with squared weights times plus_factor_, minus_factor_
  std::vector<float> strength_, scale_;
  // Of each centre and both images: n, and its derivatives by E (both images), E+ and E-.
  DirectionRows n_a_, n_b_, by_centre_, by_plus_a_, by_plus_b_, by_minus_a_, by_minus_b_;
};

/// The adjoint of interpolation: what eight bins get from the centres of both images, a on `side` and b on
/// the other, of which they are a corner.
inline Lanes spread(const DirectionRows& a, const DirectionRows& b, const Corners& q, int frequency,
                    int direction, int side) {
  const int low = frequency - q.frequency, high = low - 1, shift = side * q.direction;
  const float* a_low = a.row(low) + direction - shift;
  const float* a_high = a.row(high) + direction - shift;
  const float* b_low = b.row(low) + direction + shift;
  const float* b_high = b.row(high) + direction + shift;
  return (q.near_low * (load(a_low) + load(b_low)) + q.near_high * (load(a_high) + load(b_high))) +
         (q.far_low * (load(a_low - side) + load(b_low + side)) +
          q.far_high * (load(a_high - side) + load(b_high + side)));
}

inline Dia::Rate Dia::gather(int m, int k) const {
  const Lanes n = load(n_a_.row(m) + k) + load(n_b_.row(m) + k);
  return {spread(n_a_, n_b_, plus_, m, k, 1) + spread(n_a_, n_b_, minus_, m, k, -1) - 2.f * n,
          spread(by_plus_a_, by_plus_b_, plus_squared_, m, k, 1) +
              spread(by_minus_a_, by_minus_b_, minus_squared_, m, k, -1) - 2.f * load(by_centre_.row(m) + k)};
}

/// The depth factor of the transfer, R = 1 + (5.5/x)(1 - 5x/6) exp(-5x/4) with x = 3/4 kbar d, not below 0.5
/// (Hasselmann and Hasselmann 1981; WAMDI 1988).
/// @param kd mean wavenumber times depth
float dia_depth_factor(float kd);

}  // namespace halcyon::wave
