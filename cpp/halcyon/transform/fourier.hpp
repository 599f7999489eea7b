#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/panels.hpp"
#include "halcyon/transform/row.hpp"
#include "halcyon/transform/sets.hpp"

namespace halcyon::transform {

/// What rows are multiplied with on their way.
enum class RowFactor { one, inverse_cosine };

/// The Fourier stage: between the values of rows and the halves of their Fourier coefficients, for the
/// stripes that a w holds and all wavenumbers. Each row of each field is transformed by itself: its bits
/// depend on no other. Not for threads at once.
class Fourier {
 public:
  Fourier(const Grid& grid, const Stripes& stripes, const Sets& sets, int w);

  int first_stripe() const { return first_stripe_; }
  int end_stripe() const { return first_stripe_ + static_cast<int>(stripes_.size()); }
  int last_wavenumber(int stripe) const { return stripes_[stripe - first_stripe_].last; }

  /// x(lambda, mu) = sum_m x_m(mu) exp(i m lambda), of all m from -M to M.
  /// @param blocks of wavenumber m at blocks[m], field after field
  /// @param parts (v)
  void synthesis(int stripe, const std::vector<const double*>& blocks, int n_fields, RowFactor factor,
                 std::span<const Part<double>> parts);
  /// Halves of w(mu) / 2 x_m(mu), x_m = 1 / L sum_k x(lambda_k, mu) exp(-i m lambda_k), with the weights w of
  /// Gauss: that over which P_nm is summed.
  void analysis(int stripe, std::span<const Part<const double>> parts, int n_fields, RowFactor factor,
                const std::vector<double*>& blocks);

 private:
  using Factors = std::array<double, kLanes>;
  struct Stripe {
    std::array<std::array<Row, kLanes>, 2> rows{};  ///< in the north and in the south, if any
    Factors weights{}, inverse_cosines{};           ///< w / (2 L), 1 / cos(latitude)
    int last = 0;                                   ///< wavenumber that it holds
  };

  using Starts = std::map<int, std::vector<std::size_t>>;  ///< (row) of its parts

  Stripe stripe(const Grid& grid, const Stripes& stripes, int s, const Sets& sets, Starts& starts) const;
  Row row(const Grid& grid, int number, const Sets& sets, Starts& starts) const;
  double* wave(int half, int lane) const { return waves_.data() + (half * kLanes + lane) * pitch_; }
  void unfold(const double* const* blocks, int last, std::size_t shift, const Factors& factors) const;
  void fold(double* const* blocks, int last, std::size_t shift, const Factors& factors) const;

  std::map<int, Fft> transforms_;
  int first_stripe_;
  std::vector<Stripe> stripes_;
  std::size_t pitch_;
  Buffer waves_;  ///< (half, lane, wavenumber, 2)
  Buffer row_;    ///< a whole one, where ranks share it
};

}  // namespace halcyon::transform
