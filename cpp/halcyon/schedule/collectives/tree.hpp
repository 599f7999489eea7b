#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "halcyon/schedule/blocks.hpp"

namespace halcyon::schedule {

/// A tree of the ranks 0 .. n - 1 with root 0: `k` chains of consecutive ranks below the root, a binary tree,
/// or a k-nomial tree, in which the parent of a rank has its lowest digit to base k that is not 0 set to 0.
struct Tree {
  enum class Kind { chains, binary, knomial };

  Kind kind;
  Rank k, n;

  Rank parent(Rank rank) const {  ///< of a rank other than 0
    if (kind == Kind::binary) return (rank - 1) / 2;
    if (kind == Kind::knomial)
      return rank - static_cast<Rank>(rank / digit_value(rank) % k * digit_value(rank));
    return is_first_of_chain(rank) ? 0 : rank - 1;
  }
  Rank n_children(Rank rank) const {
    if (kind == Kind::binary)
      return static_cast<Rank>(std::clamp<std::int64_t>(n - 1 - 2 * std::int64_t{rank}, 0, 2));
    if (kind == Kind::chains && rank == 0) return std::min(k, n - 1);
    if (kind == Kind::chains) return rank + 1 < n && !is_first_of_chain(rank + 1) ? 1 : 0;
    Rank count = 0;
    for (auto distance = first_distance(rank); distance > 0; distance /= k)
      count += n_children_at(rank, distance);
    return count;
  }
  /// Child i of a rank; in a k-nomial tree, those with the largest subtrees are first.
  Rank child(Rank rank, std::int64_t i) const {
    if (kind == Kind::binary) return static_cast<Rank>(2 * rank + 1 + i);
    if (kind == Kind::chains)
      return rank > 0 ? rank + 1 : static_cast<Rank>(1 + chains().begin(static_cast<Rank>(i)));
    auto distance = first_distance(rank);
    for (; i >= n_children_at(rank, distance); distance /= k) i -= n_children_at(rank, distance);
    return static_cast<Rank>(rank + (i + 1) * distance);
  }
  /// One past the last rank of a subtree, which begins at its root, in a k-nomial tree or in one without
  /// grandchildren.
  Rank subtree_end(Rank rank) const {
    if (rank == 0) return n;
    return kind == Kind::knomial ? static_cast<Rank>(std::min<std::int64_t>(rank + digit_value(rank), n))
                                 : rank + 1;
  }

 private:
  /// Value of the lowest digit that is not 0.
  std::int64_t digit_value(Rank rank) const {
    std::int64_t value = 1;
    while (rank / value % k == 0) value *= k;
    return value;
  }
  /// Distance of the first child in a k-nomial tree, or 0.
  std::int64_t first_distance(Rank rank) const {
    const auto end = rank == 0 ? std::int64_t{n} : digit_value(rank);
    std::int64_t distance = 1;
    while (distance < end) distance *= k;
    return distance / k;
  }
  /// Children that differ in the digit of this value.
  Rank n_children_at(Rank rank, std::int64_t distance) const {
    return static_cast<Rank>(std::min<std::int64_t>(k - 1, (n - 1 - rank) / distance));
  }
  BlockDistribution chains() const { return {n - 1, std::max(std::min(k, n - 1), 1)}; }
  bool is_first_of_chain(Rank rank) const { return chains().begin(chains().part_of(rank - 1)) == rank - 1; }
};

inline constexpr std::array<std::string_view, 6> kTreeNames{"linear", "chain",    "chain_4",
                                                            "binary", "binomial", "knomial_4"};

inline Tree tree_named(std::string_view name, Rank n) {
  if (name == "binary") return {Tree::Kind::binary, 2, n};
  if (name == "binomial") return {Tree::Kind::knomial, 2, n};
  if (name == "knomial_4") return {Tree::Kind::knomial, 4, n};
  return {Tree::Kind::chains, name == "chain" ? 1 : name == "chain_4" ? 4 : std::max(n - 1, 1), n};
}

}  // namespace halcyon::schedule
