#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/share/sections.hpp"

// What the transforms of a sphere and of a plane have in common.

using Released = nb::call_guard<nb::gil_scoped_release>;
template <class T>
using Output = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Output<T>& array) {
  return {array.data(), array.size()};
}

inline halcyon::transform::Way way_named(const std::string& name) {
  halcyon::require<halcyon::ConfigError>(name == "synthesis" || name == "analysis",
                                         "way is '{}'. Use synthesis or analysis.", name);
  return name == "synthesis" ? halcyon::transform::Way::synthesis : halcyon::transform::Way::analysis;
}

template <class Transform>
void bind_transforms(nb::class_<Transform>& type) {
  using Complex = std::complex<double>;
  type.def(
          "synthesis",
          [](Transform& t, const Input<Complex>& coefficients, const Output<double>& values) {
            t.synthesis(span_of(coefficients), span_of(values));
          },
          Released())
      .def(
          "analysis",
          [](Transform& t, const Input<double>& values, const Output<Complex>& coefficients) {
            t.analysis(span_of(values), span_of(coefficients));
          },
          Released())
      .def(
          "compute",
          [](Transform& t, const std::string& way, const Output<Complex>& coefficients,
             const Output<double>& values) {
            t.compute(way_named(way), span_of(coefficients), span_of(values));
          },
          Released());
}

/// Of what ranks share: how they exchange, and what.
template <class Shared>
void bind_exchanges(nb::class_<Shared>& type) {
  using namespace halcyon;
  type.def(
          "communicate",
          [](Shared& shared, const std::string& algorithm, const std::string& method,
             std::shared_ptr<comm::Progress> progress, int groups, int ahead) {
            shared.communicate({schedule::alltoall_named(algorithm), comm::method_named(method),
                                std::move(progress), groups, ahead});
          },
          nb::arg("algorithm"), nb::arg("method"), nb::arg("progress").none(), nb::arg("groups"),
          nb::arg("ahead"))
      .def_prop_ro(
          "calls",
          [](const Shared& shared) {
            const auto& sections = shared.sections();
            const auto calls = [&] {
              const nb::gil_scoped_release released;
              return sections.calls();
            }();
            nb::list found;
            for (const auto& [way, n_components, n_arrays, n_fields] : calls)
              found.append(nb::make_tuple(way == transform::Way::synthesis ? "synthesis" : "analysis",
                                          n_components, n_fields, sections.most_groups(n_fields)));
            return found;
          },
          "Since the last `communicate`, each once: way, components, fields, and the groups of each component"
          " that these can travel in.")
      .def_prop_ro(
          "sent", [](const Shared& shared) { return shared.sections().sent(); },
          "Numbers of a field that change rank: of coefficients, of panels and at points.");
}

template <class Transform>
void bind_share(nb::class_<Transform>& type) {
  using namespace halcyon;
  type.def(
          "schedule",
          [](const Transform& t, const std::string& way, int n_fields) -> schedule::SchedulePointer {
            return std::make_shared<schedule::Pipeline>(t.schedule(way_named(way), n_fields));
          },
          Released())
      .def_prop_ro("statistics", &Transform::statistics, Released())
      .def_prop_ro("times", &Transform::times, Released())
      .def_prop_ro("v", &Transform::v)
      .def_prop_ro("w", &Transform::w)
      .def_prop_ro("n_points", &Transform::n_points)
      .def("points", [](const Transform& t, int v, int w) { return to_numpy(t.sets().points(v, w)); });
}
