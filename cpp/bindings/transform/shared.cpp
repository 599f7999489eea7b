#include "shared.hpp"

#include <nanobind/operators.h>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/pipeline.hpp"

// What transforms on a sphere and on a plane have in common.

namespace {

using namespace halcyon;
using namespace halcyon::transform;

Way way_named(const std::string& name) {
  require<ConfigError>(name == "synthesis" || name == "analysis", "way is '{}'. Use synthesis or analysis.",
                       name);
  return name == "synthesis" ? Way::synthesis : Way::analysis;
}

}  // namespace

void bind_shared_transform(nb::module_& m) {
  nb::class_<Times>(m, "Times", "What transforms took of a rank [s], and what they sent.")
      .def(nb::self - nb::self)
      .def_ro("fourier_s", &Times::fourier_s)
      .def_ro("legendre_s", &Times::legendre_s)
      .def_ro("exchange_s", &Times::exchange_s)
      .def_ro("n_sent", &Times::n_sent)
      .def_ro("sent_bytes", &Times::sent_bytes);
  nb::class_<SharedTransform> type(m, "SharedTransform");
  bind_exchanges(type, [](const SharedTransform& t) -> const SharedTransform& { return t; });
  type.def(
          "synthesis",
          [](SharedTransform& t, const Input<Complex>& coefficients, const Output<double>& values) {
            t.synthesis(span_of(coefficients), span_of(values));
          },
          Released())
      .def(
          "analysis",
          [](SharedTransform& t, const Input<double>& values, const Output<Complex>& coefficients) {
            t.analysis(span_of(values), span_of(coefficients));
          },
          Released())
      .def(
          "compute",
          [](SharedTransform& t, const std::string& way, const Output<Complex>& coefficients,
             const Output<double>& values) {
            t.compute(way_named(way), span_of(coefficients), span_of(values));
          },
          Released())
      .def(
          "schedule",
          [](const SharedTransform& t, const std::string& way, int n_fields) -> schedule::SchedulePointer {
            return std::make_shared<schedule::Pipeline>(t.schedule(way_named(way), n_fields));
          },
          Released())
      .def_prop_ro("statistics", &SharedTransform::statistics, Released())
      .def_prop_ro("times", &SharedTransform::times, Released())
      .def_prop_ro("v", &SharedTransform::v)
      .def_prop_ro("w", &SharedTransform::w)
      .def_prop_ro("n_points", &SharedTransform::n_points)
      .def("points",
           [](const SharedTransform& t, int v, int w) { return to_numpy(t.extents().points(v, w)); });
}
