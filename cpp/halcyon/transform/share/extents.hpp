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

/// V x W sets of ranks; rank v W + w belongs to V set v and W set w (figure 1 of the paper on YHGSM). V sets
/// share fields. W sets share wavenumbers on the side of coefficients and rows on the side of values. At grid
/// points, a rank holds all fields at part v of the longitudes of the rows of its w.
struct SetCounts {
  int v = 1, w = 1;

  Rank n_ranks() const { return static_cast<Rank>(v) * w; }
};

/// The fields of a call, divided among V sets and then into groups.
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

/// Divides fields into the smallest number of batches of at most `most` fields (of one fewer if `most` is odd
/// and there are more batches). Kernels compute two fields at a time, so pairs are not split.
inline FieldGroups split_into_batches(int n, int most) {
  const int unit = most > 1 ? 2 : 1, n_units = (n + unit - 1) / unit;
  const int of_batch = n <= most ? std::max(n_units, 1) : most / unit;
  return {n, 1, (n_units + of_batch - 1) / of_batch, unit};
}

/// Fields of a group that are computed together: `n` of them from index `first` on. The blocks of the group
/// interleave `group_size` fields.
struct Batch {
  int first, n, group_size;
};

/// How much of one field each of the V x W sets holds at each stage of a transform: all that the
/// transpositions need to know, on the sphere or on a plane.
class Extents {
 public:
  virtual ~Extents() = default;

  const SetCounts& counts() const { return counts_; }
  int v_of(Rank rank) const { return rank / counts_.w; }
  int w_of(Rank rank) const { return rank % counts_.w; }
  int block_numbers() const { return block_numbers_; }
  /// Wavenumbers of w, ascending. They are assigned in the order 1 .. W, W .. 1, which balances the number of
  /// coefficients.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The coefficients of a field at these wavenumbers, m by m, divided into V parts if V sets share the
  /// coefficients of all fields rather than the fields.
  schedule::BlockDistribution coefficients(int w) const { return {n_coefficients_[w], counts_.v}; }

  /// Number of grid points of all v' < v in W set w.
  virtual std::size_t points_before(int v, int w) const = 0;
  /// Global indices of the grid points of a rank, row by row.
  virtual std::vector<std::int64_t> points(int v, int w) const = 0;
  /// Number of blocks of the wavenumbers of w at the rows of all w' < other, in the order of the coefficient
  /// side.
  virtual std::size_t panels_before(int w, int other) const = 0;
  /// Number of blocks at the rows of w of the wavenumbers of all w' < of, in the order of the value side.
  virtual std::size_t blocks_before(int w, int of) const = 0;

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

/// Values of fields at part v of the longitudes of a rank's rows: field f at `at` + f `stride`, row after
/// row.
template <class T>
struct Part {
  T* at;
  std::size_t stride;
};

/// Returns read-only views of parts.
inline std::vector<Part<const double>> read_only(std::span<const Part<double>> parts) {
  std::vector<Part<const double>> read;
  for (const auto& [at, stride] : parts) read.push_back({at, stride});
  return read;
}

/// Locations of the parts of one row, one per V set.
class RowParts {
 public:
  /// An absent row.
  RowParts() = default;
  /// @param starts (v) offset of the row's part among the points of v
  RowParts(const schedule::BlockDistribution& parts, std::vector<std::size_t> starts);

  int length() const { return begins_.empty() ? 0 : begins_.back(); }
  /// Part v of the row of a field.
  template <class T>
  T* data(std::span<const Part<T>> parts, int v, int field) const {
    return parts[v].at + field * parts[v].stride + starts_[v];
  }
  /// Copies a complete row to its parts, or back.
  void scatter(const double* row, std::span<const Part<double>> parts, int field) const;
  void gather(std::span<const Part<const double>> parts, int field, double* row) const;

 private:
  std::vector<std::size_t> starts_{};
  std::vector<int> begins_{};  ///< (v + 1) in the row
};

}  // namespace halcyon::transform
