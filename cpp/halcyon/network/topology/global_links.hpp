#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halcyon::network {

/// In which order a dragonfly's groups have their global links to the other groups (Hastings et al. 2015,
/// IEEE Cluster, section II). Place p = 0 .. n_groups - 2 of group i leads to group
/// - `absolute`: p, or p + 1 from p = i on;
/// - `relative`: i + p + 1 modulo n_groups;
/// - `circulant`: i + 1, i - 1, i + 2, i - 2, ...
enum class Arrangement : std::uint8_t { absolute, relative, circulant };

inline constexpr std::array<std::string_view, 3> kArrangementNames{"absolute", "relative", "circulant"};

/// @throws ConfigError where there is no such arrangement
Arrangement arrangement_named(std::string_view name);

/// The group at place `place` of group `group`.
inline std::int32_t group_at(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                             std::int32_t place) {
  if (arrangement == Arrangement::absolute) return place + (place >= group);
  std::int32_t ahead = place + 1;
  if (arrangement == Arrangement::circulant)
    ahead = place % 2 == 0 ? place / 2 + 1 : n_groups - place / 2 - 1;
  return group + ahead < n_groups ? group + ahead : group + ahead - n_groups;
}

/// The place at which group `group` has its link to another one.
inline std::int32_t place_of(Arrangement arrangement, std::int32_t n_groups, std::int32_t group,
                             std::int32_t other) {
  if (arrangement == Arrangement::absolute) return other - (other > group);
  const std::int32_t ahead = other > group ? other - group : other - group + n_groups;
  if (arrangement == Arrangement::relative) return ahead - 1;
  return 2 * ahead <= n_groups ? 2 * (ahead - 1) : 2 * (n_groups - ahead) - 1;
}

}  // namespace halcyon::network
