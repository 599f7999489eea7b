#include "halcyon/wave/wind/holland.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

Vortex interpolated_vortex(const Vortex& a, const Vortex& b, double weight) {
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

void holland_wind(const Vortex& vortex, const SurfaceWind& surface, std::span<const double> latitudes,
                  std::span<const double> longitudes, std::span<double> u, std::span<double> v) {
  const Centre centre(vortex.latitude, vortex.longitude);
  const double rotation = vortex.latitude < 0 ? -1 : 1;  // anticlockwise in the northern hemisphere
  const double peak = surface.factor * vortex.peak;
  for (std::size_t cell = 0; cell < latitudes.size(); ++cell) {
    const auto position = centre.position(latitudes[cell], longitudes[cell]);
    const auto [r, east, north] = position;
    const double speed = surface.factor * gradient_wind(r, vortex);
    const double angle = inflow_angle(surface.inflow, r / vortex.radius, peak, position, vortex.eastward,
                                      vortex.northward, rotation);
    const double tangential = rotation * speed * std::cos(angle), radial = speed * std::sin(angle);
    const double motion = surface.asymmetry ? motion_weight(r, vortex.radius) : 0;
    u[cell] = -tangential * north - radial * east + motion * vortex.eastward;
    v[cell] = tangential * east - radial * north + motion * vortex.northward;
  }
}

VortexWind::VortexWind(std::vector<double> times_s, std::vector<Vortex> records, SurfaceWind surface)
    : times_(std::move(times_s), records.size()), records_(std::move(records)), surface_(surface) {
  for (std::size_t i = 0; i < records_.size(); ++i) check_record(records_[i], i);
}

Vortex VortexWind::vortex(double time_s) const {
  const auto [before, weight] = times_.locate(time_s);
  return weight == 0 ? records_[before] : interpolated_vortex(records_[before], records_[before + 1], weight);
}

void VortexWind::compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                         std::span<double> u, std::span<double> v) const {
  holland_wind(vortex(time_s), surface_, latitudes, longitudes, u, v);
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
