#include "halcyon/schedule/halo/volumes.hpp"

#include <map>

#include "halcyon/base/parallel.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::int64_t kRanksPerTask = 64;

void append(Volumes& volumes, const std::vector<Volume>& row) {
  for (const auto& [peer, messages, bytes] : row) {
    volumes.peers.push_back(peer);
    volumes.messages.push_back(messages);
    volumes.bytes.push_back(bytes);
  }
  volumes.offsets.push_back(static_cast<std::int64_t>(volumes.peers.size()));
}

std::vector<Volume> volumes_of(const Schedule& schedule, Rank rank) {
  std::map<Rank, Volume> by_peer;
  Cursor cursor;
  for (Operation operation; schedule.next(rank, cursor, operation);) {
    if (operation.action != Action::receive) continue;
    auto& volume = by_peer[operation.peer];
    volume.peer = operation.peer;
    ++volume.messages;
    volume.bytes += operation.block.total_bytes();
  }
  std::vector<Volume> row;
  for (const auto& [peer, volume] : by_peer) row.push_back(volume);
  return row;
}

}  // namespace

Volumes assemble_volumes(Rank n_ranks, const std::function<std::vector<Volume>(Rank)>& row_of, int threads) {
  std::vector<std::vector<Volume>> rows(n_ranks);
  const auto compute_rows = [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (auto rank = begin; rank < end; ++rank) rows[rank] = row_of(static_cast<Rank>(rank));
  };
  for_blocks(n_ranks, threads, compute_rows, kRanksPerTask);
  Volumes volumes;
  for (const auto& row : rows) append(volumes, row);
  return volumes;
}

Volumes volumes(const Schedule& schedule, int threads) {
  return assemble_volumes(schedule.n_ranks(), [&](Rank rank) { return volumes_of(schedule, rank); }, threads);
}

}  // namespace halcyon::schedule
