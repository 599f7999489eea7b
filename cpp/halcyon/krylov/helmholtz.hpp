#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/blocks.hpp"
#include "halcyon/schedule/halo/halo.hpp"

namespace halcyon::krylov {

/// Division by the diagonal of the operator.
class Jacobi {
 public:
  /// @param diagonal (item)
  /// @throws ConfigError if a value is zero or not finite
  explicit Jacobi(std::span<const double> diagonal) : diagonal_(diagonal.begin(), diagonal.end()) {
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      require<ConfigError>(diagonal[i] != 0 && std::isfinite(diagonal[i]),
                           "The diagonal of the Jacobi preconditioner is {} at item {} of this rank. Give "
                           "finite values, none of them zero.",
                           diagonal[i], i);
  }

  /// y_i = x_i / D_i, (item)
  void apply(std::span<const double> x, std::span<double> y) const {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) y[i] = x[i] / diagonal_[i];
  }
  std::size_t size() const { return diagonal_.size(); }

 private:
  std::vector<double> diagonal_;
};

/// Coefficients of periodic tridiagonal equations along rows: l_i y_(i-1) + d_i y_i + u_i y_(i+1) = x_i.
struct PeriodicRows {
  std::size_t n_rows = 0, n_items = 0;
  std::span<const double> lower, diagonal, upper;  ///< l, d, u (row, item)
};

/// Preconditioner: solves the zonal part of an operator along each circle of latitude, on ranks with complete
/// rows, by elimination without the two corner coefficients that close the circle, and a rank-one correction
/// for the corners (Sherman and Morrison 1950, Ann. Math. Stat. 21, 124-127).
class ZonalLine {
 public:
  /// @throws ConfigError for fewer than 3 items per row, and for rows that elimination cannot solve; it can
  ///        solve all rows with dominant diagonals
  explicit ZonalLine(const PeriodicRows& rows)
      : n_items_(rows.n_items), lower_(rows.lower.begin(), rows.lower.end()) {
    require_shape(rows);
    ratio_.resize(lower_.size());
    inverse_pivot_.resize(lower_.size());
    correction_.resize(lower_.size());
    last_weight_.resize(rows.n_rows);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
      eliminate(rows, row);
      compute_correction(rows, row);
    }
  }

  /// Solves for y with right-hand sides x, (row, item).
  void apply(std::span<const double> x, std::span<double> y) const {
    for (std::size_t row = 0; row < last_weight_.size(); ++row) {
      const auto begin = row * n_items_;
      const auto solved = y.subspan(begin, n_items_);
      solve_tridiagonal(begin, x.subspan(begin, n_items_), solved);
      const auto factor = solved.front() + last_weight_[row] * solved.back();
      for (std::size_t i = 0; i < n_items_; ++i) solved[i] -= factor * correction_[begin + i];
    }
  }
  std::size_t size() const { return inverse_pivot_.size(); }

 private:
  static void require_shape(const PeriodicRows& rows) {
    const auto size = rows.n_rows * rows.n_items;
    require<ConfigError>(rows.n_items >= 3,
                         "A row of the zonal line preconditioner has {} items. Give 3 or more.",
                         rows.n_items);
    require<ConfigError>(
        rows.lower.size() == size && rows.diagonal.size() == size && rows.upper.size() == size,
        "Lower, diagonal and upper of the zonal line preconditioner have {}, {} and {} values. "
        "Give {} x {} of each.",
        rows.lower.size(), rows.diagonal.size(), rows.upper.size(), rows.n_rows, rows.n_items);
  }
  /// @param rounding bound of the rounding error of the divisor
  static void require_solvable(double divisor, std::size_t row, double rounding = 0) {
    require<ConfigError>(std::abs(divisor) > rounding && std::isfinite(divisor),
                         "Row {} of the zonal line preconditioner (on this rank) cannot be solved by "
                         "elimination: a divisor is {}. Give rows whose diagonal exceeds the sum of the "
                         "off-diagonals.",
                         row, divisor);
  }
  /// The periodic matrix is T + a b^T, a = (g, 0, ..., u_n), b = (1, 0, ..., l_1 / g), g = -d_1: T is
  /// tridiagonal without corners, and its first and last diagonals are d_1 - g and d_n - l_1 u_n / g.
  void eliminate(const PeriodicRows& rows, std::size_t row) {
    const auto begin = row * n_items_, last = begin + n_items_ - 1;
    require_solvable(rows.diagonal[begin], row);
    last_weight_[row] = -rows.lower[begin] / rows.diagonal[begin];
    for (auto i = begin; i <= last; ++i) {
      auto pivot = rows.diagonal[i];
      if (i == begin) pivot += rows.diagonal[begin];
      if (i == last) pivot -= last_weight_[row] * rows.upper[last];
      if (i > begin) pivot -= lower_[i] * ratio_[i - 1];
      require_solvable(pivot, row);
      inverse_pivot_[i] = 1 / pivot;
      ratio_[i] = rows.upper[i] / pivot;
    }
  }
  /// correction = T^-1 a / (1 + b^T T^-1 a)
  void compute_correction(const PeriodicRows& rows, std::size_t row) {
    const auto begin = row * n_items_, last = begin + n_items_ - 1;
    const auto correction = std::span(correction_).subspan(begin, n_items_);
    std::vector<double> a(n_items_);
    a.front() = -rows.diagonal[begin];
    a.back() = rows.upper[last];
    solve_tridiagonal(begin, a, correction);
    const double first_term = correction.front(), last_term = last_weight_[row] * correction.back();
    const double divisor = 1 + first_term + last_term;
    const double rounding = static_cast<double>(n_items_) * std::numeric_limits<double>::epsilon();
    require_solvable(divisor, row, rounding * (1 + std::abs(first_term) + std::abs(last_term)));
    for (auto& value : correction) value /= divisor;
  }
  /// Solves T y = x, (item), for the row whose first item is `begin`.
  void solve_tridiagonal(std::size_t begin, std::span<const double> x, std::span<double> y) const {
    y[0] = x[0] * inverse_pivot_[begin];
    for (std::size_t i = 1; i < n_items_; ++i)
      y[i] = (x[i] - lower_[begin + i] * y[i - 1]) * inverse_pivot_[begin + i];
    for (auto i = n_items_ - 1; i-- > 0;) y[i] -= ratio_[begin + i] * y[i + 1];
  }

  std::size_t n_items_;
  std::vector<double> lower_, ratio_, inverse_pivot_;  ///< (row, item); ratio = upper / pivot
  std::vector<double> correction_;                     ///< (row, item) T^-1 a / (1 + b^T T^-1 a)
  std::vector<double> last_weight_;                    ///< (row) l_1 / g, the last item of b
};

/// The Helmholtz equation (1 - L^2 del^2) x = b on the unit sphere, by second-order finite volumes on a
/// regular longitude-latitude grid. Rows are circles of latitude, numbered from the south and distributed
/// evenly over the ranks; the vectors x and b of a rank are (row, longitude).
class Helmholtz {
 public:
  /// Collective.
  /// @param length_squared L^2, in squared radii
  /// @throws ConfigError, on all ranks, for fewer than 3 rows or fewer rows than ranks, fewer than 3
  ///        longitudes, and L^2 < 0
  Helmholtz(const comm::Communicator& comm, std::int64_t n_latitudes, std::int64_t n_longitudes,
            double length_squared)
      // The comma operator checks the arguments before members use them.
      : n_longitudes_((require_grid(comm.size(), n_latitudes, n_longitudes, length_squared), n_longitudes)),
        halo_(kHaloRows * n_longitudes),
        exchange_(make_exchange(comm)) {
    const schedule::BlockDistribution rows(n_latitudes, comm.size());
    first_row_ = rows.begin(comm.rank());
    diagonal_.resize(rows.size(comm.rank()));
    set_coefficients(n_latitudes, length_squared);
  }

  /// Collective. y = x - L^2 del^2 x. Inner rows are computed during the exchange of boundary rows.
  void apply(std::span<const double> x, std::span<double> y) {
    const auto last_row = n_rows() - 1;
    std::ranges::copy(x.first(n_longitudes_), halo_.begin() + kSouthRow * n_longitudes_);
    std::ranges::copy(x.last(n_longitudes_), halo_.begin() + kNorthRow * n_longitudes_);
    const std::array<std::span<std::byte>, 3> buffers{std::as_writable_bytes(std::span(halo_)), sent_,
                                                      received_};
    auto pending = exchange_.start(buffers);
    for (std::int64_t row = 1; row < last_row; ++row) apply_row(row, x, y);
    pending.wait();
    apply_row(0, x, y);
    if (last_row > 0) apply_row(last_row, x, y);
  }

  Jacobi jacobi() const {
    std::vector<double> values;
    for (const auto d : diagonal_) values.insert(values.end(), n_longitudes_, d);
    return Jacobi(values);
  }
  ZonalLine zonal_line() const {
    std::vector<double> diagonal, off_diagonal;
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
      diagonal.insert(diagonal.end(), n_longitudes_, diagonal_[j]);
      off_diagonal.insert(off_diagonal.end(), n_longitudes_, -zonal_[j]);
    }
    return ZonalLine(
        {diagonal_.size(), static_cast<std::size_t>(n_longitudes_), off_diagonal, diagonal, off_diagonal});
  }

  std::int64_t first_row() const { return first_row_; }
  std::int64_t n_rows() const { return std::ssize(diagonal_); }
  std::int64_t n_longitudes() const { return n_longitudes_; }
  std::size_t size() const { return diagonal_.size() * n_longitudes_; }

 private:
  /// Rows of the halo buffer: the boundary rows of this rank between the rows of its two neighbours.
  enum HaloRow { kSouthNeighbour, kSouthRow, kNorthRow, kNorthNeighbour, kHaloRows };

  static void require_grid(Rank n_ranks, std::int64_t n_latitudes, std::int64_t n_longitudes,
                           double length_squared) {
    require<ConfigError>(
        n_latitudes >= 3 && n_longitudes >= 3,
        "The Helmholtz equation has a grid of {} x {} boxes. Give 3 or more latitudes and longitudes.",
        n_latitudes, n_longitudes);
    require<ConfigError>(n_latitudes >= n_ranks,
                         "The Helmholtz equation has {} latitudes on {} ranks. Give 1 or more per rank.",
                         n_latitudes, n_ranks);
    require<ConfigError>(length_squared >= 0 && std::isfinite(length_squared),
                         "The squared length of a Helmholtz equation is {}. Give 0 or more.", length_squared);
  }
  /// Coefficients of the fluxes through the four sides of a grid box in row j, of latitude phi_j and of the
  /// area A_j = dl (sin phi_n - sin phi_s) between the latitudes of its sides, with dl = dlambda:
  ///   zonal L^2 dphi / (A_j cos phi_j dl),  meridional L^2 cos phi_side dl / (A_j dphi), 0 at the poles
  void set_coefficients(std::int64_t n_latitudes, double length_squared) {
    const auto dphi = kPi / static_cast<double>(n_latitudes),
               dlambda = kTwoPi / static_cast<double>(n_longitudes_);
    const auto edge_latitude = [&](std::int64_t row) { return static_cast<double>(row) * dphi - kPi / 2; };
    const auto flux_coefficient = [&](std::int64_t row) {
      const bool is_pole = row == 0 || row == n_latitudes;
      return is_pole ? 0.0 : length_squared * std::cos(edge_latitude(row)) * dlambda / dphi;
    };
    for (auto& coefficients : {&zonal_, &southern_, &northern_}) coefficients->resize(diagonal_.size());
    for (std::int64_t j = 0; j < n_rows(); ++j) {
      const auto row = first_row_ + j;
      const auto area = dlambda * (std::sin(edge_latitude(row + 1)) - std::sin(edge_latitude(row)));
      zonal_[j] = length_squared * dphi / (std::cos(edge_latitude(row) + dphi / 2) * dlambda * area);
      southern_[j] = flux_coefficient(row) / area;
      northern_[j] = flux_coefficient(row + 1) / area;
      diagonal_[j] = 1 + 2 * zonal_[j] + (southern_[j] + northern_[j]);
    }
  }
  static schedule::HaloNeighbour neighbour_of(Rank rank, LocalIndex sent, LocalIndex received) {
    schedule::HaloNeighbour neighbour{.rank = rank, .items = std::vector<schedule::HaloLists>(1)};
    neighbour.items[0].send.add(sent, /*layer=*/0, /*n_layers=*/1);
    neighbour.items[0].receive.add(received, /*layer=*/0, /*n_layers=*/1);
    return neighbour;
  }
  comm::Exchange make_exchange(const comm::Communicator& comm) {
    const auto rank = comm.rank();
    schedule::Halo::Neighbours neighbours;
    if (rank > 0) neighbours.push_back(neighbour_of(rank - 1, kSouthRow, kSouthNeighbour));
    if (rank + 1 < comm.size()) neighbours.push_back(neighbour_of(rank + 1, kNorthRow, kNorthNeighbour));
    const std::int64_t row_bytes = n_longitudes_ * static_cast<std::int64_t>(sizeof(double));
    const schedule::Halo halo(comm.size(), {{.item_bytes = row_bytes}},
                              [&](Rank) -> const schedule::Halo::Neighbours& { return neighbours; });
    sent_.resize(halo.buffer_bytes(rank, halo.send_buffer()));
    received_.resize(halo.buffer_bytes(rank, halo.receive_buffer()));
    return {comm, halo, comm::method_named("isend_irecv")};
  }
  /// y_ij = d_j x_ij - z_j (x_(i-1)j + x_(i+1)j) - (s_j x_i(j-1) + n_j x_i(j+1))
  void apply_row(std::int64_t row, std::span<const double> x, std::span<double> y) const {
    const double *centre = values(row, x), *south = values(row - 1, x), *north = values(row + 1, x);
    double* result = y.data() + row * n_longitudes_;
    const auto d = diagonal_[row], z = zonal_[row], s = southern_[row], n = northern_[row];
    const auto compute = [&](std::int64_t i, std::int64_t west, std::int64_t east) {
      result[i] = d * centre[i] - z * (centre[west] + centre[east]) - (s * south[i] + n * north[i]);
    };
    const auto end = n_longitudes_ - 1;
    compute(0, end, 1);
    for (std::int64_t i = 1; i < end; ++i) compute(i, i - 1, i + 1);
    compute(end, end - 1, 0);
  }
  /// Returns the values of a row of this rank or a neighbour; arbitrary beyond a pole (coefficient 0).
  const double* values(std::int64_t row, std::span<const double> x) const {
    if (row < 0) return halo_.data() + kSouthNeighbour * n_longitudes_;
    if (row == n_rows()) return halo_.data() + kNorthNeighbour * n_longitudes_;
    return x.data() + row * n_longitudes_;
  }

  std::int64_t n_longitudes_, first_row_ = 0;
  std::vector<double> diagonal_;                     ///< (row) d_j
  std::vector<double> zonal_, southern_, northern_;  ///< (row) z_j, s_j, n_j
  std::vector<double> halo_;                         ///< (HaloRow, longitude)
  std::vector<std::byte> sent_, received_;           ///< packed rows
  comm::Exchange exchange_;
};

}  // namespace halcyon::krylov
