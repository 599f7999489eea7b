#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/view.hpp"

namespace halcyon::wave {

/// The spectral grid: frequencies in geometric progression and evenly spaced directions. A direction is the
/// direction TOWARDS which waves propagate, clockwise from north; the first is half a bin from north.
///
/// Spectra are stored as action N = F / sigma [m2 s2], with F [m2 Hz-1 rad-1] the variance density over
/// frequency and direction.
struct SpectralGrid {
  /// @param first_frequency [Hz]  @param ratio of successive frequencies
  SpectralGrid(int n_frequencies, double first_frequency, double ratio, int n_directions);
  int n_frequencies, n_directions;
  double ratio;
  std::vector<double> frequency;        ///< [Hz]
  std::vector<double> frequency_width;  ///< df of the trapezoidal rule [Hz]
  std::vector<double> sigma;            ///< 2 pi f [rad s-1]
  std::vector<double> direction;        ///< [rad] of propagation, clockwise from north
  double direction_width;               ///< 2 pi / n_directions [rad]
  int n_bins() const { return n_frequencies * n_directions; }
};

/// The cells begin, begin + 1, ..., end - 1 of a rank.
struct CellRange {
  LocalIndex begin, end;
};

/// Components [m s-1] of the 10-m wind (cell).
struct WindField {
  std::span<const float> eastward, northward;
};

/// A wind sea of JONSWAP shape (Hasselmann et al. 1973): E(f) = alpha g^2 (2 pi)^-4 f^-5 exp(-5/4 (f/fp)^-4)
/// gamma^r, r = exp(-(f/fp - 1)^2 / (2 s^2)), s = 0.07 for f < fp and 0.09 for f > fp, with the spreading
/// 2/pi cos^2 within 90 degrees of the mean direction.
struct Jonswap {
  double peak_frequency;  ///< [Hz]
  double alpha;           ///< Phillips' constant; 0: no waves
  double gamma = 3;
  double direction = 0;  ///< mean direction of propagation, clockwise from north [rad]
};

/// Returns E(f) [m2 Hz-1] at a frequency [Hz].
double jonswap_density(const Jonswap& sea, double frequency);

/// Writes the action [m2 s2] (frequency, direction) of a JONSWAP sea.
/// Throws ConfigError unless the peak frequency and gamma are positive and alpha >= 0.
void write_jonswap(const SpectralGrid& grid, const Jonswap& sea, std::span<float> action);

/// Highest peak frequency [Hz] of an initial fetch-limited sea (WAM, FVWAM).
inline constexpr double kHighestPeak = 0.2;

/// Returns the fetch-limited wind sea: fp = 3.5 (g/U) X^-0.33 with X = g fetch/U^2 (Hasselmann et al. 1973),
/// at most `highest_peak`, but at least the frequency 0.13 g/U of the fully developed sea (Pierson and
/// Moskowitz 1964), which exceeds `highest_peak` in light winds; alpha = 0.033 (U fp/g)^(2/3), at least
/// 0.0081 (Hasselmann et al. 1976). Without wind alpha is 0.
/// @param fetch [m]   @param eastward_wind, northward_wind [m s-1]   @param highest_peak [Hz]
/// @param cap_light_winds whether fp is at most `highest_peak` in light winds too, as in FVWAM
Jonswap fetch_law(double fetch, double eastward_wind, double northward_wind,
                  double highest_peak = kHighestPeak, bool cap_light_winds = false);

/// Sets the cells to the fetch-limited sea of the wind. Throws ConfigError unless the fetch is positive.
/// @param action [m2 s2] (cell, frequency, direction)   @param cap_light_winds see `fetch_law`
void set_fetch_law(View<float, 3> action, CellRange cells, const SpectralGrid& grid, const WindField& wind,
                   double fetch, bool cap_light_winds = false);

/// Sets the spectra of the cells to zero.
void set_calm(View<float, 3> action, CellRange cells);

}  // namespace halcyon::wave
