#include "halcyon/krylov/zonal_line.hpp"

#include <cmath>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::krylov {

namespace {

void require_shape(const PeriodicRows& rows) {
  const auto size = rows.n_rows * rows.n_items;
  require<ConfigError>(rows.n_items >= 3,
                       "A row of the zonal line preconditioner has {} items. Give 3 or more.", rows.n_items);
  require<ConfigError>(
      rows.lower.size() == size && rows.diagonal.size() == size && rows.upper.size() == size,
      "Lower, diagonal and upper of the zonal line preconditioner have {}, {} and {} values. "
      "Give {} x {} of each.",
      rows.lower.size(), rows.diagonal.size(), rows.upper.size(), rows.n_rows, rows.n_items);
}

/// @param least what rounding may leave of one that is 0
void require_solvable(double divisor, std::size_t row, double least = 0) {
  require<ConfigError>(std::abs(divisor) > least && std::isfinite(divisor),
                       "Row {} of the zonal line preconditioner (on this rank) cannot be solved by "
                       "elimination: a divisor is {}. Give rows whose diagonal is larger than the sum of the "
                       "others.",
                       row, divisor);
}

}  // namespace

ZonalLine::ZonalLine(const PeriodicRows& rows)
    : n_items_(rows.n_items), lower_(rows.lower.begin(), rows.lower.end()) {
  require_shape(rows);
  ratio_.resize(lower_.size());
  inverse_pivot_.resize(lower_.size());
  correction_.resize(lower_.size());
  last_weight_.resize(rows.n_rows);
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    eliminate(rows, row);
    close(rows, row);
  }
}

/// The circle is T + a b^T, a = (g, 0, ..., u_n), b = (1, 0, ..., l_1 / g), g = -d_1: T is open, and its
/// first and last diagonals are d_1 - g and d_n - l_1 u_n / g.
void ZonalLine::eliminate(const PeriodicRows& rows, std::size_t row) {
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
void ZonalLine::close(const PeriodicRows& rows, std::size_t row) {
  const auto begin = row * n_items_, last = begin + n_items_ - 1;
  const auto found = std::span(correction_).subspan(begin, n_items_);
  std::vector<double> a(n_items_);
  a.front() = -rows.diagonal[begin];
  a.back() = rows.upper[last];
  solve_open(begin, a, found);
  const double first = found.front(), other = last_weight_[row] * found.back(), divisor = 1 + first + other;
  const double rounding = static_cast<double>(n_items_) * std::numeric_limits<double>::epsilon();
  require_solvable(divisor, row, rounding * (1 + std::abs(first) + std::abs(other)));
  for (auto& value : found) value /= divisor;
}

/// T y = x of the row that begins at an item, (item)
void ZonalLine::solve_open(std::size_t begin, std::span<const double> x, std::span<double> y) const {
  y[0] = x[0] * inverse_pivot_[begin];
  for (std::size_t i = 1; i < n_items_; ++i)
    y[i] = (x[i] - lower_[begin + i] * y[i - 1]) * inverse_pivot_[begin + i];
  for (auto i = n_items_ - 1; i-- > 0;) y[i] -= ratio_[begin + i] * y[i + 1];
}

void ZonalLine::apply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t row = 0; row < last_weight_.size(); ++row) {
    const auto begin = row * n_items_;
    const auto solved = y.subspan(begin, n_items_);
    solve_open(begin, x.subspan(begin, n_items_), solved);
    const auto size = solved.front() + last_weight_[row] * solved.back();
    for (std::size_t i = 0; i < n_items_; ++i) solved[i] -= size * correction_[begin + i];
  }
}

}  // namespace halcyon::krylov
