#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/transform/legendre/panels.hpp"
#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

/// What each of the V x W sets holds of a transform on the sphere, W over stripes in the Fourier stage. Any
/// rank knows it of all, by sums over stripes and rows.
class Sets final : public Extents {
 public:
  /// @throws ConfigError for fewer than 1, and for more sets than there are stripes, wavenumbers or
  /// longitudes for them
  Sets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts);

  /// Dealt 1 .. W, W .. 1, so that all have as many terms, or nearly; ascending.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The coefficients (n, m) of these, m by m, n = m..T.
  schedule::Division coefficients(int w) const override { return {n_coefficients_[w], counts().v}; }
  const Panels& panels(int w) const { return panels_[w]; }

  /// The stripes first_stripe(w) .. first_stripe(w + 1) - 1, so that all have as many values, or nearly.
  int first_stripe(int w) const { return first_stripes_[w]; }
  /// The rows of these stripes, ascending.
  std::vector<int> rows(int w) const;
  std::size_t points_before(int v, int w) const override { return points_before_[w][v]; }
  /// The points of a rank as the grid counts them.
  std::vector<std::int64_t> points(int v, int w) const;
  /// The part of a row that v has.
  schedule::Division parts(int row) const { return {grid_lengths_[row], counts().v}; }

  std::size_t panels_before(int w, int other) const override { return panels_[w].first(first_stripe(other)); }
  /// Where those of a stripe and wavenumber stand among the blocks of the stripes of w, of all wavenumbers:
  /// [w' that holds the wavenumber] and then as `Panels` has them.
  std::size_t at(int w, int stripe, int m, const Batch& batch) const;
  std::size_t blocks_before(int w, int of) const override;

 private:
  void deal(int truncation);
  void share(const Grid& grid, const Stripes& stripes);
  void count_points(const Grid& grid);

  std::vector<std::vector<int>> wavenumbers_;
  std::vector<std::int64_t> n_coefficients_;
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
