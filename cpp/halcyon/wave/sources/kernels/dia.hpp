#pragma once

#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/spectra.hpp"

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

  class Gather;

  /// What bins of a frequency get from all quadruplets, eight directions at once. Call after `interact`.
  Gather at(int frequency) const;

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

/// The adjoint of interpolation: what bins of one frequency get from the centres of both images, a on `side`
/// and b on the other, of which they are a corner.
class Spread {
 public:
  Spread(const DirectionRows& a, const DirectionRows& b, const Corners& q, int frequency, int side)
      : corners_(q), side_(side) {
    const int low = frequency - q.frequency, shift = side * q.direction;
    a_low_ = a.row(low) - shift;
    a_high_ = a.row(low - 1) - shift;
    b_low_ = b.row(low) + shift;
    b_high_ = b.row(low - 1) + shift;
  }

  Lanes operator()(int k) const {
    return (corners_.near_low * (load(a_low_ + k) + load(b_low_ + k)) +
            corners_.near_high * (load(a_high_ + k) + load(b_high_ + k))) +
           (corners_.far_low * (load(a_low_ + k - side_) + load(b_low_ + k + side_)) +
            corners_.far_high * (load(a_high_ + k - side_) + load(b_high_ + k + side_)));
  }

 private:
  Corners corners_;
  int side_;
  const float *a_low_, *a_high_, *b_low_, *b_high_;
};

/// What bins of one frequency get from all quadruplets.
class Dia::Gather {
 public:
  Gather(const Dia& dia, int m)
      : n_a_(dia.n_a_.row(m)),
        n_b_(dia.n_b_.row(m)),
        by_centre_(dia.by_centre_.row(m)),
        plus_(dia.n_a_, dia.n_b_, dia.plus_, m, 1),
        minus_(dia.n_a_, dia.n_b_, dia.minus_, m, -1),
        by_plus_(dia.by_plus_a_, dia.by_plus_b_, dia.plus_squared_, m, 1),
        by_minus_(dia.by_minus_a_, dia.by_minus_b_, dia.minus_squared_, m, -1) {}

  Rate operator()(int k) const {
    const Lanes n = load(n_a_ + k) + load(n_b_ + k);
    return {plus_(k) + minus_(k) - 2.f * n, by_plus_(k) + by_minus_(k) - 2.f * load(by_centre_ + k)};
  }

 private:
  const float *n_a_, *n_b_, *by_centre_;
  Spread plus_, minus_, by_plus_, by_minus_;
};

inline Dia::Gather Dia::at(int frequency) const {
  return {*this, frequency};
}

/// The depth factor of the transfer, R = 1 + (5.5/x)(1 - 5x/6) exp(-5x/4) with x = 3/4 kbar d, not below 0.5
/// (Hasselmann and Hasselmann 1981; WAMDI 1988).
/// @param kd mean wavenumber times depth
float dia_depth_factor(float kd);

}  // namespace halcyon::wave
