#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>

#include "halcyon/base/error.hpp"
#include "halcyon/network/mapping/placement.hpp"

namespace halcyon::network {
namespace {

/// Number of bytes that pairs of items (ranks, or groups of ranks) exchange, the sum of both directions.
class Affinity {
 public:
  struct Peer {
    std::int32_t item;
    std::int64_t bytes;
  };

  /// @throws InputError for an invalid peer
  static Affinity of_ranks(const schedule::Volumes& volumes) {
    std::vector<Pair> pairs;
    for (Rank rank = 0; rank < volumes.n_ranks(); ++rank)
      for (std::int64_t i = volumes.offsets[rank]; i < volumes.offsets[rank + 1]; ++i) {
        const Rank peer = volumes.peers[i];
        require<InputError>(peer >= 0 && peer < volumes.n_ranks(),
                            "Rank {} receives from rank {}, but the ranks are 0 to {}.", rank, peer,
                            volumes.n_ranks() - 1);
        if (peer == rank) continue;
        pairs.push_back({rank, peer, volumes.bytes[i]});
        pairs.push_back({peer, rank, volumes.bytes[i]});
      }
    return {std::move(pairs), volumes.n_ranks()};
  }

  std::int32_t n_items() const { return static_cast<std::int32_t>(offsets_.size()) - 1; }
  /// The peers of an item by descending bytes, then by ascending item; without the item itself.
  std::span<const Peer> peers(std::int32_t item) const {
    return std::span(peers_).subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

  /// Affinity of groups of items. @param groups (item)
  Affinity between_groups(std::span<const std::int32_t> groups, std::int32_t n_groups) const {
    std::vector<Pair> pairs;
    for (std::int32_t item = 0; item < n_items(); ++item)
      for (const Peer& peer : peers(item))
        if (groups[item] != groups[peer.item]) pairs.push_back({groups[item], groups[peer.item], peer.bytes});
    return {std::move(pairs), n_groups};
  }

 private:
  struct Pair {
    std::int32_t item, peer;
    std::int64_t bytes;
  };

  /// Adds up the bytes of equal pairs.
  Affinity(std::vector<Pair> pairs, std::int32_t n_items) {
    std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.item, pair.peer); });
    std::size_t next_pair = 0;
    for (std::int32_t item = 0; item < n_items; ++item) {
      const auto first_peer = static_cast<std::ptrdiff_t>(peers_.size());
      for (; next_pair < pairs.size() && pairs[next_pair].item == item; ++next_pair) {
        const bool is_new = std::ssize(peers_) == first_peer || peers_.back().item != pairs[next_pair].peer;
        if (is_new) peers_.push_back({pairs[next_pair].peer, 0});
        peers_.back().bytes += pairs[next_pair].bytes;
      }
      std::stable_sort(peers_.begin() + first_peer, peers_.end(),
                       [](const Peer& a, const Peer& b) { return a.bytes > b.bytes; });
      offsets_.push_back(std::ssize(peers_));
    }
  }

  std::vector<std::int64_t> offsets_{0};  // (item + 1)
  std::vector<Peer> peers_;
};

/// Priority queue of unplaced items, ordered by the bytes that they exchange with placed items. Among equal
/// items, the item added first has precedence, which makes groups compact.
class GrowthQueue {
 public:
  explicit GrowthQueue(std::int32_t n_items) : bytes_(n_items) {}

  /// Adds the bytes that a newly placed item exchanges with a peer.
  void add(const Affinity::Peer& peer) {
    heap_.push({bytes_[peer.item] += peer.bytes, --sequence_, peer.item});
  }

  /// Returns the unplaced item that exchanges most with placed items; kNone if there is none.
  std::int32_t best_candidate(const std::vector<bool>& is_placed) {
    while (!heap_.empty()) {
      const auto [bytes, sequence, item] = heap_.top();
      if (!is_placed[item] && bytes == bytes_[item]) return item;  // else placed or outdated
      heap_.pop();
    }
    return kNone;
  }

  /// Clears the queue. @param items items whose peers were added
  void clear(const Affinity& affinity, std::span<const std::int32_t> items) {
    for (const std::int32_t item : items)
      for (const auto& peer : affinity.peers(item)) bytes_[peer.item] = 0;
    heap_ = {};
  }

 private:
  std::vector<std::int64_t> bytes_;  // (item)
  std::int64_t sequence_ = 0;        // decreases with each addition
  std::priority_queue<std::tuple<std::int64_t, std::int64_t, std::int32_t>> heap_;  // bytes, sequence, item
};

/// Returns the items in descending order of the bytes that they exchange with all other items.
std::vector<std::int32_t> sorted_by_total_bytes(const Affinity& affinity) {
  std::vector<std::int64_t> totals(affinity.n_items());
  for (std::int32_t item = 0; item < affinity.n_items(); ++item)
    for (const auto& peer : affinity.peers(item)) totals[item] += peer.bytes;
  std::vector<std::int32_t> items(totals.size());
  std::iota(items.begin(), items.end(), 0);
  std::ranges::stable_sort(items, std::greater(), [&](std::int32_t item) { return totals[item]; });
  return items;
}

/// Fills groups one after the other by greedy growth: each group starts with the unplaced item that exchanges
/// most with items of earlier groups or, if there is none, exchanges most with all items; and grows by the
/// item that exchanges most with the group's members.
/// @param sizes (group), whose sum is n_items
/// @returns the items, group after group
std::vector<std::int32_t> grow_groups(const Affinity& affinity, std::span<const std::int32_t> sizes) {
  const auto heaviest = sorted_by_total_bytes(affinity);
  auto next_heaviest = heaviest.begin();
  std::vector<bool> is_placed(affinity.n_items());
  std::vector<std::int32_t> order;
  GrowthQueue placed_neighbors(affinity.n_items()), group_neighbors(affinity.n_items());
  for (const std::int32_t size : sizes) {
    const std::size_t n_before = order.size();
    while (order.size() < n_before + size) {
      std::int32_t item = group_neighbors.best_candidate(is_placed);
      if (item == kNone) item = placed_neighbors.best_candidate(is_placed);
      while (item == kNone && is_placed[*next_heaviest]) ++next_heaviest;
      if (item == kNone) item = *next_heaviest;
      is_placed[item] = true;
      order.push_back(item);
      for (const auto& peer : affinity.peers(item)) placed_neighbors.add(peer), group_neighbors.add(peer);
    }
    group_neighbors.clear(affinity, std::span(order).subspan(n_before));
  }
  return order;
}

constexpr int kMaxPeers = 4;          // an item is swapped with items near this number of its peers
constexpr int kMaxSweeps = 8;         // over all items
constexpr Link kNearbyLinks = 12;     // the switches at the ends of this number of links count as near
constexpr Switch kNearbyNumbers = 3;  // switches whose numbers differ by at most this count as near

/// Returns the switches whose items may be swapped with an item that has a peer on the switch `current`.
using CandidateSwitches = std::vector<Switch> (*)(const Topology& topology, Switch current);

/// Local search: swaps pairs of items while this lowers the sum of bytes times distance. A sweep swaps each
/// item with the best candidate near its peers. The search ends with a sweep without swaps, or kMaxSweeps.
class SwapImprover {
 public:
  /// @param switches (item) modified in place
  /// @param sizes (item) only items of equal size are swapped
  SwapImprover(const Topology& topology, const Affinity& affinity, const std::vector<std::int32_t>& sizes,
               CandidateSwitches candidates, std::vector<Switch>& switches)
      : topology_(topology),
        affinity_(affinity),
        sizes_(sizes),
        candidates_(candidates),
        switches_(switches) {
    items_on_switch_.resize(topology.n_switches());
    for (std::int32_t item = 0; item < affinity.n_items(); ++item)
      items_on_switch_[switches[item]].push_back(item);
  }

  void run() {
    for (int i = 0; i < kMaxSweeps && sweep();) ++i;
  }

 private:
  /// @returns whether any items were swapped
  bool sweep() {
    bool has_swapped = false;
    for (std::int32_t item = 0; item < affinity_.n_items(); ++item) {
      const std::int32_t partner = best_partner(item);
      if (partner == kNone) continue;
      swap(item, partner);
      has_swapped = true;
    }
    return has_swapped;
  }

  std::int32_t best_partner(std::int32_t item) const {
    std::int32_t best = kNone;
    std::int64_t best_saved = 0;
    const auto peers = affinity_.peers(item);
    for (const auto& peer : peers.first(std::min<std::size_t>(peers.size(), kMaxPeers)))
      for (const Switch candidate : candidates_(topology_, switches_[peer.item])) {
        if (candidate == switches_[item]) continue;
        for (const std::int32_t other : items_on_switch_[candidate]) {
          const std::int64_t saved = other == item || sizes_[other] != sizes_[item] ? 0 : gain(item, other);
          if (saved > best_saved) best_saved = saved, best = other;
        }
      }
    return best;
  }

  /// Returns the decrease of the sum of bytes times distance if two items are swapped.
  std::int64_t gain(std::int32_t a, std::int32_t b) const {
    return gain_of_move(a, switches_[b], b) + gain_of_move(b, switches_[a], a);
  }

  /// Returns the decrease of bytes times distance, without messages to `except`, if `item` moves to `to`.
  std::int64_t gain_of_move(std::int32_t item, Switch to, std::int32_t except) const {
    std::int64_t sum = 0;
    for (const auto& peer : affinity_.peers(item)) {
      if (peer.item == except) continue;
      const Switch there = switches_[peer.item];
      sum += peer.bytes * (topology_.distance(switches_[item], there) - topology_.distance(to, there));
    }
    return sum;
  }

  void swap(std::int32_t a, std::int32_t b) {
    *std::ranges::find(items_on_switch_[switches_[a]], a) = b;
    *std::ranges::find(items_on_switch_[switches_[b]], b) = a;
    std::swap(switches_[a], switches_[b]);
  }

  const Topology& topology_;
  const Affinity& affinity_;
  const std::vector<std::int32_t>& sizes_;
  CandidateSwitches candidates_;
  std::vector<Switch>& switches_;
  std::vector<std::vector<std::int32_t>> items_on_switch_;  // (switch)
};

/// Returns switches with numbers close to `current`, and the ends of about kNearbyLinks links of `current`.
std::vector<Switch> switches_nearby(const Topology& topology, Switch current) {
  std::vector<Switch> nearby;
  const Link first = topology.first_link(current), n_links = topology.first_link(current + 1) - first;
  const Link step = std::max(n_links / kNearbyLinks, 1);
  for (Link i = 0; i < n_links; i += step) nearby.push_back(topology.ends(first + i).to);
  for (Switch other = std::max(current - kNearbyNumbers, 0);
       other <= std::min(current + kNearbyNumbers, topology.n_switches() - 1); ++other)
    nearby.push_back(other);
  return nearby;
}

/// The switches of the linear placement, and the number of ranks on each.
struct Groups {
  std::vector<Switch> switches;     // (group)
  std::vector<std::int32_t> sizes;  // (group)
};

Groups switch_groups(const Topology& topology, const Placement& linear) {
  Groups groups;
  for (const Node node : linear.nodes()) {
    const Switch current = topology.switch_of(node);
    if (groups.switches.empty() || groups.switches.back() != current) {
      groups.switches.push_back(current);
      groups.sizes.push_back(0);
    }
    ++groups.sizes.back();
  }
  return groups;
}

/// Returns the switch of each rank: improves the initial order of ranks, which fills group after group, first
/// by swaps of whole groups, then by swaps of ranks.
std::vector<Switch> improve_by_swaps(const Topology& topology, const Affinity& affinity, const Groups& groups,
                                     const std::vector<Rank>& order) {
  std::vector<std::int32_t> group_of(order.size());
  std::size_t next_position = 0;
  for (std::size_t group = 0; group < groups.sizes.size(); ++group)
    for (std::int32_t i = 0; i < groups.sizes[group]; ++i)
      group_of[order[next_position++]] = static_cast<std::int32_t>(group);
  std::vector<Switch> group_switches = groups.switches;
  const auto affinities = affinity.between_groups(group_of, static_cast<std::int32_t>(groups.sizes.size()));
  SwapImprover(topology, affinities, groups.sizes, switches_nearby, group_switches).run();
  std::vector<Switch> switches(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) switches[rank] = group_switches[group_of[rank]];
  const std::vector<std::int32_t> equal_sizes(order.size(), 1);
  const auto only_current_switch = [](const Topology&, Switch current) { return std::vector{current}; };
  SwapImprover(topology, affinity, equal_sizes, only_current_switch, switches).run();
  return switches;
}

/// Places the ranks of each switch, in ascending order, on the slots of the switch that `linear` occupies.
Placement place_on_nodes(const Topology& topology, const Placement& linear,
                         const std::vector<Switch>& switches) {
  std::vector<Rank> ranks(switches.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [&](Rank rank) { return switches[rank]; });
  std::vector<Node> nodes(switches.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) nodes[ranks[i]] = linear.nodes()[i];
  return {topology, std::move(nodes), linear.ranks_per_node()};
}

}  // namespace

Placement mapped_placement(const Topology& topology, const schedule::Volumes& volumes,
                           std::int32_t ranks_per_node) {
  const auto linear = linear_placement(topology, volumes.n_ranks(), ranks_per_node);
  const auto affinity = Affinity::of_ranks(volumes);
  const auto groups = switch_groups(topology, linear);
  std::vector<Rank> rank_order(volumes.n_ranks());
  std::iota(rank_order.begin(), rank_order.end(), 0);
  const auto placement_from = [&](const std::vector<Rank>& order) {
    return place_on_nodes(topology, linear, improve_by_swaps(topology, affinity, groups, order));
  };
  auto best = placement_from(rank_order), other = placement_from(grow_groups(affinity, groups.sizes));
  return hop_bytes(topology, other, volumes) < hop_bytes(topology, best, volumes) ? other : best;
}

}  // namespace halcyon::network
