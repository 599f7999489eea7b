#include "halcyon/wave/sources/physics.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/wave/wave.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/table.hpp"
#include "halcyon/wave/sources/exact_transfer.hpp"
#include "halcyon/wave/spectra.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::wave;

using Spectra = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OptionalStress = std::optional<nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

View<float, 3> view(const Spectra& a) {
  return {a.data(), {a.shape(0), a.shape(1), a.shape(2)}};
}
void check_cells(std::size_t n_cells, std::size_t size, const char* name) {
  require<InputError>(size >= n_cells, "{} has {} cells, action has {}.", name, size, n_cells);
}
CellRange all_cells(const Spectra& action) {
  return {0, static_cast<LocalIndex>(action.shape(0))};
}

/// A physics set, and the spectral grid whose sizes the arguments must have.
struct BoundPhysics {
  SpectralGrid grid;
  std::unique_ptr<Physics> physics;

  void check(const Spectra& action, Floats depth, const Table& wavenumber, Floats eastward,
             Floats northward) const {
    check_bins(grid, action.shape(1), action.shape(2));
    check_cells(action.shape(0), depth.size(), "depth");
    check_cells(action.shape(0), wavenumber.shape(0), "wavenumber");
    check_cells(action.shape(0), eastward.size(), "eastward_wind");
    check_cells(action.shape(0), northward.size(), "northward_wind");
    require<InputError>(wavenumber.shape(1) == action.shape(1),
                        "wavenumber has {} frequencies, action has {}.", wavenumber.shape(1),
                        action.shape(1));
  }
};

/// The wave stress of the cells of `action`; empty without an argument.
std::span<float> stress_of(const OptionalStress& wave_stress, const Spectra& action) {
  if (!wave_stress) return {};
  check_cells(action.shape(0), wave_stress->size(), "wave_stress");
  return {wave_stress->data(), wave_stress->size()};
}

Medium medium(Floats depth, const Table& wavenumber) {
  return {.depth = depth, .wavenumber = {wavenumber.data(), {wavenumber.shape(0), wavenumber.shape(1)}}};
}

nb::object step(BoundPhysics& self, const Spectra& action, Floats depth, const Table& wavenumber,
                Floats eastward, Floats northward, double dt, const OptionalStress& wave_stress) {
  self.check(action, depth, wavenumber, eastward, northward);
  const auto bad = self.physics->step(view(action), all_cells(action), medium(depth, wavenumber),
                                      {eastward, northward}, stress_of(wave_stress, action), dt);
  return bad.cell == kNone ? nb::none() : nb::cast(std::pair(bad.cell, bad.significant_height));
}

nb::dict terms(BoundPhysics& self, const Spectra& action, int cell, Floats depth, const Table& wavenumber,
               Floats eastward, Floats northward, const OptionalStress& wave_stress) {
  self.check(action, depth, wavenumber, eastward, northward);
  require<InputError>(cell >= 0 && static_cast<std::size_t>(cell) < action.shape(0),
                      "There is no cell {}: action has {} cells.", cell, action.shape(0));
  auto values = self.physics->terms(view(action), cell, medium(depth, wavenumber), {eastward, northward},
                                    stress_of(wave_stress, action));
  nb::dict result;
  const auto add = [&](const char* name, std::vector<float>& term) {
    result[name] = to_table(std::move(term), action.shape(1), action.shape(2));
  };
  add("wind_input", values.wind_input);
  add("linear_growth", values.linear_growth);
  add("whitecapping", values.whitecapping);
  add("nonlinear", values.nonlinear);
  add("bottom_friction", values.bottom_friction);
  add("swell_damping", values.swell_damping);
  add("depth_breaking", values.depth_breaking);
  return result;
}

nb::dict surface_values(BoundPhysics& self, const Spectra& action, Floats depth, const Table& wavenumber,
                        Floats eastward, Floats northward, const OptionalStress& wave_stress) {
  self.check(action, depth, wavenumber, eastward, northward);
  SurfaceColumns columns(action.shape(0));
  self.physics->compute_surface(view(action), all_cells(action), medium(depth, wavenumber),
                                {eastward, northward}, stress_of(wave_stress, action), columns.arrays());
  return columns.take();
}

auto jonswap(const SpectralGrid& grid, double peak_frequency, double alpha, double gamma, double direction) {
  std::vector<float> action(grid.n_bins());
  const Jonswap sea{.peak_frequency = peak_frequency, .alpha = alpha, .gamma = gamma, .direction = direction};
  write_jonswap(grid, sea, action);
  return to_table(std::move(action), grid.n_frequencies, grid.n_directions);
}

auto transfer(const SpectralGrid& grid, const Array<double, 2>& density, int points) {
  check_bins(grid, density.shape(0), density.shape(1), "variance_density");
  return to_table(exact_transfer(grid, span_of(density), points), density.shape(0), density.shape(1));
}

auto wavenumbers(const SpectralGrid& grid, Floats depth) {
  std::vector<float> k;
  for (const float d : depth) {
    require<InputError>(d > 0, "A depth is {} m; depths must be positive.", d);
    for (const double sigma : grid.sigma) k.push_back(static_cast<float>(wavenumber(sigma, d)));
  }
  return to_table(std::move(k), depth.size(), grid.n_frequencies);
}

void bind_spectral_grid(nb::module_& m) {
  nb::class_<SpectralGrid> type(m, "SpectralGrid", "Frequencies and directions of a discrete spectrum.");
  type.def(nb::init<int, double, double, int>(), nb::kw_only(), "frequencies"_a, "first_frequency"_a,
           "ratio"_a, "directions"_a)
      .def(properties<&SpectralGrid::n_frequencies, &SpectralGrid::n_directions, &SpectralGrid::ratio,
                      &SpectralGrid::direction_width>());
  type.def(arrays<&SpectralGrid::frequency, &SpectralGrid::frequency_width, &SpectralGrid::sigma,
                  &SpectralGrid::direction>());
}

void bind_options(nb::module_& m) {
  nb::class_<options::Option>(m, "PhysicsOption", "An option of a physics set.")
      .def_ro("name", &options::Option::name)
      .def_ro("value", &options::Option::value, "The default value.")
      .def_ro("units", &options::Option::unit)
      .def_ro("text", &options::Option::text, "Meaning and source.")
      .def_ro("minimum", &options::Option::minimum)
      .def_ro("maximum", &options::Option::maximum)
      .def_ro("choices", &options::Option::names);
  m.def("physics_sets", &physics_sets, "Names of the physics sets.");
  m.def("physics_options", &physics_options, "set"_a, "The options of a physics set.");
  m.def("physics_references", &physics_references, "set"_a, "Literature references of a physics set.");
}

options::Value value_of(const std::string& name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  std::int64_t whole = 0;
  if (nb::isinstance<nb::int_>(value) && nb::try_cast(value, whole)) return whole;
  double number = 0;
  require<ConfigError>(nb::try_cast(value, number), "The option '{}' is {}, not one value. Give a number.",
                       name, nb::repr(value).c_str());
  return number;
}

}  // namespace

options::Values values_of(const nb::dict& options) {
  options::Values values;
  for (const auto& [name, value] : options) {
    const auto text = nb::cast<std::string>(name);
    values[text] = value_of(text, value);
  }
  return values;
}

void bind_wave_physics(nb::module_& m) {
  bind_spectral_grid(m);
  bind_options(m);
  nb::class_<BoundPhysics>(m, "Physics", "A set of source terms and their integration in time.")
      .def_prop_ro("name", [](const BoundPhysics& self) { return std::string(self.physics->name()); })
      .def("step", &step, "action"_a.noconvert(), "depth"_a, "wavenumber"_a, "eastward_wind"_a,
           "northward_wind"_a, "dt"_a, "wave_stress"_a.noconvert() = nb::none(),
           "Advances spectra [m2 s2] (cell, frequency, direction) in place by dt [s], and likewise the wave "
           "stress [m2 s-2]\n(cell) that wave-dependent sets keep from step to step: zeros before the first "
           "step; None: each step starts from\nzeros. Returns None, or the first cell with an invalid "
           "spectrum and its significant height.")
      .def("terms", &terms, "action"_a, "cell"_a, "depth"_a, "wavenumber"_a, "eastward_wind"_a,
           "northward_wind"_a, "wave_stress"_a.noconvert() = nb::none(),
           "Source terms by name, of the variance density of a cell [m2 rad-1] (frequency, direction).")
      .def("surface", &surface_values, "action"_a, "depth"_a, "wavenumber"_a, "eastward_wind"_a,
           "northward_wind"_a, "wave_stress"_a.noconvert() = nb::none(),
           "Returns by name friction velocity [m s-1], roughness length [m] and stress [N m-2] (cell).");
  m.def(
      "make_physics",
      [](const std::string& name, const SpectralGrid& grid, const nb::kwargs& options) {
        return BoundPhysics{grid, make_physics(name, grid, values_of(options))};
      },
      "name"_a, "grid"_a, "options"_a,
      "Makes a physics set; physics_sets() lists the names, physics_options(name) the options.\n\nRaises "
      "ConfigError for unknown names and options, and for values out of range.");
  m.def("wavenumbers", &wavenumbers, "grid"_a, "depth"_a,
        "Returns wavenumbers [m-1] (cell, frequency) at depths [m] (cell).");
  m.def("exact_transfer", &transfer, "grid"_a, "variance_density"_a, nb::kw_only(), "points"_a = 24,
        "Computes the nonlinear transfer [m2 rad-1] of a variance density [m2 Hz-1 rad-1] (frequency, "
        "direction) by the\nfull Boltzmann integral in deep water; takes seconds. Raises InputError where a "
        "density is negative or not finite.");
  m.def("jonswap", &jonswap, "grid"_a, nb::kw_only(), "peak_frequency"_a, "alpha"_a, "gamma"_a = 3.0,
        "direction"_a = 0.0,
        "Returns the action of a JONSWAP sea (frequency, direction); direction [rad] of propagation, "
        "clockwise from north.");
  m.def(
      "set_fetch_law",
      [](const Spectra& action, const SpectralGrid& grid, Floats eastward, Floats northward, double fetch,
         bool cap_light_winds) {
        check_bins(grid, action.shape(1), action.shape(2));
        check_cells(action.shape(0), eastward.size(), "eastward_wind");
        check_cells(action.shape(0), northward.size(), "northward_wind");
        set_fetch_law(view(action), all_cells(action), grid, {eastward, northward}, fetch, cap_light_winds);
      },
      "action"_a.noconvert(), "grid"_a, "eastward_wind"_a, "northward_wind"_a, "fetch"_a, nb::kw_only(),
      "cap_light_winds"_a = false,
      "Sets spectra in place to the fetch-limited sea of the wind; fetch [m]; cap_light_winds: whether the "
      "peak frequency is\nat most 0.2 Hz in light winds too, whose fully developed sea has a higher one.");
  m.def("wave_variables", [] { return wave_variables(); }, "Returns the wave model's table of variables.");
}
