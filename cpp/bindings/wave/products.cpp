#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <ranges>

#include "bindings/wave/wave.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/partitions.hpp"

using namespace halcyon;
using namespace halcyon::wave;

ProductColumns::ProductColumns(const Names& names, std::size_t n_cells) {
  if (names) {
    for (const auto& name : *names) requested_.push_back({&product_named(name), {}});
  } else {
    for (const auto& product : wave_products()) {
      if (product.kind == ProductKind::moments) requested_.push_back({&product, {}});
    }
  }
  values_.resize(requested_.size(), std::vector<float>(n_cells));
  for (std::size_t i = 0; i < requested_.size(); ++i) requested_[i].values = values_[i];
}

ProductKind ProductColumns::costliest_kind() const {
  ProductKind costliest = ProductKind::moments;
  for (const auto& request : requested_) costliest = std::max(costliest, request.product->kind);
  return costliest;
}

nb::dict ProductColumns::take() {
  nb::dict result;
  for (std::size_t i = 0; i < requested_.size(); ++i)
    result[requested_[i].product->variable.name.c_str()] = to_numpy(std::move(values_[i]));
  return result;
}

nb::dict SurfaceColumns::take(const std::vector<LocalIndex>* cells) {
  const auto selected = [cells](std::vector<float>& all) {
    if (!cells) return to_numpy(std::move(all));
    std::vector<float> values;
    for (const auto cell : *cells) values.push_back(all[cell]);
    return to_numpy(std::move(values));
  };
  nb::dict result;
  result["friction_velocity"] = selected(velocity_);
  result["roughness_length"] = selected(roughness_);
  result["eastward_stress"] = selected(east_stress_);
  result["northward_stress"] = selected(north_stress_);
  return result;
}

void check_bins(const SpectralGrid& grid, std::size_t n_frequencies, std::size_t n_directions,
                const char* name) {
  require<InputError>(
      n_frequencies == static_cast<std::size_t>(grid.n_frequencies) &&
          n_directions == static_cast<std::size_t>(grid.n_directions),
      "{} has bins of shape ({}, {}); this spectral grid has {} frequencies and {} directions.", name,
      n_frequencies, n_directions, grid.n_frequencies, grid.n_directions);
}

namespace {

using Spectra = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Spectrum = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OptionalFloats = std::optional<Floats>;

std::span<const float> argument(const OptionalFloats& values, std::size_t n_cells, const char* name,
                                bool is_needed) {
  if (!is_needed) return {};
  require<InputError>(values.has_value(), "These products need the argument {} (cell).", name);
  require<InputError>(values->size() == n_cells, "{} has {} cells, action has {}.", name, values->size(),
                      n_cells);
  return *values;
}

std::vector<float> wavenumbers(const SpectralGrid& grid, std::span<const float> depth) {
  std::vector<float> k;
  for (const float d : depth)
    for (const double sigma : grid.sigma) k.push_back(static_cast<float>(wavenumber(sigma, d)));
  return k;
}

nb::dict products(const SpectralGrid& grid, const Spectra& action, const ProductColumns::Names& names,
                  const OptionalFloats& depth, const OptionalFloats& eastward_wind,
                  const OptionalFloats& northward_wind) {
  check_bins(grid, action.shape(1), action.shape(2));
  const auto n = action.shape(0);
  ProductColumns columns(names, n);
  const bool needs_depth = columns.costliest_kind() != ProductKind::moments,
             needs_wind = columns.costliest_kind() == ProductKind::systems;
  const auto depths = argument(depth, n, "depth", needs_depth);
  const auto k = wavenumbers(grid, depths);
  std::vector<LocalIndex> cells(n);
  std::iota(cells.begin(), cells.end(), 0);
  Products(grid).compute({action.data(), {n, action.shape(1), action.shape(2)}}, cells,
                         {depths, {k.data(), {depths.size(), action.shape(1)}}},
                         {argument(eastward_wind, n, "eastward_wind", needs_wind),
                          argument(northward_wind, n, "northward_wind", needs_wind)},
                         columns.requested());
  return columns.take();
}

auto partitions(const SpectralGrid& grid, const Spectrum& density) {
  check_bins(grid, density.shape(0), density.shape(1), "density");
  const std::vector<double> values(density.data(), density.data() + density.size());
  Partitions partitioner(grid);
  const auto peaks = partitioner.partition(values);
  return to_numpy(std::vector<std::int32_t>(peaks.begin(), peaks.end()));
}

std::vector<std::string> product_names() {
  return texts(wave_products() |
               std::views::transform([](const auto& product) { return product.variable.name; }));
}

}  // namespace

void bind_wave_products(nb::module_& m) {
  m.def("products", &products, "grid"_a, "action"_a, "names"_a = nb::none(), nb::kw_only(),
        "depth"_a = nb::none(), "eastward_wind"_a = nb::none(), "northward_wind"_a = nb::none(),
        "Returns products of spectra (cell, frequency, direction), float32 (cell) by name; by default all "
        "products that need only\nthe spectrum. Depth [m] and wind [m s-1] are float32 (cell).");
  m.def("partitions", &partitions, "grid"_a, "density"_a,
        "Returns for each bin the index of the peak bin of its wave system, or -1 for a bin without energy, "
        "int32\n(frequency * direction). density: any unit, float32 (frequency, direction).");
  m.def("product_names", &product_names, "Names of the products, in the order of the table of variables.");
}
