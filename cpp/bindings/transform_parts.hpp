#pragma once

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
#include "halcyon/comm/exchange.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/sections.hpp"

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

template <class Transform>
void bind_exchanges(nb::class_<Transform>& type) {
  using namespace halcyon;
  type.def(
          "communicate",
          [](Transform& t, const std::string& algorithm, const std::string& method,
             std::shared_ptr<comm::Progress> progress, int groups, int ahead) {
            t.communicate({schedule::alltoall_named(algorithm), comm::method_named(method),
                           std::move(progress), groups, ahead});
          },
          nb::arg("algorithm"), nb::arg("method"), nb::arg("progress").none(), nb::arg("groups"),
          nb::arg("ahead"))
      .def("schedule",
           [](const Transform& t, const std::string& way, int n_fields) -> schedule::SchedulePointer {
             return std::make_shared<schedule::Pipeline>(t.schedule(way_named(way), n_fields));
           })
      .def_prop_ro("statistics", &Transform::statistics)
      .def_prop_ro("v", &Transform::v)
      .def_prop_ro("w", &Transform::w)
      .def_prop_ro("n_points", &Transform::n_points)
      .def("points", [](const Transform& t, int v, int w) { return to_numpy(t.sets().points(v, w)); });
}
