#include "halcyon/wave/transport/kernels/slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace halcyon::wave {

namespace {

constexpr float kSafety = 0.99999f;  // so that round-off makes no value negative
constexpr float kTiny = 1e-30f;      // avoids 0 / 0

/// The gradient of Q in a block of a row, and the largest differences to the neighbours.
struct Gradient {
  Lanes own, east, north, largest_rise, largest_fall;
};

/// Computes the gradients of kRows rows at once, which use the same weights of the neighbours.
template <int kRows>
inline void gradients(const float* action, std::span<const GradientNeighbour> neighbours,
                      const float* group_speed, float turn_east, float turn_north, int n, int row, int m,
                      Gradient* found) {
#pragma GCC unroll 2
  for (int i = 0; i < kRows; ++i) {
    const float* own = action + (row + i) * n;
    const Lanes turned =
        broadcast(group_speed[row + i] / 2) * (next_above(own, n, m) - next_below(own, n, m));
    found[i] = {broadcast(group_speed[row + i]) * load(own + m), turn_east * turned, turn_north * turned,
                Lanes{}, Lanes{}};
  }
  for (const auto& each : neighbours) {
    const Lanes east = broadcast(each.east), north = broadcast(each.north);
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      auto& g = found[i];
      const Lanes difference =
          broadcast(each.group_speed[row + i]) * load(each.action + (row + i) * n + m) - g.own;
      g.east = multiply_add(east, difference, g.east);
      g.north = multiply_add(north, difference, g.north);
      g.largest_rise = larger(g.largest_rise, difference);
      g.largest_fall = smaller(g.largest_fall, difference);
    }
  }
}

/// The limiter of one row.
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
      drift_ = broadcast(dt / 2 * std::hypot(current.east, current.north));
      half_east_ = broadcast(dt / 2 * current.east);
      half_north_ = broadcast(dt / 2 * current.north);
      outflow_ = broadcast(current.outflow);
      out_east_ = broadcast(current.outflow_east);
      out_north_ = broadcast(current.outflow_north);
    }
  }

  /// Returns alpha, and the decrease of Q in half a step for alpha = 1.
  std::pair<Lanes, Lanes> operator()(const Gradient& g, Lanes sine, Lanes cosine, int m) const {
    const Lanes along = multiply_add(g.east, sine, g.north * cosine),
                across = multiply_add(g.east, cosine, -(g.north * sine));
    Lanes reach_along = load(geometry_.reach_along + m), reach_across = load(geometry_.reach_across + m),
          shift = half_distance_ * along;
    Lanes outflow = speed_ * multiply_add(rho_, load(geometry_.diffusive + m), load(geometry_.advective + m));
    Lanes out_east = speed_ * load(geometry_.east + m), out_north = speed_ * load(geometry_.north + m);
    if constexpr (kHasCurrent) {
      // A current advects action also through edges without outflow by the waves' own propagation.
      reach_along += half_distance_ + drift_;
      reach_across += drift_;
      shift += multiply_add(half_east_, g.east, half_north_ * g.north);
      outflow += outflow_;
      out_east += out_east_;
      out_north += out_north_;
    }
    const Lanes change = multiply_add(magnitude(along), reach_along, magnitude(across) * reach_across);
    const Lanes extra_out =
        dt_ * multiply_add(out_east, g.east, multiply_add(out_north, g.north, -(outflow * shift)));
    const Lanes remaining = larger(not_turning_ - dt_ * outflow, Lanes{});
    const Lanes bound = smaller(g.largest_rise, -g.largest_fall) * (kSafety * remaining);
    return {smaller(bound / (larger(change * remaining, extra_out) + kTiny), broadcast(1.f)), shift};
  }

 private:
  const OutflowGeometry& geometry_;
  Lanes speed_, half_distance_, rho_, not_turning_, dt_;
  Lanes drift_, half_east_, half_north_, outflow_, out_east_, out_north_;
};

template <int kRows, bool kHasCurrent>
void limit(int n, int row, const float* action, std::span<const GradientNeighbour> neighbours,
           const float* sine, const float* cosine, float turn_east, float turn_north,
           const OutflowGeometry& geometry, const Current& current, const float* group_speed,
           const float* diffusion_factor, const float* turning_fraction, float dt, const Slopes& slopes) {
  const auto limiter = [&](int i) {
    return RowLimiter<kHasCurrent>(geometry, current, group_speed[row + i], diffusion_factor[row + i],
                                   turning_fraction[row + i], dt);
  };
  const std::array<RowLimiter<kHasCurrent>, 2> limiters{limiter(0), limiter(kRows - 1)};
  for_blocks(n, [&](int m) {
    Gradient found[kRows];
    gradients<kRows>(action, neighbours, group_speed, turn_east, turn_north, n, row, m, found);
    const Lanes s = load(sine + m), c = load(cosine + m);
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      const auto [alpha, shift] = limiters[i](found[i], s, c, m);
      const int at = (row + i) * n + m;
      store(slopes.value + at, found[i].own - alpha * shift);
      store(slopes.east + at, alpha * found[i].east);
      store(slopes.north + at, alpha * found[i].north);
    }
  });
}

}  // namespace

void limited_slopes(int n_rows, int n, const float* action, std::span<const GradientNeighbour> neighbours,
                    const float* sine, const float* cosine, float turn_east, float turn_north,
                    const OutflowGeometry& geometry, const Current& current, const float* group_speed,
                    const float* diffusion_factor, const float* turning_fraction, float dt,
                    std::span<const float* const> next_rows, const Slopes& slopes) {
  const bool has_current = current.east != 0 || current.north != 0 || current.outflow != 0;
  for (int row = 0; row < n_rows; row += 2) {
    for (const float* rows : next_rows) prefetch(rows + row * n, std::min(2, n_rows - row) * n);
    const auto limit_rows = [&](auto rows, auto current_present) {
      limit<rows, current_present>(n, row, action, neighbours, sine, cosine, turn_east, turn_north, geometry,
                                   current, group_speed, diffusion_factor, turning_fraction, dt, slopes);
    };
    with_rows<2>(n_rows - row, [&](auto rows) {
      has_current ? limit_rows(rows, std::true_type{}) : limit_rows(rows, std::false_type{});
    });
  }
}

}  // namespace halcyon::wave
