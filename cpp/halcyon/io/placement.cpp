#include "halcyon/io/placement.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/checksum.hpp"

namespace halcyon::io {

Placement::Placement(const Ranks& ranks, std::span<const GlobalIndex> ids, GlobalIndex n_items)
    : ranks_(ranks), n_items_(n_items), ids_(ids.begin(), ids.end()), order_(ids.size()) {
  const auto outside = std::ranges::find_if(ids, [&](auto id) { return id < 0 || id >= n_items; });
  const GlobalIndex wrong = ranks.comm().max(outside == ids.end() ? -1 : std::abs(*outside));
  require<InternalError>(wrong < 0, "The global id {} (absolute value) is not in 0..{}.", wrong, n_items - 1);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](auto item) { return ids_[item]; });
  std::vector<Rank> io_ranks(order_.size());
  std::ranges::transform(order_, io_ranks.begin(),
                         [&](auto item) { return ranks_.io_rank_of(ids_[item], n_items_); });
  exchange_ids(io_ranks);
  max_rows_ = ranks_.comm().max(static_cast<std::int64_t>(row_ids_.size()));
  is_partition_ = check_partition();
}

/// Sends the ids of this rank's items to their I/O ranks.
void Placement::exchange_ids(const std::vector<Rank>& io_ranks) {
  const auto& comm = ranks_.comm();
  std::vector<std::int64_t> send_counts(comm.size(), 0), receive_counts(comm.size());
  for (std::size_t begin = 0; begin < io_ranks.size();) {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(io_ranks.begin() + begin, io_ranks.end(), io_ranks[begin]) - io_ranks.begin());
    items_per_io_rank_.push_back({ranks_.rank_of(io_ranks[begin]), begin, end - begin});
    send_counts[items_per_io_rank_.back().peer] = static_cast<std::int64_t>(end - begin);
    begin = end;
  }
  comm::check(
      MPI_Alltoall(send_counts.data(), 1, MPI_INT64_T, receive_counts.data(), 1, MPI_INT64_T, comm.get()),
      "MPI_Alltoall");
  std::size_t n_received = 0;
  for (Rank r = 0; r < comm.size(); ++r)
    if (receive_counts[r] > 0) {
      rows_per_rank_.push_back({r, n_received, static_cast<std::size_t>(receive_counts[r])});
      n_received += receive_counts[r];
    }
  std::vector<GlobalIndex> sorted(order_.size()), received_ids(n_received);
  std::ranges::transform(order_, sorted.begin(), [&](auto item) { return ids_[item]; });
  const auto tag = comm.new_tag();
  std::vector<MPI_Request> requests;
  const auto begin_message = [&](auto call, auto* ids, const PeerRange& range) {
    comm::check(call(ids + range.first, static_cast<int>(range.count), MPI_INT64_T, range.peer, tag.number(),
                     comm.get(), &requests.emplace_back()),
                "an exchange of global ids");
  };
  for (const auto& range : rows_per_rank_) begin_message(MPI_Irecv, received_ids.data(), range);
  for (const auto& range : items_per_io_rank_) begin_message(MPI_Isend, sorted.data(), range);
  comm::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  find_rows(received_ids);
}

/// On an I/O rank: sorts the received ids into rows, finds the row of each item, and merges rows into runs.
void Placement::find_rows(std::span<const GlobalIndex> received_ids) {
  row_ids_.assign(received_ids.begin(), received_ids.end());
  std::ranges::sort(row_ids_);
  const auto repeated = std::ranges::unique(row_ids_);
  row_ids_.erase(repeated.begin(), repeated.end());
  rows_.resize(received_ids.size());
  for (const auto& range : rows_per_rank_) {
    auto row = row_ids_.begin();
    for (auto i = range.first; i < range.first + range.count; ++i) {
      row = std::lower_bound(row, row_ids_.end(), received_ids[i]);
      rows_[i] = static_cast<std::size_t>(row - row_ids_.begin());
    }
  }
  for (const auto id : row_ids_) {
    if (!runs_.empty() && runs_.back().first + runs_.back().count == id)
      ++runs_.back().count;
    else
      runs_.push_back({id, 1});
  }
}

/// Collective. Whether the ranks have each id of 0 .. n_items - 1 once: compares the number and sum of
/// hashes.
bool Placement::check_partition() const {
  const auto& comm = ranks_.comm();
  std::uint64_t local[2] = {ids_.size(), 0}, global[2];
  for (const auto id : ids_) local[1] += hash_of(0, id);
  const auto first = n_items_ * comm.rank() / comm.size(), end = n_items_ * (comm.rank() + 1) / comm.size();
  for (auto id = first; id < end; ++id) local[1] -= hash_of(0, id);  // this rank's part of the expected sum
  comm::check(MPI_Allreduce(local, global, 2, MPI_UINT64_T, MPI_SUM, comm.get()), "MPI_Allreduce");
  return global[0] == static_cast<std::uint64_t>(n_items_) && global[1] == 0;
}

int Placement::n_slices(std::int64_t item_bytes) const {
  const auto bytes = max_rows_ * item_bytes, piece = ranks_.options().piece_bytes;
  return static_cast<int>(std::max<std::int64_t>(1, (bytes + piece - 1) / piece));
}

/// Returns the range [first, end) of the ids that I/O rank `io` may receive in slice `number`.
std::pair<GlobalIndex, GlobalIndex> Placement::id_range(Rank io, int number, int n_slices) const {
  const auto [low, high] = ranks_.range(io, n_items_);
  const auto id = [&, low = low, high = high](GlobalIndex i) { return low + (high - low) * i / n_slices; };
  return {id(number), id(number + 1)};
}

Slice Placement::slice(int number, int n_slices) const {
  Slice slice;
  for (const auto& range : items_per_io_rank_) {
    const auto io = ranks_.io_rank_of(ids_[order_[range.first]], n_items_);
    const auto [low, high] = id_range(io, number, n_slices);
    const auto items = order().subspan(range.first, range.count);
    const auto id = [&](auto item) { return ids_[item]; };
    const auto begin = std::ranges::lower_bound(items, low, {}, id) - items.begin();
    const auto end = std::ranges::lower_bound(items, high, {}, id) - items.begin();
    if (end > begin)
      slice.items_per_io_rank.push_back(
          {range.peer, range.first + begin, static_cast<std::size_t>(end - begin)});
  }
  if (ranks_.io_rank() == kNone) return slice;
  const auto [low, high] = id_range(ranks_.io_rank(), number, n_slices);
  slice.first_row = std::ranges::lower_bound(row_ids_, low) - row_ids_.begin();
  slice.n_rows = std::ranges::lower_bound(row_ids_, high) - row_ids_.begin() - slice.first_row;
  for (const auto& range : rows_per_rank_) {
    const auto rows = this->rows().subspan(range.first, range.count);
    const auto begin = std::ranges::lower_bound(rows, slice.first_row) - rows.begin();
    const auto end = std::ranges::lower_bound(rows, slice.first_row + slice.n_rows) - rows.begin();
    if (end > begin)
      slice.rows_per_rank.push_back({range.peer, range.first + begin, static_cast<std::size_t>(end - begin)});
  }
  auto run =
      std::ranges::lower_bound(runs_, low, {}, [](const ItemRange& r) { return r.first + r.count - 1; });
  for (; run != runs_.end() && run->first < high; ++run) {
    const auto first = std::max(run->first, low), end = std::min(run->first + run->count, high);
    slice.runs.push_back({first, end - first});
  }
  return slice;
}

}  // namespace halcyon::io
