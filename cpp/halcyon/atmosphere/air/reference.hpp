#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/base/normal_equations.hpp"
#include "halcyon/comm/collectives.hpp"

namespace halcyon::atmosphere {

/// Temperature of the reference atmosphere, T_r = a_0 + a_1 x + ... + a_4 x^4 [K] with x = ln(p/p_0), fitted
/// to the virtual temperature of the air by least squares. The pressure gradient is that of the deviations
/// from this atmosphere, so layers count by the rise of their levels over orography, r = d ln(p) / d ln(ps) =
/// b ps/p:
///   sum A ln(p_lower/p_upper) (r^2 + 1/100) ((T - T_r)^2 + e sum_{j>0} (a_j X^j)^2) -> minimum
/// with the cell's area A, X = ln(p_top/p_0), and a small e (Tikhonov regularization), which makes the
/// solution unique for any number of layers.
class ReferenceFit {
 public:
  static constexpr int kTerms = 5;

  ReferenceFit(const HybridLevels& hybrid, double reference_pressure)
      : hybrid_(hybrid),
        reference_pressure_(reference_pressure),
        scale_(std::min(std::log(hybrid.top() / reference_pressure), -0.1)) {}

  /// Adds a cell. @param pressure [Pa] (interface)  @param temperature virtual, means over ln(p) [K] (level)
  void add(double area, const std::vector<double>& pressure, const std::vector<double>& temperature) {
    Moments weights{};
    Row products{};
    for (int k = 0; k < hybrid_.n_levels(); ++k) {
      const double upper = std::log(pressure[k] / reference_pressure_),
                   lower = std::log(pressure[k + 1] / reference_pressure_);
      const double rise =
          (hybrid_.b[k] + hybrid_.b[k + 1]) * pressure.back() / (pressure[k] + pressure[k + 1]);
      double weight = area * (lower - upper) * (rise * rise + 0.01);
      for (int j = 0; j < kMoments; ++j) {
        weights[j] += weight;
        if (j < kTerms) products[j] += weight * temperature[k];
        weight *= (lower + upper) / 2 / scale_;
      }
    }
    for (int j = 0; j < kMoments; ++j) sums_[j].add(weights[j]);
    for (int j = 0; j < kTerms; ++j) sums_[kMoments + j].add(products[j]);
  }

  /// Collective. Returns a_0 to a_4 [K], with the same bits on any ranks.
  std::vector<double> solve(const comm::Communicator& comm) {
    constexpr double kRegularization = 1e-8;
    const auto sums = comm::global_sums(comm, sums_);
    std::array<Row, kTerms> matrix;
    Row right_side;
    for (int i = 0; i < kTerms; ++i) {
      for (int j = 0; j < kTerms; ++j) matrix[i][j] = sums[i + j];
      if (i > 0) matrix[i][i] += kRegularization * sums[0];
      right_side[i] = sums[kMoments + i];
    }
    NormalEquations<kTerms> equations(matrix);
    // Pressures that do not increase downward: the check of the state names the cell.
    if (!equations.factorize()) return {288.15, 0, 0, 0, 0};
    const Row scaled = equations.solve(right_side);
    std::vector<double> terms;
    for (int j = 0; j < kTerms; ++j) terms.push_back(scaled[j] / std::pow(scale_, j));
    return terms;
  }

 private:
  static constexpr int kMoments = 2 * kTerms - 1;
  using Row = NormalEquations<kTerms>::Row;
  using Moments = std::array<double, kMoments>;

  const HybridLevels& hybrid_;
  double reference_pressure_, scale_;
  std::array<ExactSum, kMoments + kTerms> sums_;  ///< of weight (x/X)^j, and of weight T (x/X)^j
};

}  // namespace halcyon::atmosphere
