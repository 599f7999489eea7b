#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halcyon::krylov {

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

}  // namespace halcyon::krylov
