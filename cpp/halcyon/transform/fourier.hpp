#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/fft.hpp"
#include "halcyon/transform/four_rows.hpp"
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
  struct Row {
    const Fft* fft = nullptr;  ///< none where there is no row
    int last = -1;             ///< wavenumber that it holds
    RowParts parts{};
  };
  struct Half {
    std::array<Row, kLanes> rows{};
    FourRows* together = nullptr;  ///< none where rows are transformed one by one
  };
  struct Stripe {
    std::array<Half, 2> halves{};          ///< in the north and in the south
    Factors weights{}, inverse_cosines{};  ///< w / (2 L), 1 / cos(latitude)
    int last = 0;                          ///< wavenumber that it holds
  };
  template <class T>
  using Rows = std::array<T*, kLanes>;

  using Starts = std::map<int, std::vector<std::size_t>>;  ///< (row) of its parts

  Stripe stripe(const Grid& grid, const Stripes& stripes, int s, const Sets& sets, Starts& starts);
  Row row(const Grid& grid, int number, const Sets& sets, Starts& starts) const;
  FourRows* together(const Half& half);
  template <class T>
  Rows<T> places(const Half& half, std::span<const Part<T>> parts, int field) const;
  void to_values(const Half& half, int last, double* waves, const Rows<double>& rows);
  void to_waves(const Half& half, int last, const Rows<const double>& rows, double* waves);
  void deal(const Half& half, std::span<const Part<double>> parts, int field) const;
  void collect(const Half& half, std::span<const Part<const double>> parts, int field);
  double* waves(int half) const { return waves_.data() + half * (waves_.size() / 2); }
  double* row_waves(int lane) const { return row_waves_.data() + lane * (row_waves_.size() / kLanes); }
  double* row_values(int lane) const { return row_values_.data() + lane * (row_values_.size() / kLanes); }

  std::map<int, Fft> transforms_;
  std::map<int, FourRows> of_four_;
  int first_stripe_;
  std::vector<Stripe> stripes_;
  Buffer waves_;       ///< (half, wavenumber, real and imaginary part, lane)
  Buffer row_waves_;   ///< (lane, wavenumber, real and imaginary part), of those transformed one by one
  Buffer row_values_;  ///< (lane, longitude), where ranks share rows
};

}  // namespace halcyon::transform
