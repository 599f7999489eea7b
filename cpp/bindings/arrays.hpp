#pragma once

#include <nanobind/ndarray.h>

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core.hpp"
#include "halcyon/base/vector3.hpp"

/// The number type of an array's elements and how many an element holds.
template <class T>
struct Element {
  using type = T;
  static constexpr std::size_t n = 1;
};
template <class T, std::size_t K>
struct Element<std::array<T, K>> {
  using type = T;
  static constexpr std::size_t n = K;
};
template <>
struct Element<halcyon::Vector3> {
  using type = double;
  static constexpr std::size_t n = 3;
};

/// A numpy view, of one dimension or two, on values that `owner` keeps alive.
template <class N, class T>
auto numpy_view(nb::handle owner, T* values, std::size_t size) {
  constexpr std::size_t n = Element<std::remove_const_t<T>>::n;
  const std::size_t shape[] = {size, n};
  return nb::ndarray<nb::numpy, N>(reinterpret_cast<N*>(values), n == 1 ? 1 : 2, shape, owner);
}

/// A new numpy array that owns its values.
template <class T>
auto to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return numpy_view<typename Element<T>::type>(owner, kept->data(), kept->size());
}

/// A read-only view on an array of an object, which it keeps alive.
template <class T>
auto view(nb::handle owner, const std::vector<T>& values) {
  return numpy_view<const typename Element<T>::type>(owner, values.data(), values.size());
}

template <class Owner, class T>
void bind_view(nb::class_<Owner>& type, const char* name, std::vector<T> Owner::* member) {
  const auto get = [member](nb::handle self) { return view(self, nb::cast<Owner&>(self).*member); };
  type.def_prop_ro(name, get, nb::rv_policy::automatic);
}

/// A contiguous numpy array of numbers, of one dimension or taken as if it had one.
template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.size()};
}

/// Names as Python has them.
std::vector<std::string> texts(const auto& names) {
  return {names.begin(), names.end()};
}
