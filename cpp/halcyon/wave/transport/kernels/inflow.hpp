#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

/// Frequencies that are computed with at once: their rows of directions stay in the first cache.
inline constexpr int kMostRows = 5;

/// Some rows of directions, with a neighbour wrapped around on either side.
class PaddedRows {
 public:
  PaddedRows(int n_directions, float* first) : first_(first), n_(n_directions) {}
  static std::size_t size(int n_directions) {
    return static_cast<std::size_t>(kMostRows * (n_directions + 2));
  }

  float* operator[](int row) const { return first_ + row * (n_ + 2) + 1; }
  void wrap(int row) const {
    float* values = (*this)[row];
    values[-1] = values[n_ - 1];
    values[n_] = values[0];
  }

 private:
  float* first_;
  int n_;
};

/// So many sets of padded rows in scratch.
template <std::size_t kCount>
std::array<PaddedRows, kCount> padded_rows(int n_directions, std::span<float> scratch) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{PaddedRows(n_directions, scratch.data() + I * PaddedRows::size(n_directions))...};
  }(std::make_index_sequence<kCount>{});
}

/// Calls body with a number of rows as a compile-time constant.
template <int kRows = kMostRows, class Body>
inline void with_rows(int n_rows, const Body& body) {
  if constexpr (kRows > 1) {
    if (n_rows < kRows) return with_rows<kRows - 1>(n_rows, body);
  }
  body(std::integral_constant<int, kRows>{});
}

/// The monotonized-central slope of a padded row of doubled values (van Leer 1977): of the central difference
/// and twice those on both sides the smallest, if they agree in sign.
inline Lanes slope_of_doubled(const float* row) {
  const Lanes centre = load(row);
  const Lanes below = centre - load(row - 1), above = load(row + 1) - centre;
  const Lanes most = larger(smaller(below, above), Lanes{}), least = smaller(larger(below, above), Lanes{});
  return smaller(larger(0.25f * (below + above), least), most);
}

/// What crosses an edge in a block of directions.
struct FlowEntry {
  float weight[kLanes];  ///< w [m-1]: l max(-k.n, 0) / A
  float swept[kLanes];   ///< s [m-1]: the part of w that turns on into the next bin
  int edge;              ///< of the cell's inflows
};

/// What two cells exchange across an edge against the garden-sprinkler effect.
struct ExchangeEntry {
  float weight[kLanes];  ///< d [m-1]
  int edge;
};

/// The entries of a cell in a block of directions. Directions grow, or shrink, on the way in.
struct BlockEntries {
  std::span<const FlowEntry> growing, shrinking;
  std::span<const ExchangeEntry> exchange;
};

/// What a neighbour gives; rows are by frequency, of n directions each, in the compass of the cell.
struct Donor {
  const float* value = nullptr;  ///< at first order N [m2 s2], at second cg N* [m3 s] of half a step later
  const float *east = nullptr, *north = nullptr;  ///< second order: slopes of cg N [m2 s]
  float beyond_east = 0, beyond_north = 0;        ///< the middle of the edge as seen from the neighbour [m]
  const float* group_speed = nullptr;             ///< [m s-1] (row)
  const float* current = nullptr;  ///< l max(-U.n, 0) / (A cg) [m-1] (row), or null where that is zero
  float turned = 0;                ///< the part of what a current brings that turns on into the next bin
};

/// The inflows of a cell: those whose directions grow on their way come first.
struct Inflows {
  std::span<const BlockEntries> blocks;  ///< as for_blocks goes through the directions
  std::span<const Donor> donors;
  int n_growing;
  const float* two_over_weight;  ///< 2 / sum of w over the edges [m] (direction), zero where that is
  const float* exchange_share;   ///< rho (row)
};

/// Rates [m2 s] (row, direction) at which action comes.
struct Incoming {
  PaddedRows doubled_mean;  ///< twice the mean over the edges of cg N, by their weights w [m3 s]
  PaddedRows all;           ///< I, what comes in
  PaddedRows up, down;      ///< the parts of it that turn on into the next bin above, or below
};

/// What enters a cell through its edges at second order, by upwind finite volumes,
///   I(f, m) = sum_e w_e(m) (cg V)_e + rho(f) sum_e d_e(m) (cg N*)_j + sum_e l max(-U.n_e, 0) / A V_e,
/// with the group speed of the cell j that the waves leave, so that a steady flux is cg N = const (Green's
/// law); V is the reconstruction of the neighbour's N at the middle of the edge,
///   cg V_e = cg N* + (r_e . slope).
/// The exchange d (Booij and Holthuijsen 1987, eq. 7, as a flux between neighbours) and the current U are
/// left out where they are not given. Sums go in the given order.
/// @param first_row the first of n_rows rows, at most kMostRows, that `incoming` gets
void inflow(int first_row, int n_rows, int n_directions, const Inflows& inflows, const Incoming& incoming);

}  // namespace halcyon::wave
