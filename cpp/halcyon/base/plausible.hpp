#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon {

/// The values that a quantity of the earth can have. A value outside is a fill value, has another unit or is
/// damaged.
struct PlausibleRange {
  const char* quantity;
  double lowest, highest;
  const char* unit;
  const char* source;  ///< what the limits leave room for
};

/// The ranges with which all readers of files check values.
inline constexpr std::array kPlausibleRanges{
    PlausibleRange{"depth", -9000, 11500, "m", "Everest 8,849 m; Challenger Deep 10,935 m (GEBCO 2023)"},
    PlausibleRange{"latitude", -90, 90, "degrees_north", "the sphere"},
    PlausibleRange{"longitude", -360, 720, "degrees_east", "two turns beyond 0 to 360 degrees"},
    PlausibleRange{"wind", -150, 150, "m s-1", "gust of 113 m/s, Barrow Island 1996 (WMO archive)"},
    PlausibleRange{"current", -15, 15, "m s-1", "Saltstraumen, 11 m/s"},
    PlausibleRange{"ice_fraction", -0.01, 1.02, "1", "0 to 1, and errors of packing"},
    PlausibleRange{"water_level", -30, 30, "m",
                   "tide of 16 m, Bay of Fundy; surge of 13 m, Bathurst Bay 1899"},
    PlausibleRange{"wave_height", 0, 40, "m", "buoy: 19.0 m, North Atlantic 2013 (WMO archive)"},
    PlausibleRange{"wave_period", 0, 60, "s", "longest swell, 30 s"},
    PlausibleRange{"direction", -360, 720, "degree", "two turns beyond 0 to 360 degrees"},
    PlausibleRange{"wave_density", 0, 1e5, "m2 s rad-1", "Hs of 40 m in one band of .001 Hz and 6 degrees"},
    PlausibleRange{"storm_pressure", 800, 1050, "hPa", "Tip 1979, 870 hPa (WMO archive)"},
    PlausibleRange{"storm_wind", 0, 250, "kt", "Patricia 2015, 185 kt"},
    PlausibleRange{"storm_rmax", 0, 500, "nmi", "radius of maximum wind"},
    PlausibleRange{"storm_radius", 0, 2000, "nmi", "Tip 1979, gale radius of 600 nmi"},
    PlausibleRange{"temperature", 50, 2000, "K", "atmospheres of planets"},
    PlausibleRange{"air_velocity", -1000, 1000, "m s-1", "atmospheres of planets"},
    PlausibleRange{"surface_pressure", 1e3, 2e5, "Pa", "atmospheres of planets"},
    PlausibleRange{"geopotential", -1e5, 1e7, "m2 s-2", "-10 to 1,000 km above the sea"},
    PlausibleRange{"mixing_ratio", -0.25, 1.25, "kg kg-1", "0 to 1, and overshoots of transport schemes"},
};

/// Returns the range of a quantity. @throws InternalError for an unknown quantity
inline const PlausibleRange& plausible_range(std::string_view quantity) {
  const auto found = std::ranges::find(kPlausibleRanges, quantity,
                                       [](const auto& range) { return std::string_view(range.quantity); });
  require<InternalError>(found != kPlausibleRanges.end(), "No plausible range of {} is known.", quantity);
  return *found;
}

/// Checks that values of a quantity are in its range, which NaN is not. @param label file and variable
/// @param place returns the text of the place of value i, such as "cell 7"
/// @throws InputError with the value and its place
template <class Values, class Place>
void require_plausible(std::string_view quantity, const std::string& label, const Values& values,
                       Place place) {
  const auto& [name, lowest, highest, unit, source] = plausible_range(quantity);
  const double slack = 1e-6 * (highest - lowest);  // for rounding, such as 90.000003 degrees from radians
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= lowest - slack && values[i] <= highest + slack))
      throw InputError(
          fmt::format("{} is {:.6g} at {}, but must be from {:g} to {:g} {}. Correct the file: check units "
                      "and fill values.",
                      label, values[i], place(i), lowest, highest, unit));
}

}  // namespace halcyon
