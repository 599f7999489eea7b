#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/bench/memory.hpp"

namespace {

using namespace halcyon;
using bench::FlatLists;
using bench::Layout;
using bench::Stencil;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Field = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The values of an array (item, level) or (level, item).
template <class Array>
auto values(const Array& array, const char* name, LocalIndex n_items, std::size_t n_levels, Layout layout) {
  const auto items = static_cast<std::size_t>(n_items);
  const auto rows = layout == Layout::levels_innermost ? items : n_levels, columns = items + n_levels - rows;
  require<InputError>(array.shape(0) == rows && array.shape(1) == columns,
                      "{} is ({}, {}), but must be ({}, {}).", name, array.shape(0), array.shape(1), rows,
                      columns);
  return std::span(array.data(), array.size());
}

/// A divergence, and a tendency with it, so many times over.
template <class Lists>
void step(const Stencil<Lists>& stencil, const Field& u, const Out& divergence, const Out& tendency,
          bool levels_innermost, int times) {
  const auto layout = levels_innermost ? Layout::levels_innermost : Layout::items_innermost;
  const std::size_t n = u.shape(levels_innermost ? 1 : 0);
  const auto& counts = stencil.counts();
  const auto wind = values(u, "u", counts.all_edges, n, layout);
  const auto divergences = values(divergence, "divergence", counts.all_cells, n, layout);
  const auto tendencies = values(tendency, "tendency", counts.all_edges, n, layout);
  for (int i = 0; i < times; ++i) {
    stencil.divergence(layout, wind, static_cast<int>(n), divergences);
    stencil.tendency(layout, wind, divergences, static_cast<int>(n), tendencies);
  }
}

FlatLists lists_of(const mesh::Mesh& mesh, std::optional<LocalIndex> n_cells,
                   const std::optional<Input<LocalIndex>>& edges) {
  return {mesh, n_cells.value_or(mesh.n_cells()), edges ? span_of(*edges) : std::span<const LocalIndex>()};
}

template <class Lists>
void bind_stencil(nb::module_& m, const char* name) {
  using Bound = Stencil<Lists>;
  nb::class_<Bound>(m, name)
      .def(
          "__init__",
          [](Bound* self, const mesh::Mesh& mesh, std::optional<LocalIndex> n_cells,
             const std::optional<Input<LocalIndex>>& edges) {
            new (self) Bound(Lists(lists_of(mesh, n_cells, edges)));
          },
          nb::arg("mesh"), nb::arg("n_cells").none() = nb::none(), nb::arg("edges").none() = nb::none(),
          "On the first n_cells cells, by default all, with the edges on them in an order: order[new] = old.")
      .def_prop_ro("n_cells", [](const Bound& self) { return self.counts().cells; })
      .def_prop_ro("n_edges", [](const Bound& self) { return self.counts().edges; })
      .def("step", &step<Lists>, nb::arg("u"), nb::arg("divergence").noconvert(),
           nb::arg("tendency").noconvert(), nb::kw_only(), nb::arg("levels_innermost") = true,
           nb::arg("times") = 1, Released(),
           "A divergence, and a tendency with it, of arrays (item, level) or else (level, item) for all "
           "items.");
}

}  // namespace

void bind_bench(nb::module_& m) {
  using Numbers = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Written = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  m.def(
      "triad",
      [](const Written& a, const Numbers& b, const Numbers& c, float s) {
        require<InputError>(a.size() == b.size() && a.size() == c.size(),
                            "The arrays of a triad have {}, {} and {} numbers, but must have as many.",
                            a.size(), b.size(), c.size());
        const nb::gil_scoped_release released;
        bench::triad({a.data(), a.size()}, {b.data(), b.size()}, {c.data(), c.size()}, s);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("s"), "a = b + s c, float32, as STREAM has it.");
  bind_stencil<FlatLists>(m, "Stencil");
  bind_stencil<bench::Structures>(m, "StructuredStencil");
  m.def(
      "hashed_edges",
      [](const mesh::Mesh& mesh, LocalIndex n_cells) { return to_numpy(bench::hashed_edges(mesh, n_cells)); },
      nb::arg("mesh"), nb::arg("n_cells"),
      "The edges on the first cells as a hash set hands them back: order[new] = old.");
}
