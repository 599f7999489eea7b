#include "halcyon/wave/transport/kernels/upwind.hpp"

#include <algorithm>

namespace halcyon::wave {

namespace {

/// Adds what comes through some edges in a block of directions.
template <int kRows>
inline void add_flows(std::span<const FlowEntry> entries, const Donor* donors, int n, int row, int m,
                      Lanes* sum, Lanes* swept) {
  for (const auto& entry : entries) {
    const Donor& donor = donors[entry.edge];
    const float *value = donor.value + row * n + m, *speed = donor.group_speed + row;
    const Lanes weight = load(entry.weight), turning_on = load(entry.swept);
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes flux = lanes_of(speed[i]) * load(value + i * n);
      sum[i] = multiply_add(weight, flux, sum[i]);
      swept[i] = multiply_add(turning_on, flux, swept[i]);
    }
  }
}

/// Adds what currents bring through some edges, in all directions alike.
template <int kRows>
void add_currents(std::span<const Donor> donors, int n, int row, int m, Lanes* sum, Lanes* swept) {
  for (const auto& donor : donors) {
    if (!donor.current) continue;
    for (int i = 0; i < kRows; ++i) {
      const float rate = donor.current[row + i] * donor.group_speed[row + i];
      const Lanes flux = lanes_of(rate) * load(donor.value + (row + i) * n + m);
      sum[i] += flux;
      swept[i] = multiply_add(lanes_of(donor.turned), flux, swept[i]);
    }
  }
}

template <int kRows, bool kMoving>
void advance(int n, int row, const float* action, const Inflows& inflows, const Outflow& outflow,
             const TurningRates& turning, float dt, const PaddedRows& above, const PaddedRows& below,
             float* result) {
  const auto growing = inflows.donors.first(inflows.n_growing),
             shrinking = inflows.donors.subspan(inflows.n_growing);
  const BlockEntries* block = inflows.blocks.data();
  const auto rate = [&](int i, int m) {
    return multiply_add(lanes_of(turning.sine[row + i]), load(turning.face_sine + m),
                        multiply_add(lanes_of(turning.cosine[row + i]), load(turning.face_cosine + m),
                                     load(turning.current + m)));
  };
  for_blocks(n, [&](int m) {
    Lanes sum[kRows]{}, up[kRows]{}, down[kRows]{};
    add_flows<kRows>(block->growing, inflows.donors.data(), n, row, m, sum, up);
    if constexpr (kMoving) add_currents<kRows>(growing, n, row, m, sum, up);
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes gives = multiply_add(larger(rate(i, m), Lanes{}), load(action + (row + i) * n + m), up[i]);
      store(above[i] + m, gives);
      sum[i] -= gives;
    }
    add_flows<kRows>(block->shrinking, inflows.donors.data(), n, row, m, sum, down);
    if constexpr (kMoving) add_currents<kRows>(shrinking, n, row, m, sum, down);
    ++block;
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes old = load(action + (row + i) * n + m);
      const Lanes gives = multiply_add(larger(-rate(i, m - 1), Lanes{}), old, down[i]);
      store(below[i] + m, gives);
      const Lanes leaves = multiply_add(lanes_of(outflow.group_speed[row + i]), load(outflow.direct + m),
                                        lanes_of(outflow.current));
      const Lanes change = sum[i] - gives - leaves * old;
      store(result + (row + i) * n + m, multiply_add(lanes_of(dt), change, old));
    }
  });
  for (int i = 0; i < kRows; ++i) {
    above.wrap(i);
    below.wrap(i);
  }
  for (int i = 0; i < kRows; ++i) {
    float* row_of = result + (row + i) * n;
    const Lanes last = load(row_of + n - kLanes);
    const auto with_turned = [&](int m, Lanes stays) {
      store(row_of + m, multiply_add(lanes_of(dt), load(above[i] + m - 1) + load(below[i] + m + 1), stays));
    };
    for (int m = 0; m < n - kLanes; m += kLanes) with_turned(m, load(row_of + m));
    with_turned(n - kLanes, last);
  }
}

}  // namespace

std::size_t upwind_scratch_size(int n_directions) {
  return 2 * PaddedRows::size(n_directions);
}

void upwind(int n_rows, int n, const float* action, const Inflows& inflows, const Outflow& outflow,
            const TurningRates& turning, float dt, std::span<const float* const> soon,
            std::span<float> scratch, float* result) {
  const auto [above, below] = padded_rows<2>(n, scratch);
  const bool moving = std::ranges::any_of(inflows.donors, [](const auto& donor) { return donor.current; });
  for (int row = 0; row < n_rows; row += kMostRows) {
    const int now = std::min(kMostRows, n_rows - row);
    for (const float* rows : soon) fetch(rows + row * n, now * n);
    with_rows(now, [&](auto rows) {
      if (moving)
        advance<rows, true>(n, row, action, inflows, outflow, turning, dt, above, below, result);
      else
        advance<rows, false>(n, row, action, inflows, outflow, turning, dt, above, below, result);
    });
  }
}

}  // namespace halcyon::wave
