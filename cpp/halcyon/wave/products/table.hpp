#pragma once

#include <array>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::wave {

inline constexpr double kZero = 1e-8;  ///< variance [m2] below which heights are 0: Hs below 0.4 mm
/// Variance [m2] below which a sea, or a wave system, is calm: Hs below 5 cm, HSPMIN of WAVEWATCH III.
/// Periods and directions of lower waves are those of the swell of distant storms that numerical diffusion
/// spreads.
inline constexpr double kCalm = 0.05 * 0.05 / 16;
inline constexpr int kSwells = 3;  ///< number of swell systems that are separate outputs

/// Sums over the bins of a spectrum, or of one of its wave systems.
struct WaveSystem {
  double m0 = 0;               ///< variance [m2], with the f^-5 tail
  double m_minus_1 = 0;        ///< int E/f df [m2 s], with the tail
  double east = 0, north = 0;  ///< int F (sin, cos)(theta) df dtheta [m2], with the tail
  WaveSystem& operator+=(const WaveSystem& other) {
    m0 += other.m0, m_minus_1 += other.m_minus_1, east += other.east, north += other.north;
    return *this;
  }
};

/// The quantities of a cell from which products are computed.
struct SeaState {
  WaveSystem all;                          ///< the whole spectrum
  double m1 = 0, m2 = 0;                   ///< int E f^n df [m2 s-n], with the tail
  int peak_index = 0;                      ///< index of the frequency of the largest E(f) = int F dtheta
  double peak_frequency = 0;               ///< [Hz], interpolated between frequencies
  double peak_east = 0, peak_north = 0;    ///< sum of F (sin, cos)(theta) over directions at peak_index
  double peak_sum = 0;                     ///< sum of F over directions at peak_index
  double first_variance = 0;               ///< variance of the first frequency [m2]
  double drift_east = 0, drift_north = 0;  ///< Stokes drift at the surface [m s-1]
  double flux_east = 0, flux_north = 0;    ///< energy flux [W m-1]
  WaveSystem wind_sea, swell;              ///< all wind-sea systems, all swell systems
  std::array<WaveSystem, kSwells> swells;  ///< single swell systems, highest first
  bool is_calm() const { return all.m0 < kCalm; }
  bool is_zero() const { return all.m0 < kZero; }
};

/// Kinds of products, in the order of their cost.
enum class ProductKind {
  moments,         ///< need only the spectrum
  drift_and_flux,  ///< need spectrum and depth
  systems,         ///< wind sea and swells; need spectrum, depth and wind
};

/// A product: its row in the table of variables, and its value as a function of the sea state.
struct Product {
  fields::Variable variable;
  std::string definition;
  ProductKind kind;
  double (*value)(const SeaState& sea);
};

/// Returns all products, in the order of the table of variables.
const std::vector<Product>& wave_products();

/// Returns a product by name. Throws ConfigError, which lists all products, for an unknown name.
const Product& product_named(const std::string& name);

/// Returns all variables of the wave model, in the order of files and `halcyon describe wave`.
const std::vector<fields::Variable>& wave_variables();

/// Returns the output variables with their definitions; `heading` is that of the docs table of an entry.
std::vector<options::RegistryEntry> wave_variable_choices();

}  // namespace halcyon::wave
