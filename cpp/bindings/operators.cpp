#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/operators/trisk.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::operators;

using Mesh = HorizontalMesh<double>;
using Field = Array<double, 2>;

Numbers values_of(const Field& array, LocalIndex n_items, const char* name) {
  require<InputError>(array.shape(0) == static_cast<std::size_t>(n_items),
                      "{} has {} items, the mesh {}. Give an array (item, level).", name, array.shape(0),
                      n_items);
  return span_of(array);
}

/// Returns a new array (item, level) with the results of kernel(rows, item) for all items.
template <class Kernel>
auto apply_kernel(LocalIndex n_items, std::size_t n_levels, const Kernel& kernel) {
  std::vector<double> values(static_cast<std::size_t>(n_items) * n_levels);
  for_columns<double>(IndexRanges{{0, n_items}}, static_cast<int>(n_levels),
                      [&](auto rows, LocalIndex item) { rows.put(values, item, kernel(rows, item)); });
  return to_table(std::move(values), n_items, n_levels);
}

auto divergence_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return apply_kernel(mesh.n_cells(), u.shape(1),
                      [&](auto rows, LocalIndex i) { return divergence(mesh, rows(values), i); });
}

auto gradient_of(const Mesh& mesh, const Field& phi) {
  const auto values = values_of(phi, mesh.n_cells(), "phi");
  return apply_kernel(mesh.n_edges(), phi.shape(1),
                      [&](auto rows, LocalIndex e) { return gradient(mesh, rows(values), e); });
}

auto tangential_gradient_of(const Mesh& mesh, const Field& psi) {
  const auto values = values_of(psi, mesh.n_vertices(), "psi");
  return apply_kernel(mesh.n_edges(), psi.shape(1),
                      [&](auto rows, LocalIndex e) { return tangential_gradient(mesh, rows(values), e); });
}

auto curl_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return apply_kernel(mesh.n_vertices(), u.shape(1),
                      [&](auto rows, LocalIndex v) { return curl(mesh, rows(values), v); });
}

auto tangential_of(const Mesh& mesh, const Field& u) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  return apply_kernel(mesh.n_edges(), u.shape(1),
                      [&](auto rows, LocalIndex e) { return tangential(mesh, rows(values), e); });
}

auto vorticity_flux_of(const Mesh& mesh, const Field& flux, const Field& q) {
  const auto mass_flux = values_of(flux, mesh.n_edges(), "flux"),
             vorticity = values_of(q, mesh.n_edges(), "q");
  require<InputError>(flux.shape(1) == q.shape(1), "flux has {} levels, q {}.", flux.shape(1), q.shape(1));
  return apply_kernel(mesh.n_edges(), flux.shape(1), [&](auto rows, LocalIndex e) {
    return vorticity_flux(mesh, rows(mass_flux), rows(vorticity), e);
  });
}

auto kinetic_energy_of(const Mesh& mesh, const Field& u, double vertex_energy) {
  const auto values = values_of(u, mesh.n_edges(), "u");
  const KineticEnergyWeights<double> energy(mesh, vertex_energy);
  return apply_kernel(mesh.n_cells(), u.shape(1),
                      [&](auto rows, LocalIndex i) { return kinetic_energy(energy, rows(values), i); });
}

auto at_vertices(const Mesh& mesh, const Field& h) {
  const auto values = values_of(h, mesh.n_cells(), "h");
  return apply_kernel(mesh.n_vertices(), h.shape(1),
                      [&](auto rows, LocalIndex v) { return at_vertex(mesh, rows(values), v); });
}

auto at_cells(const Mesh& mesh, const Field& q) {
  const auto values = values_of(q, mesh.n_vertices(), "q");
  return apply_kernel(mesh.n_cells(), q.shape(1),
                      [&](auto rows, LocalIndex i) { return at_cell(mesh, rows(values), i); });
}

}  // namespace

void bind_operators(nb::module_& m) {
  nb::class_<Mesh>(m, "Operators",
                   "The horizontal operators on a global mesh and a sphere of a given radius [m]. Arguments "
                   "and results are\nfloat64 arrays (cell, edge or vertex, level).")
      .def(nb::init<const decomposition::LocalMesh&, double>(), "mesh"_a, "radius"_a,
           "Raises ConfigError for a radius that is not finite and positive, InputError if the mesh does "
           "not\ncover the globe.")
      .def("divergence", &divergence_of, "u"_a, "Divergence (cell) of the normal component u (edge).")
      .def("gradient", &gradient_of, "phi"_a, "Normal gradient (edge) of phi (cell).")
      .def("tangential_gradient", &tangential_gradient_of, "psi"_a,
           "Tangential gradient (edge) of psi (vertex).")
      .def("curl", &curl_of, "u"_a,
           "Vertical component of the curl (vertex) of the normal component u (edge).")
      .def("tangential", &tangential_of, "u"_a,
           "Tangential component (edge) from the normal component u (edge).")
      .def("vorticity_flux", &vorticity_flux_of, "flux"_a, "q"_a,
           "Energy-conserving flux (edge) of a potential vorticity q (edge) by a mass flux (edge).")
      .def("kinetic_energy", &kinetic_energy_of, "u"_a, nb::kw_only(), "vertex_energy"_a = 0.0,
           "Kinetic energy (cell) of the normal component u (edge). vertex_energy: the fraction (0..1) that "
           "is averaged from the vertices.")
      .def("at_vertices", &at_vertices, "h"_a, "Area-weighted means (vertex) of h (cell).")
      .def("at_cells", &at_cells, "q"_a, "Area-weighted means (cell) of q (vertex).");
}
