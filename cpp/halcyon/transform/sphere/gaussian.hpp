#pragma once

#include <vector>

namespace halcyon::transform {

/// Nodes and weights of Gauss and Legendre for integrals over mu = sin(latitude), from north to south. The
/// nodes are angles, held longer than double, for from them alone what varies like cos^m(latitude) is exact.
struct GaussianLatitudes {
  std::vector<long double> colatitudes;  ///< (latitude) [rad]
  std::vector<double> sines, cosines;    ///< (latitude) of the latitude: mu and sqrt(1 - mu^2)
  std::vector<double> weights;           ///< (latitude) their sum is 2
};

constexpr int kMostLatitudes = 100'000;  ///< 200 m apart on the Earth

/// The n zeros of P_n, by Newton's iteration in the colatitude from their asymptotic places. Exact to the
/// last bit or the one before for any n >= 1; O(n^2).
GaussianLatitudes gaussian_latitudes(int n);

}  // namespace halcyon::transform
