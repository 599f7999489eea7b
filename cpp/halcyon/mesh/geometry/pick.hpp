#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::mesh {

/// The values at the given places, in their order; none of no values.
template <class T, class Index>
std::vector<T> pick(const std::vector<T>& values, std::span<const Index> places) {
  std::vector<T> picked;
  if (values.empty()) return picked;
  picked.reserve(places.size());
  for (const auto place : places) picked.push_back(values[place]);
  return picked;
}

/// Where the lists at the given places begin in their new order.
template <class Index>
std::vector<LocalIndex> pick_offsets(const std::vector<LocalIndex>& offsets, std::span<const Index> places) {
  std::vector<LocalIndex> picked{0};
  picked.reserve(places.size() + 1);
  for (const auto place : places) picked.push_back(picked.back() + offsets[place + 1] - offsets[place]);
  return picked;
}

}  // namespace halcyon::mesh
