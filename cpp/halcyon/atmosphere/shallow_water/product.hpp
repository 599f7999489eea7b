#pragma once

#include <string>

namespace halcyon::atmosphere {

/// What is computed of a state for files, in cells.
enum class Product {
  height,
  thickness,
  eastward_wind,
  northward_wind,
  vorticity,
  potential_vorticity,
  divergence,
  kinetic_energy
};

/// The product of a row of the table of variables. @throws ConfigError that lists what there is
Product product_named(const std::string& name);

}  // namespace halcyon::atmosphere
