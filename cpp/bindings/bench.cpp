#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/bench/stencil.hpp"

namespace {

using namespace halcyon;
using bench::Stencil;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Field = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The values of an array (item, level).
template <class Array>
auto values(const Array& array, const char* name, LocalIndex n_items, std::size_t n_levels) {
  require<InputError>(static_cast<LocalIndex>(array.shape(0)) == n_items && array.shape(1) == n_levels,
                      "{} is ({}, {}), but must be ({}, {}).", name, array.shape(0), array.shape(1), n_items,
                      n_levels);
  return std::span(array.data(), array.size());
}

void divergence(const Stencil& stencil, const Field& u, const Out& found) {
  const std::size_t n = u.shape(1);
  stencil.divergence(values(u, "u", stencil.n_edges(), n), static_cast<int>(n),
                     values(found, "divergence", stencil.n_cells(), n));
}

void tendency(const Stencil& stencil, const Field& u, const Field& cell_values, const Out& found) {
  const std::size_t n = u.shape(1);
  stencil.tendency(values(u, "u", stencil.n_edges(), n),
                   values(cell_values, "cell_values", stencil.n_cells(), n), static_cast<int>(n),
                   values(found, "tendency", stencil.n_edges(), n));
}

}  // namespace

void bind_bench(nb::module_& m) {
  nb::class_<Stencil>(m, "Stencil")
      .def(nb::init<const mesh::Mesh&>(), nb::arg("mesh"))
      .def("divergence", &divergence, nb::arg("u"), nb::arg("divergence").noconvert(), Released())
      .def("tendency", &tendency, nb::arg("u"), nb::arg("cell_values"), nb::arg("tendency").noconvert(),
           Released());
}
