#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <utility>

#include "bindings/arrays.hpp"
#include "halcyon/atmosphere/air/interpolation.hpp"
#include "halcyon/atmosphere/air/moist_column.hpp"
#include "halcyon/base/error.hpp"

namespace {

using namespace halcyon;
using atmosphere::SourceColumn;
using atmosphere::SourceTemperature;

using Table = Array<double, 2>;
using Points = List<const double>;

Numbers row(const Table& table, std::size_t i) {
  return {table.data() + i * table.shape(1), table.shape(1)};
}

/// Evaluates the columns at targets (point, target).
template <class Column>
auto values_of(const std::vector<Column>& columns, const Table& targets) {
  std::vector<double> result;
  for (std::size_t i = 0; i < targets.shape(0); ++i)
    for (const double target : row(targets, i)) result.push_back(columns[i](target));
  return to_table(std::move(result), targets.shape(0), targets.shape(1));
}

/// Columns of temperature (point, level) of an input file.
class Temperatures {
  /// Returns an array of value(i) of all columns i.
  auto evaluate(const auto& value) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < columns_.size(); ++i) result.push_back(value(i));
    return to_numpy(std::move(result));
  }

 public:
  Temperatures(const Table& x, const Table& temperature, double gas_constant, double gravity) {
    require<InternalError>(x.shape(0) == temperature.shape(0) && x.shape(1) == temperature.shape(1),
                           "Levels and temperatures differ in shape.");
    for (std::size_t i = 0; i < x.shape(0); ++i)
      columns_.emplace_back(row(x, i), row(temperature, i), gas_constant, gravity);
  }

  auto geopotential(Points x, Points x_0, Points phi_0) const {
    return evaluate([&](std::size_t i) { return columns_[i].geopotential(x[i], x_0[i], phi_0[i]); });
  }
  auto log_pressure(Points geopotential, Points x_0, Points phi_0) const {
    return evaluate(
        [&](std::size_t i) { return columns_[i].log_pressure(geopotential[i], x_0[i], phi_0[i]); });
  }
  auto means(const Table& interfaces) const {
    const std::size_t n = interfaces.shape(1) - 1;
    std::vector<double> result;
    for (std::size_t i = 0; i < interfaces.shape(0); ++i) {
      const auto x = row(interfaces, i);
      for (std::size_t k = 0; k < n; ++k) result.push_back(columns_[i].mean(x[k], x[k + 1]));
    }
    return to_table(std::move(result), interfaces.shape(0), n);
  }
  auto values(const Table& targets) const { return values_of(columns_, targets); }

 private:
  std::vector<SourceTemperature> columns_;
};

auto means_by_mass(const Table& x, const Table& values, const Table& interfaces) {
  const std::size_t n = interfaces.shape(1) - 1;
  std::vector<double> result;
  for (std::size_t i = 0; i < interfaces.shape(0); ++i) {
    const SourceColumn column(row(x, i), row(values, i));
    const auto bounds = row(interfaces, i);
    for (std::size_t k = 0; k < n; ++k) result.push_back(column.mean_by_mass(bounds[k], bounds[k + 1]));
  }
  return to_table(std::move(result), interfaces.shape(0), n);
}

/// The layers of moist columns (halcyon/atmosphere/air/moist_column.hpp) with the humidity of an input file.
auto moist_layers(const Table& x, const Table& humidity, const atmosphere::HybridLevels& hybrid, Numbers ps) {
  std::vector<double> mixing_ratios, pressures;
  for (std::size_t i = 0; i < ps.size(); ++i) {
    const SourceColumn column(row(x, i), row(humidity, i));
    const auto layers = atmosphere::moist_column(hybrid, ps[i], [&](int, double upper, double lower) {
      const double q = column.mean_by_mass(std::log(upper), std::log(lower));
      return q / (1 - q);
    });
    mixing_ratios.insert(mixing_ratios.end(), layers.mixing_ratio.begin(), layers.mixing_ratio.end());
    pressures.insert(pressures.end(), layers.interface_pressure.begin(), layers.interface_pressure.end());
  }
  const auto n = static_cast<std::size_t>(hybrid.n_levels());
  return std::pair(to_table(std::move(mixing_ratios), ps.size(), n),
                   to_table(std::move(pressures), ps.size(), n + 1));
}

auto values_at(const Table& x, const Table& values, const Table& targets) {
  std::vector<SourceColumn> columns;
  for (std::size_t i = 0; i < targets.shape(0); ++i) columns.emplace_back(row(x, i), row(values, i));
  return values_of(columns, targets);
}

auto interpolate_columns(const Table& coordinate, const Table& values, Points targets, bool logarithmic) {
  require<InputError>(coordinate.shape(0) == values.shape(0) && coordinate.shape(1) == values.shape(1),
                      "The coordinate is ({}, {}), the values are ({}, {}). Give both as (cell, level).",
                      coordinate.shape(0), coordinate.shape(1), values.shape(0), values.shape(1));
  return to_table(
      atmosphere::interpolate(
          {.coordinate = span_of(coordinate), .values = span_of(values), .n_levels = values.shape(1)},
          targets, logarithmic),
      values.shape(0), targets.size());
}

}  // namespace

void bind_atmosphere_columns(nb::module_& m) {
  m.def("interpolate", &interpolate_columns, "coordinate"_a, "values"_a, "targets"_a, nb::kw_only(),
        "logarithmic"_a = false,
        "Interpolates values (cell, level) to targets (target) of a coordinate (cell, level) that is "
        "monotonic\nin each column, linearly in the coordinate or in its logarithm. Returns float64 (cell, "
        "target); NaN\noutside the levels. Raises InputError for inconsistent shapes and invalid targets.");
  nb::class_<Temperatures>(
      m, "SourceTemperatures",
      "Columns of temperature of an input file: linear in x = ln p between levels, "
      "constant\nabove, with a lapse rate of 6.5 K/km below. Levels whose value is NaN are ignored.")
      .def(nb::init<const Table&, const Table&, double, double>(), "x"_a, "temperature"_a, "gas_constant"_a,
           "gravity"_a, "x (increasing) and temperature [K], float64 (point, level).")
      .def("geopotential", &Temperatures::geopotential, "x"_a, "x_0"_a, "phi_0"_a,
           "Geopotential [m2 s-2] (point) at x (point), given the geopotential phi_0 at x_0 (point).")
      .def("log_pressure", &Temperatures::log_pressure, "geopotential"_a, "x_0"_a, "phi_0"_a,
           "ln p (point) at a geopotential (point), given the geopotential phi_0 at x_0 (point).")
      .def("means", &Temperatures::means, "interfaces"_a,
           "Layer means over ln p [K] (point, layer) between interfaces, x (point, interface).")
      .def("values", &Temperatures::values, "x"_a, "Temperature [K] (point, target) at x (point, target).");
  m.attr("LAPSE_RATE") = atmosphere::kLapseRate;
  m.def(
      "moist_layers",
      [](const Table& x, const Table& humidity, std::vector<double> a, std::vector<double> b, Numbers ps) {
        return moist_layers(x, humidity, {std::move(a), std::move(b)}, ps);
      },
      "x"_a, "humidity"_a, "a"_a, "b"_a, "ps"_a,
      "Mixing ratios of vapour (point, layer) and pressures at interfaces (point, interface) of columns on "
      "levels a + b p_d\nof the surface pressure p_d of the dry air; ps: with vapour [Pa] (point); humidity: "
      "specific humidity at x = ln p (point, level).");
  m.def("means_by_mass", &means_by_mass, "x"_a, "values"_a, "interfaces"_a,
        "Layer means over p (point, layer) of values (point, level) at x = ln p (increasing). Values are "
        "linear in\nln p between levels and constant outside. Layers are between interfaces, x (point, "
        "interface). Levels\nwhose value is NaN are ignored. Means are bounded by the values of the levels "
        "in and next to the layer.");
  m.def("values_at", &values_at, "x"_a, "values"_a, "targets"_a,
        "Interpolates values (point, level) at x (increasing) to targets (point, target): linear between "
        "levels,\nconstant outside. Levels whose value is NaN are ignored.");
}
