#include "halcyon/wave/wind.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

/// Distance [m] of a cell from the storm's centre, and unit vector at the cell away from the centre.
struct RelativePosition {
  double r, east, north;
};

struct UnitVector {
  double cosine, sine;
};

UnitVector unit_vector(double angle) {
  return {.cosine = std::cos(angle), .sine = std::sin(angle)};
}

/// Returns the position of a cell relative to the centre.
/// @param centre_sine, centre_cosine of the latitude of the centre
/// @param longitude_difference cell's longitude less centre's [rad]
RelativePosition relative_position(double centre_sine, double centre_cosine, double latitude,
                                   double longitude_difference) {
  const double sine = std::sin(latitude), cosine = std::cos(latitude);
  const double difference_cosine = std::cos(longitude_difference);
  const double east = centre_cosine * std::sin(longitude_difference);
  const double north = centre_cosine * sine * difference_cosine - centre_sine * cosine;
  const double length = std::sqrt(east * east + north * north);  // sine of the angle between centre and cell
  if (length == 0) return {.r = 0, .east = 0, .north = 0};
  const double angle = std::atan2(length, centre_sine * sine + centre_cosine * cosine * difference_cosine);
  return {.r = kEarthRadius * angle, .east = east / length, .north = north / length};
}

double interpolate(double a, double b, double weight) {
  return (1 - weight) * a + weight * b;
}

Vortex interpolate(const Vortex& a, const Vortex& b, double weight) {
  const double longitude_difference = std::remainder(b.longitude - a.longitude, kTwoPi);
  return {.latitude = interpolate(a.latitude, b.latitude, weight),
          .longitude = a.longitude + weight * longitude_difference,
          .radius = interpolate(a.radius, b.radius, weight),
          .shape = interpolate(a.shape, b.shape, weight),
          .peak = interpolate(a.peak, b.peak, weight),
          .eastward = interpolate(a.eastward, b.eastward, weight),
          .northward = interpolate(a.northward, b.northward, weight)};
}

void check_record(const Vortex& vortex, std::size_t record) {
  for (const double value : {vortex.latitude, vortex.longitude, vortex.eastward, vortex.northward})
    require<InputError>(std::isfinite(value),
                        "Vortex record {}: a coordinate or velocity component is {}; it must be finite.",
                        record, value);
  const auto require_positive = [record](double value, const char* name, const char* unit) {
    require<InputError>(std::isfinite(value) && value > 0,
                        "Vortex record {}: {} is {} {}; it must be above 0.", record, name, value, unit);
  };
  require_positive(vortex.radius, "radius of maximum wind", "m");
  require_positive(vortex.shape, "shape B", "");
  require_positive(vortex.peak, "peak gradient wind", "m s-1");
}

Vortex make_vortex(const StormRecord& record, double radius) {
  return {.latitude = record.latitude,
          .radius = radius,
          .shape = holland_shape(record, radius),
          .peak = record.peak};
}

/// Returns the 10-m wind speed at a distance r from the centre on one side (see WindRadius::side).
double surface_speed(const StormRecord& record, const Vortex& vortex, double r, double side) {
  return record.surface_factor * gradient_wind(r, vortex) +
         side * motion_weight(r, vortex.radius) * record.motion;
}

/// Returns the sum that fit_radius minimizes, for a radius of maximum wind.
double misfit(const StormRecord& record, std::span<const WindRadius> observed, double radius) {
  double sum = 0;
  for (const auto& [speed, observed_radius, side] : observed) {
    const double modelled = wind_radius(record, radius, speed, side);
    const double error = modelled > 0 ? std::log(modelled / observed_radius) : 0;
    sum += speed * speed * error * error;
  }
  return sum;
}

/// Returns whether the modelled wind at the radius of maximum wind exceeds the speed of an observed radius;
/// the motion_weight there is 1/2.
bool is_reached(const StormRecord& record, const WindRadius& observed) {
  return record.surface_factor * record.peak + observed.side * record.motion / 2 > observed.speed;
}

}  // namespace

double coriolis(double latitude) {
  return 2 * kEarthRotation * std::sin(latitude);
}

double gradient_wind(double r, const Vortex& vortex) {
  constexpr double kMaxExponent = 700;  // exp(-kMaxExponent) is about the smallest double
  const double f = std::abs(coriolis(vortex.latitude));
  const double s = std::pow(vortex.radius / r, vortex.shape);
  if (!(s < kMaxExponent)) return 0;
  const double cyclostrophic = vortex.peak * (vortex.peak + vortex.radius * f) * s * std::exp(1 - s);
  const double half_rf = r * f / 2;
  const double sum = std::sqrt(cyclostrophic + half_rf * half_rf) + half_rf;
  return sum > 0 ? cyclostrophic / sum : 0;  // = sqrt(cyclostrophic + half_rf^2) - half_rf, more accurate
}

double motion_weight(double r, double radius) {
  return radius * r / (radius * radius + r * r);
}

double inflow_angle(double r, double radius, const SurfaceWind& surface) {
  if (!surface.inflow_profile) return surface.inflow;
  const double x = r / radius;
  if (x < 1) return 10 * kDegree * (1 + x);
  return kDegree * std::min(20 + 25 * (x - 1), 25.0);
}

void holland_wind(const Vortex& vortex, const SurfaceWind& surface, std::span<const double> latitudes,
                  std::span<const double> longitudes, std::span<double> u, std::span<double> v) {
  const double centre_sine = std::sin(vortex.latitude), centre_cosine = std::cos(vortex.latitude);
  const double rotation = vortex.latitude < 0 ? -1 : 1;  // anticlockwise in the northern hemisphere
  UnitVector inflow = unit_vector(surface.inflow);
  for (std::size_t cell = 0; cell < latitudes.size(); ++cell) {
    const auto [r, east, north] =
        relative_position(centre_sine, centre_cosine, latitudes[cell], longitudes[cell] - vortex.longitude);
    const double speed = surface.factor * gradient_wind(r, vortex);
    if (surface.inflow_profile) inflow = unit_vector(inflow_angle(r, vortex.radius, surface));
    const double tangential = rotation * speed * inflow.cosine, radial = speed * inflow.sine;
    const double motion = surface.asymmetry ? motion_weight(r, vortex.radius) : 0;
    u[cell] = -tangential * north - radial * east + motion * vortex.eastward;
    v[cell] = tangential * east - radial * north + motion * vortex.northward;
  }
}

ConstantWind::ConstantWind(double eastward, double northward) : eastward_(eastward), northward_(northward) {
  require<InputError>(std::isfinite(eastward) && std::isfinite(northward),
                      "The constant wind is ({}, {}) m s-1; both components must be finite.", eastward,
                      northward);
}

void ConstantWind::compute(double, std::span<const double>, std::span<const double>, std::span<double> u,
                           std::span<double> v) const {
  std::ranges::fill(u, eastward_);
  std::ranges::fill(v, northward_);
}

VortexWind::VortexWind(std::vector<double> times_s, std::vector<Vortex> records, SurfaceWind surface)
    : times_s_(std::move(times_s)), records_(std::move(records)), surface_(surface) {
  require<InputError>(
      !times_s_.empty() && times_s_.size() == records_.size(),
      "A vortex needs at least one record, and one time per record; it has {} times and {} records.",
      times_s_.size(), records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    check_record(records_[i], i);
    require<InputError>(std::isfinite(times_s_[i]) && (i == 0 || times_s_[i] > times_s_[i - 1]),
                        "Vortex record {}: the time is {} s; times must increase.", i, times_s_[i]);
  }
}

Vortex VortexWind::vortex(double time_s) const {
  require<InputError>(
      time_s >= times_s_.front() && time_s <= times_s_.back(),
      "The vortex covers {} to {} s of the run, but not {} s. Give a track that covers the run.",
      times_s_.front(), times_s_.back(), time_s);
  const auto after = std::ranges::upper_bound(times_s_, time_s) - times_s_.begin();
  const auto before = static_cast<std::size_t>(after) - 1;
  if (times_s_[before] == time_s) return records_[before];
  const double weight = (time_s - times_s_[before]) / (times_s_[before + 1] - times_s_[before]);
  return interpolate(records_[before], records_[before + 1], weight);
}

void VortexWind::compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                         std::span<double> u, std::span<double> v) const {
  holland_wind(vortex(time_s), surface_, latitudes, longitudes, u, v);
}

std::ptrdiff_t first_not_finite(std::span<const double> u, std::span<const double> v) {
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    if (!std::isfinite(u[cell]) || !std::isfinite(v[cell])) return static_cast<std::ptrdiff_t>(cell);
  return -1;
}

double regression_shape(double latitude, double radius) {
  return std::clamp(1.833 - 0.326 * std::sqrt(std::abs(coriolis(latitude)) * radius), kSmallestShape,
                    kLargestShape);
}

double holland_shape(const StormRecord& record, double radius) {
  if (!(record.deficit > 0)) return regression_shape(record.latitude, radius);
  const double f = std::abs(coriolis(record.latitude));
  const double cyclostrophic = record.peak * (record.peak + radius * f);
  return std::clamp(cyclostrophic * record.air_density * std::numbers::e / record.deficit, kSmallestShape,
                    kLargestShape);
}

double wind_radius(const StormRecord& record, double radius, double speed, double side) {
  constexpr double kFarthest = 3e6;  // [m]
  constexpr int kBisections = 44;    // kFarthest / 2^44 is below a micrometre
  const Vortex vortex = make_vortex(record, radius);
  if (!(surface_speed(record, vortex, radius, side) > speed)) return 0;
  double inside = radius, outside = kFarthest;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (inside + outside) / 2;
    (surface_speed(record, vortex, middle, side) > speed ? inside : outside) = middle;
  }
  return inside;
}

double fit_radius(const StormRecord& record, std::span<const WindRadius> observed) {
  constexpr int kCandidates = 160;
  if (std::ranges::none_of(observed, [&](const auto& radius) { return is_reached(record, radius); }))
    return 0;
  double step = std::log(kLargestRadius / kSmallestRadius) / kCandidates;  // of ln R
  double best_radius = kSmallestRadius, smallest_misfit = misfit(record, observed, best_radius);
  const auto test_candidate = [&](double radius) {
    radius = std::clamp(radius, kSmallestRadius, kLargestRadius);
    if (const double error = misfit(record, observed, radius); error < smallest_misfit)
      best_radius = radius, smallest_misfit = error;
  };
  for (int i = 1; i <= kCandidates; ++i) test_candidate(kSmallestRadius * std::exp(i * step));
  for (; step > 1e-5; step /= 2) {  // refines the best candidate
    const double previous_best = best_radius;
    test_candidate(previous_best * std::exp(step / 2));
    test_candidate(previous_best * std::exp(-step / 2));
  }
  return best_radius;
}

}  // namespace halcyon::wave
