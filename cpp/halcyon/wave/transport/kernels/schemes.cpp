#include "halcyon/wave/transport/kernels/schemes.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

namespace {

/// Second-order outflow of one row, out(m) [m2 s], in blocks of directions.
class SecondOrderOutflow {
 public:
  SecondOrderOutflow(const Outflow& outflow, int row, int n)
      : advective_(outflow.advective),
        diffusive_(outflow.diffusive),
        moment_east_(outflow.moment_east),
        moment_north_(outflow.moment_north),
        value_(outflow.reconstruction.value + row * n),
        slope_east_(outflow.reconstruction.slope_east + row * n),
        slope_north_(outflow.reconstruction.slope_north + row * n),
        rho_(broadcast(outflow.diffusion_factor[row])) {
    const float inverse_speed = 1 / outflow.group_speed[row];
    current_weight_ = broadcast(outflow.current_rate * inverse_speed);
    current_moment_east_ = broadcast(outflow.current_moment_east * inverse_speed);
    current_moment_north_ = broadcast(outflow.current_moment_north * inverse_speed);
  }
  Lanes operator()(int m) const {
    const Lanes weight = multiply_add(rho_, load(diffusive_ + m), load(advective_ + m) + current_weight_);
    return multiply_add(
        weight, load(value_ + m),
        multiply_add(load(moment_east_ + m) + current_moment_east_, load(slope_east_ + m),
                     (load(moment_north_ + m) + current_moment_north_) * load(slope_north_ + m)));
  }

 private:
  const float *advective_, *diffusive_, *moment_east_, *moment_north_, *value_, *slope_east_, *slope_north_;
  Lanes rho_, current_weight_, current_moment_east_, current_moment_north_;
};

/// Returns the turning rates of a row for the block that starts at m.
inline Lanes turning_rate(const TurningRates& rates, const TurningRates::At& at, int row, int m) {
  return multiply_add(
      broadcast(rates.sine_rate[row]), load(at.sine + m),
      multiply_add(broadcast(rates.cosine_rate[row]), load(at.cosine + m), load(at.current_rate + m)));
}

/// Advances kRows rows from `first_row` on.
template <int kRows>
void advance(int first_row, int n, const float* action, const Incoming& incoming,
             const TurningCorrection& correction, const Outflow& outflow, const TurningRates& turning,
             float dt, std::span<float> scratch, float* result) {
  const auto [flux_up, flux_down, remaining] = padded_rows<3>(n, scratch);
  for (int row = 0; row < kRows; ++row) incoming.doubled_mean.wrap(row);
  for (int row = 0; row < kRows; ++row) {
    const auto rate_at_face = [&](int m) { return turning_rate(turning, turning.face, first_row + row, m); };
    const SecondOrderOutflow outflow_at(outflow, first_row + row, n);
    for_blocks(n, [&](int m) {
      const Lanes old_action = load(action + (first_row + row) * n + m),
                  inflow = load(incoming.total[row] + m);
      const Lanes to_up = load(incoming.up[row] + m), to_down = load(incoming.down[row] + m);
      const float* mean = incoming.doubled_mean[row] + m;
      const Lanes turned_up =
          smaller(larger(multiply_add(load(correction.up + m), rise_to_face<1>(mean), to_up), Lanes{}),
                  inflow - to_down);
      const Lanes turned_down =
          smaller(larger(multiply_add(load(correction.down + m), rise_to_face<-1>(mean), to_down), Lanes{}),
                  inflow - turned_up);
      const Lanes up = larger(rate_at_face(m), Lanes{}) * old_action,
                  down = larger(-rate_at_face(m - 1), Lanes{}) * old_action;
      // In this order of differences, inflow that turns as a whole leaves exactly zero.
      const Lanes change = (inflow - turned_up) - turned_down - outflow_at(m) - (up + down);
      store(flux_up[row] + m, turned_up + up);
      store(flux_down[row] + m, turned_down + down);
      store(remaining[row] + m, multiply_add(broadcast(dt), change, old_action));
    });
  }
  for (int row = 0; row < kRows; ++row) {
    flux_up.wrap(row);
    flux_down.wrap(row);
  }
  for (int row = 0; row < kRows; ++row) {
    for_blocks(n, [&](int m) {
      const Lanes gained = load(flux_up[row] + m - 1) + load(flux_down[row] + m + 1);
      store(result + (first_row + row) * n + m,
            multiply_add(broadcast(dt), gained, load(remaining[row] + m)));
    });
  }
}

/// Adds the inflow through the edges of `entries` to the sum, and its turned part to `turned`, for kRows rows
/// from `row` on and the block of directions that starts at m.
template <int kRows>
inline void add_flows(std::span<const FlowEntry> entries, const Donor* donors, int n, int row, int m,
                      Lanes* sum, Lanes* turned) {
  for (const auto& entry : entries) {
    const Donor& donor = donors[entry.inflow];
    const float *value = donor.value + row * n + m, *speed = donor.group_speed + row;
    const Lanes weight = load(entry.weight), turned_weight = load(entry.turned);
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes flux = broadcast(speed[i]) * load(value + i * n);
      sum[i] = multiply_add(weight, flux, sum[i]);
      turned[i] = multiply_add(turned_weight, flux, turned[i]);
    }
  }
}

/// Adds the inflow by currents from the donors; its weights are the same for all directions.
template <int kRows>
void add_currents(std::span<const Donor> donors, int n, int row, int m, Lanes* sum, Lanes* turned) {
  for (const auto& donor : donors) {
    if (!donor.current_weight) continue;
    for (int i = 0; i < kRows; ++i) {
      const float rate = donor.current_weight[row + i] * donor.group_speed[row + i];
      const Lanes flux = broadcast(rate) * load(donor.value + (row + i) * n + m);
      sum[i] += flux;
      turned[i] = multiply_add(broadcast(donor.turned_fraction), flux, turned[i]);
    }
  }
}

/// Advances kRows rows from `row` on at first order.
template <int kRows, bool kHasCurrent>
void advance_upwind(int n, int row, const float* action, const Inflows& inflows, const Outflow& outflow,
                    const TurningRates& turning, float dt, const PaddedRows& flux_up_rows,
                    const PaddedRows& flux_down_rows, float* result) {
  const auto clockwise = inflows.donors.first(inflows.n_clockwise),
             anticlockwise = inflows.donors.subspan(inflows.n_clockwise);
  const BlockEntries* block = inflows.blocks.data();
  const auto rate = [&](int i, int m) {
    return multiply_add(broadcast(turning.sine_rate[row + i]), load(turning.face.sine + m),
                        multiply_add(broadcast(turning.cosine_rate[row + i]), load(turning.face.cosine + m),
                                     load(turning.face.current_rate + m)));
  };
  for_blocks(n, [&](int m) {
    Lanes sum[kRows]{}, up[kRows]{}, down[kRows]{};
    add_flows<kRows>(block->clockwise, inflows.donors.data(), n, row, m, sum, up);
    if constexpr (kHasCurrent) add_currents<kRows>(clockwise, n, row, m, sum, up);
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes flux_up =
          multiply_add(larger(rate(i, m), Lanes{}), load(action + (row + i) * n + m), up[i]);
      store(flux_up_rows[i] + m, flux_up);
      sum[i] -= flux_up;
    }
    add_flows<kRows>(block->anticlockwise, inflows.donors.data(), n, row, m, sum, down);
    if constexpr (kHasCurrent) add_currents<kRows>(anticlockwise, n, row, m, sum, down);
    ++block;
#pragma GCC unroll 5
    for (int i = 0; i < kRows; ++i) {
      const Lanes old_action = load(action + (row + i) * n + m);
      const Lanes flux_down = multiply_add(larger(-rate(i, m - 1), Lanes{}), old_action, down[i]);
      store(flux_down_rows[i] + m, flux_down);
      const Lanes outflow_rate = multiply_add(broadcast(outflow.group_speed[row + i]),
                                              load(outflow.advective + m), broadcast(outflow.current_rate));
      const Lanes change = sum[i] - flux_down - outflow_rate * old_action;
      store(result + (row + i) * n + m, multiply_add(broadcast(dt), change, old_action));
    }
  });
  for (int i = 0; i < kRows; ++i) {
    flux_up_rows.wrap(i);
    flux_down_rows.wrap(i);
  }
  for (int i = 0; i < kRows; ++i) {
    float* result_row = result + (row + i) * n;
    const Lanes last_block = load(result_row + n - kLanes);  // loaded before the overlapping block changes
    const auto add_flux_from_next_bins = [&](int m, Lanes remaining) {
      store(result_row + m,
            multiply_add(broadcast(dt), load(flux_up_rows[i] + m - 1) + load(flux_down_rows[i] + m + 1),
                         remaining));
    };
    for (int m = 0; m < n - kLanes; m += kLanes) add_flux_from_next_bins(m, load(result_row + m));
    add_flux_from_next_bins(n - kLanes, last_block);
  }
}

}  // namespace

std::size_t second_order_scratch_size(int n_directions) {
  return 7 * PaddedRows::size(n_directions);
}

void second_order_step(int n_rows, int n, const float* action, const Inflows& inflows,
                       const TurningCorrection& correction, const Outflow& outflow,
                       const TurningRates& turning, float dt, std::span<float> scratch, float* result) {
  const auto [doubled_mean, total, up, down] = padded_rows<4>(n, scratch);
  const Incoming incoming{.doubled_mean = doubled_mean, .total = total, .up = up, .down = down};
  const auto advance_scratch = scratch.subspan(4 * PaddedRows::size(n));
  for (int first_row = 0; first_row < n_rows; first_row += kMaxRows) {
    const int n_block_rows = std::min(kMaxRows, n_rows - first_row);
    compute_inflow(first_row, n_block_rows, n, inflows, incoming);
    with_rows(n_block_rows, [&](auto rows) {
      advance<rows>(first_row, n, action, incoming, correction, outflow, turning, dt, advance_scratch,
                    result);
    });
  }
}

void turn_in_substeps(int n_rows, int n, const TurningRates& rates, std::span<const float> max_rates,
                      int n_substeps, float dt, std::span<float> scratch, float* action) {
  const auto [products, fractions, flux_up, flux_down, remaining] = padded_rows<5>(n, scratch);
  const float substep = dt / static_cast<float>(n_substeps);
  for (int i = 0; i < n_substeps; ++i) {
    for (int row = 0; row < n_rows; ++row) {
      for_blocks(n, [&](int m) {
        const Lanes rate = broadcast(substep) * turning_rate(rates, rates.centre, row, m);  // per substep
        store(products[row] + m, 2 * rate * load(action + row * n + m));
        store(fractions[row] + m, 1 - magnitude(rate));
      });
    }
    for (int row = 0; row < n_rows; ++row) products.wrap(row);
    for (int row = 0; row < n_rows; ++row) {
      const Lanes max_doubled_rate = broadcast(2 * max_rates[row] * substep);
      for_blocks(n, [&](int m) {
        const Lanes before = load(action + row * n + m), product = load(products[row] + m),
                    bound = max_doubled_rate * before;
        const Lanes change =
            larger(smaller(load(fractions[row] + m) * slope_of_doubled(products[row] + m), bound), -bound);
        const Lanes up = larger(0.5f * (change + product), Lanes{}),
                    down = larger(0.5f * (change - product), Lanes{});
        store(flux_up[row] + m, up);
        store(flux_down[row] + m, down);
        store(remaining[row] + m, before - (up + down));
      });
    }
    for (int row = 0; row < n_rows; ++row) {
      flux_up.wrap(row);
      flux_down.wrap(row);
    }
    for (int row = 0; row < n_rows; ++row) {
      for_blocks(n, [&](int m) {
        store(action + row * n + m,
              load(flux_up[row] + m - 1) + load(flux_down[row] + m + 1) + load(remaining[row] + m));
      });
    }
  }
}

void turn_implicit(int n, float sine_rate, float cosine_rate, const float* face_sine,
                   const float* face_cosine, float dt, float* row_before, float* row) {
  const auto rate_above = [&](int m) { return sine_rate * face_sine[m] + cosine_rate * face_cosine[m]; };
  const auto rate_below = [&](int m) { return rate_above(m - 1); };
  const auto bin_above = [&](int m) { return m == n - 1 ? 0 : m + 1; };
  const auto bin_below = [&](int m) { return m == 0 ? n - 1 : m - 1; };
  std::copy_n(row, n, row_before);

  int diverging = 0;  // the bin without inflow
  while (diverging < n - 1 && !(rate_below(diverging) <= 0 && rate_above(diverging) >= 0)) ++diverging;
  row[diverging] = row_before[diverging] / (1 + dt * (rate_above(diverging) - rate_below(diverging)));

  // Solves upwards, then downwards, from the bin without inflow to the bin without outflow.
  int rising = diverging;  // last bin solved upwards
  while (rate_above(rising) > 0 && rate_above(bin_above(rising)) > 0) {
    const int m = bin_above(rising);
    row[m] = (row_before[m] + dt * rate_above(rising) * row[rising]) / (1 + dt * rate_above(m));
    rising = m;
  }
  int falling = diverging;  // last bin solved downwards
  while (rate_below(falling) < 0 && rate_below(bin_below(falling)) < 0) {
    const int m = bin_below(falling);
    row[m] = (row_before[m] - dt * rate_below(falling) * row[falling]) / (1 - dt * rate_below(m));
    falling = m;
  }
  for (int m = bin_above(rising); m != falling; m = bin_above(m)) {
    row[m] = row_before[m];
    if (m == bin_above(rising)) row[m] += dt * std::max(rate_above(rising), 0.f) * row[rising];
    if (m == bin_below(falling)) row[m] -= dt * std::min(rate_below(falling), 0.f) * row[falling];
  }
}

std::size_t upwind_scratch_size(int n_directions) {
  return 2 * PaddedRows::size(n_directions);
}

void upwind_step(int n_rows, int n, const float* action, const Inflows& inflows, const Outflow& outflow,
                 const TurningRates& turning, float dt, std::span<const float* const> next_rows,
                 std::span<float> scratch, float* result) {
  const auto [flux_up, flux_down] = padded_rows<2>(n, scratch);
  const bool has_current =
      std::ranges::any_of(inflows.donors, [](const auto& donor) { return donor.current_weight; });
  for (int row = 0; row < n_rows; row += kMaxRows) {
    const int n_block_rows = std::min(kMaxRows, n_rows - row);
    for (const float* rows : next_rows) prefetch(rows + row * n, n_block_rows * n);
    with_rows(n_block_rows, [&](auto rows) {
      if (has_current)
        advance_upwind<rows, true>(n, row, action, inflows, outflow, turning, dt, flux_up, flux_down, result);
      else
        advance_upwind<rows, false>(n, row, action, inflows, outflow, turning, dt, flux_up, flux_down,
                                    result);
    });
  }
}

}  // namespace halcyon::wave
