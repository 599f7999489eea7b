#pragma once

#include <vector>

#include "halcyon/atmosphere/hybrid.hpp"
#include "halcyon/atmosphere/kernels/transport.hpp"

namespace halcyon::atmosphere {

/// b dtheta/dp of the mean of two columns [K Pa-1] (level): how theta changes along a level with ps where it
/// is a function of pressure alone. p_k = (p_{k-1/2} + p_{k+1/2}) / 2.
template <class Real>
class SlopeOfLevels {
 public:
  explicit SlopeOfLevels(const HybridRows<Real>& hybrid) : hybrid_(hybrid), values_(hybrid.mass_a.size()) {}

  void take(Real ps, In<Real> theta_1, In<Real> theta_2) {
    const auto last = values_.size() - 1;
    const auto twice_p = [&](std::size_t k) {
      return hybrid_.a[k] + hybrid_.a[k + 1] + (hybrid_.b[k] + hybrid_.b[k + 1]) * ps;
    };
    const auto take_level = [&](std::size_t k, std::size_t up, std::size_t down) {
      const Real rise = (theta_1[down] - theta_1[up]) + (theta_2[down] - theta_2[up]);
      values_[k] = Real(0.5) * (hybrid_.b[k] + hybrid_.b[k + 1]) * rise / (twice_p(down) - twice_p(up));
    };
    take_level(0, 0, 1);
    for (std::size_t k = 1; k < last; ++k) take_level(k, k - 1, k + 1);
    take_level(last, last - 1, last);
  }
  In<Real> operator()() const { return values_; }

 private:
  const HybridRows<Real>& hybrid_;
  std::vector<Real> values_;
};

/// F theta_e of third order, as `carried`, of what theta is beside a function of pressure:
///   c_i = (d_e^2/12) (d^2 theta/dn^2 - b dtheta/dp d^2 ps/dn^2)_i
/// Mass crosses an edge by second order, and what goes through levels follows from it. Over slopes theta
/// changes along a level because the level rises: that part must be carried by the same order as mass, or
/// air that keeps its pressure is heated. It is kept below the sum of what the neighbours give, however thin
/// the layers are beside the slope.
///   F [Pa m s-1] (edge, level), theta [K] (cell, level), ps [Pa] (cell) -> F theta_e (edge, level)
template <class Real>
void carried_heat(const Horizontal<Real>& mesh, const Curvature<Real>& curvature,
                  const HybridRows<Real>& hybrid, std::span<const Run> edges, int n_levels, In<Real> flux,
                  In<Real> theta, In<Real> ps, Out<Real> found) {
  SlopeOfLevels<Real> slope(hybrid);
  for_items(edges, [&](LocalIndex e) {
    const auto [first, second] = mesh.cells_on_edge[e];
    const auto* offsets = &curvature.offsets[2 * static_cast<std::size_t>(e)];
    const auto bent_ps = [&](LocalIndex here, LocalIndex begin, LocalIndex end) {
      Real sum = 0;
      for (auto j = begin; j < end; ++j) sum += curvature.weights[j] * (ps[curvature.cells[j]] - ps[here]);
      return sum;
    };
    const Real ps_1 = bent_ps(first, offsets[0], offsets[1]), ps_2 = bent_ps(second, offsets[1], offsets[2]);
    slope.take(Real(0.5) * (ps[first] + ps[second]), column(theta, first, n_levels),
               column(theta, second, n_levels));
    for_rows<Real>(n_levels, [&](const auto& rows) {
      const auto q = rows(theta);
      using Row = std::remove_cvref_t<decltype(q[0])>;
      const Row rise = rows(slope())[0];
      const auto bent = [&](Row here, Real bent_level, LocalIndex begin, LocalIndex end) {
        Row sum{}, most{};
        for (auto j = begin; j < end; ++j) {
          const Row part = curvature.weights[j] * (q[curvature.cells[j]] - here);
          sum += part;
          most += part > Row{} ? part : -part;
        }
        const Row of_level = rise * bent_level;
        return sum - larger<Row>(-most, smaller<Row>(of_level, most));
      };
      const Row q_1 = q[first], q_2 = q[second];
      const Row c_1 = bent(q_1, ps_1, offsets[0], offsets[1]), c_2 = bent(q_2, ps_2, offsets[1], offsets[2]);
      const Row across = rows(flux)[e];
      rows.put(found, e, across * between(curvature, across, q_1, q_2, c_1, c_2));
    });
  });
}

}  // namespace halcyon::atmosphere
