#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "halcyon/transform/fft/eight_rows.hpp"
#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/sphere/sets.hpp"

namespace halcyon::transform {

/// The Legendre stage: converts between coefficients (m, n) and the even and odd parts of Fourier
/// coefficients at all latitudes, for the wavenumbers m that a rank holds. For single fields, Legendre
/// functions are precomputed as far as the memory limit allows, and otherwise computed on the fly, with the
/// same bits. The bits of a field do not depend on other fields. Not thread-safe.
class Legendre {
 public:
  /// @param last the largest n of any coefficient
  /// @param wavenumbers ascending
  /// @param memory_bytes memory limit for precomputed Legendre functions
  Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
           std::size_t memory_bytes);

  const Panels& panels() const { return panels_; }
  const std::vector<int>& wavenumbers() const { return wavenumbers_; }
  /// Bytes of precomputed Legendre functions.
  std::size_t kept_bytes() const { return precomputed_.size() * sizeof(double); }

  /// Layout of the coefficients of fields: [wavenumber][n = m..last], complex.
  struct Fields {
    int n;
    std::size_t stride;  ///< doubles between fields
    int last;            ///< the largest n, at most that of the constructor
    int group_size;      ///< number of interleaved fields in the blocks of the group
  };
  /// Function that is called after each wavenumber, for instance to progress messages.
  using PollCallback = std::function<void()>;
  /// x_m(mu) = sum_n X_mn P_mn(mu).
  /// @param panels panels of the group, at the first of these fields
  void synthesis(const double* coefficients, const Fields& fields, double* panels,
                 const PollCallback& on_poll);
  /// X_mn = sum_mu P_mn(mu) x_m(mu), separately for the even and odd parts of x.
  void analysis(const double* panels, const Fields& fields, double* coefficients,
                const PollCallback& on_poll);

 private:
  struct Wavenumber {
    int m, n_stripes;
    std::vector<RecurrenceStep> steps;
    std::vector<double> values{}, scales{};  ///< (stripe, lane) P_mm
    const double* precomputed = nullptr;

    int n() const { return static_cast<int>(steps.size()) + 1; }
    int n_even() const { return (n() + 1) / 2; }
    int n_pairs() const { return (n_stripes + 1) / 2; }
    std::size_t pitch() const { return static_cast<std::size_t>(n()) * kStripePair; }
  };

  Wavenumber wavenumber(int m, const SectoralFunctions& first, const Grid& grid, const Stripes& stripes,
                        int last) const;
  void precompute(std::size_t memory_bytes);
  const double* functions(const Wavenumber& w, int first, int n, int n_fields);
  void queue_prefetch(std::size_t index, int group_end, const Fields& fields, const double* coefficients,
                      const double* panels);

  const Kernels& kernels_ = fastest_kernels();
  std::vector<int> wavenumbers_;
  Panels panels_;
  std::vector<Wavenumber> wavenumber_data_;
  std::vector<double> mu_;  ///< (stripe, lane) sine of latitude
  Buffer precomputed_, computed_, columns_, discarded_;
  PrefetchQueue prefetch_queue_;
};

enum class RowFactor { one, inverse_cosine };

/// The Fourier stage: converts between the values of rows and the even and odd parts of their Fourier
/// coefficients, for the stripes of a W set and all wavenumbers. Each row of each field is transformed
/// separately, so its bits do not depend on other rows or fields. Not thread-safe.
class Fourier {
 public:
  Fourier(const Grid& grid, const SphereSets& sets, int w);

  int first_stripe() const { return first_stripe_; }
  int end_stripe() const { return first_stripe_ + static_cast<int>(stripes_.size()); }
  int last_wavenumber(int stripe) const { return stripes_[stripe - first_stripe_].last; }

  /// x(lambda, mu) = sum_m x_m(mu) exp(i m lambda), over m from -M to M.
  /// @param blocks (m) block of the first field, followed by the blocks of the other fields
  /// @param parts (v)
  void synthesis(int stripe, const std::vector<const double*>& blocks, int n_fields, RowFactor factor,
                 std::span<const Part<double>> parts);
  /// Even and odd parts of w(mu) / 2 x_m(mu), x_m = 1 / L sum_k x(lambda_k, mu) exp(-i m lambda_k), with the
  /// Gaussian weights w: the integrand of the Legendre sums.
  void analysis(int stripe, std::span<const Part<const double>> parts, int n_fields, RowFactor factor,
                const std::vector<double*>& blocks);

 private:
  using Factors = std::array<double, kLanes>;
  struct Row {
    const Fft* fft = nullptr;  ///< null for an absent row
    int last = -1;             ///< largest wavenumber of the row
    RowParts parts{};
  };
  struct Stripe {
    std::array<Row, 2 * kLanes> rows{};    ///< northern rows, then southern rows
    EightRowFft* eight_row_fft = nullptr;  ///< null if rows are transformed one by one
    Factors weights{}, inverse_cosines{};  ///< w / (2 L), 1 / cos(latitude)
    int last = 0;                          ///< largest wavenumber of the stripe
  };
  template <class T>
  using Rows = EightRowFft::Rows<T>;

  using PartOffsets = std::map<int, std::vector<std::size_t>>;  ///< (row, v) offsets of the parts of rows

  Stripe stripe(const Grid& grid, int s, const SphereSets& sets, PartOffsets& offsets);
  Row row(const Grid& grid, int number, const SphereSets& sets, PartOffsets& offsets) const;
  EightRowFft* eight_row_fft(const Stripe& stripe);
  template <class T>
  Rows<T> row_pointers(const Stripe& stripe, std::span<const Part<T>> parts, int field) const;
  void to_values(const Stripe& stripe, const ParityParts<const double>& parity_parts,
                 const Rows<double>& rows, std::size_t prefetch_distance);
  void to_waves(const Stripe& stripe, const Rows<const double>& rows, std::size_t prefetch_distance,
                const ParityParts<double>& parity_parts);
  bool exceeds_caches(const std::vector<double*>& blocks, int n_fields) const;
  void scatter(const Stripe& stripe, std::span<const Part<double>> parts, int field) const;
  void gather(const Stripe& stripe, std::span<const Part<const double>> parts, int field);
  double* waves(int side) const { return waves_.data() + side * (waves_.size() / 2); }
  double* row_waves(int lane) const { return row_waves_.data() + lane * (row_waves_.size() / kLanes); }
  double* row_values(int lane) const {
    return row_values_.data() + lane * (row_values_.size() / (2 * kLanes));
  }

  std::map<int, Fft> row_ffts_;
  std::map<int, EightRowFft> eight_row_ffts_;
  int first_stripe_;
  std::vector<Stripe> stripes_;
  Buffer
      waves_;  ///< (hemisphere, wavenumber, real and imaginary part, lane), for rows transformed one by one
  Buffer row_waves_;   ///< (lane, wavenumber, real and imaginary part), likewise
  Buffer row_values_;  ///< (lane, longitude), used if ranks share rows
};

}  // namespace halcyon::transform
