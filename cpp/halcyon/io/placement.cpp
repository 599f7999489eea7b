#include "halcyon/io/placement.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/io/checksum.hpp"

namespace halcyon::io {

Placement::Placement(const Ranks& ranks, std::span<const GlobalIndex> ids, GlobalIndex n_items)
    : ranks_(ranks), n_items_(n_items), ids_(ids.begin(), ids.end()), order_(ids.size()) {
  const auto outside = std::ranges::find_if(ids, [&](auto id) { return id < 0 || id >= n_items; });
  const GlobalIndex wrong = ranks.comm().max(outside == ids.end() ? -1 : std::abs(*outside));
  require<InternalError>(wrong < 0, "The global id {} (its amount) is not in 0..{}.", wrong, n_items - 1);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](auto item) { return ids_[item]; });
  std::vector<Rank> keepers(order_.size());
  std::ranges::transform(order_, keepers.begin(),
                         [&](auto item) { return ranks_.keeper(ids_[item], n_items_); });
  exchange_ids(keepers);
  most_rows_ = ranks_.comm().max(static_cast<std::int64_t>(row_ids_.size()));
  is_partition_ = find_partition();
}

/// Tells each I/O rank which ids it takes from whom.
void Placement::exchange_ids(const std::vector<Rank>& keepers) {
  const auto& comm = ranks_.comm();
  std::vector<std::int64_t> gives(comm.size(), 0), takes(comm.size());
  for (std::size_t begin = 0; begin < keepers.size();) {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(keepers.begin() + begin, keepers.end(), keepers[begin]) - keepers.begin());
    given_.push_back({ranks_.member(keepers[begin]), begin, end - begin});
    gives[given_.back().peer] = static_cast<std::int64_t>(end - begin);
    begin = end;
  }
  comm::check(MPI_Alltoall(gives.data(), 1, MPI_INT64_T, takes.data(), 1, MPI_INT64_T, comm.get()),
              "MPI_Alltoall");
  std::size_t n_taken = 0;
  for (Rank r = 0; r < comm.size(); ++r)
    if (takes[r] > 0) {
      taken_.push_back({r, n_taken, static_cast<std::size_t>(takes[r])});
      n_taken += takes[r];
    }
  std::vector<GlobalIndex> sorted(order_.size()), taken_ids(n_taken);
  std::ranges::transform(order_, sorted.begin(), [&](auto item) { return ids_[item]; });
  const auto tag = comm.new_tag();
  std::vector<MPI_Request> requests;
  const auto begin = [&](auto call, auto* ids, const Lane& lane) {
    comm::check(call(ids + lane.first, static_cast<int>(lane.count), MPI_INT64_T, lane.peer, tag.number(),
                     comm.get(), &requests.emplace_back()),
                "an exchange of global ids");
  };
  for (const auto& lane : taken_) begin(MPI_Irecv, taken_ids.data(), lane);
  for (const auto& lane : given_) begin(MPI_Isend, sorted.data(), lane);
  comm::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  find_rows(taken_ids);
}

void Placement::find_rows(std::span<const GlobalIndex> taken_ids) {
  row_ids_.assign(taken_ids.begin(), taken_ids.end());
  std::ranges::sort(row_ids_);
  const auto repeated = std::ranges::unique(row_ids_);
  row_ids_.erase(repeated.begin(), repeated.end());
  rows_.resize(taken_ids.size());
  for (const auto& lane : taken_) {
    auto at = row_ids_.begin();
    for (auto i = lane.first; i < lane.first + lane.count; ++i) {
      at = std::lower_bound(at, row_ids_.end(), taken_ids[i]);
      rows_[i] = static_cast<std::size_t>(at - row_ids_.begin());
    }
  }
  for (const auto id : row_ids_) {
    if (!runs_.empty() && runs_.back().first + runs_.back().count == id)
      ++runs_.back().count;
    else
      runs_.push_back({id, 1});
  }
}

/// Whether the ids of all ranks are 0..n-1, each once: as many, and with the same sum of mixes.
bool Placement::find_partition() const {
  const auto& comm = ranks_.comm();
  std::uint64_t mine[2] = {ids_.size(), 0}, all[2];
  for (const auto id : ids_) mine[1] += mixed(0, id);
  const auto first = n_items_ * comm.rank() / comm.size(), end = n_items_ * (comm.rank() + 1) / comm.size();
  for (auto id = first; id < end; ++id) mine[1] -= mixed(0, id);
  comm::check(MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, comm.get()), "MPI_Allreduce");
  return all[0] == static_cast<std::uint64_t>(n_items_) && all[1] == 0;
}

int Placement::n_slices(std::int64_t item_bytes) const {
  const auto bytes = most_rows_ * item_bytes, piece = ranks_.options().piece_bytes;
  return static_cast<int>(std::max<std::int64_t>(1, (bytes + piece - 1) / piece));
}

/// The ids of slice `number` that an I/O rank takes.
std::pair<GlobalIndex, GlobalIndex> Placement::bounds(Rank io, int number, int n_slices) const {
  const auto [low, high] = ranks_.range(io, n_items_);
  const auto at = [&, low = low, high = high](GlobalIndex i) { return low + (high - low) * i / n_slices; };
  return {at(number), at(number + 1)};
}

Slice Placement::slice(int number, int n_slices) const {
  Slice found;
  for (const auto& lane : given_) {
    const auto io = ranks_.keeper(ids_[order_[lane.first]], n_items_);
    const auto [low, high] = bounds(io, number, n_slices);
    const auto items = order().subspan(lane.first, lane.count);
    const auto id = [&](auto item) { return ids_[item]; };
    const auto begin = std::ranges::lower_bound(items, low, {}, id) - items.begin();
    const auto end = std::ranges::lower_bound(items, high, {}, id) - items.begin();
    if (end > begin)
      found.given.push_back({lane.peer, lane.first + begin, static_cast<std::size_t>(end - begin)});
  }
  if (ranks_.mine() == kNone) return found;
  const auto [low, high] = bounds(ranks_.mine(), number, n_slices);
  found.first_row = std::ranges::lower_bound(row_ids_, low) - row_ids_.begin();
  found.n_rows = std::ranges::lower_bound(row_ids_, high) - row_ids_.begin() - found.first_row;
  for (const auto& lane : taken_) {
    const auto rows = this->rows().subspan(lane.first, lane.count);
    const auto begin = std::ranges::lower_bound(rows, found.first_row) - rows.begin();
    const auto end = std::ranges::lower_bound(rows, found.first_row + found.n_rows) - rows.begin();
    if (end > begin)
      found.taken.push_back({lane.peer, lane.first + begin, static_cast<std::size_t>(end - begin)});
  }
  auto run = std::ranges::lower_bound(runs_, low, {}, [](const Run& r) { return r.first + r.count - 1; });
  for (; run != runs_.end() && run->first < high; ++run) {
    const auto first = std::max(run->first, low), end = std::min(run->first + run->count, high);
    found.runs.push_back({first, end - first});
  }
  return found;
}

}  // namespace halcyon::io
