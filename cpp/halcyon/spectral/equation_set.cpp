#include "halcyon/spectral/equation_set.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::spectral {

using fields::Variable;

const std::vector<EquationSet>& equation_sets() {
  static const std::vector<EquationSet> sets{barotropic(), shallow_water(), primitive()};
  return sets;
}

void AirOptions::validate() const {
  constexpr double kSurfacePressure = 1e5;  // [Pa] at which interface pressures are checked
  require<ConfigError>(
      a.size() == b.size() && a.size() >= 2,
      "levels have {} coefficients a and {} b. Give one of each for every interface, at least 2.", a.size(),
      b.size());
  double above = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double p = a[k] + b[k] * kSurfacePressure;
    require<ConfigError>(
        std::isfinite(p) && p > above,
        "levels: interface {} is at {} Pa, below {} Pa, for a surface pressure of {} Pa. Give a [Pa] "
        "and b from the top downwards, so that pressure is positive and increases.",
        k, p, above, kSurfacePressure);
    above = p;
  }
  constexpr double kTolerance = 1e-9;  // of rounding
  require<ConfigError>(std::abs(b.front()) <= kTolerance && std::abs(b.back() - 1) <= kTolerance &&
                           std::abs(a.back()) <= kTolerance * kSurfacePressure,
                       "levels begin with b = {} and end with a = {} Pa, b = {}. Give b = 0 at the top, and "
                       "a = 0, b = 1 at the surface.",
                       b.front(), a.back(), b.back());
}

void add_restart_variables(std::vector<Variable>& table, const std::string& name, const char* units,
                           const char* meaning, const char* dimension) {
  for (const auto& [suffix, time] : {std::pair("", ""), std::pair(kPreviousSuffix, ", one step earlier")})
    table.push_back(fields::restart_variable(name + kCoefficientsSuffix + suffix, {dimension, kPart}, units,
                                             fmt::format("coefficients of {}{}", meaning, time)));
}

void add_surface_variable(std::vector<Variable>& table, const char* name, const char* units,
                          const char* standard_name, const char* long_name) {
  table.push_back(fields::output_variable(name, {"point"}, units, standard_name, long_name));
}

void add_level_variable(std::vector<Variable>& table, const char* name, const char* units,
                        const char* standard_name, const char* long_name) {
  table.push_back(fields::output_variable(name, {"point", "level"}, units, standard_name, long_name));
}

void require_size(const char* name, std::size_t size, std::size_t needed) {
  require<InternalError>(size == needed, "The initial {} has {} values, not {}.", name, size, needed);
}

template <class Real>
void vorticity_flux(const Basis<Real>& basis, std::span<const Real> zeta, std::span<const Real> u,
                    std::span<const Real> v, std::span<Real> p, std::span<Real> q) {
  const auto& f = basis.coriolis();
  const std::size_t n = basis.n_points();
  for (std::size_t level = 0; level < zeta.size(); level += n)
    for (std::size_t i = 0; i < n; ++i) {
      const double absolute = zeta[level + i] + f[i];
      p[level + i] = static_cast<Real>(absolute * v[level + i]);
      q[level + i] = static_cast<Real>(-absolute * u[level + i]);
    }
}

template <class Real>
void Orography<Real>::set(std::span<const double> height) {
  require_size("ground", height.size(), geopotential_.size());
  for (std::size_t i = 0; i < height.size(); ++i)
    geopotential_[i] = static_cast<Real>(basis_.planet().gravity * height[i]);
  Spectrum<Real> truncated(basis_.n_coefficients());
  basis_.transform().analysis(geopotential_, truncated);
  basis_.transform().synthesis(truncated, geopotential_);
  basis_.transform().gradient(truncated, slope_x_, slope_y_);
}

template <class Real>
double global_mean(const Basis<Real>& basis, std::span<const Real> values) {
  std::array<ExactSum, 2> sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[0].add(basis.areas()[i] * values[i]);
    sums[1].add(basis.areas()[i]);
  }
  const auto totals = basis.totals(sums);
  return totals[0] / totals[1];
}

template <class Real>
std::vector<double> Orography<Real>::height() const {
  std::vector<double> result(geopotential_.begin(), geopotential_.end());
  for (auto& value : result) value /= basis_.planet().gravity;
  return result;
}

template class Orography<double>;
template double global_mean(const Basis<double>&, std::span<const double>);
template void vorticity_flux(const Basis<double>&, std::span<const double>, std::span<const double>,
                             std::span<const double>, std::span<double>, std::span<double>);
template class Orography<float>;
template double global_mean(const Basis<float>&, std::span<const float>);
template void vorticity_flux(const Basis<float>&, std::span<const float>, std::span<const float>,
                             std::span<const float>, std::span<float>, std::span<float>);

}  // namespace halcyon::spectral
