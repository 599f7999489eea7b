#include "halcyon/transform/sphere/transform.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

#include "bindings/transform/shared.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/sphere/grid.hpp"
#include "halcyon/transform/sphere/sets.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

Direction direction_named(const std::string& name) {
  require<ConfigError>(name == "synthesis" || name == "analysis",
                       "direction is '{}'. Use synthesis or analysis.", name);
  return name == "synthesis" ? Direction::synthesis : Direction::analysis;
}

void bind_shared_transform(nb::module_& m) {
  nb::class_<Times>(m, "Times",
                    "Wall times of transforms on a rank [s], and the messages and bytes that the rank sent.")
      .def(nb::self - nb::self)
      .def(properties<&Times::fourier_s, &Times::legendre_s, &Times::exchange_s, &Times::n_sent,
                      &Times::sent_bytes>());
  nb::class_<SharedTransform> type(m, "SharedTransform");
  bind_exchanges(type, [](const SharedTransform& t) -> const SharedTransform& { return t; });
  type.def(methods<&SharedTransform::synthesis, &SharedTransform::analysis>(), ReleaseGil())
      .def(
          "compute",
          [](SharedTransform& t, const std::string& direction, std::span<Complex> coefficients,
             std::span<double> values) { t.compute(direction_named(direction), coefficients, values); },
          ReleaseGil())
      .def(
          "schedule",
          [](const SharedTransform& t, const std::string& direction,
             int n_fields) -> schedule::SchedulePointer {
            return std::make_shared<schedule::Pipeline>(t.schedule(direction_named(direction), n_fields));
          },
          ReleaseGil())
      .def(properties<&SharedTransform::statistics, &SharedTransform::times>(), ReleaseGil())
      .def(properties<&SharedTransform::v, &SharedTransform::w, &SharedTransform::n_points>())
      .def("points",
           [](const SharedTransform& t, int v, int w) { return to_numpy(t.extents().points(v, w)); });
}

void bind_transform_grid(nb::module_& m) {
  nb::class_<Grid> type(m, "Grid");
  type.def(nb::init<std::vector<int>>(), "row_lengths"_a)
      .def_static("full", &Grid::full, "n_rows"_a, "n_longitudes"_a)
      .def_static("reduced", &Grid::reduced, "n_rows"_a, "truncation"_a, "points_per_wave"_a, "tolerance"_a,
                  "shortest"_a)
      .def_static("octahedral", &Grid::octahedral, "n"_a)
      .def("holds", &holds, "truncation"_a)
      .def(properties<&Grid::n_rows, &Grid::n_points>());
  const auto add_row_array = [&type](const char* name, auto get) {
    type.def_prop_ro(name, [get](const Grid& grid) { return to_numpy(get(grid)); }, nb::rv_policy::move);
  };
  add_row_array("row_lengths", [](const Grid& grid) { return grid.row_lengths(); });
  add_row_array("sines", [](const Grid& grid) { return grid.latitudes().sines; });
  add_row_array("cosines", [](const Grid& grid) { return grid.latitudes().cosines; });
  add_row_array("weights", [](const Grid& grid) { return grid.latitudes().weights; });
}

/// Binds the distribution of a transform over any numbers of ranks, which need not exist: for plans.
void bind_sphere_sets(nb::module_& m) {
  nb::class_<SphereSets>(m, "SphereSets")
      .def(init_from([](const Grid& grid, int truncation, const std::pair<int, int>& sets) {
             return SphereSets(grid, Stripes(grid, truncation), truncation, {sets.first, sets.second});
           }),
           "grid"_a, "truncation"_a, "sets"_a, ReleaseGil())
      .def_prop_ro("max_points",
                   [](const SphereSets& sets) {
                     std::size_t largest = 0;
                     for (int w = 0; w < sets.counts().w; ++w)
                       for (int v = 0; v < sets.counts().v; ++v)
                         largest = std::max(largest, sets.n_points(v, w));
                     return largest;
                   })
      .def_prop_ro(
          "coefficients",
          [](const SphereSets& sets) {
            std::vector<std::int64_t> sizes;  // (w)
            for (int w = 0; w < sets.counts().w; ++w) sizes.push_back(sets.coefficients(w).n);
            return to_numpy(std::move(sizes));
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "w_of_row",
          [](const SphereSets& sets) {
            std::map<int, int> owners;  // row: W set
            for (int w = 0; w < sets.counts().w; ++w)
              for (const int row : sets.rows(w)) owners[row] = w;
            std::vector<int> w_of_row;
            for (const auto& [row, w] : owners) w_of_row.push_back(w);
            return to_numpy(std::move(w_of_row));
          },
          nb::rv_policy::move)
      .def(
          "schedule",
          [](const std::shared_ptr<SphereSets>& sets, const std::string& direction, int n_fields,
             bool share_coefficients, const std::string& algorithm,
             int number_bytes) -> schedule::SchedulePointer {
            const FieldGroups fields{.n = n_fields, .n_sets = sets->counts().v, .n_groups = 1};
            const CallLayout layout{.direction = direction_named(direction),
                                    .sets = sets,
                                    .fields = fields,
                                    .share_coefficients = share_coefficients,
                                    .number_bytes = number_bytes};
            return std::make_shared<schedule::Pipeline>(
                pipeline(layout, schedule::alltoall_method_named(algorithm), /*ahead=*/0));
          },
          "direction"_a, "n_fields"_a, "share_coefficients"_a, "algorithm"_a, "number_bytes"_a = 8,
          ReleaseGil());
}

void bind_sphere(nb::module_& m) {
  nb::class_<Transform, SharedTransform>(m, "Transform")
      .def(init_from([](const Grid& grid, int truncation, double radius, std::size_t memory, int group) {
             return Transform(grid, truncation,
                              {.radius = radius, .memory_bytes = memory, .max_batch = group});
           }),
           "grid"_a, "truncation"_a, "radius"_a, "memory"_a, "group"_a, ReleaseGil())
      .def(init_from([](const comm::Communicator& comm, const std::pair<int, int>& sets, const Grid& grid,
                        int truncation, double radius, std::size_t memory, int group) {
             return Transform(comm, {sets.first, sets.second}, grid, truncation, {radius, memory, group});
           }),
           "comm"_a, "sets"_a, "grid"_a, "truncation"_a, "radius"_a, "memory"_a, "group"_a, ReleaseGil())
      .def_prop_ro("kept_bytes", &Transform::precomputed_bytes)
      .def(methods<&Transform::winds, &Transform::vorticity_divergence, &Transform::gradient>(), ReleaseGil())
      .def(methods<&Transform::laplacian, &Transform::inverse_laplacian>())
      // Distribution over the V x W sets.
      .def("wavenumbers",
           [](const Transform& t, int w) { return to_numpy(std::vector(t.sets().wavenumbers(w))); })
      .def("rows", [](const Transform& t, int w) { return to_numpy(t.sets().rows(w)); })
      .def("fields", [](const Transform& t, int n, int v) {
        const FieldGroups fields{n, t.sets().counts().v, 1};
        return std::pair(fields.first(v), fields.size(v));
      });
}

PlaneTruncation truncation_of(const std::pair<int, int>& largest_m_n, const std::string& shape) {
  return {largest_m_n.first, largest_m_n.second, plane_shape_named(shape)};
}

Plane plane_of(const std::pair<int, int>& nx_ny, const std::pair<double, double>& lengths) {
  return {nx_ny.first, nx_ny.second, lengths.first, lengths.second};
}

void bind_plane(nb::module_& m) {
  nb::class_<Bifourier, SharedTransform>(m, "Bifourier")
      .def(init_from([](const std::pair<int, int>& nx_ny, const std::pair<double, double>& lengths,
                        const std::pair<int, int>& truncation, const std::string& shape, int group) {
             return Bifourier(plane_of(nx_ny, lengths), truncation_of(truncation, shape), group);
           }),
           ReleaseGil())
      .def(init_from([](const comm::Communicator& comm, const std::pair<int, int>& sets,
                        const std::pair<int, int>& nx_ny, const std::pair<double, double>& lengths,
                        const std::pair<int, int>& truncation, const std::string& shape, int group) {
             return Bifourier(comm, {sets.first, sets.second}, plane_of(nx_ny, lengths),
                              truncation_of(truncation, shape), group);
           }),
           ReleaseGil())
      .def(methods<&Bifourier::x_derivative, &Bifourier::y_derivative, &Bifourier::laplacian,
                   &Bifourier::inverse_laplacian>(),
           ReleaseGil())
      .def("waves",
           [](const Bifourier& t, int v, int w) {
             std::vector<int> m, n;
             for (const auto& wave : t.sets().waves(v, w)) m.push_back(wave.m), n.push_back(wave.n);
             return std::pair(to_numpy(std::move(m)), to_numpy(std::move(n)));
           })
      .def("last_n", [](const Bifourier& t) {
        std::vector<int> last_n;  // (m)
        for (int m = 0; m <= t.truncation().largest_m(); ++m) last_n.push_back(t.truncation().largest_n(m));
        return to_numpy(std::move(last_n));
      });
}

}  // namespace

void bind_transform(nb::module_& m) {
  bind_shared_transform(m);
  bind_transform_grid(m);
  bind_sphere_sets(m);
  bind_sphere(m);
  bind_plane(m);
  bind_tuning(m);
}
