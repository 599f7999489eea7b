#pragma once

namespace halcyon::wave {

/// Wavenumber [m-1] that solves sigma^2 = g k tanh(k d).
/// @param sigma [rad s-1]  @param depth [m]
double wavenumber(double sigma, double depth);

/// Group speed [m s-1]: cg = (c/2) (1 + 2kd / sinh 2kd).
/// @param wavenumber [m-1]  @param sigma [rad s-1]  @param depth [m]
double group_speed(double wavenumber, double sigma, double depth);

}  // namespace halcyon::wave
