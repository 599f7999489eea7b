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

/// Of what exchanges by a transform: how ranks do so, and what.
/// @param transform_of it, a `SharedTransform`
template <class Shared, class TransformOf>
void bind_exchanges(nb::class_<Shared>& type, const TransformOf& transform_of) {
  using namespace halcyon;
  type.def(
          "communicate",
          [](Shared& shared, const std::string& algorithm, const std::string& method,
             std::shared_ptr<comm::Progress> progress, int groups, int ahead) {
            shared.communicate({schedule::alltoall_named(algorithm), comm::method_named(method),
                                std::move(progress), groups, ahead});
          },
          "algorithm"_a, "method"_a, "progress"_a.none(), "groups"_a, "ahead"_a)
      .def_prop_ro(
          "calls",
          [transform_of](const Shared& shared) {
            const transform::SharedTransform& transform = transform_of(shared);
            const auto calls = [&] {
              const nb::gil_scoped_release released;
              return transform.calls();
            }();
            nb::list found;
            for (const auto& [way, n_components, n_arrays, n_fields] : calls)
              found.append(nb::make_tuple(way == transform::Way::synthesis ? "synthesis" : "analysis",
                                          n_components, n_fields, transform.most_groups(n_fields)));
            return found;
          },
          "Since the last `communicate`, each once: way, components, fields, and the groups of each "
          "component that these can travel in.")
      .def_prop_ro(
          "sent", [transform_of](const Shared& shared) { return transform_of(shared).sent(); },
          "Numbers of a field that change rank: of coefficients, of panels and at points.");
}

void bind_tuning(nb::module_& m);
