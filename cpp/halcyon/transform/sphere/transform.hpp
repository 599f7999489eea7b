#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/transform/share/shared_transform.hpp"
#include "halcyon/transform/sphere/derivatives.hpp"
#include "halcyon/transform/sphere/stages.hpp"

namespace halcyon::transform {

struct Options {
  double radius = kEarthRadius;  ///< [m]
  /// Memory limit for precomputed Legendre functions, which calls with a single field use. The default fits
  /// into a cache.
  std::size_t memory_bytes = 1 << 19;
  int max_batch = 50;  ///< maximum number of fields that are computed together
  /// Whether V sets share the coefficients of each field instead of dividing the fields among them.
  bool share_coefficients = false;
};

/// Transforms between values on a Gaussian grid and spherical harmonics with triangular truncation:
///   f(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} F_nm P_nm(mu) exp(i m lambda),  F_n,-m = conj(F_nm)
/// P_nm is normalised to a mean square of 1, so that F_00 is the mean of f. Coefficients are (field,
/// coefficient), ordered by m and then n = m..T; values are (field, point), row by row. `SphereSets`
/// describes the distribution over ranks. Of the options, only the radius changes the bits of a field.
/// @tparam Real double, or float: values, coefficients, messages and sums have 32 bits, and what is computed
/// from the grid and the degrees 64 (latitudes, weights, recurrences of Legendre functions, derivatives)
template <class Real>
class BasicTransform final : public BasicSharedTransform<Real> {
  using Shared = BasicSharedTransform<Real>;

 public:
  using typename Shared::CallPlan, typename Shared::StageTask, typename Shared::Complex,
      typename Shared::PendingCall, typename Shared::Arrays;

  /// Transform of a single rank.
  /// @throws ConfigError if the grid cannot represent the truncation (`holds`, grid.hpp)
  BasicTransform(Grid grid, int truncation, const Options& options = {});
  /// Collective. Transform that the ranks of a communicator share; all calls of the transform are collective.
  /// @throws ConfigError unless there are V x W ranks, and for the errors of the other constructor, of
  /// `SphereSets` and of `comm::Exchange`
  BasicTransform(const comm::Communicator& comm, SetCounts counts, Grid grid, int truncation,
                 const Options& options = {}, ExchangeSettings settings = {});

  const Grid& grid() const { return grid_; }
  const Triangle& triangle() const { return triangle_; }
  const Options& options() const { return options_; }
  std::size_t precomputed_bytes() const { return legendre_.precomputed_bytes(); }

  const SphereSets& sets() const { return *sets_; }

  /// Computes the eastward and northward wind [m s-1] from vorticity and divergence [s-1].
  void winds(std::span<const Complex> vorticity, std::span<const Complex> divergence, std::span<Real> u,
             std::span<Real> v);
  /// Starts `winds` (SharedTransform::start_synthesis).
  PendingCall start_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                          std::span<Real> u, std::span<Real> v);
  /// Computes winds, and the values of vorticity and divergence with the same bits as `synthesis`. If V sets
  /// share coefficients, the coefficients are exchanged only once.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<Real> vorticity_values, std::span<Real> divergence_values,
                           std::span<Real> u, std::span<Real> v);
  /// Also computes the values of a third field per level, such as thickness.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<const Complex> third, std::span<Real> vorticity_values,
                           std::span<Real> divergence_values, std::span<Real> third_values, std::span<Real> u,
                           std::span<Real> v);
  /// Computes the winds of non-divergent flows, and the values of vorticity.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<Real> vorticity_values,
                           std::span<Real> u, std::span<Real> v);
  /// Computes vorticity and divergence [s-1] from the wind [m s-1].
  void vorticity_divergence(std::span<const Real> u, std::span<const Real> v, std::span<Complex> vorticity,
                            std::span<Complex> divergence);
  PendingCall start_vorticity_divergence(std::span<const Real> u, std::span<const Real> v,
                                         std::span<Complex> vorticity, std::span<Complex> divergence);
  /// Computes eastward and northward derivatives, in the unit of the field per metre.
  void gradient(std::span<const Complex> coefficients, std::span<Real> east, std::span<Real> north);
  PendingCall start_gradient(std::span<const Complex> coefficients, std::span<Real> east,
                             std::span<Real> north);
  /// Computes the gradient, and the values, with the same bits as `synthesis`.
  void synthesis_and_gradient(std::span<const Complex> coefficients, std::span<Real> values,
                              std::span<Real> east, std::span<Real> north);
  /// Computes coefficients of the Laplacian, -n (n + 1) / a^2 F_nm for radius a, in the unit of the field per
  /// m2. Not collective; the two arrays may be the same.
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Computes coefficients of fields with mean 0 and given Laplacians, whose means are ignored.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  BasicTransform(std::shared_ptr<const SphereSets> sets, const comm::Communicator* comm, Grid&& grid,
                 int truncation, const Options& options, ExchangeSettings settings);

  LocalModes local_modes() const { return {legendre_.wavenumbers(), triangle_.truncation}; }
  std::size_t n_terms(int largest_n) const;
  template <class Function>
  void for_fields(std::span<const Complex> from, std::span<Complex> to, const Function& function) const;
  /// Computes two derived fields, n up to T + 1, of one field, whose coefficients begin at `offset` in
  /// `from`.
  using Derivatives = std::function<void(std::span<Complex* const> from, std::size_t offset,
                                         std::span<Complex> east, std::span<Complex> north)>;
  typename Shared::Call synthesis_of_pairs(std::span<const std::span<const Complex>> coefficients,
                                           std::span<const std::span<Real>> values, Derivatives derivatives);
  typename Shared::Call synthesis_of_winds(std::span<const std::span<const Complex>> coefficients,
                                           std::span<const std::span<Real>> values);
  typename Shared::Call synthesis_of_gradient(std::span<const Complex> coefficients,
                                              std::span<const std::span<Real>> values);
  typename Shared::Call analysis_of_winds(std::span<const Real> u, std::span<const Real> v,
                                          std::span<Complex> vorticity, std::span<Complex> divergence);
  void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) override;
  typename BasicLegendre<Real>::Fields field_layout(const Batch& batch, int largest_n) const;
  void sum_terms(CallPlan& plan, const StageTask& task, const Complex* coefficients, int largest_n);
  void sum_latitudes(CallPlan& plan, const StageTask& task, Complex* coefficients, int largest_n);
  void to_values(CallPlan& plan, const StageTask& task, RowFactor factor);
  void to_blocks(CallPlan& plan, const StageTask& task, RowFactor factor);

  Grid grid_;
  Triangle triangle_;
  Options options_;
  std::shared_ptr<const SphereSets> sets_;
  BasicLegendre<Real> legendre_;
  BasicFourier<Real> fourier_;
  std::vector<Complex> extended_[2];  ///< (east or north component) coefficients of a group, n up to T + 1
};
using Transform = BasicTransform<double>;

}  // namespace halcyon::transform
