#include "halcyon/wave/kernels/transport.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "halcyon/wave/kernels/lanes.hpp"

namespace halcyon::wave {

namespace {

/// Rows of directions, of all frequencies, with two neighbours wrapped around on either side.
class PaddedRows {
 public:
  PaddedRows(SpectrumShape shape, float* first) : first_(first), n_(shape.n_directions) {}
  static std::size_t size(SpectrumShape shape) {
    return static_cast<std::size_t>(shape.n_frequencies) * static_cast<std::size_t>(shape.n_directions + 4);
  }

  float* operator[](int frequency) const { return first_ + frequency * (n_ + 4) + 2; }
  void wrap(int frequency) const {
    float* row = (*this)[frequency];
    row[-2] = row[n_ - 2];
    row[-1] = row[n_ - 1];
    row[n_] = row[0];
    row[n_ + 1] = row[1];
  }

 private:
  float* first_;
  int n_;
};

/// So many sets of padded rows in scratch.
template <std::size_t kCount>
std::array<PaddedRows, kCount> padded_rows(SpectrumShape shape, std::span<float> scratch) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{PaddedRows(shape, scratch.data() + I * PaddedRows::size(shape))...};
  }(std::make_index_sequence<kCount>{});
}

/// Monotonized-central limited slope from the differences on both sides.
inline Lanes limited_slope(Lanes below, Lanes above) {
  const Lanes centre = 0.5f * (below + above);
  const Lanes rising = smaller(smaller(2 * below, 2 * above), centre);
  const Lanes falling = larger(larger(2 * below, 2 * above), centre);
  return larger(rising, Lanes{}) + smaller(falling, Lanes{});
}

/// What a group of inflows brings to a row of directions.
struct Brought {
  Lanes all, swept, spread;
};

inline Brought bring(std::span<const Inflow> edges, int f, int row, int m) {
  Brought sum{};
  for (const auto& edge : edges) {
    const Lanes flux = edge.group_speed[f] * load(edge.action + row + m);
    sum.all += load(edge.weight + m) * flux;
    sum.swept += load(edge.swept + m) * flux;
    sum.spread += load(edge.spread + m) * flux;
  }
  return sum;
}

/// Limited slope of a padded row at bins m ...
inline Lanes slope_at(const float* row) {
  const Lanes centre = load(row);
  return limited_slope(centre - load(row - 1), load(row + 1) - centre);
}

}  // namespace

std::size_t transport_scratch_size(SpectrumShape shape) {
  return 7 * PaddedRows::size(shape);
}

// Both functions go in passes over all frequencies, so that no load waits for a store that it overlaps.

void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  const Inflows& growing, const Inflows& shrinking, std::span<float> scratch, float* rate) {
  const int n = shape.n_directions;
  const auto [through_edges, up, down, mean_up, mean_down, up_flux, down_flux] =
      padded_rows<7>(shape, scratch);
  for (int f = 0; f < shape.n_frequencies; ++f) {
    const int row = f * n;
    for_blocks(n, [&](int m) {
      const Brought grows = bring(growing.edges, f, row, m), shrinks = bring(shrinking.edges, f, row, m);
      const Lanes leaves = load(outflow + m) * (group_speed[f] * load(action + row + m));
      store(through_edges[f] + m, (grows.all + shrinks.all) - leaves);
      store(up[f] + m, grows.swept);
      store(down[f] + m, shrinks.swept);
      store(mean_up[f] + m, grows.spread * load(growing.one_by_spread + m));
      store(mean_down[f] + m, shrinks.spread * load(shrinking.one_by_spread + m));
    });
  }
  for (int f = 0; f < shape.n_frequencies; ++f) {
    mean_up.wrap(f);
    mean_down.wrap(f);
    for_blocks(n, [&](int m) {
      store(up_flux[f] + m, load(up[f] + m) + load(growing.spread + m) * slope_at(mean_up[f] + m));
      store(down_flux[f] + m, load(down[f] + m) - load(shrinking.spread + m) * slope_at(mean_down[f] + m));
    });
  }
  for (int f = 0; f < shape.n_frequencies; ++f) {
    up_flux.wrap(f);
    down_flux.wrap(f);
    for_blocks(n, [&](int m) {
      const Lanes rising = load(up_flux[f] + m) - load(up_flux[f] + m - 1);
      const Lanes falling = load(down_flux[f] + m) - load(down_flux[f] + m + 1);
      store(rate + f * n + m, (load(through_edges[f] + m) - rising) - falling);
    });
  }
}

void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* turning,
                   float dt, std::span<float> scratch, float* result) {
  const int n = shape.n_directions;
  const auto [padded, slope, flux] = padded_rows<3>(shape, scratch);
  for (int f = 0; f < shape.n_frequencies; ++f) {
    for_blocks(n, [&](int m) { store(padded[f] + m, load(action + f * n + m)); });
  }
  for (int f = 0; f < shape.n_frequencies; ++f) {
    padded.wrap(f);
    for_blocks(n, [&](int m) { store(slope[f] + m, slope_at(padded[f] + m)); });
  }
  for (int f = 0; f < shape.n_frequencies; ++f) {
    slope.wrap(f);
    for_blocks(n, [&](int m) {
      const Lanes r = load(turning + f * n + m);
      const Lanes reach = 0.5f * (1 - larger(r, -r) * dt);
      const Lanes from_below = load(padded[f] + m) + reach * load(slope[f] + m);
      const Lanes from_above = load(padded[f] + m + 1) - reach * load(slope[f] + m + 1);
      store(flux[f] + m, larger(r, Lanes{}) * from_below + smaller(r, Lanes{}) * from_above);
    });
  }
  for (int f = 0; f < shape.n_frequencies; ++f) {
    flux.wrap(f);
    for_blocks(n, [&](int m) {
      const Lanes change = load(rate + f * n + m) - (load(flux[f] + m) - load(flux[f] + m - 1));
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
