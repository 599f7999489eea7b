#include <cmath>

#include "bindings/arrays.hpp"
#include "halcyon/atmosphere/air/interpolation.hpp"
#include "halcyon/base/error.hpp"

namespace {

using namespace halcyon;
using atmosphere::SourceColumn;
using atmosphere::SourceTemperature;

using Table = Array<double, 2>;
using Places = List<const double>;

Numbers row(const Table& table, std::size_t i) {
  return {table.data() + i * table.shape(1), table.shape(1)};
}

/// Of columns at targets (place, target).
template <class Column>
auto values_of(const std::vector<Column>& columns, const Table& targets) {
  std::vector<double> found;
  for (std::size_t i = 0; i < targets.shape(0); ++i)
    for (const double target : row(targets, i)) found.push_back(columns[i](target));
  return to_table(std::move(found), targets.shape(0), targets.shape(1));
}

/// Columns of temperature (place, level) of a file.
class Temperatures {
  /// A number of each column.
  auto each(const auto& value) const {
    std::vector<double> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) found.push_back(value(i));
    return to_numpy(std::move(found));
  }

 public:
  Temperatures(const Table& x, const Table& temperature, double gas_constant, double gravity) {
    require<InternalError>(x.shape(0) == temperature.shape(0) && x.shape(1) == temperature.shape(1),
                           "Levels and temperatures differ in shape.");
    for (std::size_t i = 0; i < x.shape(0); ++i)
      columns_.emplace_back(row(x, i), row(temperature, i), gas_constant, gravity);
  }

  auto geopotential(Places at, Places from, Places phi) const {
    return each([&](std::size_t i) { return columns_[i].geopotential(at[i], from[i], phi[i]); });
  }
  auto log_pressure(Places wanted, Places from, Places phi) const {
    return each([&](std::size_t i) { return columns_[i].log_pressure(wanted[i], from[i], phi[i]); });
  }
  auto means(const Table& interfaces) const {
    const std::size_t n = interfaces.shape(1) - 1;
    std::vector<double> found;
    for (std::size_t i = 0; i < interfaces.shape(0); ++i) {
      const auto x = row(interfaces, i);
      for (std::size_t k = 0; k < n; ++k) found.push_back(columns_[i].mean(x[k], x[k + 1]));
    }
    return to_table(std::move(found), interfaces.shape(0), n);
  }
  auto values(const Table& targets) const { return values_of(columns_, targets); }

 private:
  std::vector<SourceTemperature> columns_;
};

auto means_by_mass(const Table& x, const Table& values, const Table& interfaces) {
  const std::size_t n = interfaces.shape(1) - 1;
  std::vector<double> found;
  for (std::size_t i = 0; i < interfaces.shape(0); ++i) {
    const SourceColumn column(row(x, i), row(values, i));
    const auto between = row(interfaces, i);
    for (std::size_t k = 0; k < n; ++k) found.push_back(column.mean_by_mass(between[k], between[k + 1]));
  }
  return to_table(std::move(found), interfaces.shape(0), n);
}

auto values_at(const Table& x, const Table& values, const Table& targets) {
  std::vector<SourceColumn> columns;
  for (std::size_t i = 0; i < targets.shape(0); ++i) columns.emplace_back(row(x, i), row(values, i));
  return values_of(columns, targets);
}

auto interpolate_columns(const Table& coordinate, const Table& values, Places targets, bool logarithmic) {
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
        "Values (cell, level) at targets (target) of a coordinate (cell, level) that only rises or only "
        "falls\nalong a column: linear in it, or in its logarithm, between levels. float64 (cell, target); "
        "NaN above\nthe first level and below the last. Raises InputError where shapes do not fit or a "
        "target is none.");
  nb::class_<Temperatures>(m, "SourceTemperatures",
                           "Columns of temperature of a file: linear in x = ln p between levels, constant "
                           "above\nthem, falling by 6.5 K/km below. NaN where a level has no value.")
      .def(nb::init<const Table&, const Table&, double, double>(), "x"_a, "temperature"_a, "gas_constant"_a,
           "gravity"_a, "x: rising, and temperature [K], float64 (place, level).")
      .def("geopotential", &Temperatures::geopotential, "x"_a, "known_x"_a, "known"_a,
           "[m2 s-2] (place) at x (place), where it is `known` (place) at `known_x` (place).")
      .def("log_pressure", &Temperatures::log_pressure, "geopotential"_a, "known_x"_a, "known"_a,
           "ln p (place) where the geopotential (place) is as wanted.")
      .def("means", &Temperatures::means, "interfaces"_a,
           "[K] (place, layer) over ln p of the layers between interfaces, x (place, interface).")
      .def("values", &Temperatures::values, "x"_a, "[K] (place, target) at x (place, target).");
  m.attr("LAPSE_RATE") = atmosphere::kLapseRate;
  m.def("means_by_mass", &means_by_mass, "x"_a, "values"_a, "interfaces"_a,
        "Values (place, level) at x = ln p, rising, as means over p (place, layer) between interfaces, "
        "x\n(place, interface), of what is linear in ln p between levels and the nearest beyond them. Levels "
        "that\nare NaN are left out; no mean is beyond the values of the levels in its layer and beside it.");
  m.def("values_at", &values_at, "x"_a, "values"_a, "targets"_a,
        "Values (place, level) at x, rising, brought to targets (place, target): linear between levels, "
        "the\nnearest beyond them. Levels that are NaN are left out.");
}
