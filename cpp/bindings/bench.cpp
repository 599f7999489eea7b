#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/bench/memory.hpp"

namespace {

using namespace halcyon;
using bench::FlatLists;
using bench::Layout;
using bench::Stencil;

using Field = Array<double, 2>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Returns the values of an array (item, level) or (level, item) after checking its shape.
template <class Array>
auto checked_values(const Array& array, const char* name, LocalIndex n_items, std::size_t n_levels,
                    Layout layout) {
  const auto items = static_cast<std::size_t>(n_items);
  const auto rows = layout == Layout::levels_innermost ? items : n_levels, columns = items + n_levels - rows;
  require<InputError>(array.shape(0) == rows && array.shape(1) == columns,
                      "{} has shape ({}, {}), but must have ({}, {}).", name, array.shape(0), array.shape(1),
                      rows, columns);
  return span_of(array);
}

/// Computes a divergence, and a tendency from this divergence, `times` times.
template <class Lists>
void step(const Stencil<Lists>& stencil, const Field& u, const Out& divergence, const Out& tendency,
          bool levels_innermost, int times) {
  const auto layout = levels_innermost ? Layout::levels_innermost : Layout::items_innermost;
  const std::size_t n_levels = u.shape(levels_innermost ? 1 : 0);
  const auto& counts = stencil.counts();
  const auto wind = checked_values(u, "u", counts.all_edges, n_levels, layout);
  const auto divergences = checked_values(divergence, "divergence", counts.all_cells, n_levels, layout);
  const auto tendencies = checked_values(tendency, "tendency", counts.all_edges, n_levels, layout);
  for (int i = 0; i < times; ++i) {
    stencil.divergence(layout, wind, static_cast<int>(n_levels), divergences);
    stencil.tendency(layout, wind, divergences, static_cast<int>(n_levels), tendencies);
  }
}

FlatLists lists_of(const mesh::Mesh& mesh, std::optional<LocalIndex> n_cells,
                   const std::optional<Indices>& edges) {
  return {mesh, n_cells.value_or(mesh.n_cells()), edges.value_or(Indices())};
}

template <class Lists>
void bind_stencil(nb::module_& m, const char* name) {
  using Bound = Stencil<Lists>;
  nb::class_<Bound>(m, name)
      .def(init_from([](const mesh::Mesh& mesh, std::optional<LocalIndex> n_cells,
                        const std::optional<Indices>& edges) {
             return Bound(Lists(lists_of(mesh, n_cells, edges)));
           }),
           "mesh"_a, "n_cells"_a.none() = nb::none(), "edges"_a.none() = nb::none(),
           "A stencil on the first n_cells cells, by default all. `edges`: order, edges[new] = old.")
      .def_prop_ro("n_cells", [](const Bound& self) { return self.counts().cells; })
      .def_prop_ro("n_edges", [](const Bound& self) { return self.counts().edges; })
      .def("step", &step<Lists>, "u"_a, "divergence"_a.noconvert(), "tendency"_a.noconvert(), nb::kw_only(),
           "levels_innermost"_a = true, "times"_a = 1, ReleaseGil(),
           "Computes a divergence, and a tendency from this divergence, `times` times. Arrays are (item, "
           "level), "
           "or (level, item) without levels_innermost.");
}

}  // namespace

void bind_bench(nb::module_& m) {
  m.def(
      "triad",
      [](List<float> a, List<const float> b, List<const float> c, float s) {
        require<InputError>(a.size() == b.size() && a.size() == c.size(),
                            "The arrays of the triad have {}, {} and {} values, but must have equal sizes.",
                            a.size(), b.size(), c.size());
        bench::triad(a, b, c, s);
      },
      "a"_a, "b"_a, "c"_a, "s"_a, ReleaseGil(), "a = b + s c, float32, as in STREAM.");
  bind_stencil<FlatLists>(m, "Stencil");
  bind_stencil<bench::Structures>(m, "StructuredStencil");
  m.def(
      "hashed_edges",
      [](const mesh::Mesh& mesh, LocalIndex n_cells) { return to_numpy(bench::hashed_edges(mesh, n_cells)); },
      "mesh"_a, "n_cells"_a, "The edges on the first cells in the order of a hash set: order[new] = old.");
}
