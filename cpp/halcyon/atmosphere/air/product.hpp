#pragma once

#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"

namespace halcyon::atmosphere {

/// What is computed of the air for files, in cells.
enum class AirQuantity {
  surface_pressure,
  pressure,
  temperature,
  potential_temperature,
  geopotential_height,
  eastward_wind,
  northward_wind,
  upward_wind,
  pressure_velocity,
  vorticity,
  divergence,
  kinetic_energy
};

/// A quantity with its row of the table of variables: (cell) or (cell, level).
struct AirProduct {
  AirQuantity product;
  bool has_levels;
  fields::Variable variable;
};

const std::vector<AirProduct>& air_products();
/// @throws ConfigError that lists what there is
const AirProduct& air_product(const std::string& name);

}  // namespace halcyon::atmosphere
