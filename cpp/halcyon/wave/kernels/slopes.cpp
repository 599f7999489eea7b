#include "halcyon/wave/kernels/slopes.hpp"

#include <cmath>

namespace halcyon::wave {

namespace {

constexpr float kSafety = 0.99999f;  // round-off makes nothing negative
constexpr float kTiny = 1e-30f;      // keeps zero over zero away

inline Lanes magnitude(Lanes v) {
  return larger(v, -v);
}

}  // namespace

void limited_slopes(int n_rows, int n, const PaddedRows& action, std::span<const Beside> beside,
                    const float* sine, const float* cosine, float turn_east, float turn_north,
                    const Reach& reach, const Current& current, const float* group_speed,
                    const float* exchange_share, const float* turning, float dt, const Slopes& slopes) {
  const float drift = dt / 2 * std::hypot(current.east, current.north);
  const Lanes half_east = broadcast(dt / 2 * current.east), half_north = broadcast(dt / 2 * current.north);
  const Lanes drift_outflow = broadcast(current.outflow), drift_east = broadcast(current.outflow_east),
              drift_north = broadcast(current.outflow_north);
  for (int row = 0; row < n_rows; ++row) {
    const Lanes speed = broadcast(group_speed[row]), half_way = broadcast(group_speed[row] * dt / 2),
                half_speed = broadcast(group_speed[row] / 2);
    // A current carries action through edges that waves do not leave through, too.
    const Lanes behind = drift > 0 ? half_way + drift : Lanes{};
    const Lanes share = broadcast(exchange_share[row]), untaken = broadcast(1 - turning[row]);
    for_blocks(n, [&](int m) {
      const Lanes own = speed * load(action[row] + m);
      const Lanes turned = half_speed * (load(action[row] + m + 1) - load(action[row] + m - 1));
      Lanes east = turn_east * turned, north = turn_north * turned, most{}, least{};
      for (const auto& each : beside) {
        const Lanes difference = each.group_speed[row] * load(each.action + row * n + m) - own;
        east = multiply_add(broadcast(each.east), difference, east);
        north = multiply_add(broadcast(each.north), difference, north);
        most = larger(most, difference);
        least = smaller(least, difference);
      }
      const Lanes s = load(sine + m), c = load(cosine + m);
      const Lanes along = multiply_add(east, s, north * c), across = multiply_add(east, c, -(north * s));
      const Lanes farthest = multiply_add(magnitude(along), load(reach.ahead + m) + behind,
                                          magnitude(across) * (load(reach.aside + m) + drift));
      const Lanes shift = multiply_add(half_way, along, multiply_add(half_east, east, half_north * north));

      const Lanes outflow = multiply_add(
          speed, multiply_add(share, load(reach.exchange + m), load(reach.direct + m)), drift_outflow);
      const Lanes out_east = multiply_add(speed, load(reach.east + m), drift_east);
      const Lanes out_north = multiply_add(speed, load(reach.north + m), drift_north);
      const Lanes more =
          dt * multiply_add(out_east, east, multiply_add(out_north, north, -(outflow * shift)));
      const Lanes left = larger(untaken - dt * outflow, Lanes{});

      const Lanes bound = smaller(most, -least) * (kSafety * left);
      const Lanes alpha = smaller(bound / (larger(farthest * left, more) + kTiny), broadcast(1));
      store(slopes.value + row * n + m, own - alpha * shift);
      store(slopes.east + row * n + m, alpha * east);
      store(slopes.north + row * n + m, alpha * north);
    });
  }
}

}  // namespace halcyon::wave
