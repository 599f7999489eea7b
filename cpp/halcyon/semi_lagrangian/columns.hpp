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

/// A set of columns, to be gathered in any order.
class Wanted {
 public:
  explicit Wanted(const Division& division) : division_(division), rows_(division.n_rows()) {}

  void add(Place place) {
    auto& row = rows_[place.row];
    if (row.empty()) row.resize(division_.row_length(place.row));
    row[place.column] = true;
  }
  /// Those that a rank does not own, ascending.
  std::vector<GlobalIndex> beyond(Rank rank) const;

 private:
  const Division& division_;
  std::vector<std::vector<bool>> rows_;  ///< (row, column); empty where none is wanted
};

/// The columns that a rank holds: its own, row after row, then the halo by owner and global id, so that a
/// message lands in place. Rows that it holds part of are kept as tables, 4 bytes a value.
class Columns {
 public:
  /// @param halo ids of columns that the rank does not own
  Columns(const Division& division, Rank rank, std::vector<GlobalIndex> halo);

  /// Where a column stands; kNone where the rank does not hold it.
  LocalIndex position(Place place) const {
    const auto& row = positions_[place.row];
    return row.empty() ? kNone : row[place.column];
  }
  LocalIndex n_owned() const { return n_owned_; }
  LocalIndex n_local() const { return n_owned_ + static_cast<LocalIndex>(halo_.size()); }
  const std::vector<GlobalIndex>& halo() const { return halo_; }

 private:
  void put(const Division& division, Place place, LocalIndex position);

  LocalIndex n_owned_ = 0;
  std::vector<GlobalIndex> halo_;
  std::vector<std::vector<LocalIndex>> positions_;  ///< (row, column)
};

/// Collective. Whom to send which columns: each rank asks the owners of its halo for them, and nobody else
/// knows of it (sparse consensus).
schedule::Halo::Neighbours neighbours(const comm::Communicator& comm, const Division& division,
                                      const Columns& columns);

/// Fields of the columns that a rank holds, in groups of levels that travel one by one: a group is an array
/// (column, field, level of the group), so that what a neighbour sends of it arrives in place.
class ColumnHalo {
 public:
  struct Sizes {
    int n_fields = 1, n_levels = 1, n_groups = 1;

    /// @throws ConfigError for sizes below 1, and more groups than levels
    void check() const;
  };

  /// Collective. @param columns, which must stay
  /// @throws ConfigError as Sizes::check and comm::Exchange
  ColumnHalo(const comm::Communicator& comm, const Division& division, const Columns& columns, Sizes sizes,
             comm::Method method, const std::shared_ptr<const comm::Progress>& progress = {});

  int n_groups() const { return sizes_.n_groups; }
  Range levels(int group) const;
  /// Takes a group's levels of the fields, (owned column, level) each, and sends them off.
  void start(int group, std::span<const std::span<const double>> fields);
  void wait(int group) { pending_[group].reset(); }
  /// What a computation calls between its pieces (comm::Exchange::progress), of all groups under way.
  void progress();
  /// (column, field, level of the group), after `wait`.
  View<const double, 3> values(int group) const;

  std::int64_t received_bytes() const { return received_bytes_; }
  int n_neighbours() const { return n_neighbours_; }
  const std::string& description() const { return exchanges_.front().description(); }

 private:
  Sizes sizes_;
  const Columns& columns_;
  std::int64_t received_bytes_ = 0;
  int n_neighbours_ = 0;
  std::vector<std::vector<double>> values_;            ///< (group)
  std::vector<std::vector<std::byte>> staging_;        ///< (group, send and receive)
  std::vector<comm::Exchange> exchanges_;              ///< (group)
  std::vector<std::optional<comm::Pending>> pending_;  ///< (group)
};

/// Beyond the last grid point that air may come from: what interpolation needs around it.
inline constexpr int kStencilWidth = 2;
/// By how much rounding may move a point [rad].
inline constexpr double kRounding = 1e-12;

/// ceil(distance / grid point) + 2: the halo that serves air that comes from so far away (Zheng and
/// Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, 4.3). @param distance [rad] on the unit sphere
int width_for(const Rows& rows, double distance);

/// How far away air may come from [rad] where a halo has this width.
double reach_of(const Rows& rows, int width);

/// The columns beyond its own that a rank needs for all departure points within the reach of a halo:
/// `width` rows on each side, which over a pole go on along the meridian pi away, and of each row the
/// longitudes that a great circle of this length reaches, with `kStencilWidth` columns around them: all of
/// them where it reaches a pole. So neighbours of neighbours, too. Ascending ids.
/// @throws ConfigError for a width below 3 or above the number of rows
std::vector<GlobalIndex> wide_halo(const Rows& rows, const Division& division, Rank rank, int width);

/// Who receives how much from whom in an exchange of wide halos. @param column_bytes of a column
schedule::Volumes wide_volumes(const Rows& rows, const Division& division, int width,
                               std::int64_t column_bytes, int threads);

}  // namespace halcyon::semi_lagrangian
