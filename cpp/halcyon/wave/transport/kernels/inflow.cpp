#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

namespace {

/// Returns cg V at an edge, (east, north) from the donor's centre, for the block from element i of the rows
/// on.
inline Lanes flux_of(const Donor& donor, Lanes east, Lanes north, int i) {
  return multiply_add(east, load(donor.slope_east + i),
                      multiply_add(north, load(donor.slope_north + i), load(donor.value + i)));
}

/// Adds the inflow through the edges of `entries` to the sum, and its turned part to `turned`, for kRows rows
/// from `first_row` on and the block of directions that starts at m.
template <int kRows>
inline void add_flows(std::span<const FlowEntry> entries, const Donor* donors, int n, int first_row, int m,
                      Lanes* sum, Lanes* turned) {
  for (const auto& entry : entries) {
    const Donor& donor = donors[entry.inflow];
    const Lanes weight = load(entry.weight), turned_weight = load(entry.turned);
    const Lanes east = broadcast(donor.edge_east), north = broadcast(donor.edge_north);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) {
      const Lanes flux = flux_of(donor, east, north, (first_row + row) * n + m);
      sum[row] = multiply_add(weight, flux, sum[row]);
      turned[row] = multiply_add(turned_weight, flux, turned[row]);
    }
  }
}

/// Adds the inflow by swell diffusion to the sum.
template <int kRows>
inline void add_diffusion(std::span<const DiffusionEntry> entries, const Inflows& inflows, int n,
                          int first_row, int m, Lanes* sum) {
  Lanes diffused[kRows]{};
  for (const auto& entry : entries) {
    const Donor& donor = inflows.donors[entry.inflow];
    const Lanes weight = load(entry.weight);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row)
      diffused[row] = multiply_add(weight, load(donor.value + (first_row + row) * n + m), diffused[row]);
  }
#pragma GCC unroll 5
  for (int row = 0; row < kRows; ++row)
    sum[row] = multiply_add(broadcast(inflows.diffusion_factor[first_row + row]), diffused[row], sum[row]);
}

/// Adds the inflow by the current through one edge to the whole inflow and to its turned part.
void add_current(int first_row, int n_rows, int n, const Donor& donor, const PaddedRows& total,
                 const PaddedRows& turned) {
  for (int row = 0; row < n_rows; ++row) {
    for (int m = 0, i = (first_row + row) * n; m < n; ++m, ++i) {
      const float value =
          donor.value[i] + donor.edge_east * donor.slope_east[i] + donor.edge_north * donor.slope_north[i];
      const float flux = donor.current_weight[first_row + row] * value;
      total[row][m] += flux;
      turned[row][m] += donor.turned_fraction * flux;
    }
  }
}

/// Computes the inflow without currents.
template <int kRows>
void set_wave_inflow(int first_row, int n, const Inflows& inflows, const Incoming& incoming) {
  const BlockEntries* block = inflows.blocks.data();
  for_blocks(n, [&](int m) {
    const auto& entries = *block++;
    const auto store_rows = [&](const PaddedRows& rows, const Lanes* values) {
#pragma GCC unroll 5
      for (int row = 0; row < kRows; ++row) store(rows[row] + m, values[row]);
    };
    Lanes sum[kRows]{};
    for (const bool clockwise : {true, false}) {
      Lanes turned[kRows]{};
      add_flows<kRows>(clockwise ? entries.clockwise : entries.anticlockwise, inflows.donors.data(), n,
                       first_row, m, sum, turned);
      store_rows(clockwise ? incoming.up : incoming.down, turned);
    }
    Lanes mean[kRows];
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) mean[row] = sum[row] * load(inflows.two_over_weight_sum + m);
    store_rows(incoming.doubled_mean, mean);
    if (!entries.diffusion.empty()) add_diffusion<kRows>(entries.diffusion, inflows, n, first_row, m, sum);
    store_rows(incoming.total, sum);
  });
}

}  // namespace

void compute_inflow(int first_row, int n_rows, int n, const Inflows& inflows, const Incoming& incoming) {
  with_rows(n_rows, [&](auto rows) { set_wave_inflow<rows>(first_row, n, inflows, incoming); });
  for (int i = 0; i < std::ssize(inflows.donors); ++i) {
    const Donor& donor = inflows.donors[i];
    if (!donor.current_weight) continue;
    add_current(first_row, n_rows, n, donor, incoming.total,
                i < inflows.n_clockwise ? incoming.up : incoming.down);
  }
}

}  // namespace halcyon::wave
