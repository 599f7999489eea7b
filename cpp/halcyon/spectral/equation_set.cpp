#include "halcyon/spectral/equation_set.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::spectral {

using fields::Variable;

namespace {

constexpr double kAtGround = 1e5;  // [Pa], where pressures of interfaces are looked at

}  // namespace

const std::vector<EquationSet>& equation_sets() {
  static const std::vector<EquationSet> all{barotropic(), shallow_water(), primitive()};
  return all;
}

void AirOptions::require_allowed() const {
  require<ConfigError>(
      a.size() == b.size() && a.size() >= 2,
      "levels have {} coefficients a and {} b. Give one of each for every interface, of which "
      "there are 2 or more.",
      a.size(), b.size());
  double above = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double p = a[k] + b[k] * kAtGround;
    require<ConfigError>(std::isfinite(p) && p > above,
                         "levels put interface {} at {} Pa, under {} Pa, where the pressure at the ground is "
                         "{} Pa. Give a [Pa] and b from the top on, so that it grows from more than 0 Pa.",
                         k, p, above, kAtGround);
    above = p;
  }
}

void add_state(std::vector<Variable>& table, const std::string& name, const char* units, const char* meaning,
               const char* dimension) {
  for (const auto& [ending, when] : {std::pair("", ""), std::pair(kBefore, ", a step before")})
    table.push_back({name + kCoefficients + ending,
                     {dimension, kPart},
                     units,
                     "",
                     fmt::format("coefficients of {}{}", meaning, when),
                     "",
                     true,
                     false});
}

Variable map(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"point"}, units, standard_name, long_name, "time: point", false, true};
}

Variable on_levels(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"point", "level"}, units, standard_name, long_name, "time: point", false, true};
}

Variable whole(const char* name, const char* units, const char* long_name) {
  return {name, {}, units, "", long_name, "area: sum time: point", false, false};
}

Variable topography() {
  return {"topography", {"point"}, "m", "surface_altitude", "height of the ground", "", false, true};
}

void require_size(const char* what, std::size_t size, std::size_t needed) {
  require<InternalError>(size == needed, "The {} of the start has {} values, not {}.", what, size, needed);
}

void vorticity_flux(const Basis& basis, std::span<const double> zeta, std::span<const double> u,
                    std::span<const double> v, std::span<double> p, std::span<double> q) {
  const auto& f = basis.coriolis();
  const std::size_t n = basis.n_points();
  for (std::size_t first = 0; first < zeta.size(); first += n)
    for (std::size_t i = 0; i < n; ++i) {
      const double absolute = zeta[first + i] + f[i];
      p[first + i] = absolute * v[first + i];
      q[first + i] = -absolute * u[first + i];
    }
}

void Ground::set(std::span<const double> height) {
  require_size("ground", height.size(), geopotential_.size());
  for (std::size_t i = 0; i < height.size(); ++i) geopotential_[i] = basis_.planet().gravity * height[i];
  std::vector<Complex> truncated(basis_.n_coefficients());
  basis_.transform().analysis(geopotential_, truncated);
  basis_.transform().synthesis(truncated, geopotential_);
}

std::vector<double> Ground::height() const {
  std::vector<double> found(geopotential_);
  for (auto& each : found) each /= basis_.planet().gravity;
  return found;
}

}  // namespace halcyon::spectral
