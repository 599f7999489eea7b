#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "bindings/arrays.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/physics/columns.hpp"

halcyon::options::Values values_of(const nb::dict& options);  // bindings/wave/physics.cpp

namespace {

using namespace halcyon;
using namespace halcyon::physics;

/// Arrays of a block as numpy views, by name.
class Views {
 public:
  template <class T>
  void add(const char* name, T* values, std::vector<std::size_t> shape) {
    const nb::ndarray<nb::numpy, T> array(values, shape.size(), shape.data(), nb::handle());
    views_[name] = nb::cast(array, nb::rv_policy::reference);
    if constexpr (std::is_const_v<T>) views_[name].attr("flags").attr("writeable") = false;  // empty ones too
  }
  nb::dict take() { return std::move(views_); }

 private:
  nb::dict views_;
};

nb::dict views_of(const halcyon_columns& c, const std::vector<Field>& fields) {
  const std::size_t n = c.n_columns, levels = c.n_levels, interfaces = levels + 1, tracers = c.n_tracers;
  Views views;
  views.add("longitude", c.longitude, {n});
  views.add("latitude", c.latitude, {n});
  views.add("surface_pressure", c.surface_pressure, {n});
  views.add("surface_geopotential", c.surface_geopotential, {n});
  views.add("interface_pressure", c.interface_pressure, {interfaces, n});
  views.add("interface_geopotential", c.interface_geopotential, {interfaces, n});
  views.add("pressure", c.pressure, {levels, n});
  views.add("exner", c.exner, {levels, n});
  views.add("geopotential", c.geopotential, {levels, n});
  views.add("temperature", c.temperature, {levels, n});
  views.add("eastward_wind", c.eastward_wind, {levels, n});
  views.add("northward_wind", c.northward_wind, {levels, n});
  views.add("tracers", c.tracers, {tracers, levels, n});
  views.add("temperature_tendency", c.temperature_tendency, {levels, n});
  views.add("eastward_wind_tendency", c.eastward_wind_tendency, {levels, n});
  views.add("northward_wind_tendency", c.northward_wind_tendency, {levels, n});
  views.add("drag", c.drag, {levels, n});
  views.add("tracer_tendencies", c.tracer_tendencies, {tracers, levels, n});
  for (std::size_t f = 0; f < fields.size(); ++f)
    views.add(fields[f].name.c_str(), c.fields[f],
              fields[f].has_levels ? std::vector{levels, n} : std::vector{n});
  nb::dict result = views.take();
  nb::list names;
  for (std::size_t t = 0; t < tracers; ++t) names.append(nb::str(c.tracer_names[t]));
  result["tracer_names"] = nb::tuple(names);
  result["gravity"] = c.gravity;
  result["gas_constant"] = c.gas_constant;
  result["heat_capacity"] = c.heat_capacity;
  return result;
}

nb::dict views_of(const halcyon_spectra& c, const std::vector<Field>& fields) {
  const std::size_t n = c.n_cells, frequencies = c.n_frequencies, directions = c.n_directions;
  Views views;
  views.add("frequency", c.frequency, {frequencies});
  views.add("direction", c.direction, {directions});
  views.add("longitude", c.longitude, {n});
  views.add("latitude", c.latitude, {n});
  views.add("depth", c.depth, {n});
  views.add("eastward_wind", c.eastward_wind, {n});
  views.add("northward_wind", c.northward_wind, {n});
  views.add("ice_fraction", c.ice_fraction, {n});
  views.add("wavenumber", c.wavenumber, {n, frequencies});
  views.add("density", c.density, {n, frequencies, directions});
  views.add("source", c.source, {n, frequencies, directions});
  views.add("source_derivative", c.source_derivative, {n, frequencies, directions});
  for (std::size_t f = 0; f < fields.size(); ++f) views.add(fields[f].name.c_str(), c.fields[f], {n});
  nb::dict result = views.take();
  result["gravity"] = c.gravity;
  return result;
}

/// A Python function as a scheme. The views of a block are kept until a call has a block at other addresses.
template <class Block>
struct PythonScheme {
  nb::object call;  ///< call(views, time, date, step, options) returns None, or the text of an error
  nb::object make_views;
  std::vector<Field> fields;
  nb::object views = nb::none();
  Block block = {};
  std::vector<double*> field_pointers = {};

  static int run(const Block* block) {
    const nb::gil_scoped_acquire acquired;
    const FlushDenormals standard_arithmetic(/*flush=*/false);  // numpy would warn
    return static_cast<PythonScheme*>(block->context)->run_scheme(*block);
  }

 private:
  int run_scheme(const Block& given) {
    nb::object error;
    try {
      update_views(given);
      nb::list options;
      for (int i = 0; i < given.n_options; ++i) options.append(given.options[i]);
      error = call(views, given.time, given.date, given.step, options);
    } catch (const nb::python_error& exception) {
      const bool is_interrupt = exception.matches(PyExc_KeyboardInterrupt);
      if (is_interrupt) PyErr_SetInterrupt();  // for Python's handler, after the step
      error = nb::str(is_interrupt ? "it was interrupted" : exception.what());
    }
    if (error.is_none()) return 0;
    const auto text = nb::cast<std::string>(error);
    given.message[text.copy(given.message, HALCYON_MESSAGE_SIZE - 1)] = '\0';
    return 1;
  }

  void update_views(const Block& given) {
    Block key = given;
    key.time = key.date = key.step = 0;
    const std::vector pointers(given.fields, given.fields + given.n_fields);
    const bool is_same = !views.is_none() && std::memcmp(&key, &block, sizeof key) == 0;
    if (is_same && pointers == field_pointers) return;
    views = make_views(views_of(given, fields));
    std::memcpy(&block, &key, sizeof key);
    field_pointers = pointers;
  }
};

using OptionTuple = std::tuple<std::string, double, std::string, std::string, double, double>;
using FieldTuple = std::tuple<std::string, bool, std::string, std::string>;

template <class Block>
Scheme<Block> from_python(const std::string& name, nb::object call, nb::object make_views,
                          const std::vector<OptionTuple>& options, const std::vector<FieldTuple>& fields) {
  Scheme<Block> scheme;
  scheme.declaration.name = name;
  for (const auto& [option, value, unit, text, minimum, maximum] : options)
    scheme.declaration.options.push_back(
        {.name = option, .value = value, .text = text, .unit = unit, .minimum = minimum, .maximum = maximum});
  check_options(scheme.declaration);
  const nb::dict members = views_of(Block{}, {});
  for (const auto& [field, has_levels, units, long_name] : fields) {
    require<ConfigError>(
        !members.contains(field.c_str()) && field != "time" && field != "date" && field != "step",
        "The physics scheme '{}' declares the field '{}', but there is already a variable "
        "of this name in its blocks. Give the field another name.",
        name, field);
    scheme.fields.push_back({field, has_levels, units, long_name});
  }
  auto* python = new PythonScheme<Block>{std::move(call), std::move(make_views), scheme.fields};
  scheme.context = python;
  scheme.owner = std::shared_ptr<void>(python, [](void* owned) {
    const nb::gil_scoped_acquire acquired;
    delete static_cast<PythonScheme<Block>*>(owned);
  });
  scheme.function = PythonScheme<Block>::run;
  return scheme;
}

template <class Block>
void bind_scheme(nb::module_& m, const char* name) {
  using Type = Scheme<Block>;
  nb::class_<Type>(m, name, "A physics scheme of a case, with its options and fields.")
      .def_static("built_in", &built_in<Block>, "name"_a,
                  "The built-in scheme of a name. Raises ConfigError for an unknown name.")
      .def_static("from_library", &from_library<Block>, "path"_a, "function"_a,
                  "Loads a function of a shared library. Raises ConfigError if it cannot be loaded.")
      .def_static("from_python", &from_python<Block>, "name"_a, "call"_a, "make_views"_a, "options"_a,
                  "fields"_a)
      .def(
          "set", [](Type& self, const nb::dict& options, double step) { self.set(values_of(options), step); },
          "options"_a, "step"_a = 0.0,
          "Sets the options, and the time between calls [s] (0: each step). Raises ConfigError for unknown "
          "options and\nfor values out of range.")
      .def_prop_ro("name", [](const Type& self) { return self.name(); })
      .def_ro("step", &Type::step, "Time between two calls [s]; 0: each step of the model.")
      .def_prop_ro(
          "options",
          [](const Type& self) {
            nb::dict values;
            for (std::size_t i = 0; i < self.options.size(); ++i)
              values[self.declaration.options[i].name.c_str()] = self.options[i];
            return values;
          },
          "Values of the options by name.")
      .def_prop_ro(
          "fields",
          [](const Type& self) {
            std::vector<std::string> names;
            for (const auto& field : self.fields) names.push_back(field.name);
            return names;
          },
          "Names of the fields.")
      .def_prop_ro(
          "variables", [](const Type& self) { return field_variables(std::vector{self}, "cell"); },
          "The fields, as variables of output and restart files.");
}

using Array = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
constexpr auto kWidth = static_cast<std::size_t>(ColumnPhysics::kWidth);

using State = ColumnPhysics::State;
using Tendencies = ColumnPhysics::Tendencies;

/// An array of the state, by its name in halcyon_columns, and what of `Uses` needs it; null: every scheme.
struct StateArray {
  const char* name;
  std::vector<double> State::* values;
  bool Uses::* use = nullptr;
};
constexpr StateArray kState[] = {{"surface_pressure", &State::surface_pressure},
                                 {"surface_geopotential", &State::surface_geopotential},
                                 {"interface_pressure", &State::interface_pressure, &Uses::layers},
                                 {"interface_geopotential", &State::interface_geopotential, &Uses::layers},
                                 {"pressure", &State::pressure},
                                 {"exner", &State::exner},
                                 {"geopotential", &State::geopotential, &Uses::layers},
                                 {"temperature", &State::temperature},
                                 {"eastward_wind", &State::eastward_wind, &Uses::winds},
                                 {"northward_wind", &State::northward_wind, &Uses::winds},
                                 {"tracers", &State::tracers}};
constexpr std::pair<const char*, std::vector<double> Tendencies::*> kTendencies[] = {
    {"temperature_tendency", &Tendencies::temperature},
    {"eastward_wind_tendency", &Tendencies::eastward_wind},
    {"northward_wind_tendency", &Tendencies::northward_wind},
    {"drag", &Tendencies::drag},
    {"tracer_tendencies", &Tendencies::tracers}};

/// Schemes on columns that a program gives, without a model.
struct Columns {
  struct Physics : ColumnPhysics {
    using ColumnPhysics::ColumnPhysics;
    void call_functions() {
      for (auto& call : calls_) call.scheme.function(&call.block);
    }
  };

  std::size_t n, n_levels, n_tracers;
  Physics physics;

  /// The shape of an array of the state that has `rows` rows of columns.
  std::vector<std::size_t> shape_of(const StateArray& array, std::size_t rows) const {
    if (array.values == &State::tracers) return {n_tracers, n_levels, n};
    const bool has_rows =
        array.values != &State::surface_pressure && array.values != &State::surface_geopotential;
    return has_rows ? std::vector{rows, n} : std::vector{n};
  }

  /// @throws InputError for unknown and missing names, and for wrong shapes
  void check(const std::map<std::string, Array>& given) {
    std::vector<std::string> names;
    for (const auto& array : kState) names.emplace_back(array.name);
    for (const auto& [name, values] : given)
      require<InputError>(std::ranges::find(names, name) != names.end(),
                          "Columns have no array '{}'. There are {}.", name, fmt::join(names, ", "));
    for (const auto& array : kState) {
      const auto found = given.find(array.name);
      const auto expected = shape_of(array, (physics.state().*array.values).size() / kWidth);
      const bool is_needed = array.use == nullptr || physics.uses().*array.use;
      require<InputError>(
          found != given.end() || !is_needed || (array.values == &State::tracers && n_tracers == 0),
          "The state of the columns lacks '{}', of shape ({}). Give it.", array.name,
          fmt::join(expected, ", "));
      if (found == given.end()) continue;
      const std::vector<std::size_t> shape(found->second.shape_ptr(),
                                           found->second.shape_ptr() + found->second.ndim());
      require<InputError>(shape == expected, "{} has the shape ({}), not ({}).", array.name,
                          fmt::join(shape, ", "), fmt::join(expected, ", "));
    }
  }

  /// Returns the tendencies by name (row, column).
  nb::dict step(const std::map<std::string, Array>& given, double dt) {
    check(given);
    std::vector<std::vector<double>> results(std::size(kTendencies));
    physics.step(
        dt,
        [&](State& state, std::size_t first, std::size_t count) {
          for (const auto& [name, values, use] : kState) {
            auto& block = state.*values;
            const auto array = given.find(name);
            const std::size_t rows = block.size() / kWidth;
            if (array == given.end()) continue;
            for (std::size_t row = 0; row < rows; ++row)
              std::copy_n(array->second.data() + row * n + first, count, &block[row * kWidth]);
          }
        },
        [&](const State&, const Tendencies& tendencies, std::size_t first, std::size_t count) {
          for (std::size_t r = 0; r < results.size(); ++r) {
            const auto& block = tendencies.*kTendencies[r].second;
            const std::size_t rows = block.size() / kWidth;
            results[r].resize(rows * n);
            for (std::size_t row = 0; row < rows; ++row)
              std::copy_n(&block[row * kWidth], count, &results[r][row * n + first]);
          }
        });
    const auto& failure = physics.failure();
    require<RunError>(failure.item < 0, "The physics scheme '{}' failed: {}.", failure.scheme,
                      failure.message.empty() ? fmt::format("{} = {} at column {}, level {}", failure.result,
                                                            failure.value, failure.item, failure.level)
                                              : failure.message);
    nb::dict tendencies;
    for (std::size_t r = 0; r < results.size(); ++r) {
      const std::size_t rows = results[r].size() / n;
      tendencies[kTendencies[r].first] = to_table(std::move(results[r]), rows, n);
    }
    return tendencies;
  }

  /// Repeats the last step with the state of its last block. `directly`: calls only the functions.
  void repeat(double dt, int times, bool directly) {
    const std::size_t first = (n - 1) / kWidth * kWidth;
    for (int i = 0; i < times; ++i) {
      if (directly) {
        physics.call_functions();
      } else {
        physics.begin_step(dt);
        physics.compute(first, n - first);
      }
    }
  }
};

void bind_columns(nb::module_& m) {
  nb::class_<Columns>(
      m, "Columns",
      "Schemes on columns of air that a program gives, without a model, such as in tests of a "
      "scheme.")
      .def(
          "__init__",
          [](Columns* self, const std::vector<ColumnScheme>& schemes, const std::vector<double>& longitude,
             const std::vector<double>& latitude, int n_levels, const std::vector<std::string>& tracers,
             double gravity, double gas_constant, double heat_capacity) {
            RankColumns columns{.ids = {},
                                .longitude = longitude,
                                .latitude = latitude,
                                .n_levels = n_levels,
                                .tracers = tracers,
                                .gravity = gravity,
                                .gas_constant = gas_constant,
                                .heat_capacity = heat_capacity};
            require<InputError>(
                n_levels > 0 && !latitude.empty() && longitude.size() == latitude.size(),
                "Columns have {} longitudes, {} latitudes and {} levels. Give as many longitudes "
                "as latitudes, and at least one level.",
                longitude.size(), latitude.size(), n_levels);
            for (std::size_t i = 0; i < latitude.size(); ++i)
              columns.ids.push_back(static_cast<GlobalIndex>(i));
            new (self) Columns{latitude.size(), static_cast<std::size_t>(n_levels), tracers.size(),
                               Columns::Physics(schemes, std::move(columns), {})};
          },
          "schemes"_a, nb::kw_only(), "longitude"_a, "latitude"_a, "n_levels"_a,
          "tracers"_a = std::vector<std::string>{}, "gravity"_a = kGravity, "gas_constant"_a = 287.0,
          "heat_capacity"_a = 1004.5,
          "longitude, latitude: [rad] (column); tracers: names.\n\nRaises ConfigError for a tracer that a "
          "scheme needs, and for equal names; InputError for wrong sizes.")
      .def("step", &Columns::step, "state"_a, "step"_a,
           "Calls the schemes for a step [s]. state: arrays of a block by name, as in docs/physics.md, "
           "(level, "
           "column), (column),\nor, of tracers, (tracer, level, column). Winds, or geopotential and "
           "interfaces, "
           "may be left out if no scheme reads them.\nReturns the tendencies by name, (level, column), of "
           "tracers (tracer times level, column). Raises InputError for unknown\nor missing names and wrong "
           "shapes, RunError if a scheme fails.")
      .def("repeat", &Columns::repeat, "step"_a, "times"_a, "directly"_a = false,
           "Computes the tendencies of the last block of the last step again, to measure their cost. "
           "directly: calls the functions of the schemes\nwithout the rest of the interface.")
      .def(
          "field",
          [](Columns& self, const std::string& name) {
            const auto values = self.physics.values(name);
            require<InputError>(!values.empty(), "The schemes have no field '{}'.", name);
            return to_table(std::vector<double>(values.begin(), values.end()), self.n,
                            values.size() / self.n);
          },
          "name"_a,
          "A copy of a field of a scheme (column, level), or (column, 1). Raises InputError for another "
          "name.");
}

}  // namespace

void bind_physics(nb::module_& m) {
  bind_columns(m);
  bind_scheme<halcyon_columns>(m, "ColumnScheme");
  bind_scheme<halcyon_spectra>(m, "SpectrumScheme");
}
