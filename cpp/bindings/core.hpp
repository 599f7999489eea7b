#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

using Bind = void(nb::module_& m);
Bind bind_network_engine, bind_network_machine;

using Released = nb::call_guard<nb::gil_scoped_release>;

/// What a call gives, during which other threads may use Python.
template <class Call>
auto released(const Call& call) {
  const nb::gil_scoped_release released;
  return call();
}

/// The name of a member, which is also Python's.
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

/// Read-only properties after members: variables, or functions without arguments.
template <auto... members>
struct properties : nb::def_visitor<properties<members...>> {
  void execute(auto& type, const auto&... marks) const { (add<members>(type, marks...), ...); }

 private:
  template <auto member>
  static void add(auto& type, const auto&... marks) {
    if constexpr (std::is_member_function_pointer_v<decltype(member)>)
      type.def_prop_ro(kName<member>.data(), member, marks...);
    else
      type.def_ro(kName<member>.data(), member, marks...);
  }
};

/// Methods after members, each with the same marks, such as Released().
template <auto... members>
struct methods : nb::def_visitor<methods<members...>> {
  void execute(auto& type, const auto&... marks) const {
    (type.def(kName<members>.data(), members, marks...), ...);
  }
};

template <auto...>
struct members {};
template <class Of, class T>
T type_of_member(T Of::*);
template <auto member>
using TypeOf = decltype(type_of_member(member));

/// `__init__` of a struct by keywords after its members: needed ones, and those that may be left as they are.
template <class Needed, class Others = members<>>
struct keywords;
template <auto... needed, auto... others>
struct keywords<members<needed...>, members<others...>>
    : nb::def_visitor<keywords<members<needed...>, members<others...>>> {
  template <class Type>
  void execute(Type& type) const {
    using T = typename Type::Type;
    const T defaults{};
    type.def(
        "__init__",
        [](T* self, TypeOf<needed>... given, TypeOf<others>... chosen) {
          new (self) T{};
          ((self->*needed = std::move(given)), ...);
          ((self->*others = std::move(chosen)), ...);
        },
        nb::kw_only(), nb::arg(kName<needed>.data())...,
        (nb::arg(kName<others>.data()) = defaults.*others)...);
  }
};

/// `__init__` by a function that makes the object.
template <class Make>
struct made : nb::def_visitor<made<Make>> {
  explicit made(Make function) : make(function) {}
  void execute(auto& type, const auto&... extra) const { define(type, +make, extra...); }

 private:
  template <class Type, class T, class... Given>
  static void define(Type& type, T (*function)(Given...), const auto&... extra) {
    const auto init = [function](typename Type::Type* self, Given... given) {
      new (self) T(function(std::forward<Given>(given)...));
    };
    type.def("__init__", init, extra...);
  }

  Make make;
};
