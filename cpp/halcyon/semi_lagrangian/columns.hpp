#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/halo/halo.hpp"
#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/semi_lagrangian/rows.hpp"

namespace halcyon::semi_lagrangian {

/// A set of columns of the grid; a column is a grid point with all its levels.
class ColumnSet {
 public:
  explicit ColumnSet(const Division& division) : division_(division), rows_(division.n_rows()) {}

  void add(ColumnIndex index) {
    auto& row = rows_[index.row];
    if (row.empty()) row.resize(division_.row_length(index.row));
    row[index.column] = true;
  }
  /// The columns of the set that a rank does not own, ascending.
  std::vector<GlobalIndex> not_owned_by(Rank rank) const;

 private:
  const Division& division_;
  std::vector<std::vector<bool>> rows_;  ///< (row, column); empty for rows without columns of the set
};

/// The columns that a rank stores: the owned columns, row after row, then the halo, sorted by owner and
/// global id, so that messages are received in place.
class Columns {
 public:
  /// @param halo global ids of columns that the rank does not own
  Columns(const Division& division, Rank rank, std::vector<GlobalIndex> halo);

  /// Local index of a column; kNone if the rank does not store it.
  LocalIndex position(ColumnIndex index) const {
    const auto& row = positions_[index.row];
    return row.empty() ? kNone : row[index.column];
  }
  LocalIndex n_owned() const { return n_owned_; }
  LocalIndex n_local() const { return n_owned_ + static_cast<LocalIndex>(halo_.size()); }
  const std::vector<GlobalIndex>& halo() const { return halo_; }

 private:
  void set_position(const Division& division, ColumnIndex index, LocalIndex position);

  LocalIndex n_owned_ = 0;
  std::vector<GlobalIndex> halo_;
  std::vector<std::vector<LocalIndex>> positions_;  ///< local indices (row, column); empty: no column stored
};

/// Collective. Tells the owners of the halo columns; returns the columns to exchange with each neighbour.
schedule::Halo::Neighbours agree_on_columns(const comm::Communicator& comm, const Division& division,
                                            const Columns& columns);

/// Values of a field in the owned columns: value (column, level) is at column column_stride + level
/// level_stride.
template <class Real>
struct BasicColumnField {
  const Real* data = nullptr;
  std::size_t column_stride = 0, level_stride = 0;
};
using ColumnField = BasicColumnField<double>;

/// Numbers of fields, levels, and groups of levels of a halo exchange.
struct HaloSizes {
  int n_fields = 1, n_levels = 1, n_groups = 1;

  /// @throws ConfigError for sizes below 1, and for more groups than levels
  void check() const;
};

/// Halo exchange of fields, one group of levels per exchange. The values of a group are an array (column,
/// field, level of the group), so messages are received in place.
template <class Real>
class BasicColumnHalo {
 public:
  using Sizes = HaloSizes;

  /// Collective. @param comm null for a single process  @param columns must outlive the object
  /// @throws ConfigError for invalid sizes (Sizes::check) and exchange methods (comm::Exchange)
  BasicColumnHalo(const comm::Communicator* comm, const Division& division, const Columns& columns,
                  Sizes sizes, comm::Method method,
                  const std::shared_ptr<const comm::Progress>& progress = {});

  int n_groups() const { return sizes_.n_groups; }
  Range levels(int group) const;
  /// Packs the levels of a group, and starts their exchange.
  void start(int group, std::span<const BasicColumnField<Real>> fields);
  void wait(int group) { pending_[group].reset(); }
  /// Progresses the messages of all groups in flight (comm::Exchange::progress).
  void progress();
  /// Readable numbers after the last value, for vectors that begin at it.
  static constexpr std::size_t kPadding = 3;
  /// Progresses all messages in flight, and unpacks those that have arrived, in any progress mode.
  void advance() {
    for (auto& pending : pending_)
      if (pending) pending->advance();
  }
  /// The values of a group after `wait`: (local column, field, level of the group).
  View<const Real, 3> values(int group) const;

  std::int64_t received_bytes() const { return received_bytes_; }
  int n_neighbours() const { return n_neighbours_; }

 private:
  Sizes sizes_;
  const Columns& columns_;
  std::int64_t received_bytes_ = 0;
  int n_neighbours_ = 0;
  std::vector<std::vector<Real>> values_;                      ///< (group)
  std::vector<std::vector<std::byte>> staging_;                ///< (group, send or receive)
  std::vector<comm::Exchange> exchanges_;                      ///< (group)
  std::vector<std::optional<comm::PendingExchange>> pending_;  ///< (group)
};
using ColumnHalo = BasicColumnHalo<double>;

/// Number of grid points beyond the farthest departure point that interpolation reads.
inline constexpr int kStencilWidth = 2;
/// Bound of the rounding error of a position [rad].
inline constexpr double kRounding = 1e-12;

/// Returns the halo width for departure points up to this distance: ceil(distance / grid spacing) + 2 (Zheng
/// and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, 4.3). @param distance [rad] on the unit sphere
int width_for(const Rows& rows, double distance);

/// Returns the largest distance of departure points that a halo of this width supports [rad].
double max_distance(const Rows& rows, int width);

/// Returns the ascending ids of the columns that a rank needs, in addition to the owned ones, for all
/// departure points within `max_distance(width)`: `width` rows on each side, continued over the poles; of
/// each row, the longitudes within this great-circle distance plus `kStencilWidth` columns on each side, or
/// the complete row if a pole is within the distance. The halo may extend beyond the adjacent ranks.
/// @throws ConfigError for a width below 3 or above the number of rows
std::vector<GlobalIndex> wide_halo(const Rows& rows, const Division& division, Rank rank, int width);

/// Returns the bytes that ranks send to each other in the exchange of a wide halo.
schedule::Volumes wide_volumes(const Rows& rows, const Division& division, int width,
                               std::int64_t column_bytes, int threads);

}  // namespace halcyon::semi_lagrangian
