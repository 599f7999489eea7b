#pragma once

#include <cstddef>
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
  double radius = kEarthRadius;        ///< [m]
  std::size_t memory_bytes = 4 << 20;  ///< for functions of Legendre of single fields: a cache's
  int group = 50;                      ///< fields that are computed together, at most
  /// V sets share the coefficients of their w of all fields, not fields: columns of coefficients are whole.
  bool columns_of_coefficients = false;
};

/// Transforms between values on a Gaussian grid and coefficients of spherical harmonics, triangular:
///   x(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} X_nm P_nm(mu) exp(i m lambda),  X_n,-m = conj(X_nm)
/// with mean squares of P_nm of 1, so that X_00 is the mean of x. Coefficients are (field, coefficient), m by
/// m, n = m..T, and values (field, point), row by row; who holds which: `Sets`. Bits of a field depend on no
/// option but the radius.
class Transform final : public SharedTransform {
 public:
  /// Of one rank, which holds all.
  /// @throws ConfigError where the grid cannot hold the truncation (`holds`, grid.hpp)
  Transform(Grid grid, int truncation, const Options& options = {});
  /// Collective. Of the ranks of a communicator, all of whose calls are collective, too.
  /// @throws ConfigError as the other one, where there are not V W ranks, and as `Sets` and `comm::Exchange`
  Transform(const comm::Communicator& comm, SetCounts counts, Grid grid, int truncation,
            const Options& options = {}, Communication how = {});

  const Grid& grid() const { return grid_; }
  const Triangle& triangle() const { return triangle_; }
  const Options& options() const { return options_; }
  std::size_t kept_bytes() const { return legendre_.kept_bytes(); }

  const Sets& sets() const { return *sets_; }

  /// Eastward and northward wind [m s-1] (field, point) of vorticity and divergence [s-1] (field,
  /// coefficient).
  void winds(std::span<const Complex> vorticity, std::span<const Complex> divergence, std::span<double> u,
             std::span<double> v);
  /// Values of both beside the winds, to the bits of `synthesis`: where V sets share coefficients, these
  /// travel once.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<double> vorticity_values, std::span<double> divergence_values,
                           std::span<double> u, std::span<double> v);
  /// The same, and values of one more field of each layer, such as its thickness.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                           std::span<const Complex> third, std::span<double> vorticity_values,
                           std::span<double> divergence_values, std::span<double> third_values,
                           std::span<double> u, std::span<double> v);
  /// The same of flows without divergence.
  void synthesis_and_winds(std::span<const Complex> vorticity, std::span<double> vorticity_values,
                           std::span<double> u, std::span<double> v);
  /// Vorticity and divergence [s-1] (field, coefficient) of the wind [m s-1] (field, point).
  void vorticity_divergence(std::span<const double> u, std::span<const double> v,
                            std::span<Complex> vorticity, std::span<Complex> divergence);
  /// Eastward and northward derivative [x m-1] (field, point) of fields [x] (field, coefficient).
  void gradient(std::span<const Complex> coefficients, std::span<double> east, std::span<double> north);
  /// Values [x] beside them, as `synthesis_and_winds`.
  void synthesis_and_gradient(std::span<const Complex> coefficients, std::span<double> values,
                              std::span<double> east, std::span<double> north);
  /// Coefficients of the Laplacian [x m-2] of fields [x], -n (n + 1) / a^2 times each, of this rank alone;
  /// they may go to where the coefficients are.
  void laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const;
  /// Of fields of mean 0 that have these Laplacians, whose means are taken as 0.
  void inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const;

 private:
  Transform(std::shared_ptr<const Sets> sets, const comm::Communicator* comm, Grid&& grid, int truncation,
            const Options& options, Communication how);

  Held held() const { return {legendre_.wavenumbers(), triangle_.last}; }
  std::size_t n_terms(int last) const;
  template <class Function>
  void for_fields(std::span<const Complex> from, std::span<Complex> to, const Function& function) const;
  template <class Derivatives>
  void synthesise_two(std::span<const std::span<const Complex>> given,
                      std::span<const std::span<double>> values, const Derivatives& derivatives);
  void synthesise_winds(std::span<const std::span<const Complex>> given,
                        std::span<const std::span<double>> values);
  void synthesise_gradient(std::span<const Complex> coefficients, std::span<const std::span<double>> values);
  void work_on(Way way, Section& section, const Piece& piece) override;
  Legendre::Fields in_panels(const Batch& batch, int last) const;
  void sum_terms(Section& section, const Piece& piece, const Complex* coefficients, int last);
  void sum_latitudes(Section& section, const Piece& piece, Complex* coefficients, int last);
  void to_values(Section& section, const Piece& piece, RowFactor factor);
  void to_blocks(Section& section, const Piece& piece, RowFactor factor);

  Grid grid_;
  Triangle triangle_;
  Options options_;
  std::shared_ptr<const Sets> sets_;
  Legendre legendre_;
  Fourier fourier_;
  std::vector<Complex> wide_[2];  ///< coefficients to T + 1 of a group's two components
};

}  // namespace halcyon::transform
