#include "halcyon/network/mapping/swaps.hpp"

#include <algorithm>

namespace halcyon::network {
namespace {

constexpr Link kMostLinks = 12;
constexpr Switch kReach = 3;

class Swaps {
 public:
  Swaps(const Topology& topology, const Affinity& affinity, const std::vector<std::int32_t>& sizes,
        const SwapOptions& options, std::vector<Switch>& places)
      : topology_(topology), affinity_(affinity), sizes_(sizes), options_(options), places_(places) {
    items_on_.resize(topology.n_switches());
    for (std::int32_t item = 0; item < affinity.n_items(); ++item) items_on_[places[item]].push_back(item);
  }

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

 private:
  std::int32_t best_partner(std::int32_t item) const {
    std::int32_t best = kNone;
    std::int64_t most = 0;
    const auto peers = affinity_.peers(item);
    for (const auto& peer : peers.first(std::min<std::size_t>(peers.size(), options_.most_peers)))
      for (const Switch at : options_.near(topology_, places_[peer.item])) {
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
  const SwapOptions& options_;
  std::vector<Switch>& places_;
  std::vector<std::vector<std::int32_t>> items_on_;  // (switch)
};

}  // namespace

void swap_places(const Topology& topology, const Affinity& affinity, const std::vector<std::int32_t>& sizes,
                 const SwapOptions& options, std::vector<Switch>& places) {
  Swaps swaps(topology, affinity, sizes, options, places);
  for (int sweep = 0; sweep < options.most_sweeps && swaps.sweep();) ++sweep;
}

std::vector<Switch> same_switch(const Topology&, Switch at) {
  return {at};
}

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

}  // namespace halcyon::network
