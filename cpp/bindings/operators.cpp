#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/operators/trisk.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::operators;

using Mesh = Horizontal<double>;
using Field = Array<double, 2>;

Numbers values_of(const Field& array, LocalIndex n_items, const char* name) {
  require<InputError>(array.shape(0) == static_cast<std::size_t>(n_items),
                      "{} has {} items, the mesh {}. Give an array (item, level).", name, array.shape(0),
                      n_items);
  return span_of(array);
}

/// A new array (item, level) of kernel(rows, item).
template <class Kernel>
auto computed(LocalIndex n_items, std::size_t n_levels, const Kernel& kernel) {
  std::vector<double> values(static_cast<std::size_t>(n_items) * n_levels);
  for_columns<double>(Runs{{0, n_items}}, static_cast<int>(n_levels),
                      [&](auto rows, LocalIndex item) { rows.put(values, item, kernel(rows, item)); });
  return to_table(std::move(values), n_items, n_levels);
}

auto divergence_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return computed(mesh.n_cells(), u.shape(1),
                  [&](auto rows, LocalIndex i) { return divergence(mesh, rows(values), i); });
}

auto gradient_of(const Mesh& mesh, const Field& phi) {
  const auto values = values_of(phi, mesh.n_cells(), "phi");
  return computed(mesh.n_edges(), phi.shape(1),
                  [&](auto rows, LocalIndex e) { return gradient(mesh, rows(values), e); });
}

auto tangential_gradient_of(const Mesh& mesh, const Field& psi) {
  const auto values = values_of(psi, mesh.n_vertices(), "psi");
  return computed(mesh.n_edges(), psi.shape(1),
                  [&](auto rows, LocalIndex e) { return tangential_gradient(mesh, rows(values), e); });
}

auto curl_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return computed(mesh.n_vertices(), u.shape(1),
                  [&](auto rows, LocalIndex v) { return curl(mesh, rows(values), v); });
}

auto tangential_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return computed(mesh.n_edges(), u.shape(1),
                  [&](auto rows, LocalIndex e) { return tangential(mesh, rows(values), e); });
}

auto vorticity_flux_of(const Mesh& mesh, const Field& flux, const Field& q) {
  const auto carrier = values_of(flux, mesh.n_edges(), "flux"), carried = values_of(q, mesh.n_edges(), "q");
  require<InputError>(flux.shape(1) == q.shape(1), "flux has {} levels, q {}.", flux.shape(1), q.shape(1));
  return computed(mesh.n_edges(), flux.shape(1), [&](auto rows, LocalIndex e) {
    return vorticity_flux(mesh, rows(carrier), rows(carried), e);
  });
}

auto kinetic_energy_of(const Mesh& mesh, const Field& u, double vertex_energy) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  const Energy<double> energy(mesh, vertex_energy);
  return computed(mesh.n_cells(), u.shape(1),
                  [&](auto rows, LocalIndex i) { return kinetic_energy(energy, rows(values), i); });
}

auto at_vertices(const Mesh& mesh, const Field& h) {
  const auto values = values_of(h, mesh.n_cells(), "h");
  return computed(mesh.n_vertices(), h.shape(1),
                  [&](auto rows, LocalIndex v) { return at_vertex(mesh, rows(values), v); });
}

auto at_cells(const Mesh& mesh, const Field& q) {
  const auto values = values_of(q, mesh.n_vertices(), "q");
  return computed(mesh.n_cells(), q.shape(1),
                  [&](auto rows, LocalIndex i) { return at_cell(mesh, rows(values), i); });
}

}  // namespace

void bind_operators(nb::module_& m) {
  nb::class_<Mesh>(m, "Operators",
                   "The horizontal operators on a whole globe: arrays float64 (item, level) in, new ones "
                   "out; on a sphere\nof a radius [m].")
      .def(nb::init<const decomposition::LocalMesh&, double>(), "mesh"_a, "radius"_a,
           "Raises ConfigError for a radius that is not finite or not more than 0, InputError where the mesh "
           "does\nnot cover the globe.")
      .def("divergence", &divergence_of, "u"_a, "Of what crosses edges, in cells.")
      .def("gradient", &gradient_of, "phi"_a, "Of cells, across edges.")
      .def("tangential_gradient", &tangential_gradient_of, "psi"_a, "Of vertices, along edges.")
      .def("curl", &curl_of, "u"_a, "Of what crosses edges, at vertices.")
      .def("tangential", &tangential_of, "u"_a, "What flows along edges, from what crosses them.")
      .def("vorticity_flux", &vorticity_flux_of, "flux"_a, "q"_a,
           "Of a vorticity on edges, carried by a flux; it does no work.")
      .def("kinetic_energy", &kinetic_energy_of, "u"_a, nb::kw_only(), "vertex_energy"_a = 0.0,
           "In cells; vertex_energy: the part that is taken from the vertices.")
      .def("at_vertices", &at_vertices, "h"_a, "Means of cells around vertices.")
      .def("at_cells", &at_cells, "q"_a, "Means of the vertices of cells.");
}
