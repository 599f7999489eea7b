#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/transform/derivatives.hpp"
#include "halcyon/transform/fourier.hpp"
#include "halcyon/transform/legendre.hpp"
#include "halcyon/transform/truncation.hpp"

namespace halcyon::transform {

struct Options {
  double radius = kEarthRadius;          ///< [m]
  std::size_t memory_bytes = 256 << 20;  ///< for functions of Legendre: they are computed anew beyond it
  int group = 16;                        ///< fields that go through the stages together, at most
};

/// Transforms between values on a Gaussian grid and coefficients of spherical harmonics, triangular:
///   x(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} X_nm P_nm(mu) exp(i m lambda),  X_n,-m = conj(X_nm)
/// with mean squares of P_nm of 1, so that X_00 is the mean of x. Coefficients are (field, coefficient), as
/// `Triangle` has them, and values (field, point). Bits of a field depend on no other field and on no option
/// but the radius. Not for threads at once.
class Transform {
 public:
  /// @throws ConfigError where the grid cannot hold the truncation: it needs more rows than T and, at the
  /// equator, 2 T + 1 values or more
  Transform(Grid grid, int truncation, const Options& options = {});

  const Grid& grid() const { return grid_; }
  const Triangle& triangle() const { return triangle_; }
  const Options& options() const { return options_; }
  std::size_t kept_bytes() const { return legendre_.kept_bytes(); }

  /// Values of fields; the numbers of fields follow from the sizes.
  void synthesis(std::span<const Complex> coefficients, std::span<double> values);
  /// Coefficients of fields.
  void analysis(std::span<const double> values, std::span<Complex> coefficients);
  /// Eastward and northward wind [m s-1] (field, point) of vorticity and divergence [s-1] (field,
  /// coefficient).
  void winds(std::span<const Complex> vorticity, std::span<const Complex> divergence, std::span<double> u,
             std::span<double> v);
  /// Vorticity and divergence [s-1] (field, coefficient) of the wind [m s-1] (field, point).
  void vorticity_divergence(std::span<const double> u, std::span<const double> v,
                            std::span<Complex> vorticity, std::span<Complex> divergence);
  /// Eastward and northward derivative [x m-1] (field, point) of fields [x] (field, coefficient).
  void gradient(std::span<const Complex> coefficients, std::span<double> east, std::span<double> north);

 private:
  Held held() const { return {legendre_.wavenumbers(), triangle_.last}; }
  std::size_t n_fields(std::size_t n_values, std::size_t n_coefficients) const;
  std::size_t n_coefficients(int last) const;
  template <class Work>
  void for_groups(std::size_t n, const Work& work) const;
  void synthesise(const Complex* coefficients, int last, int n, RowFactor factor, double* values);
  void analyse(const double* values, int last, int n, RowFactor factor, Complex* coefficients);

  Grid grid_;
  Triangle triangle_;
  Options options_;
  Stripes stripes_;
  Legendre legendre_;
  Fourier fourier_;
  Buffer panels_;
};

}  // namespace halcyon::transform
