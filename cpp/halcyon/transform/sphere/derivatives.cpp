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
template <class Real>
struct PaddedTerms {
  const std::complex<Real>* terms;  ///< coefficients from n = m
  int m, largest_n;

  Complex operator()(int n) const { return n < m || n > largest_n ? 0 : Complex(terms[n - m]); }
};

}  // namespace

template <class Real>
void laplacian(const LocalModes& local, double radius, ConstTerms<Real> x, Terms<Real> y, std::size_t first) {
  for_degrees(local, first, x.size(), [&](int n, std::size_t k) {
    y[k] = std::complex<Real>(-(n * (n + 1.0) / (radius * radius)) * Complex(x[k]));
  });
}

template <class Real>
void inverse_laplacian(const LocalModes& local, double radius, ConstTerms<Real> y, Terms<Real> x,
                       std::size_t first) {
  for_degrees(local, first, y.size(), [&](int n, std::size_t k) {
    x[k] = n == 0 ? 0 : std::complex<Real>(-(radius * radius / (n * (n + 1.0))) * Complex(y[k]));
  });
}

template <class Real>
void winds(const LocalModes& local, double radius, ConstTerms<Real> psi, ConstTerms<Real> chi, Terms<Real> u,
           Terms<Real> v) {
  std::size_t begin = 0, k = 0;  // begin: first input coefficient of m, k: output coefficient
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation;
    const PaddedTerms<Real> psi_m{psi.data() + begin, m, largest_n}, chi_m{chi.data() + begin, m, largest_n};
    for (int n = m; n <= largest_n + 1; ++n, ++k) {
      const double next = (n + 2) * epsilon(n + 1, m), previous = n > m ? (n - 1) * epsilon(n, m) : 0;
      u[k] =
          std::complex<Real>((times_i(m, chi_m(n)) - next * psi_m(n + 1) + previous * psi_m(n - 1)) / radius);
      v[k] =
          std::complex<Real>((times_i(m, psi_m(n)) + next * chi_m(n + 1) - previous * chi_m(n - 1)) / radius);
    }
    begin += largest_n + 1 - m;
  }
}

template <class Real>
void vorticity_divergence(const LocalModes& local, double radius, ConstTerms<Real> u, ConstTerms<Real> v,
                          Terms<Real> zeta, Terms<Real> delta) {
  std::size_t begin = 0, k = 0;  // begin: first input coefficient of m, k: output coefficient
  for (int m : local.wavenumbers) {
    const int largest_n = local.truncation + 1;
    const PaddedTerms<Real> u_m{u.data() + begin, m, largest_n}, v_m{v.data() + begin, m, largest_n};
    for (int n = m; n < largest_n; ++n, ++k) {
      const double previous = n > m ? (n + 1) * epsilon(n, m) : 0, next = n * epsilon(n + 1, m);
      zeta[k] = std::complex<Real>((times_i(m, v_m(n)) + previous * u_m(n - 1) - next * u_m(n + 1)) / radius);
      delta[k] =
          std::complex<Real>((times_i(m, u_m(n)) - previous * v_m(n - 1) + next * v_m(n + 1)) / radius);
    }
    begin += largest_n + 1 - m;
  }
}

template void laplacian<double>(const LocalModes&, double, ConstTerms<double>, Terms<double>, std::size_t);
template void inverse_laplacian<double>(const LocalModes&, double, ConstTerms<double>, Terms<double>,
                                        std::size_t);
template void winds<double>(const LocalModes&, double, ConstTerms<double>, ConstTerms<double>, Terms<double>,
                            Terms<double>);
template void vorticity_divergence<double>(const LocalModes&, double, ConstTerms<double>, ConstTerms<double>,
                                           Terms<double>, Terms<double>);
template void laplacian<float>(const LocalModes&, double, ConstTerms<float>, Terms<float>, std::size_t);
template void inverse_laplacian<float>(const LocalModes&, double, ConstTerms<float>, Terms<float>,
                                       std::size_t);
template void winds<float>(const LocalModes&, double, ConstTerms<float>, ConstTerms<float>, Terms<float>,
                           Terms<float>);
template void vorticity_divergence<float>(const LocalModes&, double, ConstTerms<float>, ConstTerms<float>,
                                          Terms<float>, Terms<float>);

}  // namespace halcyon::transform
