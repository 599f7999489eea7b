#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/blocks.hpp"
#include "halcyon/transform/panels.hpp"

namespace halcyon::transform {

/// V x W sets of ranks, rank v W + w (figure 1 of the paper on YHGSM): fields over V; over W, wavenumbers in
/// the Legendre stage and stripes in the Fourier stage. At grid points, a rank has the rows of its stripes,
/// of each the part v of V of its longitudes, of all fields.
struct SetCounts {
  int v = 1, w = 1;

  Rank n_ranks() const { return static_cast<Rank>(v) * w; }
};

/// The fields of a call, over V sets and in groups of these.
struct FieldGroups {
  int n;
  int n_sets, n_groups;

  int first(int v) const { return static_cast<int>(schedule::Division(n, n_sets).begin(v)); }
  int size(int v) const { return static_cast<int>(schedule::Division(n, n_sets).size(v)); }
  /// Of a group the first one, counted in its V set.
  int first(int v, int group) const {
    return static_cast<int>(schedule::Division(size(v), n_groups).begin(group));
  }
  int size(int v, int group) const {
    return static_cast<int>(schedule::Division(size(v), n_groups).size(group));
  }
};

/// What each of the V x W sets holds of a transform. Any rank knows it of all, by sums over stripes and rows.
class Sets {
 public:
  /// @throws ConfigError for fewer than 1, and for more sets than there are stripes, wavenumbers or
  /// longitudes for them
  Sets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts);

  const SetCounts& counts() const { return counts_; }
  int v_of(Rank rank) const { return rank / counts_.w; }
  int w_of(Rank rank) const { return rank % counts_.w; }

  /// Dealt 1 .. W, W .. 1, so that all have as many terms, or nearly; ascending.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The coefficients (n, m) of these, m by m, n = m..T: the parts of V sets, where these share coefficients
  /// of all fields instead of fields.
  schedule::Division coefficients(int w) const { return {n_coefficients_[w], counts_.v}; }
  const Panels& panels(int w) const { return panels_[w]; }

  /// The stripes first_stripe(w) .. first_stripe(w + 1) - 1, so that all have as many values, or nearly.
  int first_stripe(int w) const { return first_stripes_[w]; }
  /// The rows of these stripes, ascending.
  std::vector<int> rows(int w) const;
  /// Values of a field at the grid points of v < `v`, of w.
  std::size_t points_before(int v, int w) const { return points_before_[w][v]; }
  std::size_t n_points(int v, int w) const { return points_before(v + 1, w) - points_before(v, w); }
  /// The points of a rank as the grid counts them.
  std::vector<std::int64_t> points(int v, int w) const;
  /// The part of a row that v has.
  schedule::Division parts(int row) const { return {grid_lengths_[row], counts_.v}; }

  /// Numbers of one field, in blocks, of the wavenumbers of w at the stripes of `other`.
  std::size_t n_blocks(int w, int other) const;
  /// Where those of a stripe and wavenumber stand among the blocks of the stripes of w, of all wavenumbers:
  /// [w' that holds the wavenumber] and then as `Panels` has them.
  std::size_t at(int w, int stripe, int m, int n_fields) const;
  /// The first block of the stripes of w and the wavenumbers of w'.
  std::size_t blocks_before(int w, int of) const;
  /// All blocks of the stripes of w.
  std::size_t n_blocks(int w) const { return blocks_before(w, counts_.w); }

 private:
  void deal(int truncation);
  void share(const Grid& grid, const Stripes& stripes);
  void count_points(const Grid& grid);

  SetCounts counts_;
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
