#include "halcyon/network/topology/topology.hpp"

#include <fmt/ranges.h>

#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

std::int32_t counted(std::int64_t number, std::string_view what) {
  require<ConfigError>(number <= kMostCount,
                       "The network would have {} {}, but {} is the most. Make it smaller.", number, what,
                       kMostCount);
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

using options::Option;

Option type_option(const std::string& type, std::string text) {
  return {.name = "type", .value = type, .text = std::move(text), .names = {type}, .required = true};
}

Option sizes_option(std::string name, std::string text, std::string allowed) {
  return {.name = std::move(name),
          .value = std::vector<std::int64_t>{},
          .text = std::move(text),
          .minimum = 1,
          .maximum = kMostCount,
          .allowed = std::move(allowed),
          .required = true};
}

Option count_option(std::string name, std::string text, std::int64_t least, std::int64_t most) {
  return {.name = std::move(name),
          .value = std::int64_t{0},
          .text = std::move(text),
          .minimum = static_cast<double>(least),
          .maximum = static_cast<double>(most),
          .required = true};
}

Option one_option(std::string name, std::string text) {
  auto option = count_option(std::move(name), std::move(text));
  option.value = std::int64_t{1};
  option.required = false;
  return option;
}

std::vector<std::int32_t> sizes_in(const options::Values& values, std::string_view name) {
  std::vector<std::int32_t> sizes;
  for (const auto size : std::get<std::vector<std::int64_t>>(values.find(name)->second))
    sizes.push_back(static_cast<std::int32_t>(size));
  return sizes;
}

std::int32_t count_in(const options::Values& values, std::string_view name) {
  return static_cast<std::int32_t>(std::get<std::int64_t>(values.find(name)->second));
}

std::vector<Option> grid_options(const std::string& type, std::string text) {
  return {type_option(type, std::move(text)),
          sizes_option("sizes", "Switches along each dimension.", "a list of integers, such as [25, 25, 25]"),
          one_option("nodes_per_switch", "On each switch.")};
}

}  // namespace halcyon::network
