#include "halcyon/wave/kernels/directions.hpp"

#include <algorithm>

namespace halcyon::wave {

namespace {

/// What leaves a cell in a block of a row.
template <bool kSecondOrder>
inline Lanes leaving(const Outflow& outflow, Lanes action, int row, int at, int m) {
  const float speed = outflow.group_speed[row];
  if constexpr (!kSecondOrder)
    return multiply_add(Lanes{} + speed, load(outflow.direct + m), Lanes{} + outflow.current) * action;
  const float per_speed = 1 / speed;
  const Lanes straight = multiply_add(Lanes{} + outflow.exchange_share[row], load(outflow.exchange + m),
                                      load(outflow.direct + m) + per_speed * outflow.current);
  const Lanes east = load(outflow.east + m) + per_speed * outflow.current_east;
  const Lanes north = load(outflow.north + m) + per_speed * outflow.current_north;
  return multiply_add(straight, load(outflow.own.value + at),
                      multiply_add(east, load(outflow.own.east + at), north * load(outflow.own.north + at)));
}

/// The rate at which a bin gives to the next one, r (N + (1 - r dt) slope / 2).
inline Lanes given(Lanes rate, Lanes action, Lanes half_slope, float dt) {
  const Lanes reach = multiply_add(rate, Lanes{} - dt, Lanes{} + 1);
  return rate * multiply_add(reach, half_slope, action);
}

template <int kRows, bool kSecondOrder, bool kNoticeable>
void advance(int n, const float* action, const Incoming& incoming, const Spread& spread,
             const Outflow& outflow, const TurningRates& turning, float dt, std::span<float> scratch,
             float* result) {
  const auto [doubled, upwards, downwards, stays] = padded_rows<4>(n, scratch);
  if constexpr (kNoticeable) {
    for (int row = 0; row < kRows; ++row)
      for_blocks(n, [&](int m) { store(doubled[row] + m, 2 * load(action + row * n + m)); });
    for (int row = 0; row < kRows; ++row) doubled.wrap(row);
  }
  for (int row = 0; row < kRows; ++row) incoming.doubled_mean.wrap(row);
  for (int row = 0; row < kRows; ++row) {
    const Lanes sine = Lanes{} + turning.sine[row], cosine = Lanes{} + turning.cosine[row];
    const auto rate = [&](int m) {
      return multiply_add(
          sine, load(turning.face_sine + m),
          multiply_add(cosine, load(turning.face_cosine + m), load(turning.current + m)));
    };
    for_blocks(n, [&](int m) {
      const int at = row * n + m;
      const Lanes old = load(action + at), in = load(incoming.all[row] + m);
      const Lanes up = load(incoming.up[row] + m), down = load(incoming.down[row] + m);
      const Lanes slope = slope_of_doubled(incoming.doubled_mean[row] + m);
      const Lanes turns_up =
          smaller(larger(multiply_add(load(spread.up + m), slope, up), Lanes{}), in - down);
      const Lanes turns_down =
          smaller(larger(multiply_add(-load(spread.down + m), slope, down), Lanes{}), in - up);
      const Lanes rises = larger(rate(m), Lanes{}), falls = larger(-rate(m - 1), Lanes{});
      Lanes above, below;
      if constexpr (kNoticeable) {
        const Lanes half_slope = 0.5f * slope_of_doubled(doubled[row] + m);
        above = turns_up + given(rises, old, half_slope, dt);
        below = turns_down + given(falls, old, -half_slope, dt);
      } else {
        above = multiply_add(rises, old, turns_up);
        below = multiply_add(falls, old, turns_down);
      }
      const Lanes change = in - leaving<kSecondOrder>(outflow, old, row, at, m) - (above + below);
      store(upwards[row] + m, above);
      store(downwards[row] + m, below);
      store(stays[row] + m, multiply_add(Lanes{} + dt, change, old));
    });
  }
  for (int row = 0; row < kRows; ++row) {
    upwards.wrap(row);
    downwards.wrap(row);
  }
  for (int row = 0; row < kRows; ++row) {
    for_blocks(n, [&](int m) {
      const Lanes comes = load(upwards[row] + m - 1) + load(downwards[row] + m + 1);
      store(result + row * n + m, multiply_add(Lanes{} + dt, comes, load(stays[row] + m)));
    });
  }
}

}  // namespace

std::size_t transported_scratch_size(int n_directions) {
  return 4 * PaddedRows::size(n_directions);
}

template <bool kSecondOrder>
void transported(int n_rows, int n, const float* action, const Incoming& incoming, const Spread& spread,
                 const Outflow& outflow, const TurningRates& turning, float dt, std::span<float> scratch,
                 float* result) {
  with_rows(n_rows, [&](auto rows) {
    if (turning.noticeable)
      advance<rows, kSecondOrder, true>(n, action, incoming, spread, outflow, turning, dt, scratch, result);
    else
      advance<rows, kSecondOrder, false>(n, action, incoming, spread, outflow, turning, dt, scratch, result);
  });
}

template void transported<false>(int, int, const float*, const Incoming&, const Spread&, const Outflow&,
                                 const TurningRates&, float, std::span<float>, float*);
template void transported<true>(int, int, const float*, const Incoming&, const Spread&, const Outflow&,
                                const TurningRates&, float, std::span<float>, float*);

void turn_implicit(int n, float sine, float cosine, const float* face_sine, const float* face_cosine,
                   float dt, float* before, float* row) {
  const auto above = [&](int m) { return sine * face_sine[m] + cosine * face_cosine[m]; };
  const auto below = [&](int m) { return above(m - 1); };
  const auto up = [&](int m) { return m == n - 1 ? 0 : m + 1; };
  const auto down = [&](int m) { return m == 0 ? n - 1 : m - 1; };
  std::copy_n(row, n, before);

  int diverging = 0;
  while (diverging < n - 1 && !(below(diverging) <= 0 && above(diverging) >= 0)) ++diverging;
  row[diverging] = before[diverging] / (1 + dt * (above(diverging) - below(diverging)));

  // Upwards, then downwards, from the bin that nothing enters to the one that nothing leaves.
  int rising = diverging;
  while (above(rising) > 0 && above(up(rising)) > 0) {
    const int m = up(rising);
    row[m] = (before[m] + dt * above(rising) * row[rising]) / (1 + dt * above(m));
    rising = m;
  }
  int falling = diverging;
  while (below(falling) < 0 && below(down(falling)) < 0) {
    const int m = down(falling);
    row[m] = (before[m] - dt * below(falling) * row[falling]) / (1 - dt * below(m));
    falling = m;
  }
  for (int m = up(rising); m != falling; m = up(m)) {
    row[m] = before[m];
    if (m == up(rising)) row[m] += dt * std::max(above(rising), 0.f) * row[rising];
    if (m == down(falling)) row[m] -= dt * std::min(below(falling), 0.f) * row[falling];
  }
}

}  // namespace halcyon::wave
