#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::network {

/// How many bytes items (ranks, or groups of them) exchange, both ways together.
class Affinity {
 public:
  struct Peer {
    std::int32_t item;
    std::int64_t bytes;
  };

  /// Of ranks. @throws InputError where a peer is none of them
  static Affinity of(const schedule::Volumes& volumes);

  std::int32_t n_items() const { return static_cast<std::int32_t>(offsets_.size()) - 1; }
  /// By descending bytes, of equals the smaller item first; the item itself is none.
  std::span<const Peer> peers(std::int32_t item) const {
    return std::span(peers_).subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

  /// Of groups of items. @param groups (item)
  Affinity between(std::span<const std::int32_t> groups, std::int32_t n_groups) const;

 private:
  struct Pair {
    std::int32_t item, peer;
    std::int64_t bytes;
  };

  Affinity(std::vector<Pair> pairs, std::int32_t n_items);

  std::vector<std::int64_t> offsets_{0};  // (item + 1)
  std::vector<Peer> peers_;
};

}  // namespace halcyon::network
