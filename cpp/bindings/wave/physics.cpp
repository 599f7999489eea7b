#include "halcyon/wave/sources/physics.hpp"

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
using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

View<float, 3> view(const Spectra& a) {
  return {a.data(), {a.shape(0), a.shape(1), a.shape(2)}};
}

// A NumPy array that owns the values.
template <class T>
auto array(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

void check_cells(std::size_t n_cells, std::size_t given, const char* name) {
  require<InputError>(given >= n_cells, "{} has {} cells, action has {}.", name, given, n_cells);
}

CellRange all_cells(const Spectra& action) {
  return {0, static_cast<LocalIndex>(action.shape(0))};
}

// A physics set with the grid that its arguments are checked against.
struct BoundPhysics {
  SpectralGrid grid;
  std::unique_ptr<Physics> physics;

  void check(const Spectra& action, const Floats& depth, const Table& wavenumber, const Floats& eastward,
             const Floats& northward) const {
    check_bins(grid, action.shape(1), action.shape(2));
    check_cells(action.shape(0), depth.shape(0), "depth");
    check_cells(action.shape(0), wavenumber.shape(0), "wavenumber");
    check_cells(action.shape(0), eastward.shape(0), "eastward_wind");
    check_cells(action.shape(0), northward.shape(0), "northward_wind");
    require<InputError>(wavenumber.shape(1) == action.shape(1),
                        "wavenumber has {} frequencies, action has {}.", wavenumber.shape(1),
                        action.shape(1));
  }
};

Medium medium(const Floats& depth, const Table& wavenumber) {
  return {span(depth), {wavenumber.data(), {wavenumber.shape(0), wavenumber.shape(1)}}};
}

nb::object step(BoundPhysics& self, const Spectra& action, const Floats& depth, const Table& wavenumber,
                const Floats& eastward, const Floats& northward, double dt) {
  self.check(action, depth, wavenumber, eastward, northward);
  const auto bad = self.physics->step(view(action), all_cells(action), medium(depth, wavenumber),
                                      {span(eastward), span(northward)}, dt);
  return bad.cell == kNone ? nb::none() : nb::cast(std::pair(bad.cell, bad.significant_height));
}

nb::dict terms(BoundPhysics& self, const Spectra& action, int cell, const Floats& depth,
               const Table& wavenumber, const Floats& eastward, const Floats& northward) {
  self.check(action, depth, wavenumber, eastward, northward);
  require<InputError>(cell >= 0 && static_cast<std::size_t>(cell) < action.shape(0),
                      "There is no cell {}: action has {}.", cell, action.shape(0));
  auto found =
      self.physics->terms(view(action), cell, medium(depth, wavenumber), {span(eastward), span(northward)});
  const std::vector<std::size_t> shape = {action.shape(1), action.shape(2)};
  nb::dict result;
  result["wind_input"] = array(std::move(found.wind_input), shape);
  result["linear_growth"] = array(std::move(found.linear_growth), shape);
  result["whitecapping"] = array(std::move(found.whitecapping), shape);
  result["nonlinear"] = array(std::move(found.nonlinear), shape);
  result["bottom_friction"] = array(std::move(found.bottom_friction), shape);
  result["swell_damping"] = array(std::move(found.swell_damping), shape);
  result["depth_breaking"] = array(std::move(found.depth_breaking), shape);
  return result;
}

nb::dict surface(BoundPhysics& self, const Spectra& action, const Floats& depth, const Table& wavenumber,
                 const Floats& eastward, const Floats& northward) {
  self.check(action, depth, wavenumber, eastward, northward);
  SurfaceColumns columns(action.shape(0));
  self.physics->surface(view(action), all_cells(action), medium(depth, wavenumber),
                        {span(eastward), span(northward)}, columns.arrays());
  return columns.take();
}

auto jonswap(const SpectralGrid& grid, double peak_frequency, double alpha, double gamma, double direction) {
  std::vector<float> action(grid.n_bins());
  write_jonswap(grid, {peak_frequency, alpha, gamma, direction}, action);
  return array(std::move(action),
               {static_cast<std::size_t>(grid.n_frequencies), static_cast<std::size_t>(grid.n_directions)});
}

using Density = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto transfer(const SpectralGrid& grid, const Density& density, int points) {
  check_bins(grid, density.shape(0), density.shape(1), "variance_density");
  return array(exact_transfer(grid, {density.data(), density.size()}, points),
               {density.shape(0), density.shape(1)});
}

auto wavenumbers(const SpectralGrid& grid, const Floats& depth) {
  std::vector<float> k;
  for (const float d : span(depth)) {
    require<InputError>(d > 0, "A depth is {} m; depths must be positive.", d);
    for (const double sigma : grid.sigma) k.push_back(static_cast<float>(wavenumber(sigma, d)));
  }
  return array(std::move(k), {depth.shape(0), static_cast<std::size_t>(grid.n_frequencies)});
}

void bind_grid(nb::module_& m) {
  nb::class_<SpectralGrid> type(m, "SpectralGrid", "Frequencies and directions of a discrete spectrum.");
  type.def(nb::init<int, double, double, int>(), nb::kw_only(), nb::arg("frequencies"),
           nb::arg("first_frequency"), nb::arg("ratio"), nb::arg("directions"))
      .def_ro("n_frequencies", &SpectralGrid::n_frequencies)
      .def_ro("n_directions", &SpectralGrid::n_directions)
      .def_ro("ratio", &SpectralGrid::ratio)
      .def_ro("direction_width", &SpectralGrid::direction_width);
  const auto numbers = [&](const char* name, std::vector<double> SpectralGrid::* values) {
    type.def_prop_ro(
        name, [values](const SpectralGrid& grid) { return to_numpy(grid.*values); }, nb::rv_policy::move);
  };
  numbers("frequency", &SpectralGrid::frequency);
  numbers("frequency_width", &SpectralGrid::frequency_width);
  numbers("sigma", &SpectralGrid::sigma);
  numbers("direction", &SpectralGrid::direction);
}

void bind_options(nb::module_& m) {
  nb::class_<options::Option>(m, "PhysicsOption", "An option of a physics set.")
      .def_ro("name", &options::Option::name)
      .def_ro("value", &options::Option::value, "The default.")
      .def_ro("units", &options::Option::unit)
      .def_ro("text", &options::Option::text, "What it does, and its source.")
      .def_ro("minimum", &options::Option::minimum)
      .def_ro("maximum", &options::Option::maximum)
      .def_ro("choices", &options::Option::names);
  m.def("physics_sets", &physics_sets, "Names of the physics sets.");
  m.def("physics_options", &physics_options, nb::arg("set"), "The options of a set.");
  m.def("physics_references", &physics_references, nb::arg("set"), "After whom a set is.");
}

options::Value value_of(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::int64_t>(value);
  return nb::cast<double>(value);
}

}  // namespace

options::Values values_of(const nb::dict& options) {
  options::Values values;
  for (const auto& [name, value] : options) values[nb::cast<std::string>(name)] = value_of(value);
  return values;
}

void bind_wave_physics(nb::module_& m) {
  bind_grid(m);
  bind_options(m);
  nb::class_<BoundPhysics>(m, "Physics", "A set of source terms and their integration in time.")
      .def_prop_ro("name", [](const BoundPhysics& self) { return std::string(self.physics->name()); })
      .def("step", &step, nb::arg("action").noconvert(), nb::arg("depth"), nb::arg("wavenumber"),
           nb::arg("eastward_wind"), nb::arg("northward_wind"), nb::arg("dt"),
           "Advances spectra [m2 s2] (cell, frequency, direction) in place by dt [s]. Returns None, or the "
           "first\n"
           "bad cell and its significant height.")
      .def("terms", &terms, nb::arg("action"), nb::arg("cell"), nb::arg("depth"), nb::arg("wavenumber"),
           nb::arg("eastward_wind"), nb::arg("northward_wind"),
           "Source terms of one cell's variance density [m2 rad-1] (frequency, direction), by name.")
      .def("surface", &surface, nb::arg("action"), nb::arg("depth"), nb::arg("wavenumber"),
           nb::arg("eastward_wind"), nb::arg("northward_wind"),
           "Friction velocity [m s-1], roughness length [m] and stress [N m-2] of each cell, by name.");
  m.def(
      "make_physics",
      [](const std::string& name, const SpectralGrid& grid, const nb::kwargs& options) {
        return BoundPhysics{grid, make_physics(name, grid, values_of(options))};
      },
      nb::arg("name"), nb::arg("grid"), nb::arg("options"),
      "The physics set of a name (physics_sets() gives them) with options; physics_options(name) lists "
      "them.\n\n"
      "Raises ConfigError for unknown names and options, and for values out of range.");
  m.def("wavenumbers", &wavenumbers, nb::arg("grid"), nb::arg("depth"),
        "Wavenumbers [m-1] (cell, frequency) at depths [m] (cell).");
  m.def("exact_transfer", &transfer, nb::arg("grid"), nb::arg("variance_density"), nb::kw_only(),
        nb::arg("points") = 24,
        "Nonlinear transfer [m2 rad-1] of a variance density [m2 Hz-1 rad-1] (frequency, direction) by the\n"
        "full integral; takes seconds. For deep water alone: there is no depth. Raises InputError where a "
        "density "
        "is negative or not finite.");
  m.def("jonswap", &jonswap, nb::arg("grid"), nb::kw_only(), nb::arg("peak_frequency"), nb::arg("alpha"),
        nb::arg("gamma") = 3.0, nb::arg("direction") = 0.0,
        "Action of a JONSWAP sea (frequency, direction); direction towards, clockwise from north [rad].");
  m.def(
      "set_fetch_law",
      [](const Spectra& action, const SpectralGrid& grid, const Floats& eastward, const Floats& northward,
         double fetch) {
        check_bins(grid, action.shape(1), action.shape(2));
        check_cells(action.shape(0), eastward.shape(0), "eastward_wind");
        check_cells(action.shape(0), northward.shape(0), "northward_wind");
        set_fetch_law(view(action), all_cells(action), grid, {span(eastward), span(northward)}, fetch);
      },
      nb::arg("action").noconvert(), nb::arg("grid"), nb::arg("eastward_wind"), nb::arg("northward_wind"),
      nb::arg("fetch"), "Sets spectra in place to the sea that the wind raises over a fetch [m].");
  m.def("wave_variables", [] { return wave_variables(); }, "The wave model's table of variables.");
}
