#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::transform {

/// Stripes of four pairs of latitudes, each a northern one and its mirror image in the south: stripe 0 is at
/// the equator, the last stripe at the poles, where lanes without a pair remain empty.
class Stripes {
 public:
  /// @param truncation the largest wavenumber
  Stripes(const Grid& grid, int truncation);

  int n() const { return static_cast<int>(last_wavenumbers_.size()); }
  /// The northern row of a pair; -1 for an empty lane. The southern row is n_rows - 1 - row (at the
  /// equator the same).
  int north_row(int stripe, int lane) const { return rows_[stripe * kLanes + lane]; }
  /// The largest m that a stripe holds; never increases with the stripe. For larger m, the rows of this
  /// stripe and of all stripes closer to the poles are too short, or no |P_nm| exceeds kNegligible.
  int last_wavenumber(int stripe) const { return last_wavenumbers_[stripe]; }
  /// Number of stripes that hold m: 0 .. n_stripes_with(m) - 1.
  int n_stripes_with(int m) const;

 private:
  std::vector<int> rows_, last_wavenumbers_;
};

/// Legendre functions below this value are neglected: their contribution is far below the last bit of the
/// contribution of the same coefficient elsewhere.
inline constexpr double kNegligible = 0x1p-80;

/// Layout of the Fourier coefficients between the Fourier and the Legendre stage: [stripe][wavenumber][field]
/// [kBlockSize], for the wavenumbers that both the rank and the stripe hold. Blocks of neighbouring stripes
/// are contiguous, so a message to the rank that holds these stripes needs no packing. A stripe may end with
/// an unused block as padding, which is also exchanged.
class Panels {
 public:
  /// @param wavenumbers ascending
  Panels(const Stripes& stripes, const std::vector<int>& wavenumbers);

  /// Offset of the blocks of a wavenumber, given by its index in the list.
  std::size_t block_offset(int stripe, int index, int n_fields) const {
    return (firsts_[stripe] + index) * n_fields * kBlockSize;
  }
  /// Number of blocks per field in the preceding stripes.
  std::size_t first(int stripe) const { return firsts_[stripe]; }

 private:
  std::vector<std::size_t> firsts_;
};

/// The distribution of a transform on the sphere over V x W sets; in the Fourier stage, W sets share stripes.
/// Every rank can compute the distribution of all ranks by sums over stripes and rows.
class SphereSets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1 set, and for more sets than stripes, wavenumbers or longitudes
  SphereSets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts);

  const Stripes& stripes() const { return stripes_; }
  const Panels& panels(int w) const { return panels_[w]; }

  /// Set w has the stripes first_stripe(w) .. first_stripe(w + 1) - 1, which balances the number of values.
  int first_stripe(int w) const { return first_stripes_[w]; }
  /// The rows of these stripes, ascending.
  std::vector<int> rows(int w) const;
  std::size_t points_before(int v, int w) const override { return points_before_[w][v]; }
  std::vector<std::int64_t> points(int v, int w) const override;
  /// The parts of a row, divided over V.
  schedule::BlockDistribution parts(int row) const { return {grid_lengths_[row], counts().v}; }

  std::size_t panels_before(int w, int other) const override { return panels_[w].first(first_stripe(other)); }
  /// Returns the offset of the block of a stripe and wavenumber among the blocks of the stripes of w for all
  /// wavenumbers: [w' that holds the wavenumber], and then in the layout of `Panels`.
  std::size_t block_offset(int w, int stripe, int m, const Batch& batch) const;
  std::size_t blocks_before(int w, int other) const override;

 private:
  void assign_stripes(const Grid& grid, const Stripes& stripes);
  void count_points(const Grid& grid);

  Stripes stripes_;
  std::vector<int> owners_, indices_;  ///< (wavenumber) its W set, and its index in this set
  std::vector<Panels> panels_;
  std::vector<int> first_stripes_;
  std::vector<int> stripe_of_row_, grid_lengths_;
  std::vector<std::size_t> row_starts_;
  std::vector<std::vector<std::size_t>> points_before_;  ///< (w, v)
  /// (w, stripe) number of blocks at the preceding stripes of the wavenumbers of all w' < w
  std::vector<std::vector<std::size_t>> blocks_below_;
};

}  // namespace halcyon::transform
