#include "halcyon/wave/wind/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halcyon::wave {
namespace {

Vortex vortex_of(const StormRecord& record, double radius) {
  return {.latitude = record.latitude,
          .radius = radius,
          .shape = holland_shape(record, radius),
          .peak = record.peak};
}

double speed_at(const StormRecord& record, const Vortex& vortex, double r, double side) {
  return record.surface_factor * gradient_wind(r, vortex) +
         side * motion_weight(r, vortex.radius) * record.motion;
}

double misfit(const StormRecord& record, std::span<const WindRadius> given, double radius) {
  double sum = 0;
  for (const auto& wind : given) {
    const double made = outer_radius(record, radius, wind.speed, wind.side);
    const double error = made > 0 ? std::log(made / wind.radius) : 0;
    sum += wind.speed * wind.speed * error * error;
  }
  return sum;
}

bool reaches(const StormRecord& record, const WindRadius& wind) {
  return record.surface_factor * record.peak + wind.side * record.motion / 2 > wind.speed;
}

}  // namespace

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

double outer_radius(const StormRecord& record, double radius, double speed, double side) {
  constexpr double kFarthest = 3e6;
  constexpr int kHalvings = 44;  // to well below a metre
  const Vortex vortex = vortex_of(record, radius);
  if (!(speed_at(record, vortex, radius, side) > speed)) return 0;
  double inside = radius, outside = kFarthest;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (speed_at(record, vortex, middle, side) > speed ? inside : outside) = middle;
  }
  return inside;
}

double fit_radius(const StormRecord& record, std::span<const WindRadius> given) {
  constexpr int kCandidates = 160;
  if (std::ranges::none_of(given, [&](const WindRadius& wind) { return reaches(record, wind); })) return 0;
  double step = std::log(kLargestRadius / kSmallestRadius) / kCandidates;
  double best = kSmallestRadius, least = misfit(record, given, best);
  const auto consider = [&](double radius) {
    radius = std::clamp(radius, kSmallestRadius, kLargestRadius);
    if (const double error = misfit(record, given, radius); error < least) best = radius, least = error;
  };
  for (int i = 1; i <= kCandidates; ++i) consider(kSmallestRadius * std::exp(i * step));
  for (; step > 1e-5; step /= 2) {  // close in on the least of them
    const double middle = best;
    consider(middle * std::exp(step / 2));
    consider(middle * std::exp(-step / 2));
  }
  return best;
}

}  // namespace halcyon::wave
