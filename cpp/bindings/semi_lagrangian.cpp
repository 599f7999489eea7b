#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/semi_lagrangian/advection.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::semi_lagrangian;
using Released = nb::call_guard<nb::gil_scoped_release>;
using Numbers = Input<double>;
using Field = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

/// (point, 2): longitude and colatitude.
auto points_array(const std::vector<Point>& points) {
  std::vector<std::array<double, 2>> pairs;
  for (const auto& [longitude, colatitude] : points) pairs.push_back({longitude, colatitude});
  return to_numpy(std::move(pairs));
}

void depart(Advection& self, const Numbers& longitudes, const Numbers& colatitudes) {
  std::vector<Point> points(std::min(longitudes.size(), colatitudes.size()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {longitudes.data()[i], colatitudes.data()[i]};
  self.depart(points);
}

std::vector<std::span<double>> spans_of(const std::vector<Field>& arrays) {
  std::vector<std::span<double>> fields;
  for (const auto& array : arrays) fields.emplace_back(array.data(), array.size());
  return fields;
}

void advance(Advection& self, const std::vector<Field>& arrays) {
  const auto fields = spans_of(arrays);
  const nb::gil_scoped_release released;
  self.advance(fields);
}

void step(Advection& self, const Numbers& u, const Numbers& v, double step, int iterations,
          const std::vector<Field>& arrays) {
  const auto fields = spans_of(arrays);
  const nb::gil_scoped_release released;
  self.step(span_of(u), span_of(v), step, iterations, fields);
}

auto wide_volumes_of(const transform::Grid& grid, Rank px, Rank py, int width, std::int64_t column_bytes,
                     int threads) {
  schedule::Volumes found;
  {
    const nb::gil_scoped_release released;
    found = wide_volumes(Rows(grid), Division(grid, px, py), width, column_bytes, threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.peers)),
                        to_numpy(std::move(found.messages)), to_numpy(std::move(found.bytes)));
}

}  // namespace

void bind_semi_lagrangian(nb::module_& m) {
  const auto names = [](const auto& table) {
    std::vector<std::string> found;
    for (const auto& [name, value] : table) found.emplace_back(name);
    return found;
  };
  m.def("halos", [=] { return names(kHalos); });
  m.def("interpolations", [=] { return names(kInterpolations); });
  m.def("width_for", [](const transform::Grid& grid, double angle) { return width_for(Rows(grid), angle); });
  m.def("wide_volumes", &wide_volumes_of, nb::arg("grid"), nb::arg("px"), nb::arg("py"), nb::arg("width"),
        nb::arg("column_bytes"), nb::arg("threads"));
  nb::class_<Costs>(m, "Costs", "Seconds that the steps have taken on this rank so far.")
      .def_ro("plan_s", &Costs::plan_s)
      .def_ro("start_s", &Costs::start_s)
      .def_ro("wait_s", &Costs::wait_s)
      .def_ro("interpolate_s", &Costs::interpolate_s);
  nb::class_<Advection>(m, "Advection")
      .def(
          "__init__",
          [](Advection* self, const comm::Communicator& comm, const transform::Grid& grid, Rank px, Rank py,
             int n_fields, int n_levels, int n_groups, const std::string& halo, int width,
             const std::string& interpolation, bool monotone, const std::string& method, double radius,
             std::shared_ptr<comm::Progress> progress) {
            const Options options{.sizes = {n_fields, n_levels, n_groups},
                                  .halo = halo_named(halo),
                                  .width = width,
                                  .interpolation = interpolation_named(interpolation),
                                  .monotone = monotone,
                                  .method = comm::method_named(method),
                                  .radius = radius};
            new (self) Advection(comm, grid, Division(grid, px, py), options, std::move(progress));
          },
          nb::arg("comm"), nb::arg("grid"), nb::arg("px"), nb::arg("py"), nb::arg("n_fields"),
          nb::arg("n_levels"), nb::arg("n_groups"), nb::arg("halo"), nb::arg("width"),
          nb::arg("interpolation"), nb::arg("monotone"), nb::arg("method"), nb::arg("radius"),
          nb::arg("progress").none(), Released())
      .def(
          "communicate",
          [](Advection& self, int n_groups, const std::string& method,
             std::shared_ptr<comm::Progress> progress) {
            self.communicate(n_groups, comm::method_named(method), std::move(progress));
          },
          nb::arg("n_groups"), nb::arg("method"), nb::arg("progress").none(), Released())
      .def_prop_ro(
          "arrivals", [](const Advection& self) { return points_array(self.arrivals()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "departures", [](const Advection& self) { return points_array(self.departures()); },
          nb::rv_policy::move)
      .def(
          "follow",
          [](Advection& self, const Numbers& u, const Numbers& v, double step, int iterations) {
            self.follow(span_of(u), span_of(v), step, iterations);
          },
          nb::arg("u"), nb::arg("v"), nb::arg("step"), nb::arg("iterations"), Released())
      .def("depart", &depart, Released())
      .def("advance", &advance)
      .def("step", &step)
      .def_prop_ro("costs", &Advection::costs)
      .def_prop_ro("received_bytes", &Advection::received_bytes)
      .def_prop_ro("n_halo", &Advection::n_halo)
      .def_prop_ro("n_neighbours", &Advection::n_neighbours);
}
