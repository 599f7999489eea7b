#pragma once

#include <array>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/options/option.hpp"

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

/// What a product needs beside the moments of the spectrum: depth, or depth and wind. The further down, the
/// dearer.
enum class Need { moments, transports, systems };

/// A product: its row in the table of variables, and how it follows from the sea of a cell.
struct Product {
  fields::Variable variable;
  std::string definition;
  Need need;
  double (*value)(const Sea& sea);
};

/// Every product, in the order of the table of variables.
const std::vector<Product>& wave_products();

/// The product called `name`; throws ConfigError that lists what there is.
const Product& product_named(const std::string& name);

/// Every variable of the wave model, in the order in which files and `halcyon describe wave` show them.
const std::vector<fields::Variable>& wave_variables();

/// The definitions of those that files may hold; each goes with the heading under which the docs list it.
std::vector<options::Choice> wave_variable_choices();

}  // namespace halcyon::wave
