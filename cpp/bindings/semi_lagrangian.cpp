#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <ranges>

#include "arrays.hpp"
#include "halcyon/semi_lagrangian/advection.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::semi_lagrangian;

using Fields = std::vector<std::span<double>>;

/// Returns an array (point, 2) of longitudes and colatitudes [rad].
auto points_array(const std::vector<Point>& points) {
  std::vector<std::array<double, 2>> pairs;
  for (const auto& [longitude, colatitude] : points) pairs.push_back({longitude, colatitude});
  return to_numpy(std::move(pairs));
}

void set_departures(Advection& self, Numbers longitudes, Numbers colatitudes) {
  std::vector<Point> points(std::min(longitudes.size(), colatitudes.size()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {longitudes[i], colatitudes[i]};
  self.set_departures(points);
}

auto wide_volumes_of(const transform::Grid& grid, const Division& division, int width,
                     std::int64_t column_bytes, int threads) {
  auto volumes = without_gil(
      [&] { return wide_volumes(semi_lagrangian::Rows(grid), division, width, column_bytes, threads); });
  return to_tuple(std::move(volumes.offsets), std::move(volumes.peers), std::move(volumes.messages),
                  std::move(volumes.bytes));
}

}  // namespace

void bind_semi_lagrangian(nb::module_& m) {
  m.def("halos", [] { return texts(std::views::keys(kHaloKinds)); });
  m.def("interpolations", [] { return texts(std::views::keys(kInterpolations)); });
  m.def("width_for", [](const transform::Grid& grid, double angle) {
    return width_for(semi_lagrangian::Rows(grid), angle);
  });
  m.def(
      "wide_volumes",
      [](const transform::Grid& grid, Rank px, Rank py, int width, std::int64_t column_bytes, int threads) {
        return wide_volumes_of(grid, Division(grid, px, py), width, column_bytes, threads);
      },
      "grid"_a, "px"_a, "py"_a, "width"_a, "column_bytes"_a, "threads"_a);
  m.def(
      "wide_volumes_of_sets",
      [](const transform::Grid& grid, std::vector<Rank> w_of_row, const std::pair<int, int>& sets, int width,
         std::int64_t column_bytes, int threads) {
        const Division division(grid, std::move(w_of_row), {sets.first, sets.second});
        return wide_volumes_of(grid, division, width, column_bytes, threads);
      },
      "grid"_a, "w_of_row"_a, "sets"_a, "width"_a, "column_bytes"_a, "threads"_a);
  nb::class_<Costs>(m, "Costs", "Accumulated wall times of the steps on this rank [s].")
      .def(properties<&Costs::plan_s, &Costs::start_s, &Costs::wait_s, &Costs::interpolate_s>());
  nb::class_<Advection>(m, "Advection")
      .def(init_from([](const comm::Communicator& comm, const transform::Grid& grid, Rank px, Rank py,
                        int n_fields, int n_levels, int n_groups, const std::string& halo, int width,
                        const std::string& interpolation, bool monotone, const std::string& method,
                        double radius, std::shared_ptr<comm::Progress> progress) {
             const Options options{.sizes = {n_fields, n_levels, n_groups},
                                   .halo = halo_named(halo),
                                   .width = width,
                                   .interpolation = interpolation_named(interpolation),
                                   .monotone = monotone,
                                   .method = comm::method_named(method),
                                   .radius = radius};
             return Advection(comm, grid, Division(grid, px, py), options, std::move(progress));
           }),
           "comm"_a, "grid"_a, "px"_a, "py"_a, "n_fields"_a, "n_levels"_a, "n_groups"_a, "halo"_a, "width"_a,
           "interpolation"_a, "monotone"_a, "method"_a, "radius"_a, "progress"_a.none(), ReleaseGil())
      .def(
          "set_exchange",
          [](Advection& self, int n_groups, const std::string& method,
             std::shared_ptr<comm::Progress> progress) {
            self.set_exchange(n_groups, comm::method_named(method), std::move(progress));
          },
          "n_groups"_a, "method"_a, "progress"_a.none(), ReleaseGil())
      .def_prop_ro(
          "arrivals", [](const Advection& self) { return points_array(self.arrivals()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "departures", [](const Advection& self) { return points_array(self.departures()); },
          nb::rv_policy::move)
      .def("find_departures", &Advection::find_departures, "u"_a, "v"_a, "step"_a, "iterations"_a,
           ReleaseGil())
      .def("set_departures", &set_departures, ReleaseGil())
      .def(
          "advance", [](Advection& self, const Fields& fields) { self.advance(fields); }, ReleaseGil())
      .def(
          "step",
          [](Advection& self, Numbers u, Numbers v, double step, int iterations, const Fields& fields) {
            self.step(u, v, step, iterations, fields);
          },
          ReleaseGil())
      .def(properties<&Advection::costs, &Advection::received_bytes, &Advection::n_halo,
                      &Advection::n_neighbours>());
}
