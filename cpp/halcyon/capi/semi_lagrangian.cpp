#include "halcyon/base/constants.hpp"
#include "halcyon/capi/exchange_options.hpp"
#include "halcyon/capi/handles.hpp"
#include "halcyon/transform/share/tuning.hpp"

using namespace halcyon;
using namespace halcyon::capi;
using semi_lagrangian::Advection;

namespace {

using Fields = std::vector<std::span<double>>;

/// The options of C++. @throws ConfigError for unknown names
semi_lagrangian::Options options_of(const halcyon_advection_options& options) {
  return {.sizes = {options.fields, options.levels, options.groups},
          .halo = semi_lagrangian::halo_named(checked_text(options.halo, "halo")),
          .width = options.width,
          .interpolation =
              semi_lagrangian::interpolation_named(checked_text(options.interpolation, "interpolation")),
          .monotone = options.monotone != 0,
          .method = comm::method_named(checked_text(options.method, "method")),
          .radius = options.radius};
}

/// The division of the grid. @throws ConfigError for an invalid one
semi_lagrangian::Division division_of(const transform::Grid& grid, const halcyon_advection_options& options,
                                      Rank n_ranks) {
  if (options.px == 0 && options.py == 0) return {grid, 1, n_ranks};
  return {grid, options.px, options.py};
}

/// Collective. The arrays of fields. @throws InternalError, on all ranks, unless all are float64
Fields fields_of(const halcyon_advection& handle, std::span<const halcyon_target> arrays) {
  Fields fields;
  handle.shared.comm.agree([&] {
    for (const auto& [variable, type, data, count] : arrays) {
      const auto name = checked_text(variable, "a field's variable");
      require<InternalError>(checked_type(type) == HALCYON_FLOAT64,
                             "The field {} is not float64. Advection needs fields of float64.", name);
      fields.push_back(checked_span(static_cast<double*>(data), count, name));
    }
  });
  return fields;
}

}  // namespace

void halcyon_advection_options_default(halcyon_advection_options* options) {
  const semi_lagrangian::Options defaults;
  *options = {.levels = defaults.sizes.n_levels,
              .fields = defaults.sizes.n_fields,
              .px = 0,
              .py = 0,
              .halo = "wide",
              .width = defaults.width,
              .interpolation = "quasi_cubic",
              .monotone = 0,
              .groups = defaults.sizes.n_groups,
              .method = "isend_irecv",
              .progress = "none",
              .core = "auto",
              .radius = defaults.radius};
}

int halcyon_advection_create(int32_t comm, const halcyon_grid* grid, const halcyon_advection_options* options,
                             halcyon_advection** advection) {
  return guarded([&] {
    auto& out = checked(advection, "advection");
    const auto& gaussian_grid = checked(grid, "grid").grid;
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_advection_options chosen{};
    halcyon_advection_options_default(&chosen);
    if (options != nullptr) chosen = *options;
    semi_lagrangian::Options converted;
    std::optional<semi_lagrangian::Division> division;
    communicator.agree([&] {
      converted = options_of(chosen);
      division = division_of(gaussian_grid, chosen, communicator.size());
    });
    const auto core = core_of(communicator, chosen.core);
    auto progress = progress_of(communicator, core, chosen.progress);
    out = new halcyon_advection(SharedRanks{communicator, core}, gaussian_grid, *division, converted,
                                std::move(progress));
  });
}

int halcyon_advection_width_for(const halcyon_grid* grid, double wind, double step, double radius,
                                int32_t* width) {
  return guarded([&] {
    const semi_lagrangian::Rows rows(checked(grid, "grid").grid);
    require<ConfigError>(
        std::isfinite(wind) && wind >= 0 && std::isfinite(step) && step > 0 && std::isfinite(radius) &&
            radius > 0,
        "The wind is {} m s-1, the step {} s and the radius {} m. Give a wind of 0 m s-1 or more, and a step "
        "and a radius above 0.",
        wind, step, radius);
    require<ConfigError>(
        wind * step < kTwoPi * radius,
        "A wind of {} m s-1 carries air around a planet of radius {} m in a step of {} s. Give "
        "shorter steps.",
        wind, radius, step);
    checked(width, "width") = semi_lagrangian::width_for(rows, wind * step / radius);
  });
}

int halcyon_advection_share(const halcyon_advection* advection, halcyon_advection_held* held) {
  return guarded([&] {
    const auto& handle = checked(advection, "advection");
    checked(held, "held") = {.n_points = std::ssize(handle.points),
                             .points = handle.points.data(),
                             .latitudes = handle.latitudes.data(),
                             .longitudes = handle.longitudes.data()};
  });
}

int halcyon_advection_set_departures(halcyon_advection* advection, int64_t n_latitudes,
                                     const double* latitudes, int64_t n_longitudes,
                                     const double* longitudes) {
  return guarded([&] {
    auto& handle = checked(advection, "advection");
    const auto north = checked_span(latitudes, n_latitudes, "latitudes"),
               east = checked_span(longitudes, n_longitudes, "longitudes");
    std::vector<semi_lagrangian::Point> points(north.size());
    handle.shared.comm.agree([&] {
      require<ConfigError>(north.size() == east.size(),
                           "{} latitudes and {} longitudes were given. Give the same number of both.",
                           north.size(), east.size());
    });
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = {east[i] * kDegree, (90 - north[i]) * kDegree};
    handle.advection.set_departures(points);
  });
}

int halcyon_advection_departures(const halcyon_advection* advection, int64_t n_latitudes, double* latitudes,
                                 int64_t n_longitudes, double* longitudes) {
  return guarded([&] {
    const auto& points = checked(advection, "advection").advection.departures();
    const auto north = checked_span(latitudes, n_latitudes, "latitudes"),
               east = checked_span(longitudes, n_longitudes, "longitudes");
    require<InternalError>(north.size() == points.size() && east.size() == points.size(),
                           "There are {} departure points on this rank, but arrays of {} latitudes and {} "
                           "longitudes were given.",
                           points.size(), north.size(), east.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double longitude = std::fmod(points[i].longitude * kDegreesPerRadian, 360);
      north[i] = 90 - points[i].colatitude * kDegreesPerRadian;
      east[i] = longitude < 0 ? longitude + 360 : longitude;
    }
  });
}

int halcyon_advection_advance(halcyon_advection* advection, int32_t n, const halcyon_target* fields) {
  return guarded([&] {
    auto& handle = checked(advection, "advection");
    handle.advection.advance(fields_of(handle, checked_span(fields, n, "fields")));
  });
}

int halcyon_advection_step(halcyon_advection* advection, int64_t n_u, const double* u, int64_t n_v,
                           const double* v, double step, int32_t iterations, int32_t n,
                           const halcyon_target* fields) {
  return guarded([&] {
    auto& handle = checked(advection, "advection");
    const auto eastward = checked_span(u, n_u, "u"), northward = checked_span(v, n_v, "v");
    handle.advection.step(eastward, northward, step, iterations,
                          fields_of(handle, checked_span(fields, n, "fields")));
  });
}

int halcyon_advection_start(halcyon_advection* advection, int32_t n, const halcyon_target* fields) {
  return guarded([&] {
    auto& handle = checked(advection, "advection");
    handle.advection.start_advance(fields_of(handle, checked_span(fields, n, "fields")));
  });
}

int halcyon_advection_tune(halcyon_advection* advection, int32_t repetitions, halcyon_tried* found) {
  return guarded([&] {
    auto& handle = checked(advection, "advection");
    auto& [comm, core, algorithm] = handle.shared;
    transform::TuningCandidates candidates{.methods = {},
                                           .algorithms = {{schedule::AlltoallAlgorithm::burst}},
                                           .ahead = {1},
                                           .progress = transform::all_progress(comm, core),
                                           .repetitions = repetitions};
    for (const auto& method : comm::methods())
      if (method.overlaps || method.copies_from_node_memory) candidates.methods.push_back(&method);
    std::erase_if(candidates.groups, [&](int groups) { return groups > handle.sizes.n_levels; });
    std::vector<std::vector<double>> zeros(handle.sizes.n_fields,
                                           std::vector<double>(handle.points.size() * handle.sizes.n_levels));
    const Fields fields(zeros.begin(), zeros.end());
    handle.advection.advance(fields);  // an error if there are no departure points
    const auto tried = transform::fastest(
        comm, {.largest_set = comm.size(), .max_groups = handle.sizes.n_levels}, candidates,
        [&](const transform::ExchangeSettings& settings) {
          handle.advection.set_exchange(settings.groups, settings.method, settings.progress);
        },
        [&] { handle.advection.advance(fields); });
    if (found != nullptr) *found = found_settings(tried, algorithm);
  });
}

int halcyon_advection_costs(const halcyon_advection* advection, halcyon_advection_costs_held* costs) {
  return guarded([&] {
    const auto& object = checked(advection, "advection").advection;
    const auto& [plan_s, start_s, wait_s, interpolate_s] = object.costs();
    checked(costs, "costs") = {.plan_s = plan_s,
                               .start_s = start_s,
                               .wait_s = wait_s,
                               .interpolate_s = interpolate_s,
                               .n_halo = object.n_halo(),
                               .n_neighbours = object.n_neighbours(),
                               .received_bytes = object.received_bytes()};
  });
}
