#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Triangular truncation: the coefficients (m, n), 0 <= m <= n <= last, m by m, n from m to last.
struct Triangle {
  int last;

  std::size_t size() const { return first(last + 1); }
  /// Index of (m, m).
  std::size_t first(int m) const {
    const std::size_t k = m;
    return k * (last + 1) - (k * k - k) / 2;
  }
  int count(int m) const { return last + 1 - m; }
};

/// epsilon_nm = sqrt((n^2 - m^2) / (4 n^2 - 1)), of the recurrence
///   mu P_nm = epsilon_{n+1,m} P_{n+1,m} + epsilon_nm P_{n-1,m}                       (Belousov 1962)
template <class Real = double>
Real epsilon(int n, int m) {
  const Real squared = static_cast<Real>(n) * n;
  return std::sqrt((squared - static_cast<Real>(m) * m) / (4 * squared - 1));
}

// Derivatives on a sphere of radius a, for the coefficients of one field: [wavenumber][n = m..T], or to T + 1
// for u and v multiplied or divided by cos(latitude). H_nm is (1 - mu^2) dP_nm/dmu
//   H_nm = (n + 1) epsilon_nm P_{n-1,m} - n epsilon_{n+1,m} P_{n+1,m}       (Hoskins and Simmons 1975, A5)

/// The wavenumbers that a rank holds, ascending, and the truncation T.
struct HeldWavenumbers {
  const std::vector<int>& wavenumbers;
  int truncation;
};

/// y_nm = -n (n + 1) / a^2 x_nm.
void laplacian(const HeldWavenumbers& held, double radius, std::span<const Complex> x, std::span<Complex> y);
/// x_nm = -a^2 / (n (n + 1)) y_nm, x_00 = 0.
void inverse_laplacian(const HeldWavenumbers& held, double radius, std::span<const Complex> y,
                       std::span<Complex> x);

/// Wind times cos(latitude) [m s-1], for n up to T + 1, from velocity potential chi and stream function psi
/// [m2 s-1]:
///   U_n = (i m chi_n - (n + 2) epsilon_{n+1} psi_{n+1} + (n - 1) epsilon_n psi_{n-1}) / a
///   V_n = (i m psi_n + (n + 2) epsilon_{n+1} chi_{n+1} - (n - 1) epsilon_n chi_{n-1}) / a
void winds(const HeldWavenumbers& held, double radius, std::span<const Complex> psi,
           std::span<const Complex> chi, std::span<Complex> u, std::span<Complex> v);

/// Vorticity and divergence [s-1] from the wind divided by cos(latitude) [m s-1], given for n up to T + 1, by
/// integration by parts:
///   zeta_n  = (i m v_n + (n + 1) epsilon_n u_{n-1} - n epsilon_{n+1} u_{n+1}) / a
///   delta_n = (i m u_n - (n + 1) epsilon_n v_{n-1} + n epsilon_{n+1} v_{n+1}) / a
void vorticity_divergence(const HeldWavenumbers& held, double radius, std::span<const Complex> u,
                          std::span<const Complex> v, std::span<Complex> zeta, std::span<Complex> delta);

}  // namespace halcyon::transform
