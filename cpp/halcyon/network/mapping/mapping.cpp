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

/// How many bytes items (ranks, or groups of them) exchange, both ways together.
class Affinity {
 public:
  struct Peer {
    std::int32_t item;
    std::int64_t bytes;
  };

  /// Of ranks. @throws InputError where a peer is none of them
  static Affinity of(const schedule::Volumes& volumes) {
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

  std::int32_t n_items() const { return static_cast<std::int32_t>(offsets_.size()) - 1; }
  /// By descending bytes, of equals the smaller item first; the item itself is none.
  std::span<const Peer> peers(std::int32_t item) const {
    return std::span(peers_).subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

  /// Of groups of items. @param groups (item)
  Affinity between(std::span<const std::int32_t> groups, std::int32_t n_groups) const {
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

  Affinity(std::vector<Pair> pairs, std::int32_t n_items) {
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

  std::vector<std::int64_t> offsets_{0};  // (item + 1)
  std::vector<Peer> peers_;
};

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

/// Fills groups one after the other with items that belong together: each begins with the item that exchanges
/// most with those that are in groups already (the first, and where there is none, with the one that
/// exchanges most at all), and takes what exchanges most with itself.
/// @param sizes (group), of sum n_items
/// @returns the items, group after group
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

constexpr int kMostPeers = 4;  // whose surroundings an item looks at
constexpr int kMostSweeps = 8;
constexpr Link kMostLinks = 12;
constexpr Switch kReach = 3;

/// The switches whose items one may change with that has a peer on switch `at`.
using Near = std::vector<Switch> (*)(const Topology& topology, Switch at);

/// Lets items change places with others while that lowers the sum of bytes times distance: item by item with
/// the best of those near its peers, again and again until none gains or the sweeps are over.
class Swaps {
 public:
  /// @param places (item) changed in place
  /// @param sizes (item) those of other sizes change no places
  Swaps(const Topology& topology, const Affinity& affinity, const std::vector<std::int32_t>& sizes, Near near,
        std::vector<Switch>& places)
      : topology_(topology), affinity_(affinity), sizes_(sizes), near_(near), places_(places) {
    items_on_.resize(topology.n_switches());
    for (std::int32_t item = 0; item < affinity.n_items(); ++item) items_on_[places[item]].push_back(item);
  }

  void run() {
    for (int i = 0; i < kMostSweeps && sweep();) ++i;
  }

 private:
  /// @returns whether any items changed places
  bool sweep() {
    bool has_gained = false;
    for (std::int32_t item = 0; item < affinity_.n_items(); ++item) {
      const std::int32_t partner = best_partner(item);
      if (partner == kNone) continue;
      swap(item, partner);
      has_gained = true;
    }
    return has_gained;
  }

  std::int32_t best_partner(std::int32_t item) const {
    std::int32_t best = kNone;
    std::int64_t most = 0;
    const auto peers = affinity_.peers(item);
    for (const auto& peer : peers.first(std::min<std::size_t>(peers.size(), kMostPeers)))
      for (const Switch at : near_(topology_, places_[peer.item])) {
        if (at == places_[item]) continue;
        for (const std::int32_t other : items_on_[at]) {
          const std::int64_t gained = other == item || sizes_[other] != sizes_[item] ? 0 : gain(item, other);
          if (gained > most) most = gained, best = other;
        }
      }
    return best;
  }

  std::int64_t gain(std::int32_t a, std::int32_t b) const {
    return moved_gain(a, places_[b], b) + moved_gain(b, places_[a], a);
  }

  // What bytes times distance fall by when `item` moves to `to`, but for those to `except`.
  std::int64_t moved_gain(std::int32_t item, Switch to, std::int32_t except) const {
    std::int64_t sum = 0;
    for (const auto& peer : affinity_.peers(item)) {
      if (peer.item == except) continue;
      const Switch there = places_[peer.item];
      sum += peer.bytes * (topology_.distance(places_[item], there) - topology_.distance(to, there));
    }
    return sum;
  }

  void swap(std::int32_t a, std::int32_t b) {
    *std::ranges::find(items_on_[places_[a]], a) = b;
    *std::ranges::find(items_on_[places_[b]], b) = a;
    std::swap(places_[a], places_[b]);
  }

  const Topology& topology_;
  const Affinity& affinity_;
  const std::vector<std::int32_t>& sizes_;
  Near near_;
  std::vector<Switch>& places_;
  std::vector<std::vector<std::int32_t>> items_on_;  // (switch)
};

/// Edge switches with numbers near the switch's, and at the ends of a dozen of its links.
std::vector<Switch> near_switches(const Topology& topology, Switch at) {
  std::vector<Switch> near;
  const Link first = topology.first_link(at), n_links = topology.first_link(at + 1) - first;
  const Link step = std::max(n_links / kMostLinks, 1);
  for (Link i = 0; i < n_links; i += step) near.push_back(topology.ends(first + i).to);
  for (Switch other = std::max(at - kReach, 0); other <= std::min(at + kReach, topology.n_switches() - 1);
       ++other)
    near.push_back(other);
  return near;
}

/// The switches of the linear placement, and how many ranks each has.
struct Groups {
  std::vector<Switch> switches;     // (group)
  std::vector<std::int32_t> sizes;  // (group)
};

Groups groups_of(const Topology& topology, const Placement& linear) {
  Groups groups;
  for (const Node node : linear.nodes()) {
    const Switch at = topology.switch_of(node);
    if (groups.switches.empty() || groups.switches.back() != at) {
      groups.switches.push_back(at);
      groups.sizes.push_back(0);
    }
    ++groups.sizes.back();
  }
  return groups;
}

/// The switch of each rank, from the ranks group after group: whole groups change places first, then ranks.
std::vector<Switch> improved(const Topology& topology, const Affinity& affinity, const Groups& groups,
                             const std::vector<Rank>& order) {
  std::vector<std::int32_t> group_of(order.size());
  std::size_t at = 0;
  for (std::size_t group = 0; group < groups.sizes.size(); ++group)
    for (std::int32_t i = 0; i < groups.sizes[group]; ++i)
      group_of[order[at++]] = static_cast<std::int32_t>(group);
  std::vector<Switch> places = groups.switches;
  const auto between = affinity.between(group_of, static_cast<std::int32_t>(groups.sizes.size()));
  Swaps(topology, between, groups.sizes, near_switches, places).run();
  std::vector<Switch> switches(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) switches[rank] = places[group_of[rank]];
  const std::vector<std::int32_t> alike(order.size(), 1);
  const auto same_switch = [](const Topology&, Switch at) { return std::vector{at}; };
  Swaps(topology, affinity, alike, same_switch, switches).run();
  return switches;
}

/// The ranks of each switch on the places that the linear placement has there, in the order of their numbers.
Placement on_nodes(const Topology& topology, const Placement& linear, const std::vector<Switch>& switches) {
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
  const auto affinity = Affinity::of(volumes);
  const auto groups = groups_of(topology, linear);
  std::vector<Rank> natural(volumes.n_ranks());
  std::iota(natural.begin(), natural.end(), 0);
  const auto made = [&](const std::vector<Rank>& order) {
    return on_nodes(topology, linear, improved(topology, affinity, groups, order));
  };
  auto best = made(natural), other = made(grown(affinity, groups.sizes));
  return hop_bytes(topology, other, volumes) < hop_bytes(topology, best, volumes) ? other : best;
}

}  // namespace halcyon::network
