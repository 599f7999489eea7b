#include "halcyon/network/topology/topology.hpp"

#include <fmt/ranges.h>

#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

std::int32_t checked_count(std::int64_t number, std::string_view noun) {
  require<ConfigError>(number <= kMaxCount,
                       "The network would have {} {}, more than the maximum of {}. Make it smaller.", number,
                       noun, kMaxCount);
  return static_cast<std::int32_t>(number);
}

std::int32_t checked_product(std::span<const std::int32_t> sizes, std::string_view noun) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require<ConfigError>(sizes[i] >= 1, "{} {} of {} is {}. Give 1 or more.", noun, i + 1, sizes.size(),
                         sizes[i]);
    product = checked_count(product * sizes[i], "switches");
  }
  return static_cast<std::int32_t>(product);
}

std::string count_with_noun(std::int64_t number, std::string_view noun, std::string_view ending) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : ending);
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
          .maximum = kMaxCount,
          .allowed = std::move(allowed),
          .required = true};
}

Option count_option(std::string name, std::string text, std::int64_t min, std::int64_t max) {
  return {.name = std::move(name),
          .value = std::int64_t{0},
          .text = std::move(text),
          .minimum = static_cast<double>(min),
          .maximum = static_cast<double>(max),
          .required = true};
}

Option optional_count_option(std::string name, std::string text) {
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
          optional_count_option("nodes_per_switch", "Nodes per switch.")};
}

}  // namespace halcyon::network
