#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::transform {

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

 private:
  std::vector<int> rows_, last_wavenumbers_;
};

/// Functions of Legendre below this are left out: what they add is far below the last bit of what the same
/// coefficient adds elsewhere.
inline constexpr double kNegligible = 0x1p-80;

/// Where the Fourier coefficients stand between the Fourier and the Legendre stage:
/// [stripe][wavenumber][field] [kBlock], of the wavenumbers that a rank holds and that a stripe holds. What a
/// rank that holds some neighbouring stripes needs of them is thus one piece of memory. A block of no
/// wavenumber may stand at a stripe's end: it travels with the others, and nothing is in it.
class Panels {
 public:
  /// @param wavenumbers ascending
  Panels(const Stripes& stripes, const std::vector<int>& wavenumbers);

  /// Where the blocks of a wavenumber, given by its place in the list, stand.
  std::size_t at(int stripe, int place, int n_fields) const {
    return (firsts_[stripe] + place) * n_fields * kBlock;
  }
  /// Blocks of a field at the stripes before this one.
  std::size_t first(int stripe) const { return firsts_[stripe]; }

 private:
  std::vector<std::size_t> firsts_;
};

/// What each of the V x W sets holds of a transform on the sphere, W over stripes in the Fourier stage. Any
/// rank knows it of all, by sums over stripes and rows.
class Sets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1, and for more sets than there are stripes, wavenumbers or
  /// longitudes for them
  Sets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts);

  const Stripes& stripes() const { return stripes_; }
  const Panels& panels(int w) const { return panels_[w]; }

  /// The stripes first_stripe(w) .. first_stripe(w + 1) - 1, so that all have as many values, or nearly.
  int first_stripe(int w) const { return first_stripes_[w]; }
  /// The rows of these stripes, ascending.
  std::vector<int> rows(int w) const;
  std::size_t points_before(int v, int w) const override { return points_before_[w][v]; }
  std::vector<std::int64_t> points(int v, int w) const override;
  /// The part of a row that v has.
  schedule::Division parts(int row) const { return {grid_lengths_[row], counts().v}; }

  std::size_t panels_before(int w, int other) const override { return panels_[w].first(first_stripe(other)); }
  /// Where those of a stripe and wavenumber stand among the blocks of the stripes of w, of all wavenumbers:
  /// [w' that holds the wavenumber] and then as `Panels` has them.
  std::size_t at(int w, int stripe, int m, const Batch& batch) const;
  std::size_t blocks_before(int w, int of) const override;

 private:
  void share(const Grid& grid, const Stripes& stripes);
  void count_points(const Grid& grid);

  Stripes stripes_;
  std::vector<int> owners_, places_;  ///< (wavenumber): its w, and its place there
  std::vector<Panels> panels_;
  std::vector<int> first_stripes_;
  std::vector<int> stripe_of_row_, grid_lengths_;
  std::vector<std::size_t> row_starts_;
  std::vector<std::vector<std::size_t>> points_before_;  ///< (w, v)
  /// (w, stripe): blocks at the stripes before this one of the wavenumbers of w' < w
  std::vector<std::vector<std::size_t>> blocks_below_;
};

}  // namespace halcyon::transform
