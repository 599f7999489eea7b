#pragma once

#include <span>
#include <vector>

/// The associated Legendre functions P_nm(mu), normalised so that their mean square over -1..1 is 1, without
/// the factor (-1)^m: P_00 = 1, P_10 = sqrt(3) mu.
namespace halcyon::transform {

/// A number that may be far too small for a double: value 2^(512 scale), scale <= 0, and 2^-256 <= value
/// < 2^256 where scale < 0 (after Fukushima 2012, J. Geodesy 86, 271-285).
struct Scaled {
  double value, scale;
};
inline constexpr double kLarge = 0x1p+256, kShrink = 0x1p-512;

/// P_mm = cos^m(latitude) prod_{k=1..m} sqrt((2 k + 1) / (2 k)), for m = 0..last.
class FirstFunctions {
 public:
  explicit FirstFunctions(int last);
  /// @param colatitude [rad]
  Scaled at(int m, long double colatitude) const;

 private:
  std::vector<long double> norms_;
};

/// P_{n+1,m} = a_n mu P_nm - b_n P_{n-1,m}, with a_n = 1 / epsilon_{n+1} and b_n = epsilon_n / epsilon_{n+1}
/// (Belousov 1962; `epsilon` in derivatives.hpp).
struct Step {
  double a, b;
};
/// The steps from n = m, m + 1, .. last - 1.
std::vector<Step> steps(int m, int last);

/// Latitudes of pairs of stripes, and P_mm there.
struct Places {
  const double* mu;     ///< (place)
  const double* value;  ///< (place) P_mm = value 2^(512 scale)
  const double* scale;  ///< (place)
};

/// P_nm for n = m..m + steps.size(): 0 where it is below 2^-256 and has always been.
/// @param n_pairs the places are `kPair` n_pairs
/// @param values (pair, even n - m and then odd, lane)
void functions(std::span<const Step> steps, const Places& places, int n_pairs, double* values);
/// The same bits by registers of 8 numbers, where the processor has them (AVX-512).
void functions_wide(std::span<const Step> steps, const Places& places, int n_pairs, double* values);

/// The largest |P_nm| over n = m..m + steps.size(), 0 where all are below 2^-256.
double largest(std::span<const Step> steps, double mu, Scaled first);

}  // namespace halcyon::transform
