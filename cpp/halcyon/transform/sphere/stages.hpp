#pragma once

#include <algorithm>
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
/// coefficients at all latitudes, for the zonal wavenumbers m of this rank. Stripes are groups of eight rows,
/// and panels contain the Fourier coefficients of these m (`Stripes`, `Panels` in sets.hpp). Base functions
/// (polynomials.hpp) are computed on the fly; for calls with a single field, as many as the memory limit
/// allows are precomputed, with the same bits. The bits of a field do not depend on other fields. Not
/// thread-safe.
template <class Real>
class BasicLegendre {
 public:
  /// @param largest_n the largest n of any coefficient
  /// @param wavenumbers ascending
  /// @param memory_bytes memory limit for precomputed base functions
  BasicLegendre(const Grid& grid, const Stripes& stripes, int largest_n, std::vector<int> wavenumbers,
                std::size_t memory_bytes);

  const Panels& panels() const { return panels_; }
  const std::vector<int>& wavenumbers() const { return wavenumbers_; }
  std::size_t precomputed_bytes() const { return precomputed_.size() * sizeof(Real); }

  /// Layout of the fields of a call: their coefficients are [field][wavenumber m][n = m..largest_n], complex.
  struct Fields {
    int n;               ///< number of fields
    std::size_t stride;  ///< numbers between fields
    int largest_n;       ///< at most the `largest_n` of the constructor
    int group_size;      ///< number of fields per wavenumber in the panels
  };
  /// Function that is called after each wavenumber, for instance to progress messages.
  using PollCallback = std::function<void()>;
  /// f_m(mu) = sum_n F_nm P_nm(mu).
  /// @param panels panels of the group, beginning at the first field of the call
  void synthesis(const Real* coefficients, const Fields& fields, Real* panels, const PollCallback& on_poll);
  /// F_nm = sum_mu P_nm(mu) f_m(mu), separately for the even and odd parts of f.
  void analysis(const Real* panels, const Fields& fields, Real* coefficients, const PollCallback& on_poll);

 private:
  static constexpr int kPairsPerGroup = kStripesPerGroup / 2;
  struct WavenumberData {
    int m, n_stripes;                               ///< m is computed at stripes 0 .. n_stripes - 1
    BaseFunctions base;                             ///< without its weights
    std::vector<BasicBaseWeights<Real>> weights{};  ///< (j), of even length
    std::vector<int> firsts{};  ///< (group of stripes) first j whose function is not negligible
    std::vector<double> previous{}, current{};  ///< (stripe, lane) q_{j-1} and q_j for this j
    std::vector<const Real*> precomputed{};     ///< (group of stripes) q_j; empty if not precomputed

    int n_pairs() const { return (n_stripes + 1) / 2; }
    int n_pairs(int group) const { return std::min(n_pairs() - group * kPairsPerGroup, kPairsPerGroup); }
    int n_groups() const { return static_cast<int>(firsts.size()); }
    /// Numbers per pair of stripes of a group.
    std::size_t pitch(int group) const {
      return static_cast<std::size_t>(base.n - firsts[group]) * kStripePair;
    }
  };

  WavenumberData wavenumber_data(int m, const SectoralFunctions& sectoral, const Grid& grid,
                                 const Stripes& stripes, int largest_n) const;
  void precompute(std::size_t memory_bytes);
  int origin(int pair) const { return pair < n_equatorial_pairs_ ? 0 : 1; }
  void compute_functions(const WavenumberData& data, int begin, int end, Real* values) const;
  const Real* functions(const WavenumberData& data, int begin, int end, int n_fields);
  void queue_prefetch(std::size_t index, int end, int n_together, const Fields& fields,
                      const Real* coefficients, const Real* panels);

  BasicKernels<Real> kernels_ = fastest_kernels<Real>();
  std::vector<int> wavenumbers_;
  Panels panels_;
  std::vector<WavenumberData> wavenumber_data_;
  std::vector<double> x_;          ///< (stripe, lane) argument of the recurrence (BaseStep)
  int n_equatorial_pairs_ = 0;     ///< pairs of stripes with origin 0; 1 nearer to the poles
  BasicBuffer<Real> precomputed_;  ///< base functions of the first wavenumbers at all stripes
  BasicBuffer<Real> computed_;     ///< base functions of one wavenumber at a group of stripes
  BasicBuffer<Real> series_;       ///< terms or sums of one wavenumber (BaseSeries)
  BasicBuffer<Real> discarded_;    ///< results at the missing second stripe of a pair
  PrefetchQueue prefetch_queue_;
};

enum class RowFactor { one, inverse_cosine };  ///< factor of the values of a row: 1 or 1 / cos(latitude)

/// The Fourier stage: converts between the values of rows and the even and odd parts of their Fourier
/// coefficients, for the stripes of a W set and all wavenumbers. Each row of each field is transformed
/// separately, so the bits of a row do not depend on other rows or fields. Not thread-safe.
template <class Real>
class BasicFourier {
 public:
  BasicFourier(const Grid& grid, const SphereSets& sets, int w);

  int first_stripe() const { return first_stripe_; }
  int end_stripe() const { return first_stripe_ + static_cast<int>(stripes_.size()); }
  int largest_wavenumber(int stripe) const { return stripes_[stripe - first_stripe_].largest_m; }

  /// f(lambda, mu) = factor sum_m f_m(mu) exp(i m lambda), |m| <= M, longitude lambda, mu = sin(latitude).
  /// @param blocks (m) block of the first field, followed by the blocks of the other fields
  /// @param parts (v) values
  void synthesis(int stripe, const std::vector<const Real*>& blocks, int n_fields, RowFactor factor,
                 std::span<const Part<Real>> parts);
  /// Even and odd parts of factor w(mu) / 2 f_m(mu), f_m = 1 / L sum_k f(lambda_k, mu) exp(-i m lambda_k),
  /// with Gaussian weights w and L values per row: the terms of the Legendre sums over latitudes.
  void analysis(int stripe, std::span<const Part<const Real>> parts, int n_fields, RowFactor factor,
                const std::vector<Real*>& blocks);

 private:
  using Factors = std::array<Real, kLanes>;
  struct Row {
    const BasicFft<Real>* fft = nullptr;  ///< null for an absent row
    int largest_m = -1;                   ///< largest wavenumber that the row resolves
    RowParts parts{};
  };
  struct Stripe {
    std::array<Row, 2 * kLanes> rows{};               ///< northern rows, then southern rows
    BasicEightRowFft<Real>* eight_row_fft = nullptr;  ///< null if rows are transformed one by one
    Factors weights{}, sines{}, inverse_cosines{};    ///< (lane) w / (2 L), mu, 1 / cos(latitude)
    int largest_m = 0;                                ///< largest wavenumber that is computed at the stripe
  };
  template <class T>
  using Rows = typename BasicEightRowFft<Real>::template Rows<T>;

  /// (row, v) offset of part v of the row among the points of V set v.
  using PartOffsets = std::map<int, std::vector<std::size_t>>;

  Stripe stripe(const Grid& grid, int s, const SphereSets& sets, PartOffsets& offsets);
  Row row(const Grid& grid, int index, const SphereSets& sets, PartOffsets& offsets) const;
  BasicEightRowFft<Real>* eight_row_fft(const Stripe& stripe);
  template <class T>
  Rows<T> row_pointers(const Stripe& stripe, std::span<const Part<T>> parts, int field) const;
  void to_values(const Stripe& stripe, const ParityParts<const Real>& parity_parts, const Rows<Real>& rows,
                 std::size_t prefetch_distance);
  void to_waves(const Stripe& stripe, const Rows<const Real>& rows, std::size_t prefetch_distance,
                const ParityParts<Real>& parity_parts);
  bool uses_non_temporal_stores(const std::vector<Real*>& blocks, int n_fields) const;
  void scatter(const Stripe& stripe, std::span<const Part<Real>> parts, int field) const;
  void gather(const Stripe& stripe, std::span<const Part<const Real>> parts, int field);
  Real* waves(int hemisphere) const { return waves_.data() + hemisphere * (waves_.size() / 2); }
  Real* row_waves(int lane) const { return row_waves_.data() + lane * (row_waves_.size() / kLanes); }
  Real* row_values(int lane) const { return row_values_.data() + lane * (row_values_.size() / (2 * kLanes)); }

  std::map<int, BasicFft<Real>> row_ffts_;                ///< (row length)
  std::map<int, BasicEightRowFft<Real>> eight_row_ffts_;  ///< (row length)
  int first_stripe_;
  std::vector<Stripe> stripes_;
  // Buffers of stripes whose rows are transformed one by one.
  BasicBuffer<Real> waves_;       ///< (hemisphere, wavenumber, real and imaginary part, lane)
  BasicBuffer<Real> row_waves_;   ///< (lane, wavenumber, real and imaginary part)
  BasicBuffer<Real> row_values_;  ///< (lane, longitude), used if ranks share rows
};

}  // namespace halcyon::transform
