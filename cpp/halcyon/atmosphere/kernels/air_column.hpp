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
/// temperature grows evenly with pressure, T_r = 200 K + 88 K p/p0, about as in the standard atmosphere, so
/// that dphi_r = -R T_r dp/p gives
///   phi_r(p) = -R (200 K ln(p/p0) + 88 K (p/p0 - 1))
template <class Real>
Lanes<Real> reference_geopotential(const Air& air, Lanes<Real> pressure) {
  const Real cold = static_cast<Real>(-200 * air.gas_constant), warm = static_cast<Real>(-88 * air.gas_constant);
  const auto share = pressure * static_cast<Real>(1 / air.reference_pressure);
  return cold * natural_log<Real>(share) + warm * (share - 1);
}

}  // namespace halcyon::atmosphere
