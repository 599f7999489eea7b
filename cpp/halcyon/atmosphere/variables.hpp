#pragma once

#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/fields/variable.hpp"
#include "halcyon/physics/tracers.hpp"

namespace halcyon::atmosphere {

// Variables of the equation sets, in the order of output files and `halcyon describe`; global integrals.
const std::vector<fields::Variable>& shallow_water_variables();
const std::vector<fields::Variable>& integral_variables();
const std::vector<fields::Variable>& air_variables();
const std::vector<fields::Variable>& air_integral_variables();

/// As physics::tracer_variable, at cells.
fields::Variable tracer_variable(const std::string& name);
/// True for the tracers in the table of variables: the initial tracer, and the constant tracer (q = 1).
bool is_tracer(const std::string& name);
using physics::kConstantTracer, physics::kInitialTracer, physics::kWaterTracers,
    physics::tracer_mass_variable;
inline constexpr int kVapour = 0, kWaterTracerCount = 3;
/// True for variables that only moist air has.
bool is_moist(const std::string& name);

using fields::restart_variable, fields::output_variable, fields::integral_variable,
    fields::topography_variable;

/// A product: an output variable and the function that computes its value. `Point` is a cell (and level).
template <class Point>
struct Product {
  fields::Variable variable;
  double (*value)(const Point& point);

  bool has_levels() const { return variable.dimensions.size() > 1; }
};

/// Returns the product of this name. @throws ConfigError that lists the known products
template <class Point>
const Product<Point>& find_product(const std::vector<Product<Point>>& products, const std::string& name,
                                   const char* model) {
  std::vector<std::string> names;
  for (const auto& product : products) {
    if (product.variable.name == name) return product;
    names.push_back(product.variable.name);
  }
  throw ConfigError(
      fmt::format("There is no product '{}' of the {}. There are: {}.", name, model, fmt::join(names, ", ")));
}

}  // namespace halcyon::atmosphere
