#include "halcyon/spectral/vertical_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace halcyon::spectral {
namespace {

/// The eigenvalues and eigenvectors (row: component, column: vector) of a symmetric matrix, by cyclic Jacobi
/// rotations (Golub and Van Loan 2013, Matrix Computations, section 8.5).
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen eigen(std::vector<double> matrix, std::size_t n) {
  constexpr int kMaxSweeps = 60;
  std::vector<double> vectors(n * n);
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  const auto rotate = [](double& x, double& y, double c, double s) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  };
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double outside = 0, diagonal = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        (i == j ? diagonal : outside) += matrix[i * n + j] * matrix[i * n + j];
    if (outside <= 1e-32 * diagonal) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double entry = matrix[p * n + q];
        if (entry == 0) continue;
        const double ratio = (matrix[q * n + q] - matrix[p * n + p]) / (2 * entry);
        const double t = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[i * n + p], matrix[i * n + q], c, s);
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[p * n + i], matrix[q * n + i], c, s);
        for (std::size_t i = 0; i < n; ++i) rotate(vectors[i * n + p], vectors[i * n + q], c, s);
      }
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(matrix[i * n + i]);
  return {std::move(values), std::move(vectors)};
}

}  // namespace

/// With P = diag(thickness): P^1/2 G P^-1/2 = E Lambda E^T is symmetric, so that G = P^-1/2 E Lambda E^T
/// P^1/2.
VerticalModes::VerticalModes(const std::vector<double>& matrix, const std::vector<double>& thickness) {
  const std::size_t n = thickness.size();
  std::vector<double> roots, symmetric(n * n);
  for (const double weight : thickness) roots.push_back(std::sqrt(weight));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      symmetric[k * n + j] =
          (roots[k] * matrix[k * n + j] / roots[j] + roots[j] * matrix[j * n + k] / roots[k]) / 2;
  const auto [values, vectors] = eigen(std::move(symmetric), n);
  squared_speeds = values;
  to_modes.resize(n * n), to_levels.resize(n * n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t mode = 0; mode < n; ++mode) {
      to_levels[k * n + mode] = vectors[k * n + mode] / roots[k];
      to_modes[mode * n + k] = vectors[k * n + mode] * roots[k];
    }
}

template <class Real>
void VerticalModes::multiply(const std::vector<double>& matrix, Fields<Real> from, Fields<Real> to,
                             std::size_t n) const {
  constexpr std::size_t kBlock = 256;  // coefficients whose sums, in 64 bits, stay in the cache
  std::array<Complex, kBlock> sums;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t size = std::min(kBlock, n - begin);
    for (std::size_t i = 0; i < this->size(); ++i) {
      std::fill_n(sums.begin(), size, 0);
      for (std::size_t j = 0; j < this->size(); ++j) {
        const double factor = matrix[i * this->size() + j];
        const auto* values = from.first + j * from.stride + begin;
        for (std::size_t c = 0; c < size; ++c) sums[c] += factor * Complex(values[c]);
      }
      auto* target = to.first + i * to.stride + begin;
      for (std::size_t c = 0; c < size; ++c) target[c] = Coefficient<Real>(sums[c]);
    }
  }
}
template void VerticalModes::multiply(const std::vector<double>&, Fields<double>, Fields<double>,
                                      std::size_t) const;
template void VerticalModes::multiply(const std::vector<double>&, Fields<float>, Fields<float>,
                                      std::size_t) const;

}  // namespace halcyon::spectral
