#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/spectral/basis.hpp"

namespace halcyon::spectral {

/// The vertical modes of gravity waves: eigenvectors of a matrix G (level, level) that couples the divergence
/// of the levels [m2 s-2], with the squared speeds c^2 of the modes as eigenvalues.
struct VerticalModes {
  /// The mode of one layer. @param squared_speed c^2 [m2 s-2]
  explicit VerticalModes(double squared_speed) : squared_speeds{squared_speed}, to_modes{1}, to_levels{1} {}
  /// Modes of a matrix that is symmetric in the inner product with the weights `thickness`, by Jacobi's
  /// method. The sum of squares over the modes is that over the levels with these weights.
  VerticalModes(const std::vector<double>& matrix, const std::vector<double>& thickness);

  std::size_t size() const { return squared_speeds.size(); }
  std::size_t memory_bytes() const { return (to_modes.size() + to_levels.size()) * sizeof(double); }
  /// Fields whose coefficients begin `stride` apart.
  template <class Real>
  struct Fields {
    Coefficient<Real>* first;
    std::size_t stride;
  };
  /// Multiplies the first n coefficients of fields by `to_modes` or `to_levels`.
  template <class Real>
  void multiply(const std::vector<double>& matrix, Fields<Real> from, Fields<Real> to, std::size_t n) const;

  std::vector<double> squared_speeds;       ///< (mode)
  std::vector<double> to_modes, to_levels;  ///< (mode, level), (level, mode)
};

}  // namespace halcyon::spectral
