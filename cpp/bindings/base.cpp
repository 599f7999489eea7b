#include "core.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

void bind_base(nb::module_& m) {
  using namespace halcyon;
  auto error = nb::exception<Error>(m, "Error");
  nb::exception<ConfigError>(m, "ConfigError", error);
  nb::exception<InputError>(m, "InputError", error);
  nb::exception<RunError>(m, "RunError", error);
  nb::exception<InternalError>(m, "InternalError", error);
  m.attr("EARTH_RADIUS") = kEarthRadius;
  m.attr("GRAVITY") = kGravity;
}
