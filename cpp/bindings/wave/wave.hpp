#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "halcyon/wave/products/products.hpp"
#include "halcyon/wave/sources/physics.hpp"

Bind bind_wave_physics, bind_wave_products, bind_wave_wind;

using Floats = List<const float>;

/// Throws InputError unless the grid has these numbers of frequencies and directions.
void check_bins(const halcyon::wave::SpectralGrid& grid, std::size_t n_frequencies, std::size_t n_directions,
                const char* name = "action");

/// Converts the options of a physics set from Python.
halcyon::options::Values values_of(const nb::dict& options);

/// Requested products and their output arrays.
class ProductColumns {
 public:
  using Names = std::optional<std::vector<std::string>>;

  /// @param names names of products; without names, all products that need only the spectrum
  ProductColumns(const Names& names, std::size_t n_cells);

  const std::vector<halcyon::wave::RequestedProduct>& requested() const { return requested_; }
  halcyon::wave::ProductKind costliest_kind() const;
  /// Moves the values into a dict by name, float32 (cell).
  nb::dict take();

 private:
  std::vector<std::vector<float>> values_;
  std::vector<halcyon::wave::RequestedProduct> requested_;
};

/// Output arrays of the state of the sea surface.
class SurfaceColumns {
 public:
  explicit SurfaceColumns(std::size_t n_cells)
      : velocity_(n_cells), roughness_(n_cells), east_stress_(n_cells), north_stress_(n_cells) {}

  halcyon::wave::SurfaceArrays arrays() { return {velocity_, roughness_, east_stress_, north_stress_}; }
  /// Moves the values of the given cells, or of all cells, into a dict by variable name, float32 (cell).
  nb::dict take(const std::vector<halcyon::LocalIndex>* cells = nullptr);

 private:
  std::vector<float> velocity_, roughness_, east_stress_, north_stress_;
};
