#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halcyon::network {

/// A number of switches, nodes or links as an index holds it.
/// @throws ConfigError where it is too large, with `what` there are so many of
std::int32_t counted(std::int64_t number, std::string_view what);

/// The product of sizes, each of which must be 1 or more.
/// @throws ConfigError that names `what` has a size below 1, or whose product is too large
std::int32_t counted_product(std::span<const std::int32_t> sizes, std::string_view what);

/// Such as "1 node" or "25 nodes".
std::string numbered(std::int64_t number, std::string_view what, std::string_view ending = "s");

/// Such as "25 x 25 x 25".
std::string joined_sizes(std::span<const std::int32_t> sizes);

}  // namespace halcyon::network
