#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

/// Calls work(m, n, k) for each coefficient (m, n), whose index is k.
template <class Work>
void for_coefficients(const HeldWavenumbers& held, const Work& work) {
  std::size_t k = 0;
  for (int m : held.wavenumbers)
    for (int n = m; n <= held.truncation; ++n) work(m, n, k++);
}

/// i m x.
Complex times_i(int m, Complex x) {
  return {-m * x.imag(), m * x.real()};
}

/// The coefficients x_n of one wavenumber, 0 for n outside m .. last.
struct PaddedTerms {
  const Complex* at;  ///< coefficient n = m
  int m, last;

  Complex operator()(int n) const { return n < m || n > last ? 0 : at[n - m]; }
};

}  // namespace

void laplacian(const HeldWavenumbers& held, double radius, std::span<const Complex> x, std::span<Complex> y) {
  for_coefficients(held,
                   [&](int, int n, std::size_t k) { y[k] = -(n * (n + 1.0) / (radius * radius)) * x[k]; });
}

void inverse_laplacian(const HeldWavenumbers& held, double radius, std::span<const Complex> y,
                       std::span<Complex> x) {
  for_coefficients(held, [&](int, int n, std::size_t k) {
    x[k] = n == 0 ? 0 : -(radius * radius / (n * (n + 1.0))) * y[k];
  });
}

void winds(const HeldWavenumbers& held, double radius, std::span<const Complex> psi,
           std::span<const Complex> chi, std::span<Complex> u, std::span<Complex> v) {
  std::size_t from = 0, to = 0;
  for (int m : held.wavenumbers) {
    const int last = held.truncation;
    const PaddedTerms psi_m{psi.data() + from, m, last}, chi_m{chi.data() + from, m, last};
    for (int n = m; n <= last + 1; ++n, ++to) {
      const double above = (n + 2) * epsilon(n + 1, m), below = n > m ? (n - 1) * epsilon(n, m) : 0;
      u[to] = (times_i(m, chi_m(n)) - above * psi_m(n + 1) + below * psi_m(n - 1)) / radius;
      v[to] = (times_i(m, psi_m(n)) + above * chi_m(n + 1) - below * chi_m(n - 1)) / radius;
    }
    from += last + 1 - m;
  }
}

void vorticity_divergence(const HeldWavenumbers& held, double radius, std::span<const Complex> u,
                          std::span<const Complex> v, std::span<Complex> zeta, std::span<Complex> delta) {
  std::size_t from = 0, to = 0;
  for (int m : held.wavenumbers) {
    const int last = held.truncation + 1;
    const PaddedTerms u_m{u.data() + from, m, last}, v_m{v.data() + from, m, last};
    for (int n = m; n < last; ++n, ++to) {
      const double below = n > m ? (n + 1) * epsilon(n, m) : 0, above = n * epsilon(n + 1, m);
      zeta[to] = (times_i(m, v_m(n)) + below * u_m(n - 1) - above * u_m(n + 1)) / radius;
      delta[to] = (times_i(m, u_m(n)) - below * v_m(n - 1) + above * v_m(n + 1)) / radius;
    }
    from += last + 1 - m;
  }
}

}  // namespace halcyon::transform
