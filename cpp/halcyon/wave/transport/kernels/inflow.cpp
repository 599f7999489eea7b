#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

namespace {

/// cg V of an edge in a block of directions of a row.
inline Lanes flux_of(const Donor& donor, Lanes east, Lanes north, int at) {
  return multiply_add(east, load(donor.east + at),
                      multiply_add(north, load(donor.north + at), load(donor.value + at)));
}

template <int kRows>
inline void add_flows(std::span<const FlowEntry> entries, const Donor* donors, int n, int first, int m,
                      Lanes* sum, Lanes* swept) {
  for (const auto& entry : entries) {
    const Donor& donor = donors[entry.edge];
    const Lanes weight = load(entry.weight), turning_on = load(entry.swept);
    const Lanes east = lanes_of(donor.beyond_east), north = lanes_of(donor.beyond_north);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) {
      const Lanes flux = flux_of(donor, east, north, (first + row) * n + m);
      sum[row] = multiply_add(weight, flux, sum[row]);
      swept[row] = multiply_add(turning_on, flux, swept[row]);
    }
  }
}

template <int kRows>
inline void add_exchange(std::span<const ExchangeEntry> entries, const Inflows& inflows, int n, int first,
                         int m, Lanes* sum) {
  Lanes exchanged[kRows]{};
  for (const auto& entry : entries) {
    const Donor& donor = inflows.donors[entry.edge];
    const Lanes weight = load(entry.weight);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) {
      exchanged[row] = multiply_add(weight, load(donor.value + (first + row) * n + m), exchanged[row]);
    }
  }
#pragma GCC unroll 5
  for (int row = 0; row < kRows; ++row) {
    sum[row] = multiply_add(lanes_of(inflows.exchange_share[first + row]), exchanged[row], sum[row]);
  }
}

/// Adds what the current brings through one edge.
void add_current(int first, int n_rows, int n, const Donor& donor, const PaddedRows& all,
                 const PaddedRows& swept) {
  for (int row = 0; row < n_rows; ++row) {
    for (int m = 0, at = (first + row) * n; m < n; ++m, ++at) {
      const float value =
          donor.value[at] + donor.beyond_east * donor.east[at] + donor.beyond_north * donor.north[at];
      const float flux = donor.current[first + row] * value;
      all[row][m] += flux;
      swept[row][m] += donor.turned * flux;
    }
  }
}

template <int kRows>
void flows(int first, int n, const Inflows& inflows, const Incoming& incoming) {
  const BlockEntries* block = inflows.blocks.data();
  for_blocks(n, [&](int m) {
    const auto& entries = *block++;
    const auto put = [&](const PaddedRows& rows, const Lanes* values) {
#pragma GCC unroll 5
      for (int row = 0; row < kRows; ++row) store(rows[row] + m, values[row]);
    };
    Lanes sum[kRows]{};
    for (const bool growing : {true, false}) {
      Lanes swept[kRows]{};
      add_flows<kRows>(growing ? entries.growing : entries.shrinking, inflows.donors.data(), n, first, m, sum,
                       swept);
      put(growing ? incoming.up : incoming.down, swept);
    }
    Lanes mean[kRows];
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) mean[row] = sum[row] * load(inflows.two_over_weight + m);
    put(incoming.doubled_mean, mean);
    if (!entries.exchange.empty()) add_exchange<kRows>(entries.exchange, inflows, n, first, m, sum);
    put(incoming.all, sum);
  });
}

}  // namespace

void inflow(int first, int n_rows, int n, const Inflows& inflows, const Incoming& incoming) {
  with_rows(n_rows, [&](auto rows) { flows<rows>(first, n, inflows, incoming); });
  for (int edge = 0; edge < std::ssize(inflows.donors); ++edge) {
    const Donor& donor = inflows.donors[edge];
    if (!donor.current) continue;
    add_current(first, n_rows, n, donor, incoming.all,
                edge < inflows.n_growing ? incoming.up : incoming.down);
  }
}

}  // namespace halcyon::wave
