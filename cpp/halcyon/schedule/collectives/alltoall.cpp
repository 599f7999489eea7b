#include "halcyon/schedule/collectives/alltoall.hpp"

#include <charconv>
#include <limits>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr std::string_view kRing = "ring-";

/// The number behind "ring-", or 0 where there is none.
Rank radix_in(std::string_view name) {
  Rank k = 0;
  const auto digits = name.substr(kRing.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
  return error == std::errc() && end == digits.data() + digits.size() ? k : 0;
}

}  // namespace

void require_groups(Rank n_ranks, Groups groups) {
  require<ConfigError>(n_ranks >= 1 && groups.size >= 1 && groups.stride >= 1 &&
                           n_ranks % (std::int64_t{groups.size} * groups.stride) == 0,
                       "{} ranks do not fall into groups of {} that lie {} apart. Use a number of ranks that "
                       "{} x {} divides.",
                       n_ranks, groups.size, groups.stride, groups.size, groups.stride);
}

std::shared_ptr<const Schedule> alltoall(Rank n_ranks, Groups groups, BlocksPointer blocks, AlltoallBy by) {
  if (by.algorithm == AlltoallAlgorithm::bruck)
    return std::make_shared<Bruck>(n_ranks, groups, std::move(blocks));
  const auto k = by.algorithm == AlltoallAlgorithm::burst ? std::max(groups.size - 1, 1) : by.k;
  return std::make_shared<Ring>(n_ranks, groups, std::move(blocks), k);
}

AlltoallBy alltoall_named(const std::string& name) {
  if (name == "burst") return {AlltoallAlgorithm::burst};
  if (name == "bruck") return {AlltoallAlgorithm::bruck};
  if (name == "ring") return {AlltoallAlgorithm::ring};
  const auto k = name.starts_with(kRing) ? radix_in(name) : 0;
  require<ConfigError>(k >= 1,
                       "There is no all-to-all '{}'. Use burst, bruck, ring or ring-K with a number K from 1 "
                       "to {}, such as ring-4.",
                       name, std::numeric_limits<Rank>::max());
  return {AlltoallAlgorithm::ring, k};
}

std::string name_of(AlltoallBy by) {
  if (by.algorithm == AlltoallAlgorithm::burst) return "burst";
  if (by.algorithm == AlltoallAlgorithm::bruck) return "bruck";
  return fmt::format("{}{}", kRing, by.k);
}

}  // namespace halcyon::schedule
