#include "halcyon/wave/transport/kernels/slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace halcyon::wave {

namespace {

constexpr float kSafety = 0.99999f;  // round-off makes nothing negative
constexpr float kTiny = 1e-30f;      // keeps zero over zero away

/// The gradient of Q in a block of a row, and how far Q goes up and down to the neighbours.
struct Gradient {
  Lanes own, east, north, most, least;
};

/// Of two rows at once: they share what is said of a neighbour.
template <int kRows>
inline void gradients(const float* action, std::span<const Beside> beside, const float* group_speed,
                      float turn_east, float turn_north, int n, int row, int m, Gradient* found) {
#pragma GCC unroll 2
  for (int i = 0; i < kRows; ++i) {
    const float* own = action + (row + i) * n;
    const Lanes turned = lanes_of(group_speed[row + i] / 2) * (next_above(own, n, m) - next_below(own, n, m));
    found[i] = {lanes_of(group_speed[row + i]) * load(own + m), turn_east * turned, turn_north * turned,
                Lanes{}, Lanes{}};
  }
  for (const auto& each : beside) {
    const Lanes east = lanes_of(each.east), north = lanes_of(each.north);
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      auto& g = found[i];
      const Lanes difference =
          lanes_of(each.group_speed[row + i]) * load(each.action + (row + i) * n + m) - g.own;
      g.east = multiply_add(east, difference, g.east);
      g.north = multiply_add(north, difference, g.north);
      g.most = larger(g.most, difference);
      g.least = smaller(g.least, difference);
    }
  }
}

/// What the limiter knows of a row.
template <bool kMoving>
class RowLimiter {
 public:
  RowLimiter(const Reach& reach, const Current& current, float speed, float share, float turning, float dt)
      : reach_(reach),
        speed_(lanes_of(speed)),
        half_way_(lanes_of(speed * dt / 2)),
        share_(lanes_of(share)),
        untaken_(lanes_of(1 - turning)),
        dt_(lanes_of(dt)) {
    if constexpr (kMoving) {
      drift_ = lanes_of(dt / 2 * std::hypot(current.east, current.north));
      half_east_ = lanes_of(dt / 2 * current.east);
      half_north_ = lanes_of(dt / 2 * current.north);
      outflow_ = lanes_of(current.outflow);
      out_east_ = lanes_of(current.outflow_east);
      out_north_ = lanes_of(current.outflow_north);
    }
  }

  /// alpha, and how far Q falls in half a step for alpha = 1.
  std::pair<Lanes, Lanes> operator()(const Gradient& g, Lanes sine, Lanes cosine, int m) const {
    const Lanes along = multiply_add(g.east, sine, g.north * cosine),
                across = multiply_add(g.east, cosine, -(g.north * sine));
    Lanes ahead = load(reach_.ahead + m), aside = load(reach_.aside + m), shift = half_way_ * along;
    Lanes outflow = speed_ * multiply_add(share_, load(reach_.exchange + m), load(reach_.direct + m));
    Lanes out_east = speed_ * load(reach_.east + m), out_north = speed_ * load(reach_.north + m);
    if constexpr (kMoving) {
      // A current carries action through edges that waves do not leave through, too.
      ahead += half_way_ + drift_;
      aside += drift_;
      shift += multiply_add(half_east_, g.east, half_north_ * g.north);
      outflow += outflow_;
      out_east += out_east_;
      out_north += out_north_;
    }
    const Lanes farthest = multiply_add(magnitude(along), ahead, magnitude(across) * aside);
    const Lanes more =
        dt_ * multiply_add(out_east, g.east, multiply_add(out_north, g.north, -(outflow * shift)));
    const Lanes left = larger(untaken_ - dt_ * outflow, Lanes{});
    const Lanes bound = smaller(g.most, -g.least) * (kSafety * left);
    return {smaller(bound / (larger(farthest * left, more) + kTiny), lanes_of(1.f)), shift};
  }

 private:
  const Reach& reach_;
  Lanes speed_, half_way_, share_, untaken_, dt_;
  Lanes drift_, half_east_, half_north_, outflow_, out_east_, out_north_;
};

template <int kRows, bool kMoving>
void limit(int n, int row, const float* action, std::span<const Beside> beside, const float* sine,
           const float* cosine, float turn_east, float turn_north, const Reach& reach, const Current& current,
           const float* group_speed, const float* exchange_share, const float* turning, float dt,
           const Slopes& slopes) {
  const auto limiter = [&](int i) {
    return RowLimiter<kMoving>(reach, current, group_speed[row + i], exchange_share[row + i],
                               turning[row + i], dt);
  };
  const std::array<RowLimiter<kMoving>, 2> limiters{limiter(0), limiter(kRows - 1)};
  for_blocks(n, [&](int m) {
    Gradient found[kRows];
    gradients<kRows>(action, beside, group_speed, turn_east, turn_north, n, row, m, found);
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

void limited_slopes(int n_rows, int n, const float* action, std::span<const Beside> beside, const float* sine,
                    const float* cosine, float turn_east, float turn_north, const Reach& reach,
                    const Current& current, const float* group_speed, const float* exchange_share,
                    const float* turning, float dt, std::span<const float* const> soon,
                    const Slopes& slopes) {
  const bool moving = current.east != 0 || current.north != 0 || current.outflow != 0;
  for (int row = 0; row < n_rows; row += 2) {
    for (const float* rows : soon) fetch(rows + row * n, std::min(2, n_rows - row) * n);
    const auto each = [&](auto rows, auto is_moving) {
      limit<rows, is_moving>(n, row, action, beside, sine, cosine, turn_east, turn_north, reach, current,
                             group_speed, exchange_share, turning, dt, slopes);
    };
    with_rows<2>(n_rows - row,
                 [&](auto rows) { moving ? each(rows, std::true_type{}) : each(rows, std::false_type{}); });
  }
}

}  // namespace halcyon::wave
