#include <optional>

#include "halcyon/capi/handles.hpp"
#include "halcyon/transform/share/tuning.hpp"

using namespace halcyon;
using namespace halcyon::capi;
using transform::Bifourier;
using transform::Transform;

namespace {

/// The options of the caller, or the defaults. @throws ConfigError for negative memory
halcyon_transform_options options_of(const halcyon_transform_options* options) {
  halcyon_transform_options found;
  halcyon_transform_options_default(&found);
  if (options != nullptr) found = *options;
  require<ConfigError>(found.memory >= 0, "memory of {} bytes was given. Give 0 or more.", found.memory);
  return found;
}

transform::SetCounts sets_of(const halcyon_transform_options& options, Rank n_ranks) {
  if (options.v == 0 && options.w == 0) return {1, n_ranks};
  return {options.v, options.w};
}

/// Collective. Core of progress threads. @throws ConfigError, on all ranks, for an invalid core
comm::CoreBinding core_of(const comm::Communicator& comm, const halcyon_transform_options& options) {
  comm::CoreBinding core;
  comm.agree([&] { core = comm::core_binding_named(std::string(checked_text(options.core, "core"))); });
  return core;
}

/// Collective. @throws ConfigError, on all ranks, for unknown names
transform::ExchangeSettings communication_of(const comm::Communicator& comm, const comm::CoreBinding& core,
                                             const halcyon_transform_options& options) {
  transform::ExchangeSettings how{.groups = options.groups, .ahead = options.ahead};
  auto by = comm::ProgressMode::none;
  comm.agree([&] {
    how.algorithm = schedule::alltoall_method_named(checked_text(options.algorithm, "algorithm"));
    how.method = comm::method_named(checked_text(options.method, "method"));
    by = comm::progress_mode_named(checked_text(options.progress, "progress"));
  });
  how.progress = std::make_shared<comm::Progress>(comm, by, core);
  return how;
}

/// Collective. Tunes the exchange and writes the fastest settings to `found`, unless it is NULL.
void tune(transform::SharedTransform& transform, std::optional<SharedRanks>& shared, std::int32_t n_fields,
          std::size_t n_coefficients, std::int32_t repetitions, halcyon_tried* best) {
  require<ConfigError>(
      shared.has_value(),
      "A transform on one rank exchanges no messages. Tune a transform that several ranks share.");
  auto& [comm, core, algorithm] = *shared;
  const transform::TuningCandidates choices{.progress = transform::all_progress(comm, core),
                                            .repetitions = repetitions};
  const auto tried = transform::tune(transform, comm, choices, n_fields, n_coefficients);
  if (best == nullptr) return;
  const auto [how, seconds] = tried.empty() ? transform::TimedSettings{} : tried.front();
  algorithm = schedule::name_of(how.algorithm);
  const auto by = how.progress ? how.progress->mode() : comm::ProgressMode::none;
  *best = {how.groups, how.ahead, how.method->name.c_str(), algorithm.c_str(), comm::name_of(by).data(),
           seconds};
}

transform::Options stages_of(const halcyon_transform_options& options) {
  return {options.radius, static_cast<std::size_t>(options.memory), options.group};
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
  const transform::Options ours;
  *options = {.radius = ours.radius,
              .memory = static_cast<std::int64_t>(ours.memory_bytes),
              .group = ours.max_batch,
              .v = 0,
              .w = 0,
              .groups = 1,
              .ahead = 1,
              .method = "isend_irecv",
              .algorithm = "burst",
              .progress = "none",
              .core = "auto"};
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
    const auto& ours = checked(grid, "grid").grid;
    const auto& latitudes = ours.latitudes();
    checked(rows, "rows") = {.n_rows = ours.n_rows(),
                             .n_points = static_cast<std::int64_t>(ours.n_points()),
                             .row_lengths = ours.row_lengths().data(),
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
        Transform(checked(grid, "grid").grid, truncation, stages_of(options_of(options))));
  });
}

int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                    const halcyon_transform_options* options, halcyon_transform** transform) {
  return guarded([&] {
    auto& out = checked(transform, "transform");
    const auto& on = checked(grid, "grid").grid;
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_transform_options ours{};
    communicator.agree([&] { ours = options_of(options); });
    const auto core = core_of(communicator, ours);
    const auto how = communication_of(communicator, core, ours);
    out = new halcyon_transform(
        Transform(communicator, sets_of(ours, communicator.size()), on, truncation, stages_of(ours), how),
        SharedRanks{communicator, core});
  });
}

int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held) {
  return guarded([&] {
    const auto& ours = checked(transform, "transform");
    checked(held, "held") = {.v = ours.transform.v(),
                             .w = ours.transform.w(),
                             .n_points = std::ssize(ours.points),
                             .n_coefficients = std::ssize(ours.degrees),
                             .points = ours.points.data(),
                             .wavenumbers = ours.wavenumbers.data(),
                             .degrees = ours.degrees.data()};
  });
}

int halcyon_transform_fields(const halcyon_transform* transform, int32_t n_fields, int32_t* first,
                             int32_t* n) {
  return guarded([&] {
    const auto& ours = checked(transform, "transform").transform;
    require<InternalError>(n_fields >= 0, "The number of fields is {}, but must be at least 0.", n_fields);
    const transform::FieldGroups fields{n_fields, ours.sets().counts().v, 1};
    checked(first, "first") = fields.first(ours.v());
    checked(n, "n") = fields.size(ours.v());
  });
}

int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* best) {
  return guarded([&] {
    auto& ours = checked(transform, "transform");
    const auto& sets = ours.transform.sets();
    const transform::FieldGroups fields{n_fields, sets.counts().v, 1};
    tune(ours.transform, ours.shared, n_fields, fields.size(ours.transform.v()) * ours.degrees.size(),
         repetitions, best);
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
    const auto on = plane_of(plane);
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_transform_options ours{};
    std::optional<transform::PlaneTruncation> truncation;
    communicator.agree([&] {
      ours = options_of(options);
      truncation = truncation_of(last_m, last_n, shape);
    });
    const auto core = core_of(communicator, ours);
    const auto how = communication_of(communicator, core, ours);
    out = new halcyon_bifourier(
        Bifourier(communicator, sets_of(ours, communicator.size()), on, *truncation, ours.group, how),
        SharedRanks{communicator, core});
  });
}

int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held) {
  return guarded([&] {
    const auto& ours = checked(bifourier, "bifourier");
    checked(held, "held") = {.v = ours.bifourier.v(),
                             .w = ours.bifourier.w(),
                             .n_points = std::ssize(ours.points),
                             .n_coefficients = std::ssize(ours.m),
                             .points = ours.points.data(),
                             .m = ours.m.data(),
                             .n = ours.n.data()};
  });
}

int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* best) {
  return guarded([&] {
    auto& ours = checked(bifourier, "bifourier");
    tune(ours.bifourier, ours.shared, n_fields, n_fields * ours.m.size(), repetitions, best);
  });
}
