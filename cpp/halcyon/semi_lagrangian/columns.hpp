#pragma once

#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/halo/halo.hpp"
#include "halcyon/semi_lagrangian/division.hpp"

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

}  // namespace halcyon::semi_lagrangian
