#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"

namespace halcyon::krylov {

/// Division by the diagonal of the operator.
class Jacobi {
 public:
  /// @param diagonal (item)
  /// @throws ConfigError where it is zero or not finite
  explicit Jacobi(std::span<const double> diagonal);

  /// y_i = x_i / D_i, (item)
  void apply(std::span<const double> x, std::span<double> y) const;
  std::size_t size() const { return diagonal_.size(); }

 private:
  std::vector<double> diagonal_;
};

/// The coefficients of rows of periodic tridiagonal equations: l_i x_(i-1) + d_i x_i + u_i x_(i+1) = y_i
/// along each row, whose ends meet. (row, item)
struct PeriodicRows {
  std::size_t n_rows = 0, n_items = 0;
  std::span<const double> lower, diagonal, upper;
};

/// The solution along each circle of latitude of what an operator couples on it, for a rank that has whole
/// rows: each by elimination of the equations without those two coefficients that close the circle, and the
/// correction for them (Sherman and Morrison 1950, Ann. Math. Stat. 21, 124-127).
class ZonalLine {
 public:
  /// @throws ConfigError for fewer than 3 items a row, and rows that cannot be so solved; those with dominant
  /// diagonals always can
  explicit ZonalLine(const PeriodicRows& rows);

  /// Solves for y of right sides x, (row, item).
  void apply(std::span<const double> x, std::span<double> y) const;
  std::size_t size() const { return inverse_pivot_.size(); }

 private:
  void eliminate(const PeriodicRows& rows, std::size_t row);
  void close(const PeriodicRows& rows, std::size_t row);
  void solve_open(std::size_t begin, std::span<const double> x, std::span<double> y) const;

  std::size_t n_items_;
  std::vector<double> lower_, ratio_, inverse_pivot_;  ///< (row, item): ratio = upper / pivot
  std::vector<double> correction_;                     ///< (row, item)
  std::vector<double> last_weight_;                    ///< (row) of the last item in the correction's size
};

/// The Helmholtz equation (1 - L^2 del^2) x = b on the unit sphere, by finite volumes of second order on
/// boxes of equal widths in longitude and latitude. A rank has whole rows, from the south, as even as can be;
/// its items are (row, longitude).
class Helmholtz {
 public:
  /// Collective.
  /// @param length_squared L^2, in squares of the radius
  /// @throws ConfigError, on all ranks, for fewer rows than ranks or 3, fewer than 3 longitudes, L^2 below 0
  Helmholtz(const comm::Communicator& comm, std::int64_t n_latitudes, std::int64_t n_longitudes,
            double length_squared);

  /// Collective. y = x - L^2 del^2 x. The outer rows travel while the inner ones are computed.
  void apply(std::span<const double> x, std::span<double> y);

  Jacobi jacobi() const;
  ZonalLine zonal_line() const;

  std::int64_t first_row() const { return first_row_; }
  std::int64_t n_rows() const { return std::ssize(diagonal_); }
  std::int64_t n_longitudes() const { return n_longitudes_; }
  std::size_t size() const { return diagonal_.size() * n_longitudes_; }

 private:
  /// What lies in the buffer of the halo: the southern neighbour's row, our outer ones, the northern one's.
  enum HaloRow { kSouthOfUs, kSouthmost, kNorthmost, kNorthOfUs, kHaloRows };

  void set_coefficients(std::int64_t n_latitudes, double length_squared);
  comm::Exchange made_exchange(const comm::Communicator& comm);
  void apply_row(std::int64_t row, std::span<const double> x, std::span<double> y) const;
  const double* values(std::int64_t row, std::span<const double> x) const;

  std::int64_t n_longitudes_, first_row_ = 0;
  std::vector<double> diagonal_, zonal_, southern_,
      northern_;              ///< (row): of the box, and minus its neighbours'
  std::vector<double> halo_;  ///< (HaloRow, longitude)
  std::vector<std::byte> sent_, received_;
  comm::Exchange exchange_;
};

}  // namespace halcyon::krylov
