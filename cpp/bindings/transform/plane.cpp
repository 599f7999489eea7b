#include <nanobind/stl/pair.h>

#include "halcyon/transform/plane/bifourier.hpp"
#include "shared.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

PlaneTruncation truncation_of(const std::pair<int, int>& last, const std::string& shape) {
  return {last.first, last.second, plane_shape_named(shape)};
}

Plane plane_of(const std::pair<int, int>& n, const std::pair<double, double>& lengths) {
  return {n.first, n.second, lengths.first, lengths.second};
}

using Class = nb::class_<Bifourier, SharedTransform>;
using Derivative = void (Bifourier::*)(std::span<const Complex>, std::span<Complex>) const;

void bind_derivatives(Class& type) {
  const auto derivative = [&type](const char* name, Derivative function) {
    type.def(
        name,
        [function](const Bifourier& t, const Input<Complex>& coefficients, const Output<Complex>& found) {
          (t.*function)(span_of(coefficients), span_of(found));
        },
        Released());
  };
  derivative("x_derivative", &Bifourier::x_derivative);
  derivative("y_derivative", &Bifourier::y_derivative);
  derivative("laplacian", &Bifourier::laplacian);
  derivative("inverse_laplacian", &Bifourier::inverse_laplacian);
}

}  // namespace

void bind_bifourier(nb::module_& m) {
  Class type(m, "Bifourier");
  type.def(
          "__init__",
          [](Bifourier* self, const std::pair<int, int>& n, const std::pair<double, double>& lengths,
             const std::pair<int, int>& last, const std::string& shape,
             int group) { new (self) Bifourier(plane_of(n, lengths), truncation_of(last, shape), group); },
          Released())
      .def(
          "__init__",
          [](Bifourier* self, const comm::Communicator& comm, const std::pair<int, int>& sets,
             const std::pair<int, int>& n, const std::pair<double, double>& lengths,
             const std::pair<int, int>& last, const std::string& shape, int group) {
            new (self) Bifourier(comm, {sets.first, sets.second}, plane_of(n, lengths),
                                 truncation_of(last, shape), group);
          },
          Released())
      .def("waves",
           [](const Bifourier& t, int v, int w) {
             std::vector<int> m, n;
             for (const auto& wave : t.sets().waves(v, w)) m.push_back(wave.m), n.push_back(wave.n);
             return std::pair(to_numpy(std::move(m)), to_numpy(std::move(n)));
           })
      .def("last_n", [](const Bifourier& t) {
        std::vector<int> last;
        for (int m = 0; m <= t.truncation().last_x(); ++m) last.push_back(t.truncation().last(m));
        return to_numpy(std::move(last));
      });
  bind_derivatives(type);
}
