#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/plausible.hpp"
#include "halcyon/fields/variable.hpp"

void bind_base(nb::module_& m) {
  using namespace halcyon;
  auto error = nb::exception<Error>(m, "Error");
  nb::exception<ConfigError>(m, "ConfigError", error);
  nb::exception<InputError>(m, "InputError", error);
  nb::exception<RunError>(m, "RunError", error);
  nb::exception<InternalError>(m, "InternalError", error);
  m.attr("EARTH_RADIUS") = kEarthRadius;
  m.attr("GRAVITY") = kGravity;
  nb::class_<PlausibleRange>(m, "PlausibleRange", "The values that a quantity of the earth can have.")
      .def(properties<&PlausibleRange::quantity, &PlausibleRange::lowest, &PlausibleRange::highest,
                      &PlausibleRange::unit, &PlausibleRange::source>());
  m.def("plausible_ranges", [] { return std::vector(kPlausibleRanges.begin(), kPlausibleRanges.end()); });
}

void bind_fields(nb::module_& m) {
  using halcyon::fields::Variable;
  nb::class_<Variable>(m, "Variable", "A variable of a model, as declared in the model's table of variables.")
      .def_ro("name", &Variable::name)
      .def_ro("dimensions", &Variable::dimensions, "Names of the dimensions, outermost first.")
      .def_ro("units", &Variable::units)
      .def_ro("standard_name", &Variable::standard_name, "CF standard name; empty if there is none.")
      .def(properties<&Variable::long_name, &Variable::cell_methods>())
      .def_ro("restart", &Variable::restart, "Whether restart files contain the variable.")
      .def_ro("output", &Variable::output, "Whether the variable is allowed in output.variables.")
      .def("__repr__", [](const Variable& v) { return "Variable('" + v.name + "')"; });
  m.def("find", &halcyon::fields::find, "table"_a, "name"_a,
        "Returns the variable of a table with a name. Raises ConfigError, which lists the names, for other "
        "names.");
}
