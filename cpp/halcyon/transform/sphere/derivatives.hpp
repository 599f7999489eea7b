#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Triangular truncation T: the coefficients (m, n), 0 <= m <= n <= T, ordered by m and then n.
struct Triangle {
  int truncation;

  std::size_t size() const { return first(truncation + 1); }
  /// Index of the coefficient (m, m).
  std::size_t first(int m) const {
    const std::size_t k = m;
    return k * (truncation + 1) - (k * k - k) / 2;
  }
  /// Number of coefficients of m.
  int count(int m) const { return truncation + 1 - m; }
};

/// epsilon_nm = sqrt((n^2 - m^2) / (4 n^2 - 1)), which appears in the recurrence
///   mu P_nm = epsilon_{n+1,m} P_{n+1,m} + epsilon_nm P_{n-1,m}                       (Belousov 1962)
template <class Real = double>
Real epsilon(int n, int m) {
  const Real squared = static_cast<Real>(n) * n;
  return std::sqrt((squared - static_cast<Real>(m) * m) / (4 * squared - 1));
}

// Derivatives on a sphere of radius a, for the coefficients of one field: [wavenumber m][n = m..T], or n up
// to T + 1 for wind components times, or divided by, cos(latitude). From the identity (Hoskins and Simmons
// 1975)
//   (1 - mu^2) dP_nm/dmu = (n + 1) epsilon_nm P_{n-1,m} - n epsilon_{n+1,m} P_{n+1,m}

/// The modes (m, n) whose coefficients this rank has: n = m .. T for each of its wavenumbers m.
struct LocalModes {
  const std::vector<int>& wavenumbers;  ///< m, ascending
  int truncation;                       ///< T, the largest n
};

/// Coefficients of one field, of which formulas are evaluated in 64 bits. (Calls name Real.)
template <class Real>
using Terms = std::span<std::complex<Real>>;
template <class Real>
using ConstTerms = std::span<const std::complex<Real>>;

/// y_nm = -n (n + 1) / a^2 x_nm, of the x.size() coefficients from number `first` of these modes.
template <class Real>
void laplacian(const LocalModes& local, double radius, ConstTerms<Real> x, Terms<Real> y,
               std::size_t first = 0);
/// x_nm = -a^2 / (n (n + 1)) y_nm, x_00 = 0, of the y.size() coefficients from number `first`.
template <class Real>
void inverse_laplacian(const LocalModes& local, double radius, ConstTerms<Real> y, Terms<Real> x,
                       std::size_t first = 0);

/// Computes eastward and northward wind times cos(latitude), U and V [m s-1], for n up to T + 1, from
/// velocity potential chi and stream function psi [m2 s-1]. For each m:
///   U_n = (i m chi_n - (n + 2) epsilon_{n+1} psi_{n+1} + (n - 1) epsilon_n psi_{n-1}) / a
///   V_n = (i m psi_n + (n + 2) epsilon_{n+1} chi_{n+1} - (n - 1) epsilon_n chi_{n-1}) / a
template <class Real>
void winds(const LocalModes& local, double radius, ConstTerms<Real> psi, ConstTerms<Real> chi, Terms<Real> u,
           Terms<Real> v);

/// Computes vorticity zeta and divergence delta [s-1] from the eastward and northward wind divided by
/// cos(latitude), u and v [m s-1], with n up to T + 1, by integration by parts. For each m:
///   zeta_n  = (i m v_n + (n + 1) epsilon_n u_{n-1} - n epsilon_{n+1} u_{n+1}) / a
///   delta_n = (i m u_n - (n + 1) epsilon_n v_{n-1} + n epsilon_{n+1} v_{n+1}) / a
template <class Real>
void vorticity_divergence(const LocalModes& local, double radius, ConstTerms<Real> u, ConstTerms<Real> v,
                          Terms<Real> zeta, Terms<Real> delta);

}  // namespace halcyon::transform
