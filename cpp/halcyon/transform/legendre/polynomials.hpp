#pragma once

#include <span>
#include <vector>

/// The associated Legendre functions P_nm(mu), normalised to a mean square of 1 over mu = -1..1, without the
/// factor (-1)^m: P_00 = 1, P_10 = sqrt(3) mu. For each m they are combinations of base functions q_j(mu), j
/// = 0, 1, .., which are even in mu (Ishioka 2018, J. Meteor. Soc. Japan 96, 241-249):
///   q_0 = P_mm,  q_{j+1} = (a_j mu^2 + b_j) q_j + q_{j-1},  q_{-1} = 0,
///   P_{m+2j,m} = even_j q_j + previous_j q_{j-1},  P_{m+2j+1,m} = odd_j mu q_j.
namespace halcyon::transform {

/// A number that may be far below the range of doubles: value 2^(512 scale), where scale <= 0 and, if scale <
/// 0, 2^-256 <= value < 2^256 (after Fukushima 2012, J. Geodesy 86, 271-285).
struct ScaledNumber {
  double value, scale;
};

/// P_mm = cos^m(latitude) prod_{k=1..m} sqrt((2 k + 1) / (2 k)), for m = 0..largest_m.
class SectoralFunctions {
 public:
  explicit SectoralFunctions(int largest_m);
  /// Returns P_mm. @param colatitude [rad]
  ScaledNumber p_mm(int m, long double colatitude) const;

 private:
  std::vector<long double> norms_;  ///< (m) the product of the square roots
};

/// The coefficients of q_{j+1} in the recurrence, as a function of x = mu^2 - `origin`.
struct BaseStep {
  double a, b;
};
/// Rounding errors are smallest with origin 0 near the equator, and with origin 1 near the poles.
inline constexpr int kOrigins = 2;
/// The coefficients of P_nm; next_j = previous_{j+1}.
template <class Real>
struct BasicBaseWeights {
  Real even, odd, next, previous;
};
using BaseWeights = BasicBaseWeights<double>;
/// The base functions of one m that determine P_nm for n = m..largest_n.
struct BaseFunctions {
  BaseFunctions(int m, int largest_n);

  int n;                                  ///< number of base functions
  std::vector<BaseStep> steps[kOrigins];  ///< (origin, j)
  std::vector<BaseWeights> weights;       ///< (j), of even length

  /// Number of base functions that determine P_nm for n_degrees successive n.
  static int count(int n_degrees) { return (n_degrees + 1) / 2; }
};

/// One latitude of a recurrence: q_{j-1} and q_j, divided by 2^(512 scale).
struct BaseValues {
  double previous, current, scale;

  /// Replaces j by j + 1.
  void step(BaseStep step, double x);
};

/// Returns the largest |P_nm| over n = m..m + n_degrees - 1, or 0 if all are below 2^-256.
/// @param sectoral P_mm
double max_abs_function(const BaseFunctions& base, int n_degrees, double mu, ScaledNumber sectoral);

}  // namespace halcyon::transform
