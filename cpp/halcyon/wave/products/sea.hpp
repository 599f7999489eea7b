#pragma once

#include <array>

namespace halcyon::wave {

inline constexpr double kCalm = 1e-8;  ///< [m2], a significant height of 0.4 mm
inline constexpr int kSwells = 3;      ///< wave systems of swell that are told apart

/// Sums over the bins of a sea, or of one system of waves in it.
struct System {
  double m0 = 0;               ///< variance [m2], with the tail
  double m_1 = 0;              ///< int E/f df [m2 s], with the tail
  double east = 0, north = 0;  ///< int F (sin, cos)(theta) df dtheta of the directions towards [m2]

  System& operator+=(const System& other) {
    m0 += other.m0, m_1 += other.m_1, east += other.east, north += other.north;
    return *this;
  }
};

/// What the products of a cell are made from.
struct Sea {
  System all;
  double m1 = 0, m2 = 0;                   ///< int E f^n df [m2 s-n], with the tail
  double resolved = 0;                     ///< variance [m2] without the tail, as `all.east` and `all.north`
  int peak = 0;                            ///< the frequency of the largest int F dtheta
  double peak_frequency = 0;               ///< [Hz]
  double peak_east = 0, peak_north = 0;    ///< sum of F (sin, cos)(theta) at the peak
  double peak_sum = 0;                     ///< sum of F there
  double drift_east = 0, drift_north = 0;  ///< Stokes drift at the surface [m s-1]
  double flux_east = 0, flux_north = 0;    ///< energy flux [W m-1]
  System wind_sea, swell;
  std::array<System, kSwells> swells;  ///< the highest first

  bool is_calm() const { return all.m0 < kCalm; }
};

}  // namespace halcyon::wave
