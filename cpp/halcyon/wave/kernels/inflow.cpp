#include "halcyon/wave/kernels/inflow.hpp"

namespace halcyon::wave {

namespace {

/// cg V of an edge in a block of directions of a row.
template <bool kSecondOrder>
inline Lanes flux_of(const Donor& donor, Lanes east, Lanes north, int row, int at) {
  const Lanes value = load(donor.value + at);
  if constexpr (!kSecondOrder) return donor.group_speed[row] * value;
  return multiply_add(east, load(donor.east + at), multiply_add(north, load(donor.north + at), value));
}

template <int kRows, bool kSecondOrder>
inline void add_flows(std::span<const FlowEntry> entries, const Donor* donors, int n, int m, Lanes* sum,
                      Lanes* swept) {
  for (const auto& entry : entries) {
    const Donor& donor = donors[entry.edge];
    const Lanes weight = load(entry.weight), turning_on = load(entry.swept);
    const Lanes east = broadcast(donor.beyond_east), north = broadcast(donor.beyond_north);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) {
      const Lanes flux = flux_of<kSecondOrder>(donor, east, north, row, row * n + m);
      sum[row] = multiply_add(weight, flux, sum[row]);
      swept[row] = multiply_add(turning_on, flux, swept[row]);
    }
  }
}

template <int kRows, bool kSecondOrder>
inline void add_exchange(std::span<const ExchangeEntry> entries, const Inflows& inflows, int n, int m,
                         Lanes* sum) {
  Lanes exchanged[kRows]{};
  for (const auto& entry : entries) {
    const Donor& donor = inflows.donors[entry.edge];
    const Lanes weight = load(entry.weight);
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) {
      const Lanes value = load(donor.value + row * n + m);
      exchanged[row] =
          multiply_add(weight, kSecondOrder ? value : donor.group_speed[row] * value, exchanged[row]);
    }
  }
#pragma GCC unroll 5
  for (int row = 0; row < kRows; ++row) {
    sum[row] = multiply_add(broadcast(inflows.exchange_share[row]), exchanged[row], sum[row]);
  }
}

/// Adds what the current brings through one edge.
template <bool kSecondOrder>
void add_current(int n_rows, int n, const Donor& donor, const PaddedRows& all, const PaddedRows& swept) {
  for (int row = 0; row < n_rows; ++row) {
    for (int m = 0, at = row * n; m < n; ++m, ++at) {
      float value = donor.value[at];
      if constexpr (kSecondOrder)
        value += donor.beyond_east * donor.east[at] + donor.beyond_north * donor.north[at];
      else
        value *= donor.group_speed[row];
      const float flux = donor.current[row] * value;
      all[row][m] += flux;
      swept[row][m] += donor.turned * flux;
    }
  }
}

template <int kRows, bool kSecondOrder>
void flows(int n, const Inflows& inflows, const Incoming& incoming) {
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
      add_flows<kRows, kSecondOrder>(growing ? entries.growing : entries.shrinking, inflows.donors.data(), n,
                                     m, sum, swept);
      put(growing ? incoming.up : incoming.down, swept);
    }
    Lanes mean[kRows];
#pragma GCC unroll 5
    for (int row = 0; row < kRows; ++row) mean[row] = sum[row] * load(inflows.two_over_weight + m);
    put(incoming.doubled_mean, mean);
    if (!entries.exchange.empty()) add_exchange<kRows, kSecondOrder>(entries.exchange, inflows, n, m, sum);
    put(incoming.all, sum);
  });
}

}  // namespace

template <bool kSecondOrder>
void inflow(int n_rows, int n, const Inflows& inflows, const Incoming& incoming) {
  with_rows(n_rows, [&](auto rows) { flows<rows, kSecondOrder>(n, inflows, incoming); });
  for (int edge = 0; edge < std::ssize(inflows.donors); ++edge) {
    const Donor& donor = inflows.donors[edge];
    if (!donor.current) continue;
    add_current<kSecondOrder>(n_rows, n, donor, incoming.all,
                              edge < inflows.n_growing ? incoming.up : incoming.down);
  }
}

template void inflow<false>(int, int, const Inflows&, const Incoming&);
template void inflow<true>(int, int, const Inflows&, const Incoming&);

}  // namespace halcyon::wave
