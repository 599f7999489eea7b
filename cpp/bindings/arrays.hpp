#pragma once

#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "core.hpp"

/// A new one-dimensional numpy array that owns its values.
template <class T>
auto to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

/// A contiguous numpy array of numbers, of one dimension or taken as if it had one.
template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.size()};
}
