#pragma once

#include <span>
#include <vector>

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

}  // namespace halcyon::krylov
