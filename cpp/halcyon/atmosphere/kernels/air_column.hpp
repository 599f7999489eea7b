#pragma once

#include "halcyon/atmosphere/air.hpp"
#include "halcyon/atmosphere/hybrid.hpp"
#include "halcyon/atmosphere/kernels/lanes.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

/// What goes up and down the columns of the air: continuity, heat, hydrostatic balance (Simmons and Burridge
/// 1981; Zhang et al. 2019, J. Adv. Model. Earth Syst. 11; Dubos et al. 2015, Geosci. Model Dev. 8). Levels
/// are counted from the top, interface k lies above level k.
namespace halcyon::atmosphere {

/// The geopotential of a reference atmosphere [m2 s-2], from which pressure gradients are taken as
/// perturbations: what is left where air lies at rest over a mountain is that of the difference. Its
/// temperature is that of the standard atmosphere's troposphere, T_r = T_0 (p/p0)^x with T_0 = 288 K and
/// x = R/g 6.5 K/km = 0.19, so that dphi_r = -R T_r dp/p gives
///   phi_r(p) = R T_0/x (1 - (p/p0)^x)
/// It should be bent as the atmosphere is: the curl of theta' grad(Pi) around a vertex goes as
/// d2theta'/dPi2, and drives a wind that nothing balances.
template <class Real>
Lanes<Real> reference_geopotential(const Air& air, Lanes<Real> pressure) {
  constexpr double kTemperature = 288, kExponent = 0.19;
  const Real scale = static_cast<Real>(air.gas_constant * kTemperature / kExponent);
  const auto share = pressure * static_cast<Real>(1 / air.reference_pressure);
  return scale * (Real(1) - exponential<Real>(Real(kExponent) * natural_log<Real>(share)));
}

/// A scalar at the interface above level k of a column, of layers that hold it: third order upstream of the
/// flux, second order beside the ends (Wicker and Skamarock 2002, equation 5; levels counted evenly). It is kept
/// between the two: between thick layers it would pass them, and air that goes up or down see no stratification.
///   values (level); flux [x] at the interface, positive downwards; 1 <= k < n_levels
template <class Real>
Lanes<Real> at_interface(std::span<const Lanes<Real>> values, int k, int n_levels, int order,
                         Lanes<Real> flux) {
  const auto above = values[k - 1], below = values[k];
  if (order == 2 || k == 1 || k == n_levels - 1) return Real(0.5) * (above + below);
  const auto beyond = values[k + 1] - values[k - 2];
  const auto third = (beyond - Real(3) * (below - above)) * Real(1.0 / 12);
  const auto fourth = (Real(7) * (above + below) - (values[k - 2] + values[k + 1])) * Real(1.0 / 12);
  const auto found = fourth + (flux > 0 ? third : -third);
  const auto low = above < below ? above : below, high = above < below ? below : above;
  const auto raised = found < low ? low : found;
  return raised > high ? high : raised;
}

}  // namespace halcyon::atmosphere
