#include <optional>

#include "halcyon/capi/exchange_options.hpp"

using namespace halcyon;
using namespace halcyon::capi;
using transform::Bifourier;
using transform::Transform;

namespace {

/// The options of the caller, or the defaults. @throws ConfigError for negative memory
halcyon_transform_options options_of(const halcyon_transform_options* options) {
  halcyon_transform_options chosen;
  halcyon_transform_options_default(&chosen);
  if (options != nullptr) chosen = *options;
  require<ConfigError>(chosen.memory >= 0, "memory of {} bytes was given. Give 0 or more.", chosen.memory);
  return chosen;
}

transform::SetCounts sets_of(const halcyon_transform_options& options, Rank n_ranks) {
  if (options.v == 0 && options.w == 0) return {1, n_ranks};
  return {options.v, options.w};
}

/// Collective. @throws ConfigError, on all ranks, for unknown names
transform::ExchangeSettings settings_of(const comm::Communicator& comm, const comm::CoreBinding& core,
                                        const halcyon_transform_options& options) {
  transform::ExchangeSettings settings{.groups = options.groups, .ahead = options.ahead};
  comm.agree([&] {
    settings.algorithm = schedule::alltoall_method_named(checked_text(options.algorithm, "algorithm"));
    settings.method = comm::method_named(checked_text(options.method, "method"));
  });
  settings.progress = progress_of(comm, core, options.progress);
  return settings;
}

/// Collective. Tunes the exchange and writes the fastest settings to `best`, unless it is NULL.
void tune(transform::SharedTransform& transform, std::optional<SharedRanks>& shared, std::int32_t n_fields,
          std::size_t n_coefficients, std::int32_t repetitions, halcyon_tried* best) {
  require<ConfigError>(
      shared.has_value(),
      "A transform on one rank exchanges no messages. Tune a transform that several ranks share.");
  auto& [comm, core, algorithm] = *shared;
  const transform::TuningCandidates candidates{.progress = transform::all_progress(comm, core),
                                               .repetitions = repetitions};
  const auto tried = transform::tune(transform, comm, candidates, n_fields, n_coefficients);
  if (best != nullptr) *best = found_settings(tried, algorithm);
}

/// The first of n_fields fields of which this rank has coefficients, and their number.
std::pair<int, int> fields_of(const Transform& transform, std::int32_t n_fields) {
  if (transform.shares_coefficients()) return {0, n_fields};
  const transform::FieldGroups fields{n_fields, transform.sets().counts().v, 1};
  return {fields.first(transform.v()), fields.size(transform.v())};
}

transform::Options computation_options(const halcyon_transform_options& options) {
  return {options.radius, static_cast<std::size_t>(options.memory), options.group,
          options.share_coefficients != 0};
}

transform::Plane plane_of(const halcyon_plane* plane) {
  const auto& [nx, ny, length_x, length_y] = checked(plane, "plane");
  return {nx, ny, length_x, length_y};
}

transform::PlaneTruncation truncation_of(int32_t last_m, int32_t last_n, const char* shape) {
  return {last_m, last_n, transform::plane_shape_named(checked_text(shape, "shape"))};
}

}  // namespace

void halcyon_transform_options_default(halcyon_transform_options* options) {
  const transform::Options defaults;
  *options = {.radius = defaults.radius,
              .memory = static_cast<std::int64_t>(defaults.memory_bytes),
              .group = defaults.max_batch,
              .v = 0,
              .w = 0,
              .groups = 1,
              .ahead = 1,
              .method = "isend_irecv",
              .algorithm = "burst",
              .progress = "none",
              .core = "auto",
              .share_coefficients = 0};
}

int halcyon_grid_create(int32_t n_rows, const int32_t* row_lengths, halcyon_grid** grid) {
  return guarded([&] {
    auto& out = checked(grid, "grid");
    const auto lengths = checked_span(row_lengths, n_rows, "row_lengths");
    out = new halcyon_grid{transform::Grid({lengths.begin(), lengths.end()})};
  });
}

int halcyon_grid_rows(const halcyon_grid* grid, halcyon_rows* rows) {
  return guarded([&] {
    const auto& gaussian_grid = checked(grid, "grid").grid;
    const auto& latitudes = gaussian_grid.latitudes();
    checked(rows, "rows") = {.n_rows = gaussian_grid.n_rows(),
                             .n_points = static_cast<std::int64_t>(gaussian_grid.n_points()),
                             .row_lengths = gaussian_grid.row_lengths().data(),
                             .sines = latitudes.sines.data(),
                             .cosines = latitudes.cosines.data(),
                             .weights = latitudes.weights.data()};
  });
}

int halcyon_transform_create(const halcyon_grid* grid, int32_t truncation,
                             const halcyon_transform_options* options, halcyon_transform** transform) {
  return guarded([&] {
    auto& out = checked(transform, "transform");
    out = new halcyon_transform(
        Transform(checked(grid, "grid").grid, truncation, computation_options(options_of(options))));
  });
}

int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                    const halcyon_transform_options* options, halcyon_transform** transform) {
  return guarded([&] {
    auto& out = checked(transform, "transform");
    const auto& gaussian_grid = checked(grid, "grid").grid;
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_transform_options chosen{};
    communicator.agree([&] { chosen = options_of(options); });
    const auto core = core_of(communicator, chosen.core);
    const auto settings = settings_of(communicator, core, chosen);
    out = new halcyon_transform(Transform(communicator, sets_of(chosen, communicator.size()), gaussian_grid,
                                          truncation, computation_options(chosen), settings),
                                SharedRanks{communicator, core});
  });
}

int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held) {
  return guarded([&] {
    const auto& handle = checked(transform, "transform");
    checked(held, "held") = {.v = handle.transform.v(),
                             .w = handle.transform.w(),
                             .n_points = std::ssize(handle.points),
                             .n_coefficients = std::ssize(handle.degrees),
                             .points = handle.points.data(),
                             .wavenumbers = handle.wavenumbers.data(),
                             .degrees = handle.degrees.data()};
  });
}

int halcyon_transform_fields(const halcyon_transform* transform, int32_t n_fields, int32_t* first,
                             int32_t* n) {
  return guarded([&] {
    const auto& object = checked(transform, "transform").transform;
    require<InternalError>(n_fields >= 0, "The number of fields is {}, but must be at least 0.", n_fields);
    const auto [first_field, n_of_rank] = fields_of(object, n_fields);
    checked(first, "first") = first_field;
    checked(n, "n") = n_of_rank;
  });
}

int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* best) {
  return guarded([&] {
    auto& handle = checked(transform, "transform");
    tune(handle.transform, handle.shared, n_fields,
         fields_of(handle.transform, n_fields).second * handle.degrees.size(), repetitions, best);
  });
}

int halcyon_bifourier_create(const halcyon_plane* plane, int32_t last_m, int32_t last_n, const char* shape,
                             const halcyon_transform_options* options, halcyon_bifourier** bifourier) {
  return guarded([&] {
    auto& out = checked(bifourier, "bifourier");
    out = new halcyon_bifourier(
        Bifourier(plane_of(plane), truncation_of(last_m, last_n, shape), options_of(options).group));
  });
}

int halcyon_bifourier_create_shared(int32_t comm, const halcyon_plane* plane, int32_t last_m, int32_t last_n,
                                    const char* shape, const halcyon_transform_options* options,
                                    halcyon_bifourier** bifourier) {
  return guarded([&] {
    auto& out = checked(bifourier, "bifourier");
    const auto periodic_plane = plane_of(plane);
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_transform_options chosen{};
    std::optional<transform::PlaneTruncation> truncation;
    communicator.agree([&] {
      chosen = options_of(options);
      truncation = truncation_of(last_m, last_n, shape);
    });
    const auto core = core_of(communicator, chosen.core);
    const auto settings = settings_of(communicator, core, chosen);
    out = new halcyon_bifourier(Bifourier(communicator, sets_of(chosen, communicator.size()), periodic_plane,
                                          *truncation, chosen.group, settings),
                                SharedRanks{communicator, core});
  });
}

int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held) {
  return guarded([&] {
    const auto& handle = checked(bifourier, "bifourier");
    checked(held, "held") = {.v = handle.bifourier.v(),
                             .w = handle.bifourier.w(),
                             .n_points = std::ssize(handle.points),
                             .n_coefficients = std::ssize(handle.m),
                             .points = handle.points.data(),
                             .m = handle.m.data(),
                             .n = handle.n.data()};
  });
}

int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* best) {
  return guarded([&] {
    auto& handle = checked(bifourier, "bifourier");
    tune(handle.bifourier, handle.shared, n_fields, n_fields * handle.m.size(), repetitions, best);
  });
}
