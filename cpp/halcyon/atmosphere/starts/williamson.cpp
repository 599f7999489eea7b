#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

/// Wind at the equator that moves air around the Earth in twelve days [m s-1].
const double kTwelveDayRotation = kTwoPi * kEarthRadius / (12 * 86400.0);

/// Axis of a flow, tilted [rad] from the poles of the mesh (Williamson et al. 1992, equations 75-76).
Vector3 tilted_axis(double angle) {
  return {-std::sin(angle), 0, std::cos(angle)};
}

std::function<Vector3(Vector3)> rotation_around(Vector3 axis, double speed) {
  return [=](Vector3 p) { return speed * cross(axis, p); };
}

/// Balanced height: g h = g h_0 - (a Omega u_0 + u_0^2/2) sin^2(latitude relative to the axis) (equation 95).
std::function<double(Vector3)> balanced_height(Vector3 axis, double speed, double depth,
                                               const Planet& planet) {
  const double drop = (planet.radius * planet.rotation * speed + speed * speed / 2) / planet.gravity;
  return [=](Vector3 p) { return depth - drop * dot(axis, p) * dot(axis, p); };
}

/// Test case 1: h = (h_0/2) (1 + cos(pi r/R)) within R = a/3 of 270 E, advected around the sphere.
Start make_cosine_bell(const StartOptions& options, const Planet&) {
  const double height = options.at("height");
  Start start;
  start.axis = tilted_axis(options.at("tilt"));
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = [=](Vector3 p) {
    const double r = mesh::arc_length(p, {0, -1, 0});
    return r < 1.0 / 3 ? height / 2 * (1 + std::cos(3 * kPi * r)) : 0.0;
  };
  start.has_fixed_wind = true;
  return start;
}

/// Test case 2: a steady flow in geostrophic balance.
Start make_solid_rotation(const StartOptions& options, const Planet& planet) {
  Start start;
  start.axis = tilted_axis(options.at("tilt"));
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = balanced_height(start.axis, options.at("speed"), options.at("depth"), planet);
  return start;
}

/// The flow of test case 2 in a layer of uniform thickness over orography in balance with it.
Start make_thin_layer(const StartOptions& options, const Planet& planet) {
  const double thickness = options.at("thickness");
  Start start;
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.orography = balanced_height(start.axis, options.at("speed"), 0, planet);
  start.surface = [=, orography = start.orography](Vector3 p) { return orography(p) + thickness; };
  return start;
}

/// Test case 5: the flow of test case 2 over a cone of radius pi/9 at 270 E 30 N.
Start make_mountain(const StartOptions& options, const Planet& planet) {
  const double height = options.at("height");
  Start start;
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = balanced_height(start.axis, options.at("speed"), options.at("depth"), planet);
  start.orography = [=](Vector3 p) {
    const double east = std::remainder(mesh::longitude(p) - 1.5 * kPi, kTwoPi);
    const double north = mesh::latitude(p) - kPi / 6;
    return height * (1 - std::min(1.0, std::hypot(east, north) / (kPi / 9)));
  };
  return start;
}

/// Test case 6, equations 141-149, with omega = K = rate.
Start make_rossby_haurwitz(const StartOptions& options, const Planet& planet) {
  const double R = options.at("wavenumber"), K = options.at("rate"), depth = options.at("depth");
  const double a = planet.radius, Omega = planet.rotation, omega = K, g = planet.gravity;
  Start start;
  start.wind = [=](Vector3 p) {
    const double phi = mesh::latitude(p), lambda = mesh::longitude(p);
    const double c = std::cos(phi), s = std::sin(phi), c_r = std::pow(c, R - 1);
    const double u = a * omega * c + a * K * c_r * (R * s * s - c * c) * std::cos(R * lambda);
    const double v = -a * K * R * c_r * s * std::sin(R * lambda);
    const Vector3 east{-std::sin(lambda), std::cos(lambda), 0};
    return u * east + v * cross(p, east);
  };
  start.surface = [=](Vector3 p) {
    const double phi = mesh::latitude(p), lambda = mesh::longitude(p);
    const double cos2 = std::cos(phi) * std::cos(phi), c_r = std::pow(cos2, R / 2), c_2r = c_r * c_r;
    const double A =
        omega / 2 * (2 * Omega + omega) * cos2 +
        K * K / 4 * (c_2r * ((R + 1) * cos2 + 2 * R * R - R - 2) - 2 * R * R * std::pow(cos2, R - 1));
    const double B =
        2 * (Omega + omega) * K / ((R + 1) * (R + 2)) * c_r * (R * R + 2 * R + 2 - (R + 1) * (R + 1) * cos2);
    const double C = K * K / 4 * c_2r * ((R + 1) * cos2 - (R + 2));
    return depth + a * a / g * (A + B * std::cos(R * lambda) + C * std::cos(2 * R * lambda));
  };
  return start;
}

}  // namespace

ShallowWaterStartEntry cosine_bell() {
  return {{.name = "cosine_bell",
           .text = "Cosine bell advected by solid-body rotation (Williamson et al. 1992, case 1).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 1",
           .options = {number("speed", kTwelveDayRotation, "Wind speed at the equator.", "m s-1", -500, 500),
                       number("tilt", 0.0, "Angle between the axis of the flow and the poles of the mesh.",
                              "degree", -180, 180),
                       start_type("cosine_bell", "Advection of a cosine bell."),
                       number_above("height", 1000.0, "Height of the bell.", "m", 0, 1e5)}},
          make_cosine_bell};
}

ShallowWaterStartEntry solid_rotation() {
  return {{.name = "solid_rotation",
           .text = "Steady geostrophic flow (Williamson et al. 1992, case 2).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 2",
           .options = {number("speed", kTwelveDayRotation, "Wind speed at the equator.", "m s-1", -500, 500),
                       number("tilt", 0.0, "Angle between the axis of the flow and the poles of the mesh.",
                              "degree", -180, 180),
                       start_type("solid_rotation", "Steady geostrophic flow."),
                       number_above("depth", 29400 / kGravity, "Depth at the equator of the flow.", "m", 0,
                                    1e5)}},
          make_solid_rotation};
}

ShallowWaterStartEntry thin_layer() {
  return {{.name = "thin_layer",
           .text = "Thin layer in solid-body rotation over balancing orography, a test of the Hollingsworth "
                   "instability (Bell et al. 2017).",
           .references = "Hollingsworth et al. (1983); Bell et al. (2017, Q. J. R. Meteorol. Soc. 143)",
           .options = {start_type("thin_layer", "Thin layer in solid-body rotation."),
                       number("speed", kTwelveDayRotation, "Wind speed at the equator.", "m s-1", -500, 500),
                       number_above("thickness", 1.0, "Thickness of the layer.", "m", 0, 1e5)}},
          make_thin_layer};
}

ShallowWaterStartEntry mountain() {
  return {{.name = "mountain",
           .text = "Zonal flow over an isolated mountain (Williamson et al. 1992, case 5).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 5",
           .options = {start_type("mountain", "Zonal flow over a mountain."),
                       number("speed", 20.0, "Wind speed at the equator.", "m s-1", -500, 500),
                       number_above("depth", 5960.0, "Height of the surface at the equator.", "m", 0, 1e5),
                       number("height", 2000.0, "Height of the mountain.", "m", 0, 5000)}},
          make_mountain};
}

ShallowWaterStartEntry rossby_haurwitz() {
  return {{.name = "rossby_haurwitz",
           .text = "Rossby-Haurwitz wave (Williamson et al. 1992, case 6).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 6",
           .options = {start_type("rossby_haurwitz", "Rossby-Haurwitz wave."),
                       {.name = "wavenumber",
                        .value = std::int64_t{4},
                        .text = "Zonal wavenumber.",
                        .minimum = 1,
                        .maximum = 20},
                       number_above("rate", 7.848e-06, "Angular velocities omega and K of the wave.", "s-1",
                                    0, 0.001),
                       number_above("depth", 8000.0, "Depth at the poles.", "m", 0, 1e5)}},
          make_rossby_haurwitz};
}

}  // namespace halcyon::atmosphere
