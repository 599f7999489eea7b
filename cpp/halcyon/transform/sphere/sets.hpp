#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::transform {

/// The rows of a grid in stripes of eight: four northern rows, one per lane (element of a SIMD register), and
/// their mirror images. Stripe 0 is at the equator; the last stripe, at the poles, may have empty lanes.
class Stripes {
 public:
  /// @param truncation the largest wavenumber of the fields
  Stripes(const Grid& grid, int truncation);

  int n() const { return static_cast<int>(largest_wavenumbers_.size()); }
  /// The northern row of a lane; -1 for an empty lane. The southern row is n_rows - 1 - row.
  int north_row(int stripe, int lane) const { return north_rows_[stripe * kLanes + lane]; }
  /// The largest m that is computed at a stripe, which does not increase towards the poles. For larger m, the
  /// rows of this stripe and of stripes closer to the poles are too short, or |P_nm| < kNegligible.
  int largest_wavenumber(int stripe) const { return largest_wavenumbers_[stripe]; }
  /// Number of stripes at which m is computed: stripes 0 .. n_stripes_with(m) - 1.
  int n_stripes_with(int m) const;

 private:
  std::vector<int> north_rows_;           ///< (stripe, lane)
  std::vector<int> largest_wavenumbers_;  ///< (stripe)
};

/// Legendre functions below this value are neglected: sums have terms near 1, rounded to 2^-53.
inline constexpr double kNegligible = 0x1p-80;

/// Layout of the panels of a W set: blocks (buffer.hpp) of Fourier coefficients between the Fourier and the
/// Legendre stage, [stripe][wavenumber][field][kBlockSize], for the wavenumbers of the W set that are
/// computed at the stripe. Blocks of neighbouring stripes are contiguous, so a message to the rank that owns
/// these stripes needs no packing. The blocks of a stripe may end with an unused block as padding.
class Panels {
 public:
  /// @param wavenumbers ascending
  Panels(const Stripes& stripes, const std::vector<int>& wavenumbers);

  /// Offset [doubles] of the blocks of a wavenumber at a stripe. @param index position in `wavenumbers`
  std::size_t block_offset(int stripe, int index, int n_fields) const {
    return (blocks_before_[stripe] + index) * n_fields * kBlockSize;
  }
  /// Number of blocks per field in the preceding stripes.
  std::size_t blocks_before(int stripe) const { return blocks_before_[stripe]; }

 private:
  std::vector<std::size_t> blocks_before_;  ///< (stripe)
};

/// The distribution of a transform on the sphere over V x W sets; in the Fourier stage, stripes are divided
/// among the W sets. Each rank computes the distribution of all ranks from the grid, without communication.
class SphereSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1 set, and for more sets than stripes, wavenumbers or longitudes
  SphereSets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts);

  const Stripes& stripes() const { return stripes_; }
  const Panels& panels(int w) const { return panels_[w]; }

  /// W set w has the stripes first_stripe(w) .. first_stripe(w + 1) - 1, to balance the number of values.
  int first_stripe(int w) const { return first_stripes_[w]; }
  /// The rows of the stripes of W set w, ascending.
  std::vector<int> rows(int w) const;
  std::size_t points_before(int v, int w) const override { return points_before_[w][v]; }
  std::vector<std::int64_t> points(int v, int w) const override;
  /// The longitudes of a row, divided among the V sets.
  LongitudeParts parts(int row) const { return {row_lengths_[row], counts().v}; }

  std::size_t panel_offset(int w, int other) const override {
    return panels_[w].blocks_before(first_stripe(other));
  }
  /// Returns the offset [doubles], among the blocks at the stripes of w, of the block of a stripe and
  /// wavenumber: ordered by the W set of the wavenumber, and then as in `Panels`.
  std::size_t block_offset(int w, int stripe, int m, const Batch& batch) const {
    const int wavenumber_set = set_of_wavenumber_[m];
    const auto& panels = panels_[wavenumber_set];
    const std::size_t n_before = wavenumber_offset(w, wavenumber_set) + panels.blocks_before(stripe) -
                                 panels.blocks_before(first_stripe(w)) + index_in_set_[m];
    return (n_before * batch.group_size + batch.first) * kBlockSize;
  }
  std::size_t wavenumber_offset(int w, int other) const override {
    const auto& blocks_before = blocks_before_set_[other];
    return blocks_before[first_stripe(w + 1)] - blocks_before[first_stripe(w)];
  }

 private:
  void assign_stripes(const Grid& grid, const Stripes& stripes);
  void count_points(const Grid& grid);

  Stripes stripes_;
  std::vector<int> set_of_wavenumber_, index_in_set_;  ///< (wavenumber)
  std::vector<Panels> panels_;                         ///< (w)
  std::vector<int> first_stripes_;                     ///< (w)
  std::vector<int> stripe_of_row_, row_lengths_;       ///< (row of the grid)
  std::vector<std::size_t> row_starts_;
  std::vector<std::vector<std::size_t>> points_before_;  ///< (w, v)
  /// (w, stripe) number of blocks of the wavenumbers of the W sets before w at the preceding stripes
  std::vector<std::vector<std::size_t>> blocks_before_set_;
};

}  // namespace halcyon::transform
