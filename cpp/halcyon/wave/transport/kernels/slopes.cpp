#include "halcyon/wave/transport/kernels/slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace halcyon::wave {

namespace {

constexpr float kSafety = 0.99999f;  // so that round-off makes no value negative
constexpr float kTiny = 1e-30f;      // below it slopes would be denormal numbers, which are flushed to zero

/// Q = cg N and its gradient, per direction.
struct FluxGradient {
  Lanes value, east, north;
};

/// Computes the gradients of kRows rows at once, since all rows use the same weights of the neighbours.
template <int kRows>
inline void compute_gradients(const float* action, std::span<const GradientNeighbour> neighbours,
                              const float* group_speed, float turn_gradient_east, float turn_gradient_north,
                              int n, int row, int m, FluxGradient* gradients) {
#pragma GCC unroll 2
  for (int i = 0; i < kRows; ++i) {
    const float* values = action + (row + i) * n;
    const Lanes slope = broadcast(group_speed[row + i] / 2) *
                        (next_above(values, n, m) - next_below(values, n, m));  // dQ/dtheta
    gradients[i] = {broadcast(group_speed[row + i]) * load(values + m), turn_gradient_east * slope,
                    turn_gradient_north * slope};
  }
  for (const auto& neighbour : neighbours) {
    const Lanes east = broadcast(neighbour.gradient_weight_east),
                north = broadcast(neighbour.gradient_weight_north);
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      auto& g = gradients[i];
      const Lanes difference =
          broadcast(neighbour.group_speed[row + i]) * load(neighbour.action + (row + i) * n + m) - g.value;
      g.east = multiply_add(east, difference, g.east);
      g.north = multiply_add(north, difference, g.north);
    }
  }
}

/// Computes alpha, the limiter of compute_limited_slopes, for one row.
template <bool kHasCurrent>
class RowLimiter {
 public:
  RowLimiter(const OutflowGeometry& geometry, const Current& current, float speed, float rho,
             float turning_fraction, float dt)
      : geometry_(geometry),
        speed_(broadcast(speed)),
        half_distance_(broadcast(speed * dt / 2)),
        rho_(broadcast(rho)),
        not_turning_(broadcast(1 - turning_fraction)),
        dt_(broadcast(dt)) {
    if constexpr (kHasCurrent) {
      half_drift_east_ = broadcast(dt / 2 * current.velocity_east);
      half_drift_north_ = broadcast(dt / 2 * current.velocity_north);
      outflow_ = broadcast(current.outflow);
      outflow_moment_east_ = broadcast(current.outflow_moment_east);
      outflow_moment_north_ = broadcast(current.outflow_moment_north);
    }
  }

  /// Returns alpha, and the decrease of Q in half a step for alpha = 1.
  std::pair<Lanes, Lanes> operator()(const FluxGradient& g, Lanes sine, Lanes cosine, int m) const {
    const Lanes slope_along = multiply_add(g.east, sine, g.north * cosine),
                slope_across = multiply_add(g.east, cosine, -(g.north * sine));
    const Lanes extent_along = load(geometry_.extent_along + m),
                extent_across = load(geometry_.extent_across + m);
    Lanes decrease = half_distance_ * slope_along;
    Lanes fall_along =  // from the centre to edges with outflow
        larger(-slope_along * extent_along, slope_along * load(geometry_.extent_behind + m));
    Lanes outflow = speed_ * multiply_add(rho_, load(geometry_.diffusive + m), load(geometry_.advective + m));
    Lanes outflow_moment_east = speed_ * load(geometry_.moment_east + m),
          outflow_moment_north = speed_ * load(geometry_.moment_north + m);
    if constexpr (kHasCurrent) {
      // A current advects action also through edges without outflow by the waves' own propagation.
      fall_along = magnitude(slope_along) * extent_along;
      decrease += multiply_add(half_drift_east_, g.east, half_drift_north_ * g.north);
      outflow += outflow_;
      outflow_moment_east += outflow_moment_east_;
      outflow_moment_north += outflow_moment_north_;
    }
    const Lanes largest_fall =  // upper bound of the decrease from Q to an edge
        fall_along + multiply_add(magnitude(slope_across), extent_across, decrease);
    const Lanes extra_outflow =  // second-order part of the outflow in the step
        dt_ * multiply_add(outflow_moment_east, g.east,
                           multiply_add(outflow_moment_north, g.north, -(outflow * decrease)));
    const Lanes remaining = larger(not_turning_ - dt_ * outflow, Lanes{});
    const Lanes bound = larger(g.value - kTiny, Lanes{}) * (kSafety * remaining);
    const Lanes largest_loss = larger(larger(largest_fall * remaining, extra_outflow), broadcast(kTiny));
    return {smaller(bound / largest_loss, broadcast(1.f)), decrease};
  }

 private:
  const OutflowGeometry& geometry_;
  Lanes speed_, half_distance_, rho_, not_turning_, dt_;  // half_distance_: cg dt / 2 [m]
  // Components of the distance that the current travels in half a step [m], and the outflow as in Current.
  Lanes half_drift_east_, half_drift_north_, outflow_, outflow_moment_east_, outflow_moment_north_;
};

/// Computes the limited slopes of kRows (1 or 2) rows from `row` on.
template <int kRows, bool kHasCurrent>
void limit_slopes(int n, int row, const float* action, std::span<const GradientNeighbour> neighbours,
                  const float* sine, const float* cosine, float turn_gradient_east, float turn_gradient_north,
                  const OutflowGeometry& geometry, const Current& current, const float* group_speed,
                  const float* diffusion_factor, const float* turning_fraction, float dt,
                  const Reconstruction& result) {
  const auto limiter = [&](int i) {
    return RowLimiter<kHasCurrent>(geometry, current, group_speed[row + i], diffusion_factor[row + i],
                                   turning_fraction[row + i], dt);
  };
  const std::array<RowLimiter<kHasCurrent>, 2> limiters{limiter(0), limiter(kRows - 1)};
  for_blocks(n, [&](int m) {
    FluxGradient gradients[kRows];
    compute_gradients<kRows>(action, neighbours, group_speed, turn_gradient_east, turn_gradient_north, n, row,
                             m, gradients);
    const Lanes s = load(sine + m), c = load(cosine + m);
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      const auto [alpha, decrease] = limiters[i](gradients[i], s, c, m);
      const int element = (row + i) * n + m;
      store(result.value + element, gradients[i].value - alpha * decrease);
      store(result.slope_east + element, alpha * gradients[i].east);
      store(result.slope_north + element, alpha * gradients[i].north);
    }
  });
}

}  // namespace

void compute_limited_slopes(int n_rows, int n, const float* action,
                            std::span<const GradientNeighbour> neighbours, const float* sine,
                            const float* cosine, float turn_gradient_east, float turn_gradient_north,
                            const OutflowGeometry& geometry, const Current& current, const float* group_speed,
                            const float* diffusion_factor, const float* turning_fraction, float dt,
                            std::span<const float* const> next_rows, const Reconstruction& result) {
  const bool has_current = current.velocity_east != 0 || current.velocity_north != 0 || current.outflow != 0;
  for (int row = 0; row < n_rows; row += 2) {
    for (const float* rows : next_rows) prefetch(rows + row * n, std::min(2, n_rows - row) * n);
    const auto limit_rows = [&](auto rows, auto current_present) {
      limit_slopes<rows, current_present>(n, row, action, neighbours, sine, cosine, turn_gradient_east,
                                          turn_gradient_north, geometry, current, group_speed,
                                          diffusion_factor, turning_fraction, dt, result);
    };
    with_rows<2>(n_rows - row, [&](auto rows) {
      has_current ? limit_rows(rows, std::true_type{}) : limit_rows(rows, std::false_type{});
    });
  }
}

}  // namespace halcyon::wave
