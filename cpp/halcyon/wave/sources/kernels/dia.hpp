#pragma once

#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A position between two bins, relative to the bin of the quadruplet's centre.
struct BinFraction {
  int lower;     ///< offset of the lower bin [bins]
  float weight;  ///< interpolation weight of the upper bin
};

/// The four bins around wave + or -: low or high in frequency, near to or far from the centre's direction.
struct Corners {
  int frequency, direction;                      ///< offset of the near low bin from the centre [bins]
  float near_low, near_high, far_low, far_high;  ///< interpolation weights
};

/// Nonlinear transfer by the discrete interaction approximation (Hasselmann, Hasselmann, Allender and Barnett
/// 1985): for every bin, the centre, one quadruplet and its mirror image. A quadruplet consists of the centre
/// (twice) and of waves + and -, with frequencies f+- = (1 +- lambda) f. Its rate,
///   q = C g^-4 f^11 {E^2 [E+/(1+lambda)^4 + E-/(1-lambda)^4] - 2 E E+ E-/(1-lambda^2)^4},
/// moves the action 2 n from the centre to waves + and -, n to each, with n = q df dtheta / sigma.
///
/// E+ and E- are interpolated linearly in frequency and direction between the four bins around them; their
/// transfer is distributed to the four bins with the same weights (the adjoint). The weights sum to one, and
/// the weighted mean frequency of the bins is f+ or f-, so action and energy are conserved to round-off.
/// Where f- is below the first frequency, E- is 0 and the transfer to wave - leaves the grid: the sea
/// continues to waves longer than the grid has (IFS documentation CY45R1, part VII; Tolman 1992). Centres
/// whose wave + is beyond the last frequency are left out.
class Dia {
 public:
  /// @param lambda shape of the quadruplet   @param strength C
  /// @throws ConfigError if the grid has fewer than 8 directions, or too few frequencies for one quadruplet
  Dia(const SpectralGrid& grid, double lambda, double strength);
  /// Computes the rates of all quadruplets of a spectrum.
  /// @param energy E [m2 Hz-1 rad-1], rows wrapped, with rows_before() rows of zeros before the first
  void interact(const DirectionRows& energy);
  struct Rate {
    Lanes transfer, derivative;  ///< S and dS/dE, to be multiplied by density_per_action(f) and R(kd)
  };
  class Gather;
  /// Returns the sum over all quadruplets for the bins of a frequency. Call `interact` first.
  Gather gather(int frequency) const;
  /// Returns sigma / df of a frequency, which converts action per radian to variance density.
  float density_per_action(int frequency) const { return density_per_action_[frequency]; }
  /// Returns one past the last frequency whose bins are centres of quadruplets.
  int end_centre() const { return end_centre_; }
  /// Returns the largest distance in direction from the centre to a bin of its quadruplet [bins].
  int half_width() const { return half_width_; }
  /// Returns the number of rows below the first frequency that `interact` reads.
  int rows_before() const { return -minus_.frequency; }

 private:
  BinFraction position_in_directions(double angle) const;
  BinFraction position_in_frequencies(double factor) const;

  int n_frequencies_;
  double ratio_, direction_width_;
  int half_width_ = 0;
  int end_centre_ = 0;                     // frequencies of the centres: 0 .. end_centre_ - 1
  float plus_factor_, minus_factor_;       // (1 +- lambda)^-4
  Corners plus_, minus_;                   // interpolation to E+ and E-
  Corners plus_squared_, minus_squared_;   // squared weights times plus_factor_, minus_factor_
  std::vector<float> strength_;            // C g^-4 f^11 df / sigma (frequency)
  std::vector<float> density_per_action_;  // sigma / df (frequency)
  // At each centre, for the quadruplet and its mirror image: n, dn/dE (of both, summed), dn/dE+, dn/dE-.
  DirectionRows n_, n_mirror_, dn_centre_, dn_plus_, dn_plus_mirror_, dn_minus_, dn_minus_mirror_;
};

/// The adjoint of the interpolation to wave + (or -), for the bins of one frequency: the sum over all centres
/// whose wave + (or -) has the bin as a corner. In the quadruplet (`rows`) the wave's direction is on `side`
/// (+1: higher, -1: lower) of the centre's; in the mirror image (`mirror_rows`) it is on the other side.
class AdjointInterpolation {
 public:
  AdjointInterpolation(const DirectionRows& rows, const DirectionRows& mirror_rows, const Corners& corners,
                       int frequency, int side)
      : corners_(corners), side_(side) {
    const int low = frequency - corners.frequency, shift = side * corners.direction;
    low_ = rows.row(low) - shift;
    high_ = rows.row(low - 1) - shift;
    mirror_low_ = mirror_rows.row(low) + shift;
    mirror_high_ = mirror_rows.row(low - 1) + shift;
  }
  Lanes operator()(int m) const {
    return (corners_.near_low * (load(low_ + m) + load(mirror_low_ + m)) +
            corners_.near_high * (load(high_ + m) + load(mirror_high_ + m))) +
           (corners_.far_low * (load(low_ + m - side_) + load(mirror_low_ + m + side_)) +
            corners_.far_high * (load(high_ + m - side_) + load(mirror_high_ + m + side_)));
  }

 private:
  Corners corners_;
  int side_;
  const float *low_, *high_, *mirror_low_, *mirror_high_;
};

/// The sum over all quadruplets for the bins of one frequency, eight directions at once.
class Dia::Gather {
 public:
  Gather(const Dia& dia, int f)
      : n_(dia.n_.row(f)),
        n_mirror_(dia.n_mirror_.row(f)),
        dn_centre_(dia.dn_centre_.row(f)),
        plus_(dia.n_, dia.n_mirror_, dia.plus_, f, 1),
        minus_(dia.n_, dia.n_mirror_, dia.minus_, f, -1),
        dn_plus_(dia.dn_plus_, dia.dn_plus_mirror_, dia.plus_squared_, f, 1),
        dn_minus_(dia.dn_minus_, dia.dn_minus_mirror_, dia.minus_squared_, f, -1) {}
  Rate operator()(int m) const {
    const Lanes n = load(n_ + m) + load(n_mirror_ + m);
    return {.transfer = plus_(m) + minus_(m) - 2.f * n,
            .derivative = dn_plus_(m) + dn_minus_(m) - 2.f * load(dn_centre_ + m)};
  }

 private:
  const float *n_, *n_mirror_, *dn_centre_;
  AdjointInterpolation plus_, minus_, dn_plus_, dn_minus_;
};

inline Dia::Gather Dia::gather(int frequency) const {
  return {*this, frequency};
}

/// Returns the depth factor of the transfer, R = 1 + (5.5/x)(1 - 5x/6) exp(-5x/4) with x = max(3/4 kd, 0.5)
/// (Hasselmann and Hasselmann 1981; WAMDI 1988).
/// @param kd mean wavenumber times depth
float dia_depth_factor(float kd);

}  // namespace halcyon::wave
