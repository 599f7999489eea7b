#include <nanobind/stl/vector.h>

#include "bindings/wave/wave.hpp"
#include "halcyon/wave/wind/fvwam.hpp"
#include "halcyon/wave/wind/holland.hpp"
#include "halcyon/wave/wind/polar.hpp"

namespace {

using namespace halcyon::wave;

void bind_fit(nb::module_& m) {
  nb::class_<StormRecord>(m, "StormRecord")
      .def(
          keywords<members<&StormRecord::latitude, &StormRecord::peak, &StormRecord::deficit,
                           &StormRecord::motion, &StormRecord::surface_factor, &StormRecord::air_density>>());
  nb::class_<WindRadius>(m, "WindRadius")
      .def(nb::init<double, double, double>(), "speed"_a, "radius"_a, "side"_a);
  m.def("holland_shape", &holland_shape, "record"_a, "radius"_a);
  m.def("regression_shape", &regression_shape, "latitude"_a, "radius"_a);
  m.def("wind_radius", &wind_radius, "record"_a, "radius"_a, "speed"_a, "side"_a);
  m.def(
      "fit_radius",
      [](const StormRecord& record, const std::vector<WindRadius>& observed) {
        return fit_radius(record, observed);
      },
      "record"_a, "observed"_a);
}

void bind_vortex(nb::module_& m) {
  nb::class_<Vortex>(m, "Vortex")
      .def(keywords<
           members<&Vortex::latitude, &Vortex::longitude, &Vortex::radius, &Vortex::shape, &Vortex::peak>,
           members<&Vortex::eastward, &Vortex::northward>>())
      .def(properties<&Vortex::latitude, &Vortex::longitude, &Vortex::radius, &Vortex::shape, &Vortex::peak,
                      &Vortex::eastward, &Vortex::northward>());
  nb::class_<SurfaceWind>(m, "SurfaceWind")
      .def(keywords<members<&SurfaceWind::factor, &SurfaceWind::inflow, &SurfaceWind::asymmetry>>());
  m.def("coriolis", &coriolis, "latitude"_a);
  m.def("gradient_wind", &gradient_wind, "r"_a, "vortex"_a);
}

void bind_inflow(nb::module_& m) {
  nb::enum_<InflowProfile>(m, "InflowProfile")
      .value("constant", InflowProfile::constant)
      .value("phadke", InflowProfile::phadke)
      .value("zhang_uhlhorn", InflowProfile::zhang_uhlhorn);
  nb::class_<Inflow>(m, "Inflow").def(keywords<members<>, members<&Inflow::profile, &Inflow::angle>>());
  m.def("phadke_inflow", &phadke_inflow, "x"_a);
}

void bind_polar(nb::module_& m) {
  nb::class_<PolarVortex>(m, "PolarVortex")
      .def(keywords<members<&PolarVortex::latitude, &PolarVortex::longitude, &PolarVortex::radius,
                            &PolarVortex::peak, &PolarVortex::eastward, &PolarVortex::northward,
                            &PolarVortex::inner, &PolarVortex::outer, &PolarVortex::speed>>())
      .def(properties<&PolarVortex::latitude, &PolarVortex::longitude, &PolarVortex::radius,
                      &PolarVortex::peak>());
  nb::class_<PolarDirection>(m, "PolarDirection")
      .def(keywords<members<&PolarDirection::inflow, &PolarDirection::motion>>());
  m.attr("NODES_PER_UNIT") = kNodesPerUnit;
  m.def("polar_speed", &polar_speed, "vortex"_a, "r"_a, "azimuth"_a);
}

}  // namespace

void bind_wave_wind(nb::module_& m) {
  bind_inflow(m);
  bind_vortex(m);
  bind_polar(m);
  bind_fit(m);
  nb::class_<Wind>(m, "Wind").def(
      "at",
      [](const Wind& wind, double time_s, List<const double> latitudes, List<const double> longitudes,
         List<double> u, List<double> v) {
        for (const auto size : {longitudes.size(), u.size(), v.size()})
          if (latitudes.size() != size)
            throw nb::value_error("latitudes, longitudes, u and v must have the same size");
        wind.compute(time_s, latitudes, longitudes, u, v);
      },
      "time_s"_a, "latitudes"_a, "longitudes"_a, "u"_a.noconvert(), "v"_a.noconvert());
  nb::class_<ConstantWind, Wind>(m, "ConstantWind")
      .def(nb::init<double, double>(), "eastward"_a, "northward"_a);
  nb::class_<VortexWind, Wind>(m, "VortexWind")
      .def(nb::init<std::vector<double>, std::vector<Vortex>, SurfaceWind>(), "times_s"_a, "records"_a,
           "surface"_a)
      .def("vortex", &VortexWind::vortex, "time_s"_a);
  nb::class_<PolarWind, Wind>(m, "PolarWind")
      .def(nb::init<std::vector<double>, std::vector<PolarVortex>, PolarDirection>(), "times_s"_a,
           "records"_a, "direction"_a)
      .def("vortex", &PolarWind::vortex, "time_s"_a);
  nb::class_<FvwamVortex>(m, "FvwamVortex")
      .def(keywords<members<&FvwamVortex::latitude, &FvwamVortex::longitude, &FvwamVortex::radius,
                            &FvwamVortex::shape, &FvwamVortex::deficit>,
                    members<&FvwamVortex::eastward, &FvwamVortex::northward>>())
      .def(properties<&FvwamVortex::latitude, &FvwamVortex::longitude, &FvwamVortex::radius>());
  nb::class_<FvwamSurface>(m, "FvwamSurface")
      .def(keywords<members<&FvwamSurface::factor, &FvwamSurface::inflow, &FvwamSurface::air_density,
                            &FvwamSurface::asymmetry>>());
  nb::class_<FvwamWind, Wind>(m, "FvwamWind")
      .def(nb::init<std::vector<double>, std::vector<FvwamVortex>, FvwamSurface>(), "times_s"_a, "records"_a,
           "surface"_a)
      .def("vortex", &FvwamWind::vortex, "time_s"_a);
  m.def(
      "first_not_finite", [](List<const double> u, List<const double> v) { return first_not_finite(u, v); },
      "u"_a, "v"_a);
}
