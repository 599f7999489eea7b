#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "halcyon/wave/products/products.hpp"

/// Products by name, and the memory that they go to.
class ProductColumns {
 public:
  using Names = std::optional<std::vector<std::string>>;

  /// @param names of products; without, all that need nothing but the spectrum
  ProductColumns(const Names& names, std::size_t n_cells);

  const std::vector<halcyon::wave::WantedProduct>& wanted() const { return wanted_; }
  halcyon::wave::Need most() const;
  /// Hands the values over: float32 (cell), by name.
  nb::dict take();

 private:
  std::vector<std::vector<float>> values_;
  std::vector<halcyon::wave::WantedProduct> wanted_;
};
