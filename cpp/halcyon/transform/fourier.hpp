#pragma once

#include <array>
#include <map>
#include <vector>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/fft.hpp"
#include "halcyon/transform/panels.hpp"

namespace halcyon::transform {

/// What rows are multiplied with on their way.
enum class RowFactor { one, inverse_cosine };

/// The Fourier stage: between the values of rows and the halves of their Fourier coefficients, for the
/// stripes that a rank holds and all wavenumbers. Each row of each field is transformed by itself: its bits
/// depend on no other. Not for threads at once.
class Fourier {
 public:
  Fourier(const Grid& grid, const Stripes& stripes);

  /// Fields at a stripe: the blocks of wavenumber m stand at blocks[m], field after field; the values of a
  /// field at `values` + `stride` times its number, each row where the grid has it.
  struct Fields {
    int n;
    std::size_t stride;
    RowFactor factor = RowFactor::one;
  };
  /// x(lambda, mu) = sum_m x_m(mu) exp(i m lambda), of all m from -M to M.
  void synthesis(int stripe, const std::vector<const double*>& blocks, const Fields& fields, double* values);
  /// Halves of w(mu) / 2 x_m(mu), x_m = 1 / L sum_k x(lambda_k, mu) exp(-i m lambda_k), with the weights w of
  /// Gauss: that over which P_nm is summed.
  void analysis(int stripe, const double* values, const Fields& fields, const std::vector<double*>& blocks);

 private:
  using Factors = std::array<double, kLanes>;
  struct Row {
    const Fft* fft = nullptr;  ///< none where there is no row
    int length = 0;
    std::size_t start = 0;
    int last = -1;  ///< wavenumber that it holds
  };
  struct Stripe {
    std::array<std::array<Row, kLanes>, 2> rows{};  ///< in the north and in the south
    Factors weights{}, inverse_cosines{};           ///< w / (2 L), 1 / cos(latitude)
    int last = 0;                                   ///< wavenumber that it holds
  };

  Stripe stripe(const Grid& grid, const Stripes& stripes, int s) const;
  Row row(const Grid& grid, int number) const;
  double* wave(int half, int lane) const { return waves_.data() + (half * kLanes + lane) * pitch_; }
  void unfold(const double* const* blocks, int last, std::size_t shift, const Factors& factors) const;
  void fold(double* const* blocks, int last, std::size_t shift, const Factors& factors) const;

  std::map<int, Fft> transforms_;
  std::vector<Stripe> stripes_;
  std::size_t pitch_;
  Buffer waves_;  ///< (half, lane, wavenumber, 2)
};

}  // namespace halcyon::transform
