#include "arrays.hpp"
#include "halcyon/atmosphere/air/interpolation.hpp"
#include "halcyon/base/error.hpp"

namespace {

using namespace halcyon;

using Array = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using List = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

auto interpolate_columns(const Array& coordinate, const Array& values, const List& targets,
                         bool logarithmic) {
  require<InputError>(coordinate.shape(0) == values.shape(0) && coordinate.shape(1) == values.shape(1),
                      "The coordinate is ({}, {}), the values are ({}, {}). Give both as (cell, level).",
                      coordinate.shape(0), coordinate.shape(1), values.shape(0), values.shape(1));
  auto* found =
      new std::vector<double>(atmosphere::interpolate({.coordinate = {coordinate.data(), coordinate.size()},
                                                       .values = {values.data(), values.size()},
                                                       .n_levels = values.shape(1)},
                                                      {targets.data(), targets.size()}, logarithmic));
  nb::capsule owner(found, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::ndarray<nb::numpy, double, nb::ndim<2>>(found->data(), {values.shape(0), targets.size()}, owner);
}

}  // namespace

void bind_atmosphere_interpolation(nb::module_& m) {
  m.def(
      "interpolate", &interpolate_columns, nb::arg("coordinate"), nb::arg("values"), nb::arg("targets"),
      nb::kw_only(), nb::arg("logarithmic") = false,
      "Values (cell, level) at targets (target) of a coordinate (cell, level) that only rises or only falls\n"
      "along a column: linear in it, or in its logarithm, between levels. float64 (cell, target); NaN above\n"
      "the first level and below the last. Raises InputError where shapes do not fit or a target is none.");
}
