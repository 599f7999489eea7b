#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/tracers.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/local_mesh.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::atmosphere;

using Field = Array<double, 2>;

Numbers values_of(const Field& array, LocalIndex n_items, std::size_t n_levels, const char* name) {
  require<InputError>(array.shape(0) == static_cast<std::size_t>(n_items) && array.shape(1) == n_levels,
                      "{} has the shape ({}, {}), and should have ({}, {}).", name, array.shape(0),
                      array.shape(1), n_items, n_levels);
  return span_of(array);
}

/// Tracers, and one rank's part of the global mesh.
class Transport {
 public:
  Transport(const comm::Communicator& comm, const decomposition::LocalMesh& local, const Planet& planet,
            const Scheme& scheme, int n_levels, int n_tracers, const std::string& method, bool overlap)
      : n_levels_(n_levels),
        overlap_(overlap),
        n_owned_(local.part.cells().n_owned),
        mesh_(local, planet.radius),
        tracers_(comm, local, mesh_, scheme, n_levels, n_tracers, comm::method_named(method)) {}

  void step(double dt, const Field& flux, const Field& vertical_flux, const Field& mass_old,
            const Field& mass_new) {
    const auto F = values_of(flux, mesh_.n_edges(), n_levels_, "flux"),
               M = values_of(vertical_flux, mesh_.n_cells(), n_levels_ + 1, "vertical_flux"),
               old_mass = values_of(mass_old, mesh_.n_cells(), n_levels_, "mass_old"),
               new_mass = values_of(mass_new, mesh_.n_cells(), n_levels_, "mass_new");
    const nb::gil_scoped_release released;
    double exchange_s = 0;
    tracers_.step(
        dt, F, M, [&](auto rows) { return rows(old_mass); }, [&](auto rows) { return rows(new_mass); },
        overlap_, exchange_s);
  }

  /// Returns a view of a tracer (owned cell, level).
  auto values(nb::handle self, int tracer) {
    require<InputError>(tracer >= 0 && tracer < tracers_.size(),
                        "Tracer {} does not exist; there are {}. Indices start from 0.", tracer,
                        tracers_.size());
    const std::size_t shape[] = {static_cast<std::size_t>(n_owned_), static_cast<std::size_t>(n_levels_)};
    return nb::ndarray<nb::numpy, double>(tracers_.values(tracer).data(), 2, shape, self);
  }

  /// Returns the values of q that the fluxes carry over the edges (edge, level).
  auto edge_values(const Field& flux, const Field& q) const {
    const auto F = values_of(flux, mesh_.n_edges(), n_levels_, "flux"),
               q_cells = values_of(q, mesh_.n_cells(), n_levels_, "q");
    std::vector<double> result(F.size()), second(kSecondDerivatives * q_cells.size());
    second_derivatives<double>(tracers_.curvature(), IndexRanges{{0, mesh_.n_cells()}}, n_levels_, q_cells,
                               second);
    advected_values<double>(mesh_, tracers_.curvature(), IndexRanges{{0, mesh_.n_edges()}}, n_levels_, F,
                            q_cells, second, result);
    return to_numpy(std::move(result));
  }

 private:
  int n_levels_;
  bool overlap_;
  LocalIndex n_owned_;
  HorizontalMesh<double> mesh_;
  Tracers<double> tracers_;
};

auto interface_values_of(int order, List<const double> q, List<const double> flux) {
  require<InputError>(q.size() > 0 && flux.size() == q.size() + 1,
                      "flux has {} values. Give one more than the {} values of q.", flux.size(), q.size());
  std::vector<double> result(flux.size());
  interface_values<double>(order, q, flux, result);
  return to_numpy(std::move(result));
}

}  // namespace

void bind_atmosphere_transport(nb::module_& m) {
  nb::class_<Transport>(m, "Transport",
                        "Tracer transport by given mass fluxes on one rank's part of the global mesh.")
      .def(nb::init<const comm::Communicator&, const decomposition::LocalMesh&, const Planet&, const Scheme&,
                    int, int, const std::string&, bool>(),
           "comm"_a, "mesh"_a, "planet"_a, "scheme"_a, nb::kw_only(), "levels"_a = 1, "tracers"_a = 1,
           "method"_a = "isend_irecv", "overlap"_a = true,
           "Collective. Initializes tracers to 0; monotone transport needs a mesh with three halo layers.")
      .def(
          "values",
          [](nb::handle self, int tracer) { return nb::cast<Transport&>(self).values(self, tracer); },
          "tracer"_a = 0, nb::rv_policy::automatic, "A view of a tracer (owned cell, level).")
      .def("step", &Transport::step, "dt"_a, "flux"_a, "vertical_flux"_a, "mass_old"_a, "mass_new"_a,
           "Collective. Takes one step [s]: flux [Pa m s-1] (local edge, level), vertical_flux [Pa s-1] "
           "(local\ncell, interface), positive downwards, masses [Pa] (local cell, level) before and after.")
      .def("edge_values", &Transport::edge_values, "flux"_a, "q"_a,
           "Interpolates q (local cell, level) to edges, upwinded by a flux (local edge, level).");
  m.def("interface_values", &interface_values_of, "order"_a, "q"_a, "flux"_a,
        "Values of q (level) at interfaces, upwinded by a flux (interface) that is positive downwards.");
}
