#pragma once

#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/wave/products/sea.hpp"

namespace halcyon::wave {

/// What a product needs beside the moments of the spectrum: depth, or depth and wind. The further down, the
/// dearer.
enum class Need { moments, transports, systems };

/// A product: its row in the table of variables, and how it follows from the sea of a cell.
struct Product {
  fields::Variable variable;
  Need need;
  double (*value)(const Sea& sea);
};

/// Every product, in the order of the table of variables.
const std::vector<Product>& wave_products();

/// The product called `name`; throws ConfigError that lists what there is.
const Product& product_named(const std::string& name);

}  // namespace halcyon::wave
