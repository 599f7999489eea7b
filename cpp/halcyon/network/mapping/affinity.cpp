#include "halcyon/network/mapping/affinity.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

Affinity::Affinity(std::vector<Pair> pairs, std::int32_t n_items) {
  std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.item, pair.peer); });
  std::size_t at = 0;
  for (std::int32_t item = 0; item < n_items; ++item) {
    const auto first = static_cast<std::ptrdiff_t>(peers_.size());
    for (; at < pairs.size() && pairs[at].item == item; ++at) {
      const bool is_new = std::ssize(peers_) == first || peers_.back().item != pairs[at].peer;
      if (is_new) peers_.push_back({pairs[at].peer, 0});
      peers_.back().bytes += pairs[at].bytes;
    }
    std::stable_sort(peers_.begin() + first, peers_.end(),
                     [](const Peer& a, const Peer& b) { return a.bytes > b.bytes; });
    offsets_.push_back(std::ssize(peers_));
  }
}

Affinity Affinity::of(const schedule::Volumes& volumes) {
  std::vector<Pair> pairs;
  for (Rank rank = 0; rank < volumes.n_ranks(); ++rank)
    for (std::int64_t i = volumes.offsets[rank]; i < volumes.offsets[rank + 1]; ++i) {
      const Rank peer = volumes.peers[i];
      require<InputError>(peer >= 0 && peer < volumes.n_ranks(),
                          "Rank {} hears from rank {}, but there are the ranks 0 to {}.", rank, peer,
                          volumes.n_ranks() - 1);
      if (peer == rank) continue;
      pairs.push_back({rank, peer, volumes.bytes[i]});
      pairs.push_back({peer, rank, volumes.bytes[i]});
    }
  return {std::move(pairs), volumes.n_ranks()};
}

Affinity Affinity::between(std::span<const std::int32_t> groups, std::int32_t n_groups) const {
  std::vector<Pair> pairs;
  for (std::int32_t item = 0; item < n_items(); ++item)
    for (const Peer& peer : peers(item))
      if (groups[item] != groups[peer.item]) pairs.push_back({groups[item], groups[peer.item], peer.bytes});
  return {std::move(pairs), n_groups};
}

}  // namespace halcyon::network
