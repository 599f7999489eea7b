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
    if (kind == Kind::knomial) return rank - static_cast<Rank>(rank / place(rank) % k * place(rank));
    return is_first_of_chain(rank) ? 0 : rank - 1;
  }
  /// Calls visit(child) for each child; in a k-nomial tree, those with the largest subtrees first.
  template <class Visitor>
  void for_each_child(Rank rank, Visitor visit) const {
    if (kind == Kind::binary) {
      for (auto child = 2 * std::int64_t{rank} + 1; child <= 2 * std::int64_t{rank} + 2; ++child)
        if (child < n) visit(static_cast<Rank>(child));
    } else if (kind == Kind::knomial) {
      auto distance = rank == 0 ? std::int64_t{1} : place(rank);
      while (rank == 0 && distance < n) distance *= k;
      for (distance /= k; distance > 0; distance /= k)
        for (Rank digit = 1; digit < k && rank + digit * distance < n; ++digit)
          visit(static_cast<Rank>(rank + digit * distance));
    } else if (rank > 0) {
      if (rank + 1 < n && !is_first_of_chain(rank + 1)) visit(rank + 1);
    } else {
      for (Rank chain = 0; chain < chains().parts; ++chain)
        if (chains().size(chain) > 0) visit(static_cast<Rank>(1 + chains().begin(chain)));
    }
  }
  /// One past the last rank of a subtree, which begins at its root, in a k-nomial tree or in one without
  /// grandchildren.
  Rank subtree_end(Rank rank) const {
    if (rank == 0) return n;
    return kind == Kind::knomial ? static_cast<Rank>(std::min<std::int64_t>(rank + place(rank), n))
                                 : rank + 1;
  }

 private:
  /// Value of the lowest digit that is not 0.
  std::int64_t place(Rank rank) const {
    std::int64_t value = 1;
    while (rank / value % k == 0) value *= k;
    return value;
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
