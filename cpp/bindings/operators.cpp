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

/// Counts the items (cells, edges or vertices) on which a field is defined.
using ItemCount = LocalIndex (Mesh::*)() const;

/// Binds kernel(mesh, field in rows, item), an operator from a field on one kind of items to another kind.
template <class Kernel>
void bind_operator(nb::class_<Mesh>& type, const char* name, const char* argument, ItemCount from,
                   ItemCount to, const char* doc, Kernel kernel) {
  type.def(
      name,
      [=](const Mesh& mesh, const Field& field) {
        const auto values = values_of(field, (mesh.*from)(), argument);
        return apply_kernel((mesh.*to)(), field.shape(1),
                            [&](auto rows, LocalIndex item) { return kernel(mesh, rows(values), item); });
      },
      nb::arg(argument), doc);
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

}  // namespace

void bind_operators(nb::module_& m) {
  nb::class_<Mesh> type(
      m, "Operators",
      "The horizontal operators on a global mesh and a sphere of a given radius [m]. Arguments "
      "and results are\nfloat64 arrays (cell, edge or vertex, level).");
  type.def(nb::init<const decomposition::LocalMesh&, double>(), "mesh"_a, "radius"_a,
           "Raises ConfigError for a radius that is not finite and positive, InputError if the mesh does "
           "not\ncover the globe.");
  constexpr ItemCount kCells = &Mesh::n_cells, kEdges = &Mesh::n_edges, kVertices = &Mesh::n_vertices;
  bind_operator(type, "divergence", "u", kEdges, kCells,
                "Divergence (cell) of the normal component u (edge).",
                [](const Mesh& mesh, const auto& u, LocalIndex i) { return divergence(mesh, u, i); });
  bind_operator(type, "gradient", "phi", kCells, kEdges, "Normal gradient (edge) of phi (cell).",
                [](const Mesh& mesh, const auto& phi, LocalIndex e) { return gradient(mesh, phi, e); });
  bind_operator(
      type, "tangential_gradient", "psi", kVertices, kEdges, "Tangential gradient (edge) of psi (vertex).",
      [](const Mesh& mesh, const auto& psi, LocalIndex e) { return tangential_gradient(mesh, psi, e); });
  bind_operator(type, "curl", "u", kEdges, kVertices,
                "Vertical component of the curl (vertex) of the normal component u (edge).",
                [](const Mesh& mesh, const auto& u, LocalIndex v) { return curl(mesh, u, v); });
  bind_operator(type, "vorticity", "u", kEdges, kVertices,
                "Vorticity (vertex) of a wind whose means along edges have the normal component u (edge).",
                [](const Mesh& mesh, const auto& u, LocalIndex v) {
                  return vorticity(mesh, mesh.vorticity_weight, u, v);
                });
  bind_operator(
      type, "sharp_vorticity", "u", kEdges, kVertices,
      "Vorticity (vertex) whose mean of both vertices of an edge, in `vorticity_flux`, moves waves at "
      "fourth\norder on regular hexagons.",
      [](const Mesh& mesh, const auto& u, LocalIndex v) {
        return vorticity(mesh, mesh.sharp_vorticity_weight, u, v);
      });
  bind_operator(type, "tangential", "u", kEdges, kEdges,
                "Tangential component (edge) from the normal component u (edge).",
                [](const Mesh& mesh, const auto& u, LocalIndex e) { return tangential(mesh, u, e); });
  bind_operator(type, "at_vertices", "h", kCells, kVertices, "Area-weighted means (vertex) of h (cell).",
                [](const Mesh& mesh, const auto& h, LocalIndex v) { return at_vertex(mesh, h, v); });
  bind_operator(type, "at_cells", "q", kVertices, kCells, "Area-weighted means (cell) of q (vertex).",
                [](const Mesh& mesh, const auto& q, LocalIndex i) { return at_cell(mesh, q, i); });
  type.def("vorticity_flux", &vorticity_flux_of, "flux"_a, "q"_a,
           "Energy-conserving flux (edge) of a potential vorticity q (edge) by a mass flux (edge).")
      .def("kinetic_energy", &kinetic_energy_of, "u"_a, nb::kw_only(), "vertex_energy"_a = 0.0,
           "Kinetic energy (cell) of the normal component u (edge). vertex_energy: the fraction (0..1) that "
           "is averaged from the vertices.");
}
