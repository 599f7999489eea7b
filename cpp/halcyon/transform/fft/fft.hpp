#pragma once

#include <memory>

namespace halcyon::transform {

// Only fft.cpp uses the Fourier transform library (FFTW): to use another library, replace fft.cpp.

/// Real transforms of one row between values and Fourier coefficients ("waves"). The bits of a result depend
/// only on the values of the row, not on their address. Not thread-safe.
template <class Real>
class BasicFft {
 public:
  /// @param length row length; fast if its only prime factors are 2, 3 and 5
  explicit BasicFft(int length);
  ~BasicFft();
  BasicFft(BasicFft&&) noexcept;
  BasicFft& operator=(BasicFft&&) noexcept;

  /// x_k = sum_m c_m exp(2 pi i m k / L) over |m| <= L/2, where c_-m = conj(c_m) and L is the row length.
  /// @param waves (m = 0..L/2, real and imaginary part), aligned to 64 bytes; overwritten
  /// @param values (k = 0..L-1) values of the row
  void to_values(Real* waves, Real* values) const;
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param values (k = 0..L-1) values of the row
  /// @param waves (m = 0..L/2, real and imaginary part), aligned to 64 bytes
  void to_waves(const Real* values, Real* waves) const;

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};
using Fft = BasicFft<double>;

/// Complex transforms of one column, in place. The bits of a result depend only on the values of the column.
class ComplexFft {
 public:
  /// @param length column length; fast if its only prime factors are 2, 3 and 5
  explicit ComplexFft(int length);
  ~ComplexFft();
  ComplexFft(ComplexFft&&) noexcept;
  ComplexFft& operator=(ComplexFft&&) noexcept;

  /// x_k = sum_n c_n exp(2 pi i n k / L), n = 0..L-1, where L is the column length.
  /// @param column (n on entry, k on return; real and imaginary part), aligned to 64 bytes
  void to_values(double* column) const;
  /// c_n = sum_k x_k exp(-2 pi i n k / L).
  /// @param column (k on entry, n on return; real and imaginary part), aligned to 64 bytes
  void to_waves(double* column) const;

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace halcyon::transform
