#pragma once

#include "halcyon/atmosphere/air.hpp"
#include "halcyon/atmosphere/kernels/lanes.hpp"

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

}  // namespace halcyon::atmosphere
