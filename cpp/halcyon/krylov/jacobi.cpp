#include "halcyon/krylov/jacobi.hpp"

#include <cmath>

#include "halcyon/base/error.hpp"

namespace halcyon::krylov {

Jacobi::Jacobi(std::span<const double> diagonal) : diagonal_(diagonal.begin(), diagonal.end()) {
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    require<ConfigError>(diagonal[i] != 0 && std::isfinite(diagonal[i]),
                         "The diagonal of the Jacobi preconditioner is {} at item {} of this rank. Give "
                         "finite values, none of them zero.",
                         diagonal[i], i);
  }
}

void Jacobi::apply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t i = 0; i < diagonal_.size(); ++i) y[i] = x[i] / diagonal_[i];
}

}  // namespace halcyon::krylov
