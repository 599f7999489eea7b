#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/krylov/gcr.hpp"
#include "halcyon/krylov/helmholtz.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::krylov;
using Numbers = Input<double>;

/// A linear map of this library, which Python hands on without calling it.
struct Map {
  Apply apply;
  std::size_t size = 0;
};

template <class T>
Map map_of(std::shared_ptr<T> object) {
  const auto size = object->size();
  return {[object](std::span<const double> x, std::span<double> y) { object->apply(x, y); }, size};
}

template <class T>
Map map_of(T object) {
  return map_of(std::make_shared<T>(std::move(object)));
}

std::vector<double> applied(const Map& map, const Numbers& x) {
  require<ConfigError>(x.size() == map.size, "A vector of {} items is given to a map of {}.", x.size(),
                       map.size);
  std::vector<double> y(map.size);
  map.apply(span_of(x), y);
  return y;
}

/// Its error keeps the text that Python gave it.
void call(const nb::callable& function, std::span<const double> x, std::span<double> y) {
  const nb::gil_scoped_acquire held;
  try {
    const auto result = nb::cast<Numbers>(function(to_numpy(std::vector<double>(x.begin(), x.end()))));
    require<InternalError>(result.size() == y.size(), "A map returned {} items of {}.", result.size(),
                           y.size());
    std::ranges::copy(span_of(result), y.begin());
  } catch (const nb::python_error& error) {
    throw RunError(nb::str(error.value()).c_str());
  }
}

Apply apply_of(nb::handle map) {
  if (map.is_none())
    return [](std::span<const double> x, std::span<double> y) { std::ranges::copy(x, y.begin()); };
  if (nb::isinstance<Map>(map)) return nb::cast<Map&>(map).apply;
  return [function = nb::borrow<nb::callable>(map)](std::span<const double> x, std::span<double> y) {
    call(function, x, y);
  };
}

Result solve(Gcr& self, nb::handle a, nb::handle m, const Numbers& b,
             const nb::ndarray<double, nb::c_contig, nb::device::cpu>& x) {
  const auto by_a = apply_of(a), by_m = apply_of(m);
  const nb::gil_scoped_release released;
  return self.solve(by_a, by_m, span_of(b), {x.data(), x.size()});
}

std::string name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::most_iterations:
      return "most_iterations";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::no_descent:
      return "no_descent";
    case Outcome::dependent:
      return "dependent";
    case Outcome::not_finite:
      break;
  }
  return "not_finite";
}

void bind_result(nb::module_& m) {
  nb::class_<Result>(m, "Result")
      .def_prop_ro("outcome", [](const Result& self) { return name_of(self.outcome); })
      .def_prop_ro("explanation", [](const Result& self) { return explanation(self.outcome); })
      .def_prop_ro(
          "residuals", [](const Result& self) { return to_numpy(self.residuals); }, nb::rv_policy::automatic)
      .def_ro("residual", &Result::residual)
      .def_ro("n_operator", &Result::n_operator)
      .def_ro("n_preconditioner", &Result::n_preconditioner)
      .def_ro("n_allreduces", &Result::n_allreduces)
      .def_ro("n_exposed", &Result::n_exposed)
      .def_ro("n_replaced", &Result::n_replaced)
      .def_ro("waited_s", &Result::waited_s);
}

void bind_helmholtz(nb::module_& m) {
  using Released = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Helmholtz>(m, "Helmholtz")
      .def(nb::init<const comm::Communicator&, std::int64_t, std::int64_t, double>(), nb::arg("comm"),
           nb::arg("n_latitudes"), nb::arg("n_longitudes"), nb::arg("length_squared"), Released())
      .def_prop_ro("first_row", &Helmholtz::first_row)
      .def_prop_ro("n_rows", &Helmholtz::n_rows)
      .def_static(
          "operator", [](std::shared_ptr<Helmholtz> self) { return map_of(std::move(self)); }, nb::arg("of"))
      .def("jacobi", [](const Helmholtz& self) { return map_of(self.jacobi()); })
      .def("zonal_line", [](const Helmholtz& self) { return map_of(self.zonal_line()); });
}

}  // namespace

void bind_krylov(nb::module_& m) {
  m.def("variants", [] {
    std::vector<std::string> names;
    for (const auto& each : kVariants) names.emplace_back(each.name);
    return names;
  });
  nb::class_<Map>(m, "Map", "A linear map of Halcyon's own, of vectors of the items that this rank owns.")
      .def_ro("size", &Map::size)
      .def("__call__", [](const Map& self, const Numbers& x) { return to_numpy(applied(self, x)); });
  m.def("jacobi", [](const Numbers& diagonal) { return map_of(Jacobi(span_of(diagonal))); });
  m.def(
      "zonal_line",
      [](std::size_t n_rows, std::size_t n_items, const Numbers& lower, const Numbers& diagonal,
         const Numbers& upper) {
        return map_of(ZonalLine({n_rows, n_items, span_of(lower), span_of(diagonal), span_of(upper)}));
      },
      nb::arg("n_rows"), nb::arg("n_items"), nb::arg("lower"), nb::arg("diagonal"), nb::arg("upper"));
  bind_result(m);
  bind_helmholtz(m);
  nb::class_<Gcr>(m, "Gcr")
      .def(
          "__init__",
          [](Gcr* self, const comm::Communicator& comm, std::size_t n_owned, const std::string& variant,
             int k, double tolerance, int most_iterations, int replace_every, Rank radix) {
            new (self) Gcr(comm, n_owned,
                           {variant_named(variant), k, tolerance, most_iterations, replace_every, radix});
          },
          nb::arg("comm"), nb::arg("n_owned"), nb::arg("variant"), nb::arg("k"), nb::arg("tolerance"),
          nb::arg("most_iterations"), nb::arg("replace_every"), nb::arg("radix"),
          nb::call_guard<nb::gil_scoped_release>())
      .def("solve", &solve, nb::arg("operator"), nb::arg("preconditioner").none(), nb::arg("b"),
           nb::arg("x"));
}
