#pragma once

#include <nanobind/ndarray.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core.hpp"
#include "halcyon/base/index.hpp"
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

/// Where a value lies that Python frees, and its owner.
template <class T>
std::pair<T*, nb::capsule> keep(T value) {
  auto* kept = new T(std::move(value));
  return {kept, nb::capsule(kept, [](void* p) noexcept { delete static_cast<T*>(p); })};
}

/// A new numpy array that owns its values.
template <class T>
auto to_numpy(std::vector<T> values) {
  const auto [kept, owner] = keep(std::move(values));
  return numpy_view<typename Element<T>::type>(owner, kept->data(), kept->size());
}

/// The same, as (row, column).
template <class T>
auto to_table(std::vector<T> values, std::size_t n_rows, std::size_t n_columns) {
  const auto [kept, owner] = keep(std::move(values));
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), {n_rows, n_columns}, owner);
}

/// A tuple of them.
template <class... T>
nb::tuple to_tuple(std::vector<T>... each) {
  return nb::make_tuple(to_numpy(std::move(each))...);
}

/// A read-only view on an array of an object, which it keeps alive.
template <class T>
auto view(nb::handle owner, const std::vector<T>& values) {
  return numpy_view<const typename Element<T>::type>(owner, values.data(), values.size());
}

/// Properties after members that are vectors: views on them.
template <auto... vectors>
struct views : nb::def_visitor<views<vectors...>> {
  void execute(auto& type) const { (add<vectors>(type), ...); }

 private:
  template <auto member, class Type>
  static void add(Type& type) {
    const auto get = [](nb::handle self) { return view(self, nb::cast<typename Type::Type&>(self).*member); };
    type.def_prop_ro(kName<member>.data(), get, nb::rv_policy::automatic);
  }
};

/// Properties after members that are vectors or spans, or give one: copies of them.
template <auto... members>
struct arrays : nb::def_visitor<arrays<members...>> {
  void execute(auto& type, const auto&... marks) const { (add<members>(type, marks...), ...); }

 private:
  template <auto member, class Type>
  static void add(Type& type, const auto&... marks) {
    const auto get = [](typename Type::Type& self) {
      const auto& values = std::invoke(member, self);
      return to_numpy(std::vector(values.begin(), values.end()));
    };
    type.def_prop_ro(kName<member>.data(), get, nb::rv_policy::automatic, marks...);
  }
};

/// A parameter that takes arrays of one dimension. A span takes those of more as if they had one, and one of
/// points or triangles (point, 3).
template <class T>
struct List : std::span<T> {
  using std::span<T>::span;
};

/// A contiguous numpy array of numbers, of any dimensions.
template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
/// Of so many dimensions.
template <class T, int n>
using Array = nb::ndarray<const T, nb::ndim<n>, nb::c_contig, nb::device::cpu>;

using Numbers = std::span<const double>;
using Indices = std::span<const halcyon::LocalIndex>;
using Ids = std::span<const halcyon::GlobalIndex>;

template <class... Traits>
auto span_of(const nb::ndarray<Traits...>& array) {
  return std::span(array.data(), array.size());
}

/// Names as Python has them.
std::vector<std::string> texts(const auto& names) {
  return {names.begin(), names.end()};
}

namespace nanobind::detail {

/// The array that a parameter is a span of; it lasts as long as the call.
template <class Span, class... Shape>
struct span_caster {
  using T = typename Span::element_type;
  using Parts = Element<std::remove_const_t<T>>;
  using Number = std::conditional_t<std::is_const_v<T>, const typename Parts::type, typename Parts::type>;
  using Taken = ndarray<Number, Shape..., c_contig, device::cpu>;
  NB_TYPE_CASTER(Span, make_caster<Taken>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Taken> array;
    if (cleanup == nullptr || !array.from_python(source, flags, cleanup)) return false;
    value = Span(reinterpret_cast<T*>(array.value.data()), array.value.size() / Parts::n);
    cleanup->append(keep(std::move(array.value)).second.release().ptr());
    return true;
  }
};
template <class T>
struct type_caster<std::span<T>> : span_caster<std::span<T>> {};
template <class T>
  requires(Element<std::remove_const_t<T>>::n > 1)
struct type_caster<std::span<T>> : span_caster<std::span<T>, shape<-1, Element<std::remove_const_t<T>>::n>> {
};
template <class T>
struct type_caster<List<T>> : span_caster<List<T>, ndim<1>> {};

}  // namespace nanobind::detail
