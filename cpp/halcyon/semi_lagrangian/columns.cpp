#include "halcyon/semi_lagrangian/columns.hpp"

#include <algorithm>
#include <map>

#include "halcyon/comm/collectives.hpp"

namespace halcyon::semi_lagrangian {

std::vector<GlobalIndex> Wanted::beyond(Rank rank) const {
  std::vector<GlobalIndex> ids;
  const auto mine = division_.rows(rank);
  for (int row = 0; row < division_.n_rows(); ++row) {
    const auto owned = mine.holds(row) ? division_.columns(rank, row) : Range{};
    for (int column = 0; column < static_cast<int>(rows_[row].size()); ++column)
      if (rows_[row][column] && !owned.holds(column)) ids.push_back(division_.id({row, column}));
  }
  return ids;
}

Columns::Columns(const Division& division, Rank rank, std::vector<GlobalIndex> halo)
    : halo_(std::move(halo)), positions_(division.n_rows()) {
  for (const auto place : division.owned(rank)) put(division, place, n_owned_++);
  std::ranges::sort(halo_, {}, [&](auto id) { return std::pair(division.owner(division.place(id)), id); });
  for (std::size_t i = 0; i < halo_.size(); ++i)
    put(division, division.place(halo_[i]), n_owned_ + static_cast<LocalIndex>(i));
}

void Columns::put(const Division& division, Place place, LocalIndex position) {
  auto& row = positions_[place.row];
  if (row.empty()) row.assign(division.row_length(place.row), kNone);
  row[place.column] = position;
}

schedule::Halo::Neighbours neighbours(const comm::Communicator& comm, const Division& division,
                                      const Columns& columns) {
  comm::ListsByRank asked;
  for (const auto id : columns.halo()) asked[division.owner(division.place(id))].push_back(id);
  std::map<Rank, schedule::HaloLists> lists;
  const auto add = [&](schedule::HaloItems& items, GlobalIndex id) {
    items.add(columns.position(division.place(id)), 0, 1);
  };
  for (const auto& [rank, ids] : comm::sparse_exchange(comm, asked))
    for (const auto id : ids) add(lists[rank].send, id);
  for (const auto& [rank, ids] : asked)
    for (const auto id : ids) add(lists[rank].receive, id);
  schedule::Halo::Neighbours found;
  for (auto& [rank, items] : lists) found.push_back({rank, {std::move(items)}});
  return found;
}

}  // namespace halcyon::semi_lagrangian
