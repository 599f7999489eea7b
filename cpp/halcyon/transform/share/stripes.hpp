#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::transform {

inline constexpr int kLanes = 4;
inline constexpr int kPair = 2 * kLanes;  ///< numbers at a pair of stripes

/// Pairs of latitudes, one north and one as far south, by the four: stripe 0 lies at the equator, the last
/// one at the poles. A lane whose pair would lie beyond the poles holds none.
class Stripes {
 public:
  /// @param truncation the last wavenumber
  Stripes(const Grid& grid, int truncation);

  int n() const { return static_cast<int>(last_wavenumbers_.size()); }
  /// The row of a pair in the north, or -1. That in the south is n_rows - 1 - row: the same at the equator.
  int north(int stripe, int lane) const { return rows_[stripe * kLanes + lane]; }
  /// The last m that a stripe holds. In no row of it and of those beyond are there larger ones, for the rows
  /// are too short or no |P_nm| is above kNegligible. Never grows with the stripe.
  int last_wavenumber(int stripe) const { return last_wavenumbers_[stripe]; }
  /// The stripes that hold m: 0 .. n_with(m) - 1.
  int n_with(int m) const;
  /// The last m that a row can hold, short of the one whose sign it could not tell.
  static int last_in_row(int length) { return (length - 1) / 2; }

 private:
  std::vector<int> rows_, last_wavenumbers_;
};

/// Functions of Legendre below this are left out: what they add is far below the last bit of what the same
/// coefficient adds elsewhere.
inline constexpr double kNegligible = 0x1p-80;

}  // namespace halcyon::transform
