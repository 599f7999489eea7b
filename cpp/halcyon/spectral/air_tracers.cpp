#include "halcyon/spectral/air_tracers.hpp"

#include <cmath>

namespace halcyon::spectral {

template <class Real>
AirTracers<Real>::AirTracers(Basis<Real>& basis, const AirOptions& air, GridTracers<Real>& tracers)
    : basis_(basis),
      tracers_(tracers),
      a_(air.a),
      b_(air.b),
      is_moist_(air.is_moist),
      vapour_ratio_(kVapourGasConstant / air.gas_constant),
      n_values_((air.a.size() - 1) * basis.n_points()) {
  tracers_.names = air.tracers;
  tracers_.values.resize(tracers_.names.size() * n_values_);
  if (!air.is_moist) return;
  tracers_.water_before.resize(kWater * n_values_);
  loading_.assign(n_values_, 1);
  for (auto* values : {&virtual_temperature_, &gradient_x_, &gradient_y_, &increment_})
    values->resize(n_values_);
  coefficients_.resize((air.a.size() - 1) * basis.n_coefficients());
}

template <class Real>
void AirTracers<Real>::compute_virtual_temperature(std::span<const Real> temperature,
                                                   std::span<const Real> t_x, std::span<const Real> t_y) {
  if (!is_moist()) return;
  for (std::size_t i = 0; i < n_values_; ++i) {
    const double loading = 1 + water(tracers_.values, i);
    const double t_v = temperature[i] * ((1 + vapour_ratio_ * tracers_.values[i]) / loading);
    loading_[i] = static_cast<Real>(loading);
    virtual_temperature_[i] = static_cast<Real>(t_v);
    increment_[i] = static_cast<Real>(t_v - temperature[i]);
  }
  basis_.transform().analysis(increment_, coefficients_);
  basis_.transform().gradient(coefficients_, gradient_x_, gradient_y_);
  for (std::size_t i = 0; i < n_values_; ++i) {
    gradient_x_[i] += t_x[i];
    gradient_y_[i] += t_y[i];
  }
}

template <class Real>
double AirTracers<Real>::gained_weight(std::size_t point, double ps, std::span<const Real> after) const {
  double sum = 0;
  for (int k = 0; is_moist() && k + 1 < std::ssize(a_); ++k) {
    const auto here = at(k, point);
    sum += dry_weight(k, point, ps) * (water(after, here) - water(tracers_.values, here));
  }
  return sum;
}

template <class Real>
double AirTracers<Real>::column_weight(int tracer, std::size_t point, double ps) const {
  double sum = 0;
  for (int k = 0; k + 1 < std::ssize(a_); ++k)
    sum += dry_weight(k, point, ps) * tracers_.values[tracer * n_values_ + at(k, point)];
  return sum;
}

template <class Real>
void AirTracers<Real>::fix_masses(const std::vector<double>& ps, const std::vector<double>& ps_after,
                                  std::span<const Real> before, std::span<Real> after) const {
  const int n_water = is_moist() ? kWater : 0;
  std::vector<double> loading;
  for (std::size_t i = 0; is_moist() && i < n_values_; ++i) {
    loading.push_back(1 + water(after, i));
    for (int t = 0; t < n_water; ++t)
      after[t * n_values_ + i] = static_cast<Real>(after[t * n_values_ + i] / loading[i]);
  }
  if (is_moist()) scale(0, n_water, ps, ps_after, before, after, {});
  for (std::size_t i = 0; is_moist() && i < n_values_; ++i) {
    loading[i] = 1 / (1 - water(after, i));
    for (int t = 0; t < n_water; ++t)
      after[t * n_values_ + i] = static_cast<Real>(after[t * n_values_ + i] * loading[i]);
  }
  if (tracers_.size() > n_water) scale(n_water, tracers_.size(), ps, ps_after, before, after, loading);
}

/// Collective. Scales the tracers begin, .., end - 1.
/// @param loading_after the mass of a layer over the mass to which `after` refers; empty: 1
template <class Real>
void AirTracers<Real>::scale(int begin, int end, const std::vector<double>& ps,
                             const std::vector<double>& ps_after, std::span<const Real> before,
                             std::span<Real> after, const std::vector<double>& loading_after) const {
  std::vector<ExactSum> sums(2 * (end - begin));
  for (int t = begin; t < end; ++t)
    for (std::size_t i = 0; i < ps.size(); ++i)
      for (int k = 0; k + 1 < std::ssize(a_); ++k) {
        const auto here = at(k, i);
        const double area = basis_.areas()[i], load = loading_after.empty() ? 1 : loading_after[here];
        sums[2 * (t - begin)].add(area * dry_weight(k, i, ps[i]) * before[t * n_values_ + here]);
        sums[2 * (t - begin) + 1].add(area * (weight(k, ps_after[i]) / load) * after[t * n_values_ + here]);
      }
  const auto totals = basis_.totals(sums);
  for (int t = begin; t < end; ++t) {
    const double factor = totals[2 * (t - begin)] / totals[2 * (t - begin) + 1];
    if (!(factor > 0) || !std::isfinite(factor)) continue;  // without mass there is nothing to scale
    for (auto& q : after.subspan(t * n_values_, n_values_)) q = static_cast<Real>(q * factor);
  }
}

/// The mixing ratio of all water, of values (tracer, level, point).
template <class Real>
double AirTracers<Real>::water(std::span<const Real> tracers, std::size_t here) const {
  return double{tracers[here]} + tracers[n_values_ + here] + tracers[2 * n_values_ + here];
}

template <class Real>
std::size_t AirTracers<Real>::memory_bytes() const {
  return (tracers_.values.size() + tracers_.water_before.size() + 5 * loading_.size()) * sizeof(Real) +
         coefficients_.size() * sizeof(Coefficient<Real>);
}

template class AirTracers<double>;
template class AirTracers<float>;

}  // namespace halcyon::spectral
