#pragma once

#include "halcyon/atmosphere/air/air.hpp"
#include "halcyon/base/lanes.hpp"

namespace halcyon::atmosphere {

/// The geopotential of a reference atmosphere [m2 s-2], from which pressure gradients are taken as
/// perturbations: what is left where air lies at rest over a mountain is that of the difference. Its
/// temperature is about that of the standard atmosphere's troposphere, T_r = T_0 (p/p0)^x with T_0 = 288 K
/// and x = 3/16, which is 6.4 K/km and takes square roots only, so that dphi_r = -R T_r dp/p gives
///   phi_r(p) = R T_0/x (1 - (p/p0)^x)
/// It should be bent as the atmosphere is: the curl of theta' grad(Pi) around a vertex goes as
/// d2theta'/dPi2, and drives a wind that nothing balances.
template <class Real>
Lanes<Real> reference_geopotential(const Air& air, Lanes<Real> pressure) {
  constexpr double kTemperature = 288, kOverExponent = 16.0 / 3;
  const Real scale = static_cast<Real>(air.gas_constant * kTemperature * kOverExponent);
  const auto eighth =
      square_root(square_root(square_root(pressure * static_cast<Real>(1 / air.reference_pressure))));
  return scale * (Real(1) - eighth * square_root(eighth));
}

}  // namespace halcyon::atmosphere
