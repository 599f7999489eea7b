#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/atmosphere/hybrid.hpp"
#include "halcyon/atmosphere/kernels/transport.hpp"

namespace halcyon::atmosphere {

/// b dtheta/dp of the mean of two columns [K Pa-1] (level): how theta changes along a level with ps where it
/// is a function of pressure alone. p_k = (p_{k-1/2} + p_{k+1/2}) / 2; of the top and the lowest level with
/// the one beside it, else between those beside it. Of a few edges at once: what has just been written is
/// waited for where it is read in other pieces.
template <class Real>
class SlopeOfLevels {
 public:
  static constexpr LocalIndex kAtOnce = 16;

  explicit SlopeOfLevels(const HybridRows<Real>& hybrid)
      : share_(hybrid.mass_a.size()), across_a_(share_), across_b_(share_), values_(kAtOnce * share_.size()) {
    const auto last = share_.size() - 1;
    const auto twice = [](const std::vector<Real>& of, std::size_t k) { return of[k] + of[k + 1]; };
    for (std::size_t k = 0; k <= last; ++k) {
      const auto up = k == 0 ? k : k - 1, down = k == last ? k : k + 1;
      share_[k] = Real(0.5) * twice(hybrid.b, k);
      across_a_[k] = twice(hybrid.a, down) - twice(hybrid.a, up);
      across_b_[k] = twice(hybrid.b, down) - twice(hybrid.b, up);
    }
  }

  void take(LocalIndex place, Real ps, In<Real> theta_1, In<Real> theta_2) {
    const auto n = share_.size();
    const auto values = column(Out<Real>(values_), place, n);
    const auto rise = [&](std::size_t up, std::size_t down) {
      return (theta_1[down] - theta_1[up]) + (theta_2[down] - theta_2[up]);
    };
    values[0] = share_[0] * rise(0, 1) / (across_a_[0] + across_b_[0] * ps);
    values[n - 1] = share_[n - 1] * rise(n - 2, n - 1) / (across_a_[n - 1] + across_b_[n - 1] * ps);
    for_rows<Real>(n - 2, [&](const auto& rows) {
      const auto inner = [&](const std::vector<Real>& of) { return rows(In<Real>(of).subspan(1))[0]; };
      const auto rise = [&](In<Real> theta) { return rows(theta.subspan(2))[0] - rows(theta)[0]; };
      rows.put(values.subspan(1), 0,
               inner(share_) * (rise(theta_1) + rise(theta_2)) / (inner(across_a_) + inner(across_b_) * ps));
    });
  }
  /// (place, level)
  In<Real> operator()() const { return values_; }

 private:
  std::vector<Real> share_, across_a_, across_b_, values_;
};

/// F theta_e of third order, as `carried`, of what theta is beside a function of pressure:
///   c_i = (d_e^2/12) (d^2 theta/dn^2 - b dtheta/dp d^2 ps/dn^2)_i
/// Mass crosses an edge by second order, and what goes through levels follows from it. Over slopes theta
/// changes along a level because the level rises: that part must be carried by the same order as mass, or
/// air that keeps its pressure is heated. It is kept below the sum of what the neighbours give, however thin
/// the layers are beside the slope.
///   F [Pa m s-1] (edge, level), theta [K] (cell, level), ps [Pa] (cell) -> F theta_e (edge, level)
template <class Real>
[[gnu::flatten]] void carried_heat(const Horizontal<Real>& mesh, const Curvature<Real>& curvature,
                                   SlopeOfLevels<Real>& slope, std::span<const Run> edges, int n_levels,
                                   In<Real> flux, In<Real> theta, In<Real> ps, Out<Real> found) {
  const auto take = [&](LocalIndex e, LocalIndex place) {
    const auto [first, second] = mesh.cells_on_edge[e];
    slope.take(place, Real(0.5) * (ps[first] + ps[second]), column(theta, first, n_levels),
               column(theta, second, n_levels));
  };
  const auto carry = [&](LocalIndex e, LocalIndex place) {
    const auto [first, second] = mesh.cells_on_edge[e];
    const auto* offsets = &curvature.offsets[2 * static_cast<std::size_t>(e)];
    const auto bent_ps = [&](LocalIndex here, LocalIndex begin, LocalIndex end) {
      Real sum = 0;
      for (auto j = begin; j < end; ++j) sum += curvature.weights[j] * (ps[curvature.cells[j]] - ps[here]);
      return sum;
    };
    const Real ps_1 = bent_ps(first, offsets[0], offsets[1]), ps_2 = bent_ps(second, offsets[1], offsets[2]);
    for_rows<Real, kWide<Real>>(n_levels, [&](const auto& rows) {
      const auto q = rows(theta);
      using Row = std::remove_cvref_t<decltype(q[0])>;
      const Row rise = rows(slope())[place];
      const auto bent = [&](Row here, Real bent_level, LocalIndex begin, LocalIndex end) {
        Row sum{}, most{};
        for (auto j = begin; j < end; ++j) {
          const Row part = curvature.weights[j] * (q[curvature.cells[j]] - here);
          sum += part;
          most += magnitude(part);
        }
        const Row of_level = rise * bent_level, least = Row{} - most;
        const Row low = where_positive(most - of_level, of_level, most);
        return sum - where_positive(low - least, low, least);
      };
      const Row q_1 = q[first], q_2 = q[second];
      const Row c_1 = bent(q_1, ps_1, offsets[0], offsets[1]), c_2 = bent(q_2, ps_2, offsets[1], offsets[2]);
      const Row across = rows(flux)[e];
      rows.put(found, e, across * between(curvature, across, q_1, q_2, c_1, c_2));
    });
  };
  for (const auto [begin, end] : edges) {
    for (auto from = begin; from < end; from += slope.kAtOnce) {
      const auto n = std::min(slope.kAtOnce, end - from);
      for (LocalIndex place = 0; place < n; ++place) take(from + place, place);
      for (LocalIndex place = 0; place < n; ++place) carry(from + place, place);
    }
  }
}

}  // namespace halcyon::atmosphere
