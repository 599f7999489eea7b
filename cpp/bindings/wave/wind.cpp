#include "halcyon/wave/wind.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/wave/wave.hpp"

namespace {

using namespace halcyon::wave;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

void same_size(const Numbers& a, std::size_t size) {
  if (a.size() != size) throw nb::value_error("latitudes, longitudes, u and v must have one size");
}

void bind_fit(nb::module_& m) {
  nb::class_<StormRecord>(m, "StormRecord")
      .def(
          "__init__",
          [](StormRecord* self, double latitude, double peak, double deficit, double motion,
             double surface_factor, double air_density) {
            new (self) StormRecord{latitude, peak, deficit, motion, surface_factor, air_density};
          },
          nb::kw_only(), nb::arg("latitude"), nb::arg("peak"), nb::arg("deficit"), nb::arg("motion"),
          nb::arg("surface_factor"), nb::arg("air_density"));
  nb::class_<WindRadius>(m, "WindRadius")
      .def(nb::init<double, double, double>(), nb::arg("speed"), nb::arg("radius"), nb::arg("side"));
  m.def("holland_shape", &holland_shape, nb::arg("record"), nb::arg("radius"));
  m.def("regression_shape", &regression_shape, nb::arg("latitude"), nb::arg("radius"));
  m.def("outer_radius", &outer_radius, nb::arg("record"), nb::arg("radius"), nb::arg("speed"),
        nb::arg("side"));
  m.def(
      "fit_radius",
      [](const StormRecord& record, const std::vector<WindRadius>& given) {
        return fit_radius(record, given);
      },
      nb::arg("record"), nb::arg("given"));
}

void bind_vortex(nb::module_& m) {
  nb::class_<Vortex>(m, "Vortex")
      .def(
          "__init__",
          [](Vortex* self, double latitude, double longitude, double radius, double shape, double peak,
             double eastward, double northward) {
            new (self) Vortex{latitude, longitude, radius, shape, peak, eastward, northward};
          },
          nb::kw_only(), nb::arg("latitude"), nb::arg("longitude"), nb::arg("radius"), nb::arg("shape"),
          nb::arg("peak"), nb::arg("eastward") = 0, nb::arg("northward") = 0)
      .def_ro("latitude", &Vortex::latitude)
      .def_ro("longitude", &Vortex::longitude)
      .def_ro("radius", &Vortex::radius)
      .def_ro("shape", &Vortex::shape)
      .def_ro("peak", &Vortex::peak)
      .def_ro("eastward", &Vortex::eastward)
      .def_ro("northward", &Vortex::northward);
  nb::class_<SurfaceWind>(m, "SurfaceWind")
      .def(
          "__init__",
          [](SurfaceWind* self, double factor, double inflow, bool inflow_profile, bool asymmetry) {
            new (self) SurfaceWind{factor, inflow, inflow_profile, asymmetry};
          },
          nb::kw_only(), nb::arg("factor"), nb::arg("inflow"), nb::arg("inflow_profile"),
          nb::arg("asymmetry"));
  m.def("coriolis", &coriolis, nb::arg("latitude"));
  m.def("gradient_wind", &gradient_wind, nb::arg("r"), nb::arg("vortex"));
  m.def("inflow_angle", &inflow_angle, nb::arg("r"), nb::arg("radius"), nb::arg("surface"));
}

}  // namespace

void bind_wave_wind(nb::module_& m) {
  bind_vortex(m);
  bind_fit(m);
  nb::class_<Wind>(m, "Wind").def(
      "at",
      [](const Wind& wind, double time_s, Numbers latitudes, Numbers longitudes, Output u, Output v) {
        for (const auto size : {longitudes.size(), u.size(), v.size()}) same_size(latitudes, size);
        wind.at(time_s, span_of(latitudes), span_of(longitudes), span_of(u), span_of(v));
      },
      nb::arg("time_s"), nb::arg("latitudes"), nb::arg("longitudes"), nb::arg("u").noconvert(),
      nb::arg("v").noconvert());
  nb::class_<ConstantWind, Wind>(m, "ConstantWind")
      .def(nb::init<double, double>(), nb::arg("eastward"), nb::arg("northward"));
  nb::class_<VortexWind, Wind>(m, "VortexWind")
      .def(nb::init<std::vector<double>, std::vector<Vortex>, SurfaceWind>(), nb::arg("times_s"),
           nb::arg("records"), nb::arg("surface"))
      .def("vortex", &VortexWind::vortex, nb::arg("time_s"));
  m.def(
      "first_not_finite", [](Numbers u, Numbers v) { return first_not_finite(span_of(u), span_of(v)); },
      nb::arg("u"), nb::arg("v"));
}
