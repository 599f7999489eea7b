#include "halcyon/atmosphere/starts/starts.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <ranges>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

// The starts are defined in the files of this folder and listed in the order of `halcyon describe`.
ShallowWaterStartEntry cosine_bell(), solid_rotation(), thin_layer(), mountain(), rossby_haurwitz(),
    barotropic_jet(), modons();
AirStartEntry baroclinic_wave(), resting_mountain(), mountain_waves(), gravity_wave(), held_suarez(),
    moist_baroclinic_wave(), tropical_cyclone(), supercell();

const std::vector<ShallowWaterStartEntry>& shallow_water_starts() {
  static const std::vector starts{cosine_bell(),     solid_rotation(), thin_layer(), mountain(),
                                  rossby_haurwitz(), barotropic_jet(), modons()};
  return starts;
}

const std::vector<AirStartEntry>& air_starts() {
  static const std::vector starts{baroclinic_wave(),  resting_mountain(), mountain_waves(),
                                  gravity_wave(),     held_suarez(),      moist_baroclinic_wave(),
                                  tropical_cyclone(), supercell()};
  return starts;
}

template <class Made, class... Settings>
StartOptions StartEntry<Made, Settings...>::defaults() const {
  StartOptions result = api_only_defaults;
  for (const auto& option : this->options) {
    if (const auto* number = std::get_if<double>(&option.value)) result[option.name] = *number;
    if (const auto* whole = std::get_if<std::int64_t>(&option.value))
      result[option.name] = static_cast<double>(*whole);
  }
  return result;
}

template struct StartEntry<Start, Planet>;
template struct StartEntry<AirStart, Planet, Air>;

namespace {

/// Returns the defaults, with the values of the options in `overrides`.
/// @throws ConfigError for an unknown option, or a value that is not finite
StartOptions with_defaults(const std::string& name, StartOptions defaults, const StartOptions& overrides) {
  for (const auto& [option, value] : overrides) {
    const auto position = defaults.find(option);
    require<ConfigError>(position != defaults.end(), "The start '{}' has no option '{}'. It has: {}.", name,
                         option, fmt::join(std::views::keys(defaults), ", "));
    require<ConfigError>(std::isfinite(value),
                         "The option '{}' of the start '{}' is {}. Give a finite number.", option, name,
                         value);
    position->second = value;
  }
  return defaults;
}

auto make(const auto& starts, const std::string& name, const StartOptions& overrides,
          const auto&... settings) {
  const auto& start = options::find("start", starts, name);
  return start.make(with_defaults(name, start.defaults(), overrides), settings...);
}

}  // namespace

Start make_start(const std::string& name, const StartOptions& options, const Planet& planet) {
  return make(shallow_water_starts(), name, options, planet);
}

AirStart make_air_start(const std::string& name, const StartOptions& options, const Planet& planet,
                        const Air& air) {
  return make(air_starts(), name, options, planet, air);
}

double positive(const StartOptions& options, const std::string& option) {
  const double value = options.at(option);
  require<ConfigError>(value > 0, "The option '{}' of the start is {}. Give a number above 0.", option,
                       value);
  return value;
}

options::Option start_type(const char* name, const char* text) {
  return {.name = "type", .value = std::string(name), .text = text};
}

void require_no_rotation(const Planet& planet, const char* start) {
  require<ConfigError>(planet.rotation == 0,
                       "The start '{}' is balanced only on a planet without rotation, but the rotation is {} "
                       "s-1. Set equations.rotation: 0, and for the test case equations.radius: {}.",
                       start, planet.rotation, options::find("start", air_starts(), start).planet.radius);
}

Planet nonrotating_planet(double factor) {
  return {.radius = kEarthRadius / factor, .rotation = 0};
}

}  // namespace halcyon::atmosphere
