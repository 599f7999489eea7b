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
class Transform final : public SharedTransform {
 public:
  /// Transform of a single rank.
  /// @throws ConfigError if the grid cannot represent the truncation (`holds`, grid.hpp)
  Transform(Grid grid, int truncation, const Options& options = {});
  /// Collective. Transform that the ranks of a communicator share; all calls of the transform are collective.
  /// @throws ConfigError unless there are V x W ranks, and for the errors of the other constructor, of
  /// `SphereSets` and of `comm::Exchange`
  Transform(const comm::Communicator& comm, SetCounts counts, Grid grid, int truncation,
            const Options& options = {}, ExchangeSettings settings = {});

  const Grid& grid() const { return grid_; }
  const Triangle& triangle() const { return triangle_; }
  const Options& options() const { return options_; }
  std::size_t precomputed_bytes() const { return legendre_.precomputed_bytes(); }

  const SphereSets& sets() const { return *sets_; }

  /// Computes the eastward and northward wind [m s-1] from vorticity and divergence [s-1].
  void winds(std::span<const Complex> vorticity, std::span<const Complex> divergence, std::span<double> u,
             std::span<double> v);
  /// Starts `winds` (SharedTransform::start_synthesis).
  PendingCall start_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                          std::span<double> u, std::span<double> v);
  /// Computes winds, and the values of vorticity and divergence with the same bits as `synthesis`. If V sets
  /// share coefficients, the coefficients are exchanged only once.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<double> vorticity_values, std::span<double> divergence_values,
                           std::span<double> u, std::span<double> v);
  /// Also computes the values of a third field per level, such as thickness.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<const Complex> third, std::span<double> vorticity_values,
                           std::span<double> divergence_values, std::span<double> third_values,
                           std::span<double> u, std::span<double> v);
  /// Computes the winds of non-divergent flows, and the values of vorticity.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<double> vorticity_values,
                           std::span<double> u, std::span<double> v);
  /// Computes vorticity and divergence [s-1] from the wind [m s-1].
  void vorticity_divergence(std::span<const double> u, std::span<const double> v,
                            std::span<Complex> vorticity, std::span<Complex> divergence);
  PendingCall start_vorticity_divergence(std::span<const double> u, std::span<const double> v,
                                         std::span<Complex> vorticity, std::span<Complex> divergence);
  /// Computes eastward and northward derivatives, in the unit of the field per metre.
  void gradient(std::span<const Complex> coefficients, std::span<double> east, std::span<double> north);
  PendingCall start_gradient(std::span<const Complex> coefficients, std::span<double> east,
                             std::span<double> north);
  /// Computes the gradient, and the values, with the same bits as `synthesis`.
  void synthesis_and_gradient(std::span<const Complex> coefficients, std::span<double> values,
                              std::span<double> east, std::span<double> north);
  /// Computes coefficients of the Laplacian, -n (n + 1) / a^2 F_nm for radius a, in the unit of the field per
  /// m2. Not collective; the two arrays may be the same.
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Computes coefficients of fields with mean 0 and given Laplacians, whose means are ignored.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  Transform(std::shared_ptr<const SphereSets> sets, const comm::Communicator* comm, Grid&& grid,
            int truncation, const Options& options, ExchangeSettings settings);

  LocalModes local_modes() const { return {legendre_.wavenumbers(), triangle_.truncation}; }
  std::size_t n_terms(int largest_n) const;
  template <class Function>
  void for_fields(std::span<const Complex> from, std::span<Complex> to, const Function& function) const;
  /// Computes two derived fields, n up to T + 1, of one field, whose coefficients begin at `offset` in
  /// `from`.
  using Derivatives = std::function<void(std::span<Complex* const> from, std::size_t offset,
                                         std::span<Complex> east, std::span<Complex> north)>;
  Call synthesis_of_pairs(std::span<const std::span<const Complex>> coefficients,
                          std::span<const std::span<double>> values, Derivatives derivatives);
  Call synthesis_of_winds(std::span<const std::span<const Complex>> coefficients,
                          std::span<const std::span<double>> values);
  Call synthesis_of_gradient(std::span<const Complex> coefficients,
                             std::span<const std::span<double>> values);
  Call analysis_of_winds(std::span<const double> u, std::span<const double> v, std::span<Complex> vorticity,
                         std::span<Complex> divergence);
  void compute_stage(Direction direction, CallPlan& plan, const StageTask& task) override;
  Legendre::Fields field_layout(const Batch& batch, int largest_n) const;
  void sum_terms(CallPlan& plan, const StageTask& task, const Complex* coefficients, int largest_n);
  void sum_latitudes(CallPlan& plan, const StageTask& task, Complex* coefficients, int largest_n);
  void to_values(CallPlan& plan, const StageTask& task, RowFactor factor);
  void to_blocks(CallPlan& plan, const StageTask& task, RowFactor factor);

  Grid grid_;
  Triangle triangle_;
  Options options_;
  std::shared_ptr<const SphereSets> sets_;
  Legendre legendre_;
  Fourier fourier_;
  std::vector<Complex> extended_[2];  ///< (east or north component) coefficients of a group, n up to T + 1
};

}  // namespace halcyon::transform
