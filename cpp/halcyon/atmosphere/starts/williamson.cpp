#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {

namespace {

const double kTwelveDaysAround = kTwoPi * kEarthRadius / (12 * 86400.0);  // [m s-1]

/// The axis of a flow that is tilted [rad] from that of the globe (Williamson et al. 1992, equations 75-76).
Vector3 tilted(double angle) {
  return {-std::sin(angle), 0, std::cos(angle)};
}

std::function<Vector3(Vector3)> rotation_around(Vector3 axis, double speed) {
  return [=](Vector3 p) { return speed * cross(axis, p); };
}

/// g h = g h_0 - (a Omega u_0 + u_0^2/2) sin^2 of the latitude from the axis: what balances solid rotation
/// (Williamson et al. 1992, equation 95).
std::function<double(Vector3)> balanced(Vector3 axis, double speed, double depth, const Planet& planet) {
  const double drop = (planet.radius * planet.rotation * speed + speed * speed / 2) / planet.gravity;
  return [=](Vector3 p) { return depth - drop * dot(axis, p) * dot(axis, p); };
}

/// Test case 1: h = (h_0/2) (1 + cos(pi r/R)) within R = a/3 of 270 E, carried around the globe.
Start make_cosine_bell(const StartOptions& options, const Planet&) {
  const double height = options.at("height");
  Start start;
  start.axis = tilted(options.at("tilt"));
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = [=](Vector3 p) {
    const double r = mesh::arc_length(p, {0, -1, 0});
    return r < 1.0 / 3 ? height / 2 * (1 + std::cos(3 * kPi * r)) : 0.0;
  };
  start.wind_stays = true;
  return start;
}

/// Test case 2: a steady flow in geostrophic balance.
Start make_solid_rotation(const StartOptions& options, const Planet& planet) {
  Start start;
  start.axis = tilted(options.at("tilt"));
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = balanced(start.axis, options.at("speed"), options.at("depth"), planet);
  return start;
}

/// The flow of test case 2 in a layer of the same thickness everywhere, over ground that balances it.
Start make_thin_layer(const StartOptions& options, const Planet& planet) {
  const double thickness = options.at("thickness");
  Start start;
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.ground = balanced(start.axis, options.at("speed"), 0, planet);
  start.surface = [=, ground = start.ground](Vector3 p) { return ground(p) + thickness; };
  return start;
}

/// Test case 5: that flow over a cone of radius pi/9 at 270 E 30 N.
Start make_mountain(const StartOptions& options, const Planet& planet) {
  const double height = options.at("height");
  Start start;
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = balanced(start.axis, options.at("speed"), options.at("depth"), planet);
  start.ground = [=](Vector3 p) {
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
    const double c2 = std::cos(phi) * std::cos(phi), c_r = std::pow(c2, R / 2), c_2r = c_r * c_r;
    const double A =
        omega / 2 * (2 * Omega + omega) * c2 +
        K * K / 4 * (c_2r * ((R + 1) * c2 + 2 * R * R - R - 2) - 2 * R * R * std::pow(c2, R - 1));
    const double B =
        2 * (Omega + omega) * K / ((R + 1) * (R + 2)) * c_r * (R * R + 2 * R + 2 - (R + 1) * (R + 1) * c2);
    const double C = K * K / 4 * c_2r * ((R + 1) * c2 - (R + 2));
    return depth + a * a / g * (A + B * std::cos(R * lambda) + C * std::cos(2 * R * lambda));
  };
  return start;
}

}  // namespace

ShallowWaterStartKind cosine_bell() {
  return {{.name = "cosine_bell",
           .text = "A bell that solid rotation carries around the globe (Williamson et al. 1992, case 1).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 1",
           .options = {number("speed", kTwelveDaysAround, "At the equator.", "m s-1", -500, 500),
                       number("tilt", 0.0, "Of the flow's axis from the globe's.", "degree", -180, 180),
                       start_type("cosine_bell", "The bell."),
                       number_above("height", 1000.0, "Of the bell.", "m", 0, 1e5)}},
          make_cosine_bell};
}

ShallowWaterStartKind solid_rotation() {
  return {{.name = "solid_rotation",
           .text = "A steady flow in balance (Williamson et al. 1992, case 2).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 2",
           .options = {number("speed", kTwelveDaysAround, "At the equator.", "m s-1", -500, 500),
                       number("tilt", 0.0, "Of the flow's axis from the globe's.", "degree", -180, 180),
                       start_type("solid_rotation", "The flow."),
                       number_above("depth", 29400 / kGravity, "At the equator of the flow.", "m", 0, 1e5)}},
          make_solid_rotation};
}

ShallowWaterStartKind thin_layer() {
  return {{.name = "thin_layer",
           .text = "A thin layer in solid rotation, over ground that balances it (Bell et al. 2017): "
                   "Hollingsworth's instability.",
           .references = "Hollingsworth et al. (1983); Bell et al. (2017, Q. J. R. Meteorol. Soc. 143)",
           .options = {start_type("thin_layer", "The flow."),
                       number("speed", kTwelveDaysAround, "At the equator.", "m s-1", -500, 500),
                       number_above("thickness", 1.0, "Of the layer.", "m", 0, 1e5)}},
          make_thin_layer};
}

ShallowWaterStartKind mountain() {
  return {{.name = "mountain",
           .text = "Solid rotation over a mountain (Williamson et al. 1992, case 5).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 5",
           .options = {start_type("mountain", "The flow."),
                       number("speed", 20.0, "At the equator.", "m s-1", -500, 500),
                       number_above("depth", 5960.0, "Height of the surface at the equator.", "m", 0, 1e5),
                       number("height", 2000.0, "Of the mountain.", "m", 0, 5000)}},
          make_mountain};
}

ShallowWaterStartKind rossby_haurwitz() {
  return {{.name = "rossby_haurwitz",
           .text = "A wave that moves eastward without change, nearly (Williamson et al. 1992, case 6).",
           .references = "Williamson et al. (1992, J. Comput. Phys. 102), test case 6",
           .options = {start_type("rossby_haurwitz", "The wave."),
                       {.name = "wavenumber",
                        .value = std::int64_t{4},
                        .text = "Waves around the globe.",
                        .minimum = 1,
                        .maximum = 20},
                       number_above("rate", 7.848e-06, "omega and K.", "s-1", 0, 0.001),
                       number_above("depth", 8000.0, "At the poles.", "m", 0, 1e5)}},
          make_rossby_haurwitz};
}

}  // namespace halcyon::atmosphere
