#include "halcyon/spectral/columns.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::spectral {

Columns::Columns(const Basis& basis, const AirOptions& air)
    : basis_(basis),
      air_(air),
      n_levels_(static_cast<int>(air.a.size()) - 1),
      kappa_(air.gas_constant / air.heat_capacity) {
  ps_.resize(kWidth);
  for (auto* each : {&p_, &log_p_, &above_, &flux_, &phi_at_interface_})
    each->resize((n_levels_ + 1) * kWidth);
  for (auto* each : {&ratio_, &alpha_, &c_, &outflow_, &omega_, &phi_}) each->resize(n_levels_ * kWidth);
}

void Columns::enter(const Air& air, std::size_t first, std::size_t n) {
  first_ = first, n_ = n;
  pressures(air);
  fluxes(air);
  heights(air);
}

void Columns::pressures(const Air& air) {
  for (std::size_t i = 0; i < n_; ++i) ps_[i] = std::exp(air.log_ps[first_ + i]);
  for (int k = 0; k <= n_levels_; ++k)
    for (std::size_t i = 0; i < n_; ++i) {
      p_[at(k, i)] = air_.a[k] + air_.b[k] * ps_[i];
      log_p_[at(k, i)] = std::log(p_[at(k, i)]);
    }
  for (int k = 0; k < n_levels_; ++k) {
    const double b = air_.b[k], db = air_.b[k + 1] - b;
    for (std::size_t i = 0; i < n_; ++i) {
      const double thick = mass(k, i), ratio = log_p_[at(k + 1, i)] - log_p_[at(k, i)];
      const double alpha = 1 - p_[at(k, i)] * ratio / thick;
      ratio_[at(k, i)] = ratio;
      alpha_[at(k, i)] = alpha;
      c_[at(k, i)] = ps_[i] / thick * (b * ratio + alpha * db);
    }
  }
}

void Columns::fluxes(const Air& air) {
  std::fill_n(above_.begin(), kWidth, 0.0);
  const std::size_t n_points = basis_.n_points();
  for (int k = 0; k < n_levels_; ++k) {
    const double db = air_.b[k + 1] - air_.b[k];
    const std::size_t row = k * n_points + first_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double along =
          air.u[row + i] * air.east_of_ps[first_ + i] + air.v[row + i] * air.north_of_ps[first_ + i];
      const double thick = mass(k, i), outflow = thick * air.delta[row + i] + ps_[i] * along * db;
      outflow_[at(k, i)] = outflow;
      above_[at(k + 1, i)] = above_[at(k, i)] + outflow;
      omega_[at(k, i)] =
          c_[at(k, i)] * along - (ratio_[at(k, i)] * above_[at(k, i)] + alpha_[at(k, i)] * outflow) / thick;
    }
  }
  for (int k = 0; k <= n_levels_; ++k)
    for (std::size_t i = 0; i < n_; ++i)
      flux_[at(k, i)] = air_.b[k] * above_[at(n_levels_, i)] - above_[at(k, i)];
}

/// phi_k = phi at the interface below + alpha_k R T_k; from one interface to the next R T_k r_k
void Columns::heights(const Air& air) {
  for (std::size_t i = 0; i < n_; ++i) phi_at_interface_[at(n_levels_, i)] = air.ground[first_ + i];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double* temperature = air.temperature + k * basis_.n_points() + first_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double warm = air_.gas_constant * temperature[i], below = phi_at_interface_[at(k + 1, i)];
      phi_[at(k, i)] = below + alpha_[at(k, i)] * warm;
      phi_at_interface_[at(k, i)] = below + ratio_[at(k, i)] * warm;
    }
  }
}

void Columns::change(const Air& air, const Change& change) const {
  for (std::size_t i = 0; i < n_; ++i) change.log_ps[first_ + i] = -above_[at(n_levels_, i)] / ps_[i];
  for (int k = 0; k < n_levels_; ++k) {
    force(air, change, k);
    if (air_.held_suarez) held_suarez(air, change, k);
  }
}

void Columns::force(const Air& air, const Change& change, int k) const {
  const std::size_t n_points = basis_.n_points(), row = k * n_points + first_;
  const std::size_t up = k > 0 ? n_points : 0,
                    down = k + 1 < n_levels_ ? n_points : 0;  // no flux at the ends
  const double* f = basis_.coriolis().data() + first_;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t here = row + i, level = at(k, i);
    const double half = 0.5 / mass(k, i), below = flux_[level + kWidth] * half, above = flux_[level] * half;
    const auto lifted = [&](const double* x) {
      return below * (x[here + down] - x[here]) + above * (x[here] - x[here - up]);
    };
    const double u = air.u[here], v = air.v[here], t = air.temperature[here];
    const double absolute = air.zeta[here] + f[i], slope = air_.gas_constant * t * c_[level];
    change.p[here] = absolute * v - lifted(air.u) - slope * air.east_of_ps[first_ + i];
    change.q[here] = -absolute * u - lifted(air.v) - slope * air.north_of_ps[first_ + i];
    change.temperature[here] = kappa_ * t * omega_[level] - lifted(air.temperature) -
                               (u * air.east_of_t[here] + v * air.north_of_t[here]);
    change.energy[here] = phi_[level] + (u * u + v * v) / 2;
  }
}

/// Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75, 1825-1830), with sigma = p / ps:
///   dT/dt = -k_T (T - T_eq),  k_T = k_a + (k_s - k_a) max(0, (sigma - 0.7) / 0.3) cos^4 phi
///   T_eq = max(200, (315 - 60 sin^2 phi - 10 ln(p/p_0) cos^2 phi) (p/p_0)^kappa)
///   dv/dt = -k_f max(0, (sigma - 0.7) / 0.3) v,  1/k_a = 40 d, 1/k_s = 4 d, 1/k_f = 1 d
void Columns::held_suarez(const Air& air, const Change& change, int k) const {
  constexpr double kDay = 86400, kSlow = 1 / (40 * kDay), kFast = 1 / (4 * kDay);
  const double log_p0 = std::log(1e5);
  const std::size_t row = k * basis_.n_points() + first_;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t here = row + i;
    const double log_p = log_p_[at(k + 1, i)] - alpha_[at(k, i)];
    const double near_ground = std::max(0.0, (std::exp(log_p) / ps_[i] - 0.7) / 0.3);
    const double sine = basis_.sines()[first_ + i], cosine = basis_.cosines()[first_ + i];
    const double sine2 = sine * sine, cosine2 = cosine * cosine;
    const double rate = kSlow + (kFast - kSlow) * near_ground * cosine2 * cosine2;
    const double warm =
        (315 - 60 * sine2 - 10 * (log_p - log_p0) * cosine2) * std::exp(kappa_ * (log_p - log_p0));
    change.temperature[here] -= rate * (air.temperature[here] - std::max(200.0, warm));
    change.p[here] -= near_ground / kDay * air.u[here];
    change.q[here] -= near_ground / kDay * air.v[here];
  }
}

double Columns::pressure(int k, std::size_t i) const {
  return std::exp(log_p_[at(k + 1, i)] - alpha_[at(k, i)]);
}

double Columns::passing(int k, std::size_t i) const {
  return std::max(std::abs(flux_[at(k, i)]), std::abs(flux_[at(k + 1, i)])) / mass(k, i);
}

}  // namespace halcyon::spectral
