#include "halcyon/network/mapping/growth.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

namespace halcyon::network {
namespace {

/// Which waiting item is pulled most, by the bytes that it exchanges with those that were taken; of equals
/// the one that was pulled earlier, so that a group grows round.
class Pulls {
 public:
  explicit Pulls(std::int32_t n_items) : bytes_(n_items) {}

  void add(const Affinity::Peer& peer) { heap_.push({bytes_[peer.item] += peer.bytes, --turn_, peer.item}); }

  /// The item of the largest pull that waits; kNone where none is pulled.
  std::int32_t strongest(const std::vector<bool>& is_placed) {
    while (!heap_.empty()) {
      const auto [bytes, turn, item] = heap_.top();
      if (!is_placed[item] && bytes == bytes_[item]) return item;
      heap_.pop();
    }
    return kNone;
  }

  /// Forgets all pulls, which `peers` of the items that were added have.
  void clear(const Affinity& affinity, std::span<const std::int32_t> items) {
    for (const std::int32_t item : items)
      for (const auto& peer : affinity.peers(item)) bytes_[peer.item] = 0;
    heap_ = {};
  }

 private:
  std::vector<std::int64_t> bytes_;                                                 // (item)
  std::int64_t turn_ = 0;                                                           // falls with each pull
  std::priority_queue<std::tuple<std::int64_t, std::int64_t, std::int32_t>> heap_;  // bytes, turn, item
};

/// The items by what they exchange with all others, most first.
std::vector<std::int32_t> by_total(const Affinity& affinity) {
  std::vector<std::int64_t> totals(affinity.n_items());
  for (std::int32_t item = 0; item < affinity.n_items(); ++item)
    for (const auto& peer : affinity.peers(item)) totals[item] += peer.bytes;
  std::vector<std::int32_t> items(totals.size());
  std::iota(items.begin(), items.end(), 0);
  std::ranges::stable_sort(items, std::greater(), [&](std::int32_t item) { return totals[item]; });
  return items;
}

}  // namespace

std::vector<std::int32_t> grown(const Affinity& affinity, std::span<const std::int32_t> sizes) {
  const auto heaviest = by_total(affinity);
  auto left = heaviest.begin();
  std::vector<bool> is_placed(affinity.n_items());
  std::vector<std::int32_t> order;
  Pulls to_all(affinity.n_items()), to_group(affinity.n_items());
  for (const std::int32_t size : sizes) {
    const std::size_t first = order.size();
    while (order.size() < first + size) {
      std::int32_t item = to_group.strongest(is_placed);
      if (item == kNone) item = to_all.strongest(is_placed);
      while (item == kNone && is_placed[*left]) ++left;
      if (item == kNone) item = *left;
      is_placed[item] = true;
      order.push_back(item);
      for (const auto& peer : affinity.peers(item)) to_all.add(peer), to_group.add(peer);
    }
    to_group.clear(affinity, std::span(order).subspan(first));
  }
  return order;
}

}  // namespace halcyon::network
