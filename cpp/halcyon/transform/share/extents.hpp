#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/blocks.hpp"

namespace halcyon::transform {

/// V x W sets of ranks; rank v W + w belongs to V set v (W ranks) and W set w (V ranks). During a transform,
/// fields are divided among the V sets, and wavenumbers (spectral space) and rows (grid-point space) among
/// the W sets. Before and after, a rank holds all fields at part v of the longitudes of its rows.
struct SetCounts {
  int v = 1, w = 1;

  Rank n_ranks() const { return static_cast<Rank>(v) * w; }
};

/// The longitudes of a row, divided into parts: part v has those from v/V to (v + 1)/V of the circle, so that
/// the parts v of rows of any length lie next to each other. No part is larger than part 0, or smaller than
/// the last part.
struct LongitudeParts {
  std::int64_t n = 0;  ///< number of points of the row
  int parts = 1;       ///< V

  std::int64_t begin(std::int64_t part) const { return (part * n + parts - 1) / parts; }
  std::int64_t size(std::int64_t part) const { return begin(part + 1) - begin(part); }
  /// The part that has a point.
  std::int64_t part_of(std::int64_t point) const { return point * parts / n; }
};

/// The fields of a call, divided among V sets, and within each V set into groups.
struct FieldGroups {
  int n;                 ///< number of fields of the call
  int n_sets, n_groups;  ///< number of V sets, and of groups per V set
  int unit = 1;          ///< fields that stay in one group; the last unit of a V set may have fewer

  /// First field of V set v, and number of its fields.
  int first(int v) const { return static_cast<int>(schedule::BlockDistribution(n, n_sets).begin(v)); }
  int size(int v) const { return static_cast<int>(schedule::BlockDistribution(n, n_sets).size(v)); }
  /// First field of a group, counted from the first field of the V set, and number of fields of the group.
  int first(int v, int group) const {
    const schedule::BlockDistribution units((size(v) + unit - 1) / unit, n_groups);
    return std::min(unit * static_cast<int>(units.begin(group)), size(v));
  }
  int size(int v, int group) const { return first(v, group + 1) - first(v, group); }
};

/// Returns n fields divided into the smallest number of batches of at most `max` fields: the groups of a
/// single V set. Several batches have even sizes if `max` > 1.
inline FieldGroups split_into_batches(int n, int max) {
  const int unit = max > 1 ? 2 : 1, n_units = (n + unit - 1) / unit;
  const int units_per_batch = n <= max ? std::max(n_units, 1) : max / unit;
  return {.n = n, .n_sets = 1, .n_groups = (n_units + units_per_batch - 1) / units_per_batch, .unit = unit};
}

/// The fields first .. first + n - 1 of a group, which are computed together. The blocks of one wavenumber
/// are contiguous for the `group_size` fields of the group.
struct Batch {
  int first, n, group_size;
};

/// Sizes of the parts of one field that each rank of V x W sets holds at each stage of a transform, on the
/// sphere or on a plane. They determine the messages between the stages, which consist of blocks. A block is
/// one Fourier coefficient of one field in one row (plane) or in the eight rows of a stripe (sphere). In the
/// meridional stage (Legendre on the sphere), W set w has the blocks of its wavenumbers at all rows, its
/// panels; in the zonal (Fourier) stage, it has the blocks of all wavenumbers at its rows.
class Extents {
 public:
  virtual ~Extents() = default;

  const SetCounts& counts() const { return counts_; }
  int v_of(Rank rank) const { return rank / counts_.w; }
  int w_of(Rank rank) const { return rank % counts_.w; }
  int block_size() const { return block_size_; }  ///< numbers per block
  /// Wavenumbers of W set w, ascending: m = 0, 1, .. belong to the sets 0 .. W - 1, W - 1 .. 0, 0 .. W - 1,
  /// .. in turn, which balances the number of coefficients.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The spectral coefficients of a field at the wavenumbers of W set w, divided into V parts; used if V sets
  /// share the coefficients of each field instead of dividing the fields.
  schedule::BlockDistribution coefficients(int w) const { return {n_coefficients_[w], counts_.v}; }

  /// Number of grid points of the V sets before v in W set w.
  virtual std::size_t points_before(int v, int w) const = 0;
  /// Global indices of the grid points of a rank, row by row.
  virtual std::vector<std::int64_t> points(int v, int w) const = 0;
  /// Number of blocks in the panels of W set w before the rows of W set `other_w`.
  virtual std::size_t panel_offset(int w, int other_w) const = 0;
  /// Number of blocks at the rows of W set w before the wavenumbers of W set `other_w`.
  virtual std::size_t wavenumber_offset(int w, int other_w) const = 0;

  std::size_t n_points(int v, int w) const { return points_before(v + 1, w) - points_before(v, w); }
  /// Number of blocks of the wavenumbers of W set w at the rows of W set `other`.
  std::size_t n_blocks(int w, int other) const { return panel_offset(w, other + 1) - panel_offset(w, other); }

 protected:
  /// @param n_coefficients (wavenumber m) spectral coefficients per m
  /// @param block_size numbers per block
  Extents(SetCounts counts, const std::vector<int>& n_coefficients, int block_size);

 private:
  SetCounts counts_;
  int block_size_;
  std::vector<std::vector<int>> wavenumbers_;  ///< (w)
  std::vector<std::int64_t> n_coefficients_;   ///< (w)
};

/// @throws ConfigError for fewer than 1 V set or W set
void require_sets(SetCounts counts);

using ExtentsPointer = std::shared_ptr<const Extents>;

/// Values of all fields at part v of each row of a rank, row by row.
template <class T>
struct Part {
  T* field_0;
  std::size_t stride;  ///< numbers between fields
};

template <class Real>
std::vector<Part<const Real>> read_only(const std::vector<Part<Real>>& parts) {
  std::vector<Part<const Real>> copies;
  for (const auto& [field_0, stride] : parts) copies.push_back({field_0, stride});
  return copies;
}

/// Locations of the parts of one row; V set v holds part v of the longitudes.
class RowParts {
 public:
  RowParts() = default;  ///< no row, for an empty lane of a stripe
  /// @param offsets (v) offset of part v of the row among the points of V set v
  /// @param parts begins of the parts: LongitudeParts, or BlockDistribution
  template <class Distribution>
  RowParts(const Distribution& parts, std::vector<std::size_t> offsets) : offsets_(std::move(offsets)) {
    for (int v = 0; v <= parts.parts; ++v) begins_.push_back(static_cast<int>(parts.begin(v)));
  }

  int length() const { return begins_.empty() ? 0 : begins_.back(); }
  /// Values of part v of the row of a field.
  template <class T>
  T* data(std::span<const Part<T>> parts, int v, int field) const {
    return parts[v].field_0 + field * parts[v].stride + offsets_[v];
  }
  /// Copies a complete row of a field to its parts.
  template <class Real>
  void scatter(const Real* row, std::span<const Part<Real>> parts, int field) const {
    for (int v = 0; v < std::ssize(parts); ++v)
      std::copy(row + begins_[v], row + begins_[v + 1], data(parts, v, field));
  }
  /// Copies the parts of a row of a field to a complete row.
  template <class Real>
  void gather(std::span<const Part<const Real>> parts, int field, Real* row) const {
    for (int v = 0; v < std::ssize(parts); ++v)
      std::copy_n(data(parts, v, field), begins_[v + 1] - begins_[v], row + begins_[v]);
  }

 private:
  std::vector<std::size_t> offsets_{};  ///< (v)
  std::vector<int> begins_{};           ///< (V + 1) first longitude of each part, and the row length
};

}  // namespace halcyon::transform
