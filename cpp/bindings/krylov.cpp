#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <ranges>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/krylov/gcr.hpp"
#include "halcyon/krylov/helmholtz.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::krylov;

/// A linear map implemented in C++: solvers apply it without calls into Python.
struct Map {
  Apply apply;
  std::size_t size = 0;
};

template <class T>
Map make_map(std::shared_ptr<T> object) {
  const auto size = object->size();
  return {[object](Numbers x, std::span<double> y) { object->apply(x, y); }, size};
}

template <class T>
Map make_map(T object) {
  return make_map(std::make_shared<T>(std::move(object)));
}

std::vector<double> apply_map(const Map& map, Numbers x) {
  require<ConfigError>(x.size() == map.size, "A vector of {} items is given to a linear map of size {}.",
                       x.size(), map.size);
  std::vector<double> y(map.size);
  map.apply(x, y);
  return y;
}

/// Computes y = function(x) in Python. Throws RunError with the text of a Python exception.
void call_python(const nb::callable& function, Numbers x, std::span<double> y) {
  const nb::gil_scoped_acquire gil;
  try {
    const auto result = nb::cast<Input<double>>(function(to_numpy(std::vector<double>(x.begin(), x.end()))));
    require<InternalError>(result.size() == y.size(), "A linear map returned {} items instead of {}.",
                           result.size(), y.size());
    std::ranges::copy(span_of(result), y.begin());
  } catch (const nb::python_error& error) {
    throw RunError(nb::str(error.value()).c_str());
  }
}

/// Converts a `Map` or a Python function; None becomes the identity.
Apply make_apply(nb::handle map) {
  if (map.is_none()) return [](Numbers x, std::span<double> y) { std::ranges::copy(x, y.begin()); };
  if (nb::isinstance<Map>(map)) return nb::cast<Map&>(map).apply;
  return [function = nb::borrow<nb::callable>(map)](Numbers x, std::span<double> y) {
    call_python(function, x, y);
  };
}

Result solve(Gcr& self, nb::handle a, nb::handle preconditioner, Numbers b, std::span<double> x) {
  const auto apply_a = make_apply(a), apply_preconditioner = make_apply(preconditioner);
  const nb::gil_scoped_release released;
  return self.solve(apply_a, apply_preconditioner, b, x);
}

/// Names of the outcomes, in the order of Outcome.
constexpr const char* kOutcomes[] = {"converged",  "most_iterations", "stagnated",
                                     "no_descent", "dependent",       "not_finite"};

void bind_result(nb::module_& m) {
  nb::class_<Result>(m, "Result")
      .def_prop_ro("outcome", [](const Result& self) { return kOutcomes[static_cast<int>(self.outcome)]; })
      .def_prop_ro("explanation", [](const Result& self) { return explanation(self.outcome); })
      .def(arrays<&Result::residuals>())
      .def(properties<&Result::residual, &Result::n_operator_calls, &Result::n_preconditioner_calls,
                      &Result::n_allreduces, &Result::n_exposed, &Result::n_replaced, &Result::waited_s>());
}

void bind_helmholtz(nb::module_& m) {
  nb::class_<Helmholtz>(m, "Helmholtz")
      .def(nb::init<const comm::Communicator&, std::int64_t, std::int64_t, double>(), "comm"_a,
           "n_latitudes"_a, "n_longitudes"_a, "length_squared"_a, ReleaseGil())
      .def(properties<&Helmholtz::first_row, &Helmholtz::n_rows>())
      .def_static(
          "operator", [](std::shared_ptr<Helmholtz> self) { return make_map(std::move(self)); },
          "helmholtz"_a)
      .def("jacobi", [](const Helmholtz& self) { return make_map(self.jacobi()); })
      .def("zonal_line", [](const Helmholtz& self) { return make_map(self.zonal_line()); });
}

}  // namespace

void bind_krylov(nb::module_& m) {
  m.def("variants", [] { return texts(kVariants | std::views::transform(&VariantName::name)); });
  nb::class_<Map>(m, "Map", "A linear map, implemented in C++, of vectors of the items that this rank owns.")
      .def_ro("size", &Map::size)
      .def("__call__", [](const Map& self, Numbers x) { return to_numpy(apply_map(self, x)); });
  m.def("jacobi", [](Numbers diagonal) { return make_map(Jacobi(diagonal)); });
  m.def(
      "zonal_line",
      [](std::size_t n_rows, std::size_t n_items, Numbers lower, Numbers diagonal, Numbers upper) {
        return make_map(ZonalLine({n_rows, n_items, lower, diagonal, upper}));
      },
      "n_rows"_a, "n_items"_a, "lower"_a, "diagonal"_a, "upper"_a);
  bind_result(m);
  bind_helmholtz(m);
  nb::class_<Gcr>(m, "Gcr")
      .def(init_from([](const comm::Communicator& comm, std::size_t n_owned, const std::string& variant,
                        int k, double tolerance, int most_iterations, int replace_every, Rank radix) {
             return Gcr(comm, n_owned,
                        {variant_named(variant), k, tolerance, most_iterations, replace_every, radix});
           }),
           "comm"_a, "n_owned"_a, "variant"_a, "k"_a, "tolerance"_a, "most_iterations"_a, "replace_every"_a,
           "radix"_a, ReleaseGil())
      .def("solve", &solve, "operator"_a, "preconditioner"_a.none(), "b"_a, "x"_a);
}
