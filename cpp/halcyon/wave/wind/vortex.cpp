#include "halcyon/wave/wind/vortex.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

double coriolis(double latitude) {
  return 2 * kEarthRotation * std::sin(latitude);
}

double motion_weight(double r, double radius) {
  return radius * r / (radius * radius + r * r);
}

Centre::Centre(double latitude, double longitude)
    : longitude_(longitude), sine_(std::sin(latitude)), cosine_(std::cos(latitude)) {}

RelativePosition Centre::position(double latitude, double longitude) const {
  const double sine = std::sin(latitude), cosine = std::cos(latitude);
  const double difference_cosine = std::cos(longitude - longitude_);
  const double east = cosine_ * std::sin(longitude - longitude_);
  const double north = cosine_ * sine * difference_cosine - sine_ * cosine;
  const double length = std::sqrt(east * east + north * north);  // sine of the angle between centre and cell
  if (length == 0) return {};
  const double angle = std::atan2(length, sine_ * sine + cosine_ * cosine * difference_cosine);
  return {.r = kEarthRadius * angle, .east = east / length, .north = north / length};
}

double interpolate(double a, double b, double weight) {
  return (1 - weight) * a + weight * b;
}

RecordTimes::RecordTimes(std::vector<double> times_s, std::size_t n_records) : times_s_(std::move(times_s)) {
  require<InputError>(
      !times_s_.empty() && times_s_.size() == n_records,
      "A vortex needs at least one record, and one time per record; it has {} times and {} records.",
      times_s_.size(), n_records);
  for (std::size_t i = 0; i < times_s_.size(); ++i)
    require<InputError>(std::isfinite(times_s_[i]) && (i == 0 || times_s_[i] > times_s_[i - 1]),
                        "Vortex record {}: the time is {} s; times must increase.", i, times_s_[i]);
}

RecordTimes::Location RecordTimes::locate(double time_s) const {
  require<InputError>(
      time_s >= times_s_.front() && time_s <= times_s_.back(),
      "The vortex covers {} to {} s of the run, but not {} s. Give a track that covers the run.",
      times_s_.front(), times_s_.back(), time_s);
  const auto after = std::ranges::upper_bound(times_s_, time_s) - times_s_.begin();
  const auto before = static_cast<std::size_t>(after) - 1;
  if (times_s_[before] == time_s) return {.before = before, .weight = 0};
  return {.before = before,
          .weight = (time_s - times_s_[before]) / (times_s_[before + 1] - times_s_[before])};
}

}  // namespace halcyon::wave
