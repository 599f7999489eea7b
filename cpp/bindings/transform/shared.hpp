#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "halcyon/transform/share/shared_transform.hpp"

/// Binds the exchange settings and the calls of a class that is or contains a transform.
/// @param transform_of returns the `SharedTransform` of an object
template <class Shared, class TransformOf>
void bind_exchanges(nb::class_<Shared>& type, const TransformOf& transform_of) {
  using namespace halcyon;
  type.def(
          "set_exchange",
          [](Shared& shared, const std::string& algorithm, const std::string& method,
             std::shared_ptr<comm::Progress> progress, int groups, int ahead) {
            shared.set_exchange({schedule::alltoall_method_named(algorithm), comm::method_named(method),
                                 std::move(progress), groups, ahead});
          },
          "algorithm"_a, "method"_a, "progress"_a.none(), "groups"_a, "ahead"_a)
      .def_prop_ro(
          "calls",
          [transform_of](const Shared& shared) {
            const auto& transform = transform_of(shared);
            const auto calls = [&] {
              const nb::gil_scoped_release released;
              return transform.calls();
            }();
            nb::list tuples;
            for (const auto& [direction, n_components, n_arrays, n_fields] : calls)
              tuples.append(
                  nb::make_tuple(direction == transform::Direction::synthesis ? "synthesis" : "analysis",
                                 n_components, n_fields, transform.max_groups(n_fields)));
            return tuples;
          },
          "Kinds of calls since the last `set_exchange`: tuples (direction, number of components, number of "
          "fields, maximum number of groups per component).")
      .def_prop_ro(
          "sent", [transform_of](const Shared& self) { return transform_of(self).sent_numbers_per_field(); },
          "Numbers per field sent as coefficients, Fourier coefficients and grid-point values.");
}

void bind_tuning(nb::module_& m);
