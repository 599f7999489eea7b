#pragma once

#include <array>
#include <cmath>

namespace halcyon {

/// The normal equations of a least-squares problem with a few unknowns x: N x = r with N = sum_j t_j t_j^T,
/// where t_j is row j of the least-squares matrix. Solves them by Cholesky factorization: N is symmetric and,
/// if the rows determine all unknowns, positive definite.
template <int kUnknowns>
class NormalEquations {
 public:
  using Row = std::array<double, kUnknowns>;

  NormalEquations() = default;
  explicit NormalEquations(const std::array<Row, kUnknowns>& matrix) : matrix_(matrix) {}

  void add(const Row& row) {
    for (int a = 0; a < kUnknowns; ++a)
      for (int b = 0; b < kUnknowns; ++b) matrix_[a][b] += row[a] * row[b];
  }

  /// Call it after all rows have been added. @returns false if the solution is not unique
  bool factorize() {
    constexpr double kMinPivot = 1e-10;  // relative to the diagonal element
    for (int a = 0; a < kUnknowns; ++a) {
      const double diagonal = matrix_[a][a];
      for (int b = 0; b <= a; ++b) {
        double sum = matrix_[a][b];
        for (int c = 0; c < b; ++c) sum -= matrix_[a][c] * matrix_[b][c];
        if (a != b) {
          matrix_[a][b] = sum / matrix_[b][b];
        } else if (!(sum > kMinPivot * diagonal)) {
          return false;
        } else {
          matrix_[a][a] = std::sqrt(sum);
        }
      }
    }
    return true;
  }

  /// Returns the solution; call `factorize` first. @param x the right-hand side r
  Row solve(Row x) const {
    for (int a = 0; a < kUnknowns; ++a) {
      for (int b = 0; b < a; ++b) x[a] -= matrix_[a][b] * x[b];
      x[a] /= matrix_[a][a];
    }
    for (int a = kUnknowns - 1; a >= 0; --a) {
      for (int b = a + 1; b < kUnknowns; ++b) x[a] -= matrix_[b][a] * x[b];
      x[a] /= matrix_[a][a];
    }
    return x;
  }

 private:
  std::array<Row, kUnknowns> matrix_{};  ///< N, then its Cholesky factor
};

}  // namespace halcyon
