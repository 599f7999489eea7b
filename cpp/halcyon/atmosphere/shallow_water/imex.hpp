#pragma once

#include <array>

namespace halcyon::atmosphere {

/// The implicit-explicit Runge-Kutta scheme of semi-implicit steps: of y' = e(y) + i(y), of which i is taken
/// implicitly,
///   y_s = y_0 + dt sum_{j < s} (E_sj e(y_j) + I_sj i(y_j)) + dt gamma i(y_s),   s = 1 .. kStages
/// and the last is the state after the step. E is the scheme of Wicker and Skamarock (2002), as of explicit
/// steps. I is ours, of the kind that Kar (2006, Mon. Weather Rev. 134) and Weller, Lock and Wood (2013,
/// J. Comput. Phys. 252) add to explicit schemes: at the times of E's stages, of second order together with
/// it, and of what that leaves free (gamma, I_32, I_42) as a search found it, so that with |e| dt up to 3/2
/// no wave grows by more than 1e-4 a step, whatever the frequency of i (tests/atmosphere/imex_test.cpp).
struct Imex {
  static constexpr int kStages = 3;
  using Rows = std::array<std::array<double, kStages>, kStages>;

  static constexpr double kGamma = 0.24;
  static constexpr Rows kExplicit{{{1.0 / 3, 0, 0}, {0, 1.0 / 2, 0}, {0, 0, 1}}};
  static constexpr Rows kImplicit{{{1.0 / 3 - kGamma, 0, 0}, {-0.09, 0.35, 0}, {0.04, 0.6, 0.12}}};
};

}  // namespace halcyon::atmosphere
