#include "halcyon/wave/kernels/transport.hpp"

#include <algorithm>
#include <cstring>

#include "halcyon/wave/kernels/lanes.hpp"

namespace halcyon::wave {

namespace {

/// Rows of directions with two neighbours wrapped around on either side: bin m is at m + 2.
void pad(SpectrumShape shape, const float* action, float* padded) {
  const int n = shape.n_directions;
  for (int f = 0; f < shape.n_frequencies; ++f, action += n, padded += n + 4) {
    for_blocks(n, [&](int m) { store(padded + 2 + m, load(action + m)); });
    for (int i = 0; i < 2; ++i) {
      padded[i] = action[n - 2 + i];
      padded[n + 2 + i] = action[i];
    }
  }
}

/// Monotonized-central limited slope from the differences on both sides.
inline Lanes limited_slope(Lanes below, Lanes above) {
  const Lanes centre = 0.5f * (below + above);
  const Lanes rising = smaller(smaller(2 * below, 2 * above), centre);
  const Lanes falling = larger(larger(2 * below, 2 * above), centre);
  return larger(rising, Lanes{}) + smaller(falling, Lanes{});
}

/// spatial_rate with the blocks of a row in registers; the last block may overlap the one before.
template <int kBlocks>
void spatial_rate_in_blocks(SpectrumShape shape, const float* action, const float* group_speed,
                            const float* outflow, std::span<const Inflow> inflows, float* rate) {
  const int n = shape.n_directions;
  const auto at = [n](int block) { return block + 1 < kBlocks ? block * kLanes : n - kLanes; };
  for (int f = 0; f < shape.n_frequencies; ++f) {
    const int row = f * n;
    Lanes sum[kBlocks];
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) {
      sum[b] = -load(outflow + at(b)) * (group_speed[f] * load(action + row + at(b)));
    }
    for (const auto& inflow : inflows) {
      const float* theirs = inflow.action + row;
      const float speed = inflow.group_speed[f];
#pragma GCC unroll 8
      for (int b = 0; b < kBlocks; ++b)
        sum[b] += load(inflow.weight + at(b)) * (speed * load(theirs + at(b)));
    }
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) store(rate + row + at(b), sum[b]);
  }
}

/// The same for any number of directions.
void spatial_rate_any(SpectrumShape shape, const float* action, const float* group_speed,
                      const float* outflow, std::span<const Inflow> inflows, float* rate) {
  const int n = shape.n_directions;
  for (int f = 0; f < shape.n_frequencies; ++f) {
    const int row = f * n;
    for_blocks(n, [&](int m) {
      Lanes sum = -load(outflow + m) * (group_speed[f] * load(action + row + m));
      for (const auto& inflow : inflows) {
        sum += load(inflow.weight + m) * (inflow.group_speed[f] * load(inflow.action + row + m));
      }
      store(rate + row + m, sum);
    });
  }
}

}  // namespace

void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  std::span<const Inflow> inflows, float* rate) {
  switch ((shape.n_directions + kLanes - 1) / kLanes) {
    case 3:
      return spatial_rate_in_blocks<3>(shape, action, group_speed, outflow, inflows, rate);
    case 5:
      return spatial_rate_in_blocks<5>(shape, action, group_speed, outflow, inflows, rate);
    default:
      return spatial_rate_any(shape, action, group_speed, outflow, inflows, rate);
  }
}

// In passes over all frequencies, so that no load waits for a store that it overlaps.
void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* turning,
                   float dt, std::span<float> scratch, float* result) {
  const int n = shape.n_directions, rows = shape.n_frequencies, padded_n = n + 4;
  float* padded = scratch.data();
  float* slope = padded + rows * padded_n;  // slope[m + 1] is that of bin m
  float* flux = slope + rows * padded_n;    // flux[m + 1] leaves bin m upwards
  pad(shape, action, padded);
  for (int f = 0; f < rows; ++f) {
    const int row = f * padded_n;
    for_blocks(n + 2, [&](int m) {
      const float* below = padded + row + m;
      const Lanes centre = load(below + 1);
      store(slope + row + m, limited_slope(centre - load(below), load(below + 2) - centre));
    });
  }
  for (int f = 0; f < rows; ++f) {
    const int row = f * padded_n;
    for_blocks(n, [&](int m) {
      const Lanes r = load(turning + f * n + m);
      const Lanes reach = 0.5f * (1 - larger(r, -r) * dt);
      const Lanes from_below = load(padded + row + m + 2) + reach * load(slope + row + m + 1);
      const Lanes from_above = load(padded + row + m + 3) - reach * load(slope + row + m + 2);
      store(flux + row + m + 1, larger(r, Lanes{}) * from_below + smaller(r, Lanes{}) * from_above);
    });
    flux[row] = flux[row + n];
  }
  for (int f = 0; f < rows; ++f) {
    for_blocks(n, [&](int m) {
      const float* below = flux + f * padded_n + m;
      const Lanes change = load(rate + f * n + m) - (load(below + 1) - load(below));
      store(result + f * n + m, load(action + f * n + m) + dt * change);
    });
  }
}

void turn_implicit(int n, const float* action, const float* rate, const float* turning, float dt,
                   float* result) {
  const auto below = [&](int m) { return turning[m == 0 ? n - 1 : m - 1]; };  // through the lower face of m
  const auto up = [&](int m) { return m == n - 1 ? 0 : m + 1; };
  const auto down = [&](int m) { return m == 0 ? n - 1 : m - 1; };
  const auto before = [&](int m) { return action[m] + dt * rate[m]; };

  int diverging = 0;
  while (!(below(diverging) <= 0 && turning[diverging] >= 0)) ++diverging;
  result[diverging] = before(diverging) / (1 + dt * (turning[diverging] - below(diverging)));

  // Upwards, then downwards, from the bin that nothing enters to the one that nothing leaves.
  int rising = diverging;
  while (turning[rising] > 0 && turning[up(rising)] > 0) {
    const int m = up(rising);
    result[m] = (before(m) + dt * turning[rising] * result[rising]) / (1 + dt * turning[m]);
    rising = m;
  }
  int falling = diverging;
  while (below(falling) < 0 && below(down(falling)) < 0) {
    const int m = down(falling);
    result[m] = (before(m) - dt * below(falling) * result[falling]) / (1 - dt * below(m));
    falling = m;
  }
  for (int m = up(rising); m != falling; m = up(m)) {
    result[m] = before(m);
    if (m == up(rising)) result[m] += dt * std::max(turning[rising], 0.f) * result[rising];
    if (m == down(falling)) result[m] -= dt * std::min(below(falling), 0.f) * result[falling];
  }
}

}  // namespace halcyon::wave
