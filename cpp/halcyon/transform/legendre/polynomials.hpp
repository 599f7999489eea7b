#pragma once

#include <span>
#include <vector>

/// The associated Legendre functions P_nm(mu), normalised to a mean square of 1 over mu = -1..1, without the
/// factor (-1)^m: P_00 = 1, P_10 = sqrt(3) mu. They are computed for one m, by recurrence over n from P_mm.
namespace halcyon::transform {

/// A number that may be far below the range of doubles: value 2^(512 scale), where scale <= 0 and, if scale <
/// 0, 2^-256 <= value < 2^256 (after Fukushima 2012, J. Geodesy 86, 271-285).
struct ScaledNumber {
  double value, scale;
};
/// Recurrences multiply a value that has reached kLarge by kShrink, and add 1 to the scale.
inline constexpr double kLarge = 0x1p+256, kShrink = 0x1p-512;

/// P_mm = cos^m(latitude) prod_{k=1..m} sqrt((2 k + 1) / (2 k)), for m = 0..largest_m.
class SectoralFunctions {
 public:
  explicit SectoralFunctions(int largest_m);
  /// Returns P_mm. @param colatitude [rad]
  ScaledNumber p_mm(int m, long double colatitude) const;

 private:
  std::vector<long double> norms_;  ///< (m) the product of the square roots
};

/// P_{n+1,m} = a_n mu P_nm - b_n P_{n-1,m}, with a_n = 1 / epsilon_{n+1} and b_n = epsilon_n / epsilon_{n+1}
/// (Belousov 1962; `epsilon` in derivatives.hpp).
struct RecurrenceStep {
  double a, b;
};
/// Returns the steps n = m .. largest_n - 1 for one m, which compute P_nm up to n = largest_n.
std::vector<RecurrenceStep> recurrence_steps(int m, int largest_n);

/// Initial values of the recurrences at the northern latitudes of pairs of stripes (see share/buffer.hpp).
struct RecurrenceStart {
  const double* mu;     ///< (latitude) sine of latitude
  const double* value;  ///< (latitude) P_mm = value 2^(512 scale)
  const double* scale;  ///< (latitude), see `value`
};

/// Computes P_nm for n = m..m + steps.size(). Results are 0 until |P_nm| reaches 2^-256.
/// @param n_pairs number of pairs of stripes; a pair has `kStripePair` northern latitudes
/// @param values (pair, all even n - m and then all odd n - m, latitude of the pair)
void legendre_functions(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                        double* values);
/// `legendre_functions` for registers of 8 doubles (AVX-512), with the same bits.
void legendre_functions_wide(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                             double* values);

/// Returns the largest |P_nm| over n = m..m + steps.size(), or 0 if all are below 2^-256.
/// @param sectoral P_mm
double max_abs_function(std::span<const RecurrenceStep> steps, double mu, ScaledNumber sectoral);

}  // namespace halcyon::transform
