#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

using Bind = void(nb::module_& m);  ///< a function that defines the members of a Python module
Bind bind_network_engine, bind_network_machine;

using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;

/// Calls a function with the GIL released, and returns its result.
template <class Call>
auto without_gil(const Call& call) {
  const nb::gil_scoped_release released;
  return call();
}

/// Returns the name of a C++ member; bindings give the Python attribute the same name.
template <auto member>
constexpr auto name_of_member() {
  constexpr std::string_view text =
      __PRETTY_FUNCTION__;  // "... [with auto member = &halcyon::Type::name; ...]"
  constexpr auto end = text.find_first_of(";]", text.find("member = ")), start = text.rfind(':', end) + 1;
  std::array<char, end - start + 1> name{};
  text.copy(name.data(), end - start, start);
  return name;
}
template <auto member>
constexpr auto kName = name_of_member<member>();

/// Defines read-only properties with the names of C++ members: variables, or functions without arguments.
template <auto... members>
struct properties : nb::def_visitor<properties<members...>> {
  void execute(auto& type, const auto&... attributes) const { (add<members>(type, attributes...), ...); }

 private:
  template <auto member>
  static void add(auto& type, const auto&... attributes) {
    if constexpr (std::is_member_function_pointer_v<decltype(member)>)
      type.def_prop_ro(kName<member>.data(), member, attributes...);
    else
      type.def_ro(kName<member>.data(), member, attributes...);
  }
};

/// Defines methods with the names of C++ member functions and the same attributes, such as ReleaseGil().
template <auto... members>
struct methods : nb::def_visitor<methods<members...>> {
  void execute(auto& type, const auto&... attributes) const {
    (type.def(kName<members>.data(), members, attributes...), ...);
  }
};

template <auto...>
struct members {};
template <class Class, class T>
T type_of_member(T Class::*);
template <auto member>
using TypeOf = decltype(type_of_member(member));

/// Defines `__init__` of a struct whose keyword arguments are members of the struct: required members, and
/// optional members with the default values of the struct.
template <class Required, class Optional = members<>>
struct keywords;
template <auto... required, auto... optional>
struct keywords<members<required...>, members<optional...>>
    : nb::def_visitor<keywords<members<required...>, members<optional...>>> {
  template <class Type>
  void execute(Type& type) const {
    using T = typename Type::Type;
    const T defaults{};
    type.def(
        "__init__",
        [](T* self, TypeOf<required>... required_values, TypeOf<optional>... optional_values) {
          new (self) T{};
          ((self->*required = std::move(required_values)), ...);
          ((self->*optional = std::move(optional_values)), ...);
        },
        nb::kw_only(), nb::arg(kName<required>.data())...,
        (nb::arg(kName<optional>.data()) = defaults.*optional)...);
  }
};

/// Defines `__init__` from a function that returns a new object.
template <class Factory>
struct init_from : nb::def_visitor<init_from<Factory>> {
  explicit init_from(Factory function) : factory(function) {}
  void execute(auto& type, const auto&... extra) const { define(type, +factory, extra...); }

 private:
  template <class Type, class T, class... Arguments>
  static void define(Type& type, T (*function)(Arguments...), const auto&... extra) {
    const auto init = [function](typename Type::Type* self, Arguments... arguments) {
      new (self) T(function(std::forward<Arguments>(arguments)...));
    };
    type.def("__init__", init, extra...);
  }

  Factory factory;
};
