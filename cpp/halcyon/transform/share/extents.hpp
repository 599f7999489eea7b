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

/// V x W sets of ranks, rank v W + w (figure 1 of the paper on YHGSM): fields over V; over W, wavenumbers on
/// the side of coefficients and rows on that of values. At grid points, a rank has the rows of its w, of each
/// the part v of V of its values, of all fields.
struct SetCounts {
  int v = 1, w = 1;

  Rank n_ranks() const { return static_cast<Rank>(v) * w; }
};

/// The fields of a call, over V sets and in groups of these.
struct FieldGroups {
  int n;
  int n_sets, n_groups;
  int unit = 1;  ///< fields that stay together, as far as they go

  int first(int v) const { return static_cast<int>(schedule::Division(n, n_sets).begin(v)); }
  int size(int v) const { return static_cast<int>(schedule::Division(n, n_sets).size(v)); }
  /// Of a group the first one, counted in its V set.
  int first(int v, int group) const {
    const schedule::Division units((size(v) + unit - 1) / unit, n_groups);
    return std::min(unit * static_cast<int>(units.begin(group)), size(v));
  }
  int size(int v, int group) const { return first(v, group + 1) - first(v, group); }
};

/// Fields in as few batches as hold at most so many, or one less where that is odd and there are more.
/// Kernels compute two at a time, so that pairs stay together.
inline FieldGroups in_batches(int n, int most) {
  const int unit = most > 1 ? 2 : 1, n_units = (n + unit - 1) / unit;
  const int of_batch = n <= most ? std::max(n_units, 1) : most / unit;
  return {n, 1, (n_units + of_batch - 1) / of_batch, unit};
}

/// Fields of a group that are computed together: `n` of them from place `first` on, of the `of_group` for
/// whose blocks there is room side by side.
struct Batch {
  int first, n, of_group;
};

/// How much of one field each of V x W sets holds at each stage of a transform: all that its transpositions
/// ask for, be it on the sphere or on a plane.
class Extents {
 public:
  virtual ~Extents() = default;

  const SetCounts& counts() const { return counts_; }
  int v_of(Rank rank) const { return rank / counts_.w; }
  int w_of(Rank rank) const { return rank % counts_.w; }
  int block_numbers() const { return block_numbers_; }
  /// Dealt 1 .. W, W .. 1, so that all have as many coefficients, or nearly; ascending.
  const std::vector<int>& wavenumbers(int w) const { return wavenumbers_[w]; }
  /// The coefficients of a field of these, m by m: the parts of V sets, where these share coefficients of all
  /// fields instead of fields.
  schedule::Division coefficients(int w) const { return {n_coefficients_[w], counts_.v}; }

  /// Values of a field at the grid points of v' < v, of w.
  virtual std::size_t points_before(int v, int w) const = 0;
  /// The points of a rank as the grid counts them, row by row.
  virtual std::vector<std::int64_t> points(int v, int w) const = 0;
  /// Blocks of the wavenumbers of w at the rows of w' < other, as they lie on the side of coefficients.
  virtual std::size_t panels_before(int w, int other) const = 0;
  /// Blocks of the rows of w of the wavenumbers of w' < of, as they lie on the side of values.
  virtual std::size_t blocks_before(int w, int of) const = 0;

  std::size_t n_points(int v, int w) const { return points_before(v + 1, w) - points_before(v, w); }
  /// Blocks of the wavenumbers of w at the rows of `other`.
  std::size_t n_blocks(int w, int other) const {
    return panels_before(w, other + 1) - panels_before(w, other);
  }

 protected:
  /// @param n_coefficients (wavenumber m = 0 .. last)
  /// @param block_numbers of a block, the unit between the stages
  Extents(SetCounts counts, const std::vector<int>& n_coefficients, int block_numbers);

 private:
  SetCounts counts_;
  int block_numbers_;
  std::vector<std::vector<int>> wavenumbers_;  ///< (w)
  std::vector<std::int64_t> n_coefficients_;   ///< (w)
};

/// @throws ConfigError for fewer than 1 of either
void require_sets(SetCounts counts);

using ExtentsPointer = std::shared_ptr<const Extents>;

/// Values of fields at the part v of the longitudes of a rank's rows: those of a field at `at` + `stride`
/// times its number, row after row.
template <class T>
struct Part {
  T* at;
  std::size_t stride;
};

/// Parts that are only read.
inline std::vector<Part<const double>> to_read(std::span<const Part<double>> parts) {
  std::vector<Part<const double>> read;
  for (const auto& [at, stride] : parts) read.push_back({at, stride});
  return read;
}

/// Where the values of a row lie, of which each v has a part.
class RowParts {
 public:
  /// No row.
  RowParts() = default;
  /// @param starts (v) of its part among those of all rows
  RowParts(const schedule::Division& parts, std::vector<std::size_t> starts);

  int length() const { return begins_.empty() ? 0 : begins_.back(); }
  /// The part of v of a field.
  template <class T>
  T* place(std::span<const Part<T>> parts, int v, int field) const {
    return parts[v].at + field * parts[v].stride + starts_[v];
  }
  /// A whole row becomes its parts, or back.
  void deal(const double* row, std::span<const Part<double>> parts, int field) const;
  void collect(std::span<const Part<const double>> parts, int field, double* row) const;

 private:
  std::vector<std::size_t> starts_{};
  std::vector<int> begins_{};  ///< (v + 1) in the row
};

}  // namespace halcyon::transform
