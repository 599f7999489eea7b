#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/start.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {

namespace {

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

}  // namespace

/// Test case 1: h = (h_0/2) (1 + cos(pi r/R)) within R = a/3 of 270 E, carried around the globe.
Start cosine_bell(const StartOptions& options, const Planet&) {
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
Start solid_rotation(const StartOptions& options, const Planet& planet) {
  Start start;
  start.axis = tilted(options.at("tilt"));
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.surface = balanced(start.axis, options.at("speed"), options.at("depth"), planet);
  return start;
}

/// The flow of test case 2 in a layer of the same thickness everywhere, over ground that balances it.
Start thin_layer(const StartOptions& options, const Planet& planet) {
  const double thickness = options.at("thickness");
  Start start;
  start.wind = rotation_around(start.axis, options.at("speed"));
  start.ground = balanced(start.axis, options.at("speed"), 0, planet);
  start.surface = [=, ground = start.ground](Vector3 p) { return ground(p) + thickness; };
  return start;
}

/// Test case 5: that flow over a cone of radius pi/9 at 270 E 30 N.
Start mountain(const StartOptions& options, const Planet& planet) {
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
Start rossby_haurwitz(const StartOptions& options, const Planet& planet) {
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

}  // namespace halcyon::atmosphere
