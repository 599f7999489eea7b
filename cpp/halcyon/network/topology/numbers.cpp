#include "halcyon/network/topology/numbers.hpp"

#include <fmt/ranges.h>

#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::int32_t counted(std::int64_t number, std::string_view what) {
  require<ConfigError>(number <= kMost, "The network would have {} {}, but {} is the most. Make it smaller.",
                       number, what, kMost);
  return static_cast<std::int32_t>(number);
}

std::int32_t counted_product(std::span<const std::int32_t> sizes, std::string_view what) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require<ConfigError>(sizes[i] >= 1, "{} {} of {} is {}. Give 1 or more.", what, i + 1, sizes.size(),
                         sizes[i]);
    product = counted(product * sizes[i], "switches");
  }
  return static_cast<std::int32_t>(product);
}

std::string numbered(std::int64_t number, std::string_view what, std::string_view ending) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : ending);
}

std::string joined_sizes(std::span<const std::int32_t> sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

}  // namespace halcyon::network
