#include "halcyon/atmosphere/starts/starts.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <concepts>

#include "bindings/arrays.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::atmosphere;

Vector3 point(double lon, double lat) {
  return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

/// Returns an array of value(point) or value(point, i) at all points i; longitudes and latitudes in radians.
template <class Value>
auto at_points(Numbers lon, Numbers lat, const Value& value) {
  std::vector<double> values(lon.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if constexpr (std::invocable<Value, Vector3>)
      values[i] = value(point(lon[i], lat[i]));
    else
      values[i] = value(point(lon[i], lat[i]), i);
  return to_numpy(std::move(values));
}

/// Returns the eastward and northward components of vector(point, i) at all points.
template <class Vector>
auto vectors_at_points(Numbers lon, Numbers lat, const Vector& vector) {
  const auto component = [&](const auto& direction) {
    return at_points(lon, lat, [&](Vector3 p, std::size_t i) {
      const Vector3 east{-std::sin(lon[i]), std::cos(lon[i]), 0};
      return dot(vector(p, i), direction(p, east));
    });
  };
  return std::pair(component([](Vector3, Vector3 east) { return east; }),
                   component([](Vector3 p, Vector3 east) { return cross(p, east); }));
}

/// Arguments of the methods are arrays (point) of equal size.
void bind_shallow_water_start(nb::module_& m) {
  nb::class_<Start>(m, "ShallowWaterStart")
      .def_prop_ro("axis",
                   [](const Start& self) { return std::array{self.axis.x, self.axis.y, self.axis.z}; })
      .def("ground",
           [](const Start& self, Numbers lon, Numbers lat) { return at_points(lon, lat, self.orography); })
      .def("surface",
           [](const Start& self, Numbers lon, Numbers lat) { return at_points(lon, lat, self.surface); })
      .def("wind", [](const Start& self, Numbers lon, Numbers lat) {
        return vectors_at_points(lon, lat, [&](Vector3 p, std::size_t) { return self.wind(p); });
      });
  m.def("make_shallow_water_start", &make_start, "name"_a, "options"_a, "planet"_a);
}

}  // namespace

void bind_atmosphere_starts(nb::module_& m) {
  bind_shallow_water_start(m);
  nb::class_<Air>(m, "Air",
                  "Dry air: gas constant and heat capacity at constant pressure [J kg-1 K-1], "
                  "reference\npressure of the potential temperature [Pa]; gas constant of water vapour.")
      .def(keywords<members<>, members<&Air::gas_constant, &Air::heat_capacity, &Air::reference_pressure,
                                       &Air::vapour_gas_constant>>())
      .def(properties<&Air::gas_constant, &Air::heat_capacity, &Air::reference_pressure,
                      &Air::vapour_gas_constant, &Air::kappa>());
  // Arguments of the methods are arrays (point) of equal size; Python's AirStart broadcasts arguments.
  nb::class_<AirStart>(m, "AirStart")
      .def_prop_ro("has_tracer", [](const AirStart& self) { return bool(self.tracer); })
      .def("ground_geopotential", [](const AirStart& self, Numbers lon,
                                     Numbers lat) { return at_points(lon, lat, self.ground_geopotential); })
      .def("surface_pressure", [](const AirStart& self, Numbers lon,
                                  Numbers lat) { return at_points(lon, lat, self.surface_pressure); })
      .def("temperature",
           [](const AirStart& self, Numbers lon, Numbers lat, Numbers pressure) {
             return at_points(lon, lat,
                              [&](Vector3 p, std::size_t i) { return self.temperature(p, pressure[i]); });
           })
      .def("wind",
           [](const AirStart& self, Numbers lon, Numbers lat, Numbers pressure) {
             return vectors_at_points(lon, lat,
                                      [&](Vector3 p, std::size_t i) { return self.wind(p, pressure[i]); });
           })
      .def("specific_humidity",
           [](const AirStart& self, Numbers lon, Numbers lat, Numbers pressure) {
             return at_points(lon, lat, [&](Vector3 p, std::size_t i) {
               return self.specific_humidity ? self.specific_humidity(p, pressure[i]) : 0.0;
             });
           })
      .def("tracer", [](const AirStart& self, Numbers lon, Numbers lat, Numbers pressure) {
        return at_points(lon, lat, [&](Vector3 p, std::size_t i) {
          return self.tracer ? self.tracer(p, pressure[i]) : 0.0;
        });
      });
  m.def("make_air_start", &make_air_start, "name"_a, "options"_a, "planet"_a, "air"_a);
  m.def(
      "start_names", [] { return options::names_of(shallow_water_starts()); },
      "Names of the shallow-water starts.");
  m.def(
      "start_options",
      [](const std::string& name) { return options::find("start", shallow_water_starts(), name).defaults(); },
      "name"_a, "The options of a shallow-water start with their defaults.");
  m.def("air_start_names", [] { return options::names_of(air_starts()); }, "Names of the starts of the air.");
  m.def(
      "air_start_options",
      [](const std::string& name) { return options::find("start", air_starts(), name).defaults(); }, "name"_a,
      "The options of a start of the air with their defaults. Raises ConfigError for an unknown name.");
  m.def(
      "air_start_planet",
      [](const std::string& name) { return options::find("start", air_starts(), name).planet; }, "name"_a,
      "The default planet of a start. Raises ConfigError for an unknown name.");
}
