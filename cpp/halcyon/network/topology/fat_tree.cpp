#include "halcyon/network/topology/fat_tree.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

FatTree::FatTree(std::vector<std::int32_t> down, std::vector<std::int32_t> up)
    : down_(std::move(down)), up_(std::move(up)) {
  require<ConfigError>(!down_.empty(),
                       "The fat tree has no levels. Give the number of down-ports of each level's switches.");
  require<ConfigError>(
      up_.size() + 1 == down_.size(),
      "up has {} entries, but a fat tree of {} levels needs {}: one per level except the highest.",
      up_.size(), down_.size(), down_.size() - 1);
  n_nodes_ = checked_product(down_, "The number of down-ports of level");
  checked_product(up_, "The number of up-ports of level");
  nodes_per_leaf_ = Divisor(down_[0]);
  // n_trees: number of subtrees of the level; n_copies: number of equivalent root switches of each subtree.
  std::int64_t n_trees = n_nodes_ / down_[0], n_copies = 1, first_switch = 0, n_links = 0;
  for (std::size_t i = 0; i < down_.size(); ++i) {
    const bool is_highest = i + 1 == down_.size();
    if (i > 0) n_trees /= down_[i];
    Level level{.first = checked_count(first_switch, "switches"),
                .first_link = checked_count(n_links, "links")};
    level.end = checked_count(first_switch += n_trees * n_copies, "switches");
    level.down = i > 0 ? down_[i] : 0;
    level.up = Divisor(is_highest ? 1 : up_[i]);
    level.siblings = Divisor(is_highest ? 1 : down_[i + 1]);
    const std::int32_t n_outgoing_links = level.down + (is_highest ? 0 : up_[i]);
    level.n_outgoing_links = Divisor(std::max(n_outgoing_links, 1));
    level.copies = Divisor(checked_count(n_copies, "switches"));
    level.leaves = Divisor(static_cast<std::int32_t>(n_nodes_ / down_[0] / n_trees));
    levels_.push_back(level);
    n_links += n_trees * n_copies * n_outgoing_links;
    if (!is_highest) kinds_.push_back(fmt::format("levels {} to {}", i + 1, i + 2));
    if (!is_highest) n_copies = checked_count(n_copies * up_[i], "switches on a level");
  }
  n_links_ = checked_count(n_links, "links");
  n_switches_ = levels_.back().end;
  if (kinds_.empty()) kinds_.emplace_back("none");
}

FatTree FatTree::of_radix(std::int32_t levels, std::int32_t radix, std::int32_t oversubscription) {
  require<ConfigError>(levels >= 1 && levels <= 30, "A fat tree has {} levels. Give 1 to 30.", levels);
  require<ConfigError>(radix >= 1, "The radix of the switches is {}. Give 1 or more.", radix);
  require<ConfigError>(oversubscription >= 1, "The oversubscription is {}. Give 1 (none) or more.",
                       oversubscription);
  const std::int32_t leaf_up = radix / (1 + oversubscription);
  require<ConfigError>(levels == 1 || (leaf_up > 0 && radix % (1 + oversubscription) == 0),
                       "The {0} ports of a leaf switch cannot be divided into {1} times as many down-ports "
                       "as up-ports. Give a multiple of {2}.",
                       radix, oversubscription, 1 + oversubscription);
  require<ConfigError>(levels <= 2 || radix % 2 == 0,
                       "The {} ports of a switch cannot be divided into equal numbers of up- and down-ports. "
                       "Give an even number.",
                       radix);
  std::vector<std::int32_t> down(levels, radix / 2), up(levels - 1, radix / 2);
  if (levels > 1) up.front() = leaf_up;
  down.front() = levels > 1 ? radix - leaf_up : radix;
  down.back() = levels > 1 ? radix : down.front();
  return {std::move(down), std::move(up)};
}

Choices FatTree::choices() {
  return {{{.name = "fat_tree",
            .text = "Fat tree (XGFT), given by the down- and up-ports of each level; nodes are below the "
                    "lowest level.",
            .options =
                {type_option("fat_tree", "Type of network: levels of switches."),
                 sizes_option(
                     "down",
                     "Down-ports per switch, by level, lowest first; on the lowest level, nodes per switch.",
                     "a list of integers, such as [25, 25, 25, 25]"),
                 sizes_option("up", "Up-ports per switch, by level, lowest first, except the highest level.",
                              "a list of integers, such as [25, 25, 25]")}},
           [](const options::Values& values) -> std::unique_ptr<Topology> {
             return std::make_unique<FatTree>(sizes_in(values, "down"), sizes_in(values, "up"));
           }},
          {{.name = "fat_tree",
            .text = "Fat tree of switches with equal radix.",
            .options = {type_option("fat_tree", "Type of network: levels of switches."),
                        count_option("levels", "Number of levels of switches.", 1, 30),
                        count_option("radix", "Number of ports per switch, half of them up-ports.", 2),
                        optional_count_option("oversubscription",
                                              "Ratio of down-ports to up-ports of the leaf switches.")}},
           [](const options::Values& values) -> std::unique_ptr<Topology> {
             return std::make_unique<FatTree>(of_radix(count_in(values, "levels"), count_in(values, "radix"),
                                                       count_in(values, "oversubscription")));
           }}};
}

std::string FatTree::name() const {
  if (up_.empty()) return fmt::format("single switch with {}", count_with_noun(n_nodes_, "node"));
  return fmt::format("fat tree with {} down-ports and {} up-ports per level", fmt::join(down_, ", "),
                     fmt::join(up_, ", "));
}

Link FatTree::first_link(Switch from) const {
  if (from == n_switches()) return n_links_;
  const Level& level = *std::ranges::find_if(levels_, [&](const Level& l) { return from < l.end; });
  return level.first_link + (from - level.first) * level.n_outgoing_links.value();
}

Hop FatTree::least_loaded(Switch current, const Route& route, const Hop& hop, const LinkLoads& loads) const {
  if (hop.to < current) return hop;  // levels are numbered upwards
  const Level& level = levels_[route.state - 1];
  const Switch index = current - level.first, tree = quotient(index, level.copies);
  const Link first_up = level.first_link + index * level.n_outgoing_links.value() + level.down;
  const std::int32_t n_ports = level.up.value();
  std::int32_t best = hop.link - first_up;
  double shortest = loads.queue(hop.link);
  for (std::int32_t i = 1, port = best; i < n_ports && shortest > 0; ++i) {
    port = port + 1 < n_ports ? port + 1 : 0;
    const double queue = loads.queue(first_up + port);
    if (queue < shortest) shortest = queue, best = port;
  }
  return {.link = first_up + best,
          .channel = hop.channel,
          .to = parent_of(level, tree, index - tree * level.copies.value(), best)};
}

const FatTree::Level& FatTree::level_of_link(Link link) const {
  auto level = levels_.end();
  do --level;
  while (level->first_link > link);
  return *level;
}

LinkEnds FatTree::ends(Link link) const {
  const Level& level = level_of_link(link);
  const Switch index = quotient(link - level.first_link, level.n_outgoing_links);
  const std::int32_t port = link - level.first_link - index * level.n_outgoing_links.value();
  const Switch tree = quotient(index, level.copies), copy = index - tree * level.copies.value();
  const bool downwards = port < level.down;
  return {.from = level.first + index,
          .to = downwards ? child_of(level, tree * level.down + port, copy)
                          : parent_of(level, tree, copy, port - level.down)};
}

bool FatTree::is_in_second_half(Switch number) const {
  const auto level = std::ranges::find_if(levels_, [&](const Level& l) { return number < l.end; });
  if (level + 1 == levels_.end()) return false;
  const Switch first_leaf = quotient(number - level->first, level->copies) * level->leaves.value();
  return 2 * quotient(first_leaf, levels_[levels_.size() - 2].leaves) >= down_.back();
}

int FatTree::kind(Link link) const {
  const Level& level = level_of_link(link);
  const bool downwards = remainder(link - level.first_link, level.n_outgoing_links) < level.down;
  return static_cast<int>(&level - levels_.data()) - downwards;
}

}  // namespace halcyon::network
