#pragma once

#include <cmath>
#include <cstddef>

namespace halcyon::transform {

/// Triangular truncation: the coefficients (m, n), 0 <= m <= n <= last, m by m, n from m to last.
struct Triangle {
  int last;

  std::size_t size() const { return first(last + 1); }
  /// Where (m, m) stands.
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

}  // namespace halcyon::transform
