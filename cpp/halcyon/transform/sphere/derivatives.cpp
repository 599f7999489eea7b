#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

/// Calls work(n, k) for the coefficients first .. first + size - 1 of these modes, k = 0 .. size - 1.
template <class Work>
void for_degrees(const LocalModes& local, std::size_t first, std::size_t size, const Work& work) {
  std::size_t index = 0;
  for (int m : local.wavenumbers)
    for (int n = m; n <= local.truncation; ++n, ++index)
      if (index >= first && index - first < size) work(n, index - first);
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

void laplacian(const LocalModes& local, double radius, std::span<const Complex> x, std::span<Complex> y,
               std::size_t first) {
  for_degrees(local, first, x.size(),
              [&](int n, std::size_t k) { y[k] = -(n * (n + 1.0) / (radius * radius)) * x[k]; });
}

void inverse_laplacian(const LocalModes& local, double radius, std::span<const Complex> y,
                       std::span<Complex> x, std::size_t first) {
  for_degrees(local, first, y.size(),
              [&](int n, std::size_t k) { x[k] = n == 0 ? 0 : -(radius * radius / (n * (n + 1.0))) * y[k]; });
}

void winds(const LocalModes& local, double radius, std::span<const Complex> psi, std::span<const Complex> chi,
           std::span<Complex> u, std::span<Complex> v) {
  std::size_t begin = 0, k = 0;  // begin: first input coefficient of m, k: output coefficient
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation;
    const PaddedTerms psi_m{psi.data() + begin, m, largest_n}, chi_m{chi.data() + begin, m, largest_n};
    for (int n = m; n <= largest_n + 1; ++n, ++k) {
      const double next = (n + 2) * epsilon(n + 1, m), previous = n > m ? (n - 1) * epsilon(n, m) : 0;
      u[k] = (times_i(m, chi_m(n)) - next * psi_m(n + 1) + previous * psi_m(n - 1)) / radius;
      v[k] = (times_i(m, psi_m(n)) + next * chi_m(n + 1) - previous * chi_m(n - 1)) / radius;
    }
    begin += largest_n + 1 - m;
  }
}

void vorticity_divergence(const LocalModes& local, double radius, std::span<const Complex> u,
                          std::span<const Complex> v, std::span<Complex> zeta, std::span<Complex> delta) {
  std::size_t begin = 0, k = 0;  // begin: first input coefficient of m, k: output coefficient
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation + 1;
    const PaddedTerms u_m{u.data() + begin, m, largest_n}, v_m{v.data() + begin, m, largest_n};
    for (int n = m; n < largest_n; ++n, ++k) {
      const double previous = n > m ? (n + 1) * epsilon(n, m) : 0, next = n * epsilon(n + 1, m);
      zeta[k] = (times_i(m, v_m(n)) + previous * u_m(n - 1) - next * u_m(n + 1)) / radius;
      delta[k] = (times_i(m, u_m(n)) - previous * v_m(n - 1) + next * v_m(n + 1)) / radius;
    }
    begin += largest_n + 1 - m;
  }
}

}  // namespace halcyon::transform
