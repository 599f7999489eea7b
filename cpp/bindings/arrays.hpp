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

/// Scalar type of the elements of an array, and number of scalars per element.
template <class T>
struct Element {
  using type = T;
  static constexpr std::size_t n_scalars = 1;
};
template <class T, std::size_t K>
struct Element<std::array<T, K>> {
  using type = T;
  static constexpr std::size_t n_scalars = K;
};
template <>
struct Element<halcyon::Vector3> {
  using type = double;
  static constexpr std::size_t n_scalars = 3;
};

/// Returns a numpy view (item) or (item, scalar) of values that `owner` keeps alive.
template <class Scalar, class T>
auto numpy_view(nb::handle owner, T* values, std::size_t size) {
  constexpr std::size_t n_scalars = Element<std::remove_const_t<T>>::n_scalars;
  const std::size_t shape[] = {size, n_scalars};
  const std::size_t n_dimensions = n_scalars == 1 ? 1 : 2;
  return nb::ndarray<nb::numpy, Scalar>(reinterpret_cast<Scalar*>(values), n_dimensions, shape, owner);
}

/// Moves a value to the heap. Returns the address, and the owner: a Python object that deletes the value.
template <class T>
std::pair<T*, nb::capsule> give_to_python(T value) {
  auto* address = new T(std::move(value));
  return {address, nb::capsule(address, [](void* p) noexcept { delete static_cast<T*>(p); })};
}

/// Returns a new numpy array that owns the values.
template <class T>
auto to_numpy(std::vector<T> values) {
  const auto [vector, owner] = give_to_python(std::move(values));
  return numpy_view<typename Element<T>::type>(owner, vector->data(), vector->size());
}

/// Returns a new numpy array (row, column) that owns the values.
template <class T>
auto to_table(std::vector<T> values, std::size_t n_rows, std::size_t n_columns) {
  const auto [vector, owner] = give_to_python(std::move(values));
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(vector->data(), {n_rows, n_columns}, owner);
}

template <class... T>
nb::tuple to_tuple(std::vector<T>... values) {
  return nb::make_tuple(to_numpy(std::move(values))...);
}

/// Returns a read-only view of a vector, which keeps `owner`, the object that contains the vector, alive.
template <class T>
auto view(nb::handle owner, const std::vector<T>& values) {
  return numpy_view<const typename Element<T>::type>(owner, values.data(), values.size());
}

/// Defines properties with the names of C++ members that are vectors: arrays that are read-only views.
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

/// Defines properties with the names of C++ members that are or return vectors or spans: arrays with copies.
template <auto... members>
struct arrays : nb::def_visitor<arrays<members...>> {
  void execute(auto& type, const auto&... attributes) const { (add<members>(type, attributes...), ...); }

 private:
  template <auto member, class Type>
  static void add(Type& type, const auto&... attributes) {
    const auto get = [](typename Type::Type& self) {
      const auto& values = std::invoke(member, self);
      return to_numpy(std::vector(values.begin(), values.end()));
    };
    type.def_prop_ro(kName<member>.data(), get, nb::rv_policy::automatic, attributes...);
  }
};

/// Parameter type for arrays of one dimension. A parameter of type std::span also takes arrays of more
/// dimensions and flattens them; a span of points or triangles takes arrays (item, 3).
template <class T>
struct List : std::span<T> {
  using std::span<T>::span;
};

/// Parameter type for contiguous arrays of any number of dimensions.
template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
/// Parameter type for contiguous arrays of n dimensions.
template <class T, int n>
using Array = nb::ndarray<const T, nb::ndim<n>, nb::c_contig, nb::device::cpu>;

using Numbers = std::span<const double>;
using Indices = std::span<const halcyon::LocalIndex>;  ///< local indices
using Ids = std::span<const halcyon::GlobalIndex>;     ///< global indices

template <class... Traits>
auto span_of(const nb::ndarray<Traits...>& array) {
  return std::span(array.data(), array.size());
}

/// Returns names as strings, which nanobind converts to a Python list.
std::vector<std::string> texts(const auto& names) {
  return {names.begin(), names.end()};
}

namespace nanobind::detail {

/// Converts a numpy array to a span; the array is kept alive until the call returns.
template <class Span, class... Shape>
struct span_caster {
  using T = typename Span::element_type;
  using Scalars = Element<std::remove_const_t<T>>;
  using Scalar = std::conditional_t<std::is_const_v<T>, const typename Scalars::type, typename Scalars::type>;
  using NumpyArray = ndarray<Scalar, Shape..., c_contig, device::cpu>;
  NB_TYPE_CASTER(Span, make_caster<NumpyArray>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<NumpyArray> array;
    if (cleanup == nullptr || !array.from_python(source, flags, cleanup)) return false;
    value = Span(reinterpret_cast<T*>(array.value.data()), array.value.size() / Scalars::n_scalars);
    cleanup->append(give_to_python(std::move(array.value)).second.release().ptr());
    return true;
  }
};
template <class T>
struct type_caster<std::span<T>> : span_caster<std::span<T>> {};
template <class T>
  requires(Element<std::remove_const_t<T>>::n_scalars > 1)
struct type_caster<std::span<T>>
    : span_caster<std::span<T>, shape<-1, Element<std::remove_const_t<T>>::n_scalars>> {};
template <class T>
struct type_caster<List<T>> : span_caster<List<T>, ndim<1>> {};

}  // namespace nanobind::detail
