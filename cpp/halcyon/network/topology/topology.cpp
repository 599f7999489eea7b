#include "halcyon/network/topology/topology.hpp"

#include <utility>

namespace halcyon::network {

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
