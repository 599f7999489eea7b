#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "halcyon/wave/products/products.hpp"
#include "halcyon/wave/sources/physics.hpp"

Bind bind_wave_physics, bind_wave_products, bind_wave_wind;

using Floats = List<const float>;

/// Throws InputError where spectra have other bins than a grid.
void check_bins(const halcyon::wave::SpectralGrid& grid, std::size_t n_frequencies, std::size_t n_directions,
                const char* name = "action");

/// The options of a physics set as Python gives them.
halcyon::options::Values values_of(const nb::dict& options);

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

/// The state of the surface of so many cells, and the memory that it goes to.
class SurfaceColumns {
 public:
  explicit SurfaceColumns(std::size_t n_cells)
      : velocity_(n_cells), roughness_(n_cells), east_(n_cells), north_(n_cells) {}

  halcyon::wave::SurfaceArrays arrays() { return {velocity_, roughness_, east_, north_}; }
  /// Hands the values of some cells over, or of all, by the names of the table of variables: float32 (cell).
  nb::dict take(const std::vector<halcyon::LocalIndex>* cells = nullptr);

 private:
  std::vector<float> velocity_, roughness_, east_, north_;
};
