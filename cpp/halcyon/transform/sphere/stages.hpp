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

/// The Legendre stage: between coefficients (m, n) and the halves of Fourier coefficients at all latitudes,
/// for the wavenumbers m that a rank holds. Functions of Legendre are kept for single fields as far as memory
/// is given, and else computed when needed: the same bits. Fields do not touch each other's bits either. Not
/// for threads at once.
class Legendre {
 public:
  /// @param last the largest n of any coefficient
  /// @param wavenumbers ascending
  /// @param memory_bytes for functions of Legendre
  Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
           std::size_t memory_bytes);

  const Panels& panels() const { return panels_; }
  const std::vector<int>& wavenumbers() const { return wavenumbers_; }
  /// Bytes of the functions that are kept.
  std::size_t kept_bytes() const { return kept_.size() * sizeof(double); }

  /// Coefficients of fields: [wavenumber held][n = m..last], complex.
  struct Fields {
    int n;
    std::size_t stride;  ///< numbers from one field to the next
    int last;            ///< the largest n, at most that of the constructor
    int side_by_side;    ///< fields whose blocks stand together, of which these are some
  };
  /// Called after each wavenumber, for what else wants a turn.
  using Between = std::function<void()>;
  /// x_m(mu) = sum_n X_mn P_mn(mu).
  /// @param panels blocks, from the first of these fields on
  void synthesis(const double* coefficients, const Fields& fields, double* panels, const Between& between);
  /// X_mn = sum_mu P_mn(mu) x_m(mu), over the halves of x.
  void analysis(const double* panels, const Fields& fields, double* coefficients, const Between& between);

 private:
  struct Wavenumber {
    int m, n_stripes;
    std::vector<Step> steps;
    std::vector<double> values{}, scales{};  ///< (place) of P_mm
    const double* kept = nullptr;

    int n() const { return static_cast<int>(steps.size()) + 1; }
    int n_even() const { return (n() + 1) / 2; }
    int n_pairs() const { return (n_stripes + 1) / 2; }
    std::size_t pitch() const { return static_cast<std::size_t>(n()) * kPair; }
  };

  Wavenumber wavenumber(int m, const FirstFunctions& first, const Grid& grid, const Stripes& stripes,
                        int last) const;
  void keep(std::size_t memory_bytes);
  const double* functions(const Wavenumber& w, int first, int n, int n_fields);
  void look_ahead(std::size_t place, int group_end, const Fields& fields, const double* coefficients,
                  const double* panels);

  const Kernels& kernels_ = fastest_kernels();
  std::vector<int> wavenumbers_;
  Panels panels_;
  std::vector<Wavenumber> held_;
  std::vector<double> mu_;  ///< (place)
  Buffer kept_, computed_, columns_, nowhere_;
  Ahead ahead_;
};

/// What rows are multiplied with on their way.
enum class RowFactor { one, inverse_cosine };

/// The Fourier stage: between the values of rows and the halves of their Fourier coefficients, for the
/// stripes that a w holds and all wavenumbers. Each row of each field is transformed by itself: its bits
/// depend on no other. Not for threads at once.
class Fourier {
 public:
  Fourier(const Grid& grid, const Sets& sets, int w);

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
  struct Stripe {
    std::array<Row, 2 * kLanes> rows{};    ///< in the north and in the south
    EightRows* together = nullptr;         ///< none where rows are transformed one by one
    Factors weights{}, inverse_cosines{};  ///< w / (2 L), 1 / cos(latitude)
    int last = 0;                          ///< wavenumber that it holds
  };
  template <class T>
  using Rows = EightRows::Rows<T>;

  using Starts = std::map<int, std::vector<std::size_t>>;  ///< (row) of its parts

  Stripe stripe(const Grid& grid, int s, const Sets& sets, Starts& starts);
  Row row(const Grid& grid, int number, const Sets& sets, Starts& starts) const;
  EightRows* together(const Stripe& stripe);
  template <class T>
  Rows<T> places(const Stripe& stripe, std::span<const Part<T>> parts, int field) const;
  void to_values(const Stripe& stripe, const Halves<const double>& halves, const Rows<double>& rows,
                 std::size_t ahead);
  void to_waves(const Stripe& stripe, const Rows<const double>& rows, std::size_t ahead,
                const Halves<double>& halves);
  bool passes_caches(const std::vector<double*>& blocks, int n_fields) const;
  void deal(const Stripe& stripe, std::span<const Part<double>> parts, int field) const;
  void collect(const Stripe& stripe, std::span<const Part<const double>> parts, int field);
  double* waves(int side) const { return waves_.data() + side * (waves_.size() / 2); }
  double* row_waves(int lane) const { return row_waves_.data() + lane * (row_waves_.size() / kLanes); }
  double* row_values(int lane) const {
    return row_values_.data() + lane * (row_values_.size() / (2 * kLanes));
  }

  std::map<int, Fft> transforms_;
  std::map<int, EightRows> of_eight_;
  int first_stripe_;
  std::vector<Stripe> stripes_;
  Buffer waves_;  ///< (hemisphere, wavenumber, real and imaginary part, lane), of rows transformed one by one
  Buffer row_waves_;   ///< (lane, wavenumber, real and imaginary part), of the same
  Buffer row_values_;  ///< (lane, longitude), where ranks share rows
};

}  // namespace halcyon::transform
