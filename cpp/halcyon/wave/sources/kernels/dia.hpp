#pragma once

#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A position between two bins: the offset of the lower bin from the centre, and the weight of the upper bin.
struct BinFraction {
  int lower;
  float weight;
};

/// The four bins around wave + or - of a quadruplet: offsets from the centre, and interpolation weights.
struct Corners {
  int frequency, direction;  ///< offset of the lower corner nearest to the centre's direction
  float near_low, near_high, far_low, far_high;
};

/// Nonlinear transfer by the discrete interaction approximation (Hasselmann, Hasselmann, Allender and Barnett
/// 1985): one quadruplet and its mirror image for every bin,
///   f+- = (1 +- lambda) f,
///   q = C g^-4 f^11 {E^2 [E+/(1+lambda)^4 + E-/(1-lambda)^4] - 2 E E+ E-/(1-lambda^2)^4},
/// which moves the action 2 n from the centre to + and -, n to each, n = q df dtheta / sigma.
///
/// E+ and E- are interpolated linearly in frequency and direction between the four bins around them; their
/// transfer is distributed with the same weights (the adjoint). The weights sum to one and have f+ and f- as
/// their mean, so action and energy are conserved to round-off. Only complete quadruplets, with all bins on
/// the grid, are included.
class Dia {
 public:
  /// @param lambda shape of the quadruplet   @param strength C
  /// @throws ConfigError if the grid has fewer than 8 directions, or too few frequencies for one quadruplet
  Dia(const SpectralGrid& grid, double lambda, double strength);

  /// Computes the rates of all quadruplets of a spectrum [m2 Hz-1 rad-1] with wrapped rows.
  void interact(const DirectionRows& energy);

  struct Rate {
    Lanes transfer, derivative;  ///< S and dS/dE, to be multiplied by scale(frequency) and by R(kd)
  };

  class Gather;

  /// Returns the sum over all quadruplets for the bins of a frequency. Call `interact` first.
  Gather at(int frequency) const;

  /// Returns sigma / df of a frequency, which converts action to variance density.
  float scale(int frequency) const { return scale_[frequency]; }

  /// Returns one past the last frequency with complete quadruplets.
  int end_centre() const { return end_centre_; }

  /// Returns the half width of a quadruplet in direction bins.
  int reach() const { return reach_; }

 private:
  BinFraction position_in_directions(double angle) const;
  BinFraction position_in_frequencies(double factor) const;

  int n_frequencies_;
  double ratio_, direction_width_;
  int reach_ = 0, first_centre_ = 0, end_centre_ = 0;
  float plus_factor_, minus_factor_;      // (1 +- lambda)^-4
  Corners plus_, minus_;                  // interpolation to E+ and E-
  Corners plus_squared_, minus_squared_;  // the same with squared weights times plus_factor_, minus_factor_
  std::vector<float> strength_, scale_;
  // Rows of centres, for the images a and b: n, dn/dE (sum of both images), dn/dE+ and dn/dE-.
  DirectionRows n_a_, n_b_, dn_centre_, dn_plus_a_, dn_plus_b_, dn_minus_a_, dn_minus_b_;
};

/// The adjoint of the interpolation, for the bins of one frequency: the sum over all centres that have the
/// bin as a corner. The wave is on `side` of the centre in image a, and on the other side in image b.
class AdjointInterpolation {
 public:
  AdjointInterpolation(const DirectionRows& a, const DirectionRows& b, const Corners& q, int frequency,
                       int side)
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

/// The sum over all quadruplets for the bins of one frequency, eight directions at once.
class Dia::Gather {
 public:
  Gather(const Dia& dia, int m)
      : n_a_(dia.n_a_.row(m)),
        n_b_(dia.n_b_.row(m)),
        dn_centre_(dia.dn_centre_.row(m)),
        plus_(dia.n_a_, dia.n_b_, dia.plus_, m, 1),
        minus_(dia.n_a_, dia.n_b_, dia.minus_, m, -1),
        dn_plus_(dia.dn_plus_a_, dia.dn_plus_b_, dia.plus_squared_, m, 1),
        dn_minus_(dia.dn_minus_a_, dia.dn_minus_b_, dia.minus_squared_, m, -1) {}

  Rate operator()(int k) const {
    const Lanes n = load(n_a_ + k) + load(n_b_ + k);
    return {plus_(k) + minus_(k) - 2.f * n, dn_plus_(k) + dn_minus_(k) - 2.f * load(dn_centre_ + k)};
  }

 private:
  const float *n_a_, *n_b_, *dn_centre_;
  AdjointInterpolation plus_, minus_, dn_plus_, dn_minus_;
};

inline Dia::Gather Dia::at(int frequency) const {
  return {*this, frequency};
}

/// The depth factor of the transfer, R = 1 + (5.5/x)(1 - 5x/6) exp(-5x/4) with x = 3/4 kbar d, not below 0.5
/// (Hasselmann and Hasselmann 1981; WAMDI 1988).
/// @param kd mean wavenumber times depth
float dia_depth_factor(float kd);

}  // namespace halcyon::wave
