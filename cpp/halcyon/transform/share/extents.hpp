#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/blocks.hpp"

namespace halcyon::transform {

/// V x W sets of ranks; rank v W + w belongs to V set v and W set w (figure 1 of the paper on YHGSM). The
/// fields are divided among the V sets; wavenumbers (in spectral space) and rows (in grid-point space) among
/// the W sets. At grid points, a rank holds all fields at part v of the longitudes of the rows of its W set.
struct SetCounts {
  int v = 1, w = 1;

  Rank n_ranks() const { return static_cast<Rank>(v) * w; }
};

/// The fields of a call, divided among V sets, and within each V set into groups.
struct FieldGroups {
  int n;
  int n_sets, n_groups;
  int unit = 1;  ///< fields per indivisible unit, except for the last unit

  int first(int v) const { return static_cast<int>(schedule::BlockDistribution(n, n_sets).begin(v)); }
  int size(int v) const { return static_cast<int>(schedule::BlockDistribution(n, n_sets).size(v)); }
  /// First field of a group, counted within its V set.
  int first(int v, int group) const {
    const schedule::BlockDistribution units((size(v) + unit - 1) / unit, n_groups);
    return std::min(unit * static_cast<int>(units.begin(group)), size(v));
  }
  int size(int v, int group) const { return first(v, group + 1) - first(v, group); }
};

/// Divides fields into the smallest number of batches of at most `most` fields, or `most` - 1 if `most` is
/// odd and there are several batches: kernels compute two fields at a time, so pairs are not split.
inline FieldGroups split_into_batches(int n, int most) {
  const int unit = most > 1 ? 2 : 1, n_units = (n + unit - 1) / unit;
  const int units_per_batch = n <= most ? std::max(n_units, 1) : most / unit;
  return {n, 1, (n_units + units_per_batch - 1) / units_per_batch, unit};
}

/// The fields first .. first + n - 1 of a group, which are computed together. The blocks of the group
/// interleave its `group_size` fields.
struct Batch {
  int first, n, group_size;
};

/// Sizes of the parts of one field that each of the V x W sets holds at each stage of a transform, on the
/// sphere or on a plane. They determine the transpositions.
class Extents {
 public:
  virtual ~Extents() = default;

  const SetCounts& counts() const { return counts_; }
  int v_of(Rank rank) const { return rank / counts_.w; }
  int w_of(Rank rank) const { return rank % counts_.w; }
  int block_numbers() const { return block_numbers_; }
  /// Wavenumbers of W set w, ascending. They are assigned to the sets in the order 0 .. W - 1, W - 1 .. 0,
  /// which balances the number of coefficients.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The coefficients of a field at these wavenumbers, m by m, divided into V parts (used if V sets share the
  /// coefficients of all fields rather than the fields).
  schedule::BlockDistribution coefficients(int w) const { return {n_coefficients_[w], counts_.v}; }

  /// Number of grid points of all v' < v in W set w.
  virtual std::size_t points_before(int v, int w) const = 0;
  /// Global indices of the grid points of a rank, row by row.
  virtual std::vector<std::int64_t> points(int v, int w) const = 0;
  /// Number of blocks of the wavenumbers of w at the rows of all w' < other: an offset in the panels of w.
  virtual std::size_t panels_before(int w, int other) const = 0;
  /// Number of blocks at the rows of w of the wavenumbers of all w' < other: an offset in the blocks of w.
  virtual std::size_t blocks_before(int w, int other) const = 0;

  std::size_t n_points(int v, int w) const { return points_before(v + 1, w) - points_before(v, w); }
  /// Number of blocks of the wavenumbers of w at the rows of `other`.
  std::size_t n_blocks(int w, int other) const {
    return panels_before(w, other + 1) - panels_before(w, other);
  }

 protected:
  /// @param n_coefficients (wavenumber m = 0 .. last)
  /// @param block_numbers doubles per block, the unit that the stages exchange
  Extents(SetCounts counts, const std::vector<int>& n_coefficients, int block_numbers);

 private:
  SetCounts counts_;
  int block_numbers_;
  std::vector<std::vector<int>> wavenumbers_;  ///< (w)
  std::vector<std::int64_t> n_coefficients_;   ///< (w)
};

/// @throws ConfigError for fewer than 1 V set or W set
void require_sets(SetCounts counts);

using ExtentsPointer = std::shared_ptr<const Extents>;

/// Values of fields at part v of the longitudes of a rank's rows, row by row: field f begins at `at` + f
/// `stride`.
template <class T>
struct Part {
  T* at;
  std::size_t stride;
};

inline std::vector<Part<const double>> read_only(std::span<const Part<double>> parts) {
  std::vector<Part<const double>> read;
  for (const auto& [at, stride] : parts) read.push_back({at, stride});
  return read;
}

/// Locations of the parts of one row, one per V set.
class RowParts {
 public:
  /// A lane without a row.
  RowParts() = default;
  /// @param starts (v) offset of the row's part among the points of v
  RowParts(const schedule::BlockDistribution& parts, std::vector<std::size_t> starts);

  int length() const { return begins_.empty() ? 0 : begins_.back(); }
  /// Part v of the row of a field.
  template <class T>
  T* data(std::span<const Part<T>> parts, int v, int field) const {
    return parts[v].at + field * parts[v].stride + starts_[v];
  }
  /// Copies a complete row to its parts (scatter), or the parts to a row (gather).
  void scatter(const double* row, std::span<const Part<double>> parts, int field) const;
  void gather(std::span<const Part<const double>> parts, int field, double* row) const;

 private:
  std::vector<std::size_t> starts_{};
  std::vector<int> begins_{};  ///< (v + 1) first longitude of each part, and the row length
};

}  // namespace halcyon::transform
