#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

/// Number of rows that fit in the level-1 cache together; a row holds the directions of one frequency.
inline constexpr int kMaxRows = 5;

/// kMaxRows rows of directions, each padded periodically by three elements on both sides.
class PaddedRows {
 public:
  PaddedRows(int n_directions, float* memory) : memory_(memory), n_(n_directions) {}
  static std::size_t size(int n_directions) {
    return static_cast<std::size_t>(kMaxRows * (n_directions + 2 * kPadding));
  }
  float* operator[](int row) const { return memory_ + row * (n_ + 2 * kPadding) + kPadding; }
  /// Fills the padding of a row from its values.
  void wrap(int row) const {
    float* values = (*this)[row];
    for (int i = 0; i < kPadding; ++i) {
      values[i - kPadding] = values[n_ + i - kPadding];
      values[n_ + i] = values[i];
    }
  }

 private:
  static constexpr int kPadding = 3;
  float* memory_;
  int n_;  ///< number of directions
};

/// Returns kCount sets of padded rows in scratch memory.
template <std::size_t kCount>
std::array<PaddedRows, kCount> padded_rows(int n_directions, std::span<float> scratch) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{PaddedRows(n_directions, scratch.data() + I * PaddedRows::size(n_directions))...};
  }(std::make_index_sequence<kCount>{});
}

/// Calls body with n_rows <= kRows as a compile-time constant.
template <int kRows = kMaxRows, class Body>
inline void with_rows(int n_rows, const Body& body) {
  if constexpr (kRows > 1) {
    if (n_rows < kRows) return with_rows<kRows - 1>(n_rows, body);
  }
  body(std::integral_constant<int, kRows>{});
}

/// Returns the monotonized-central slope (van Leer 1977) over direction, per bin, of a padded row that holds
/// twice the values: the smallest in magnitude of the central difference and twice the one-sided differences
/// of the values, 0 where the signs of these differ.
inline Lanes slope_of_doubled(const float* row) {
  const Lanes centre = load(row);
  const Lanes below = centre - load(row - 1), above = load(row + 1) - centre;
  const Lanes upper = larger(smaller(below, above), Lanes{}), lower = smaller(larger(below, above), Lanes{});
  return smaller(larger(0.25f * (below + above), lower), upper);
}

/// Returns twice the difference between the value at the upper (kSide = 1) or lower (-1) face of a bin and
/// the bin's mean, for a padded row that holds twice the means. The value at the face has seventh order,
/// upwind for waves that leave through the face (Balsara and Shu 2000, r = 4):
///   (-3 N_-3 + 25 N_-2 - 101 N_-1 + 319 N_0 + 214 N_1 - 38 N_2 + 4 N_3) / 420.
template <int kSide>
inline Lanes rise_to_face(const float* row) {
  constexpr std::array kWeights{-3.f, 25.f, -101.f, 319.f - 420.f, 214.f, -38.f, 4.f};
  Lanes rise{};
#pragma GCC unroll 7
  for (int bin = 0; bin < 7; ++bin)
    rise = multiply_add(broadcast(kWeights[bin] / 420), load(row + kSide * (bin - 3)), rise);
  return rise;
}

/// Inflow weights of an edge in a block of directions, with l the edge length, A the cell area, k the unit
/// wave direction and n the outward normal of the edge. North differs between neighbouring centres, so a part
/// of each bin's inflow "turns": its compass direction at the receiving cell is in an adjacent bin.
struct FlowEntry {
  float weight[kLanes];  ///< w [m-1]: l max(-k.n, 0) / A
  float turned[kLanes];  ///< s [m-1]: the part of w whose compass direction turns into the next bin
  int inflow;            ///< index among the cell's inflows
};

/// Diffusion weights of an edge, against the garden-sprinkler effect.
struct DiffusionEntry {
  float weight[kLanes];  ///< d [m-1], to be multiplied by rho (see SwellDiffusion)
  int inflow;            ///< index among the cell's inflows
};

/// The entries of a cell in a block of directions. Inflow in `clockwise` turns into the next bin above,
/// inflow in `anticlockwise` into the next bin below.
struct BlockEntries {
  std::span<const FlowEntry> clockwise, anticlockwise;
  std::span<const DiffusionEntry> diffusion;
};

/// The neighbour from which an inflow comes. Directions are compass directions of the receiving cell.
struct Donor {
  /// (row, direction) First order: N [m2 s2]; second order: cg N* [m3 s], with N* at half the step.
  const float* value = nullptr;
  /// (row, direction) Second order: slopes of cg N [m2 s].
  const float *slope_east = nullptr, *slope_north = nullptr;
  float edge_east = 0, edge_north = 0;    ///< from the neighbour's centre to the middle of the edge [m]
  const float* group_speed = nullptr;     ///< [m s-1] (row)
  const float* current_weight = nullptr;  ///< l max(-U.n, 0) / (A cg) [m-1] (row), or null if zero
  float turned_fraction = 0;              ///< part of the inflow by a current that turns into the next bin
};

/// The inflows of a cell; the donors whose inflow turns clockwise come first.
struct Inflows {
  std::span<const BlockEntries> blocks;  ///< in the order of for_blocks
  std::span<const Donor> donors;
  int n_clockwise;
  const float* two_over_weight_sum;  ///< 2 / (sum of w over the edges) [m] (direction), 0 where the sum is 0
  const float* diffusion_factor;     ///< rho (row)
};

/// Inflow rates of action (row, direction).
struct Incoming {
  PaddedRows doubled_mean;  ///< twice the mean of cg N over the edges, weighted by w [m3 s]
  PaddedRows total;         ///< I, the whole inflow [m2 s]
  PaddedRows up, down;      ///< the parts of I that turn into the next bin above or below [m2 s]
};

/// Computes the inflow of a cell through its edges e by second-order upwind finite volumes,
///   I(f, m) = sum_e w_e(m) (cg V)_e + rho(f) sum_e d_e(m) (cg N*)_j + sum_e l max(-U.n_e, 0) / A V_e,
/// with f frequency (row), m direction, and cg of the donor cell j, so that a steady flux is cg N = const
/// (Green's law). V_e is the donor's N reconstructed at the middle of the edge, r_e from the donor's centre,
///   cg V_e = cg N* + r_e . slope.
/// The diffusion d (Booij and Holthuijsen 1987, eq. 7, as a flux between neighbours) and the current U are
/// optional. Sums are in the order of the entries.
/// @param first_row first of the n_rows <= kMaxRows rows that are written into `incoming`
void compute_inflow(int first_row, int n_rows, int n_directions, const Inflows& inflows,
                    const Incoming& incoming);

}  // namespace halcyon::wave
