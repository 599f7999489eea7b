#include "halcyon/wave/wind/wind.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {
namespace {

double between(double a, double b, double weight) {
  return (1 - weight) * a + weight * b;
}

Vortex between(const Vortex& a, const Vortex& b, double weight) {
  const double eastwards = std::remainder(b.longitude - a.longitude, kTwoPi);
  return {.latitude = between(a.latitude, b.latitude, weight),
          .longitude = a.longitude + weight * eastwards,
          .radius = between(a.radius, b.radius, weight),
          .shape = between(a.shape, b.shape, weight),
          .peak = between(a.peak, b.peak, weight),
          .eastward = between(a.eastward, b.eastward, weight),
          .northward = between(a.northward, b.northward, weight)};
}

void check(const Vortex& vortex, std::size_t record) {
  for (const double value : {vortex.latitude, vortex.longitude, vortex.eastward, vortex.northward})
    require<InputError>(std::isfinite(value), "Vortex record {}: position or motion is {}.", record, value);
  const auto positive = [record](double value, const char* name, const char* unit) {
    require<InputError>(std::isfinite(value) && value > 0,
                        "Vortex record {}: {} is {} {}; it must be above 0.", record, name, value, unit);
  };
  positive(vortex.radius, "radius of maximum wind", "m");
  positive(vortex.shape, "shape B", "");
  positive(vortex.peak, "peak gradient wind", "m s-1");
}

}  // namespace

ConstantWind::ConstantWind(double eastward, double northward) : eastward_(eastward), northward_(northward) {
  require<InputError>(std::isfinite(eastward) && std::isfinite(northward),
                      "The constant wind is ({}, {}) m s-1; both components must be numbers.", eastward,
                      northward);
}

void ConstantWind::at(double, std::span<const double>, std::span<const double>, std::span<double> u,
                      std::span<double> v) const {
  std::ranges::fill(u, eastward_);
  std::ranges::fill(v, northward_);
}

VortexWind::VortexWind(std::vector<double> times_s, std::vector<Vortex> records, SurfaceWind surface)
    : times_s_(std::move(times_s)), records_(std::move(records)), surface_(surface) {
  require<InputError>(!times_s_.empty() && times_s_.size() == records_.size(),
                      "A vortex needs as many times as records, at least one; it has {} and {}.",
                      times_s_.size(), records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    check(records_[i], i);
    require<InputError>(std::isfinite(times_s_[i]) && (i == 0 || times_s_[i] > times_s_[i - 1]),
                        "Vortex record {}: its time is {} s; times must increase.", i, times_s_[i]);
  }
}

Vortex VortexWind::vortex(double time_s) const {
  require<InputError>(
      time_s >= times_s_.front() && time_s <= times_s_.back(),
      "The vortex is known from {} to {} s of the run, not at {} s. Give a track that covers the run.",
      times_s_.front(), times_s_.back(), time_s);
  const auto after = std::ranges::upper_bound(times_s_, time_s) - times_s_.begin();
  const auto before = static_cast<std::size_t>(after) - 1;
  if (times_s_[before] == time_s) return records_[before];
  const double weight = (time_s - times_s_[before]) / (times_s_[before + 1] - times_s_[before]);
  return between(records_[before], records_[before + 1], weight);
}

void VortexWind::at(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                    std::span<double> u, std::span<double> v) const {
  holland_wind(vortex(time_s), surface_, latitudes, longitudes, u, v);
}

std::ptrdiff_t first_not_finite(std::span<const double> u, std::span<const double> v) {
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    if (!std::isfinite(u[cell]) || !std::isfinite(v[cell])) return static_cast<std::ptrdiff_t>(cell);
  return -1;
}

}  // namespace halcyon::wave
