#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

/// Calls work(m, n, k) for each coefficient (m, n) of this rank, whose index is k.
template <class Work>
void for_coefficients(const LocalCoefficients& local, const Work& work) {
  std::size_t k = 0;
  for (int m : local.wavenumbers)
    for (int n = m; n <= local.truncation; ++n) work(m, n, k++);
}

/// Returns i m x.
Complex times_i(int m, Complex x) {
  return {-m * x.imag(), m * x.real()};
}

/// Returns the coefficient x_n of one wavenumber m, or 0 for n outside m .. largest_n.
struct PaddedTerms {
  const Complex* terms;  ///< coefficients from n = m
  int m, largest_n;

  Complex operator()(int n) const { return n < m || n > largest_n ? 0 : terms[n - m]; }
};

}  // namespace

void laplacian(const LocalCoefficients& local, double radius, std::span<const Complex> x,
               std::span<Complex> y) {
  for_coefficients(local,
                   [&](int, int n, std::size_t k) { y[k] = -(n * (n + 1.0) / (radius * radius)) * x[k]; });
}

void inverse_laplacian(const LocalCoefficients& local, double radius, std::span<const Complex> y,
                       std::span<Complex> x) {
  for_coefficients(local, [&](int, int n, std::size_t k) {
    x[k] = n == 0 ? 0 : -(radius * radius / (n * (n + 1.0))) * y[k];
  });
}

void winds(const LocalCoefficients& local, double radius, std::span<const Complex> psi,
           std::span<const Complex> chi, std::span<Complex> u, std::span<Complex> v) {
  std::size_t input = 0, output = 0;  // indices of coefficients
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation;
    const PaddedTerms psi_m{psi.data() + input, m, largest_n}, chi_m{chi.data() + input, m, largest_n};
    for (int n = m; n <= largest_n + 1; ++n, ++output) {
      const double factor_next = (n + 2) * epsilon(n + 1, m),
                   factor_previous = n > m ? (n - 1) * epsilon(n, m) : 0;
      u[output] =
          (times_i(m, chi_m(n)) - factor_next * psi_m(n + 1) + factor_previous * psi_m(n - 1)) / radius;
      v[output] =
          (times_i(m, psi_m(n)) + factor_next * chi_m(n + 1) - factor_previous * chi_m(n - 1)) / radius;
    }
    input += largest_n + 1 - m;
  }
}

void vorticity_divergence(const LocalCoefficients& local, double radius, std::span<const Complex> u,
                          std::span<const Complex> v, std::span<Complex> zeta, std::span<Complex> delta) {
  std::size_t input = 0, output = 0;  // indices of coefficients
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation + 1;
    const PaddedTerms u_m{u.data() + input, m, largest_n}, v_m{v.data() + input, m, largest_n};
    for (int n = m; n < largest_n; ++n, ++output) {
      const double factor_previous = n > m ? (n + 1) * epsilon(n, m) : 0, factor_next = n * epsilon(n + 1, m);
      zeta[output] = (times_i(m, v_m(n)) + factor_previous * u_m(n - 1) - factor_next * u_m(n + 1)) / radius;
      delta[output] = (times_i(m, u_m(n)) - factor_previous * v_m(n - 1) + factor_next * v_m(n + 1)) / radius;
    }
    input += largest_n + 1 - m;
  }
}

}  // namespace halcyon::transform
