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

/// Wraps all rows of some sets: in a pass of its own, before any row is read.
template <class... Rows>
void wrap_all(SpectrumShape shape, const Rows&... rows) {
  for (int f = 0; f < shape.n_frequencies; ++f) (rows.wrap(f), ...);
}

/// So many sets of padded rows in scratch.
template <std::size_t kCount>
std::array<PaddedRows, kCount> padded_rows(SpectrumShape shape, std::span<float> scratch) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{PaddedRows(shape, scratch.data() + I * PaddedRows::size(shape))...};
  }(std::make_index_sequence<kCount>{});
}

/// A stretch of directions in so many blocks, to be held in registers; the last may overlap the one before.
template <int kBlocks>
struct Stretch {
  static constexpr int kCount = kBlocks;
  int first, size;

  template <class Body>
  void each(const Body& body) const {
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) body(b, first + (b + 1 < kBlocks ? b * kLanes : size - kLanes));
  }
};

/// Calls body with stretches that cover 0 .. n; they may overlap.
template <int kBlocks = 1, class Body>
inline void for_stretches(int n, const Body& body) {
  constexpr int kMostBlocks = 5;
  if constexpr (kBlocks < kMostBlocks) {
    if (n > kBlocks * kLanes) return for_stretches<kBlocks + 1>(n, body);
    body(Stretch<kBlocks>{0, n});
  } else {
    const int size = std::min(n, kMostBlocks * kLanes);
    for (int first = 0; first < n - size; first += size) body(Stretch<kBlocks>{first, size});
    body(Stretch<kBlocks>{n - size, size});
  }
}

/// Adds what a group of inflows brings to a row of directions; writes the part that turns on, and its mean.
template <int kBlocks>
inline void bring(Stretch<kBlocks> stretch, const Inflows& inflows, int f, int row, Lanes* sum, float* swept,
                  float* mean) {
  Lanes turning_on[kBlocks]{};
  for (const auto& edge : inflows.edges) {
    const float* theirs = edge.action + row;
    const float speed = edge.group_speed[f];
    stretch.each([&](int b, int m) {
      const Lanes flux = speed * load(theirs + m);
      sum[b] = multiply_add(load(edge.weight + m), flux, sum[b]);
      turning_on[b] = multiply_add(load(edge.swept + m), flux, turning_on[b]);
    });
  }
  stretch.each([&](int b, int m) {
    store(swept + m, turning_on[b]);
    store(mean + m, turning_on[b] * load(inflows.two_over_swept + m));
  });
}

/// The monotonized-central slope of a padded row of doubled values: of the central difference and twice those
/// on both sides the smallest, if they agree in sign.
inline Lanes slope_of_doubled(const float* row) {
  const Lanes centre = load(row);
  const Lanes below = centre - load(row - 1), above = load(row + 1) - centre;
  const Lanes most = larger(smaller(below, above), Lanes{}), least = smaller(larger(below, above), Lanes{});
  return smaller(larger(0.25f * (below + above), least), most);
}

}  // namespace

std::size_t transport_scratch_size(SpectrumShape shape) {
  return 4 * PaddedRows::size(shape);
}

// These functions go in passes over all frequencies, so that no load waits for a store that it overlaps.

void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  const Inflows& growing, const Inflows& shrinking, std::span<float> scratch, float* rate,
                  float* flux) {
  const int n = shape.n_directions;
  const auto [up, down, up_mean, down_mean] = padded_rows<4>(shape, scratch);
  for_stretches(n, [&](auto stretch) {
    for (int f = 0; f < shape.n_frequencies; ++f) {
      const int row = f * n;
      Lanes sum[stretch.kCount]{};
      bring(stretch, growing, f, row, sum, up[f], up_mean[f]);
      bring(stretch, shrinking, f, row, sum, down[f], down_mean[f]);
      const Lanes leaves = Lanes{} - group_speed[f];
      stretch.each([&](int b, int m) {
        store(rate + row + m, multiply_add(leaves * load(outflow + m), load(action + row + m), sum[b]));
      });
    }
  });
  wrap_all(shape, up_mean, down, down_mean);
  for (int f = 0; f < shape.n_frequencies; ++f) {
    for_blocks(n, [&](int m) {
      const Lanes turns_up = slope_of_doubled(up_mean[f] + m),
                  turns_down = slope_of_doubled(down_mean[f] + m + 1);
      const Lanes net = load(up[f] + m) - load(down[f] + m + 1);
      store(flux + f * n + m, multiply_add(load(growing.spread + m), turns_up,
                                           multiply_add(load(shrinking.spread + m), turns_down, net)));
    });
  }
}

void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* flux,
                   const TurningRates& turning, float dt, std::span<float> scratch, float* result) {
  const int n = shape.n_directions;
  const auto [doubled, slope, through_faces] = padded_rows<3>(shape, scratch);
  for (int f = 0; f < shape.n_frequencies; ++f) {
    for_blocks(n, [&](int m) { store(doubled[f] + m, 2 * load(action + f * n + m)); });
  }
  wrap_all(shape, doubled);
  for (int f = 0; f < turning.n_noticeable; ++f) {
    for_blocks(n, [&](int m) { store(slope[f] + m, slope_of_doubled(doubled[f] + m)); });
  }
  wrap_all({turning.n_noticeable, n}, slope);
  const auto half_rates = [&](int f) {
    const Lanes sine = Lanes{} + turning.sine[f] / 2, cosine = Lanes{} + turning.cosine[f] / 2;
    return [&turning, sine, cosine](int m) {
      return multiply_add(sine, load(turning.face_sine + m), cosine * load(turning.face_cosine + m));
    };
  };
  const auto set_flux = [&](int f, int m, Lanes half_rate, Lanes from_below, Lanes from_above) {
    const Lanes upwards = multiply_add(larger(half_rate, Lanes{}), from_below, load(flux + f * n + m));
    store(through_faces[f] + m, multiply_add(smaller(half_rate, Lanes{}), from_above, upwards));
  };
  for (int f = 0; f < turning.n_noticeable; ++f) {
    const auto half_rate = half_rates(f);
    for_blocks(n, [&](int m) {
      const Lanes half = half_rate(m);
      const Lanes reach = multiply_add(larger(half, -half), Lanes{} - 2 * dt, Lanes{} + 1);
      set_flux(f, m, half, multiply_add(reach, load(slope[f] + m), load(doubled[f] + m)),
               multiply_add(-reach, load(slope[f] + m + 1), load(doubled[f] + m + 1)));
    });
  }
  for (int f = turning.n_noticeable; f < shape.n_frequencies; ++f) {
    const auto half_rate = half_rates(f);
    for_blocks(n,
               [&](int m) { set_flux(f, m, half_rate(m), load(doubled[f] + m), load(doubled[f] + m + 1)); });
  }
  wrap_all(shape, through_faces);
  for (int f = 0; f < shape.n_frequencies; ++f) {
    for_blocks(n, [&](int m) {
      const float* face = through_faces[f] + m;
      const Lanes change = load(rate + f * n + m) - (load(face) - load(face - 1));
      store(result + f * n + m, multiply_add(Lanes{} + dt, change, load(action + f * n + m)));
    });
  }
}

void turn_implicit(int n, const float* action, const float* rate, const float* flux,
                   const TurningRates& turning, float dt, float* result) {
  const auto above = [&](int m) {
    return *turning.sine * turning.face_sine[m] + *turning.cosine * turning.face_cosine[m];
  };
  const auto below = [&](int m) { return above(m == 0 ? n - 1 : m - 1); };
  const auto up = [&](int m) { return m == n - 1 ? 0 : m + 1; };
  const auto down = [&](int m) { return m == 0 ? n - 1 : m - 1; };
  const auto before = [&](int m) { return action[m] + dt * (rate[m] - (flux[m] - flux[down(m)])); };

  int diverging = 0;
  while (diverging < n - 1 && !(below(diverging) <= 0 && above(diverging) >= 0)) ++diverging;
  result[diverging] = before(diverging) / (1 + dt * (above(diverging) - below(diverging)));

  // Upwards, then downwards, from the bin that nothing enters to the one that nothing leaves.
  int rising = diverging;
  while (above(rising) > 0 && above(up(rising)) > 0) {
    const int m = up(rising);
    result[m] = (before(m) + dt * above(rising) * result[rising]) / (1 + dt * above(m));
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
    if (m == up(rising)) result[m] += dt * std::max(above(rising), 0.f) * result[rising];
    if (m == down(falling)) result[m] -= dt * std::min(below(falling), 0.f) * result[falling];
  }
}

}  // namespace halcyon::wave
