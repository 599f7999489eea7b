#include "halcyon/capi/statistics.hpp"
#include "halcyon/capi/transform_handles.hpp"
#include "halcyon/capi/transform_options.hpp"
#include "halcyon/capi/transform_tuning.hpp"

using namespace halcyon;
using namespace halcyon::capi;
using transform::Transform;

namespace {

transform::Options stages_of(const halcyon_transform_options& options) {
  return {options.radius, static_cast<std::size_t>(options.memory), options.group};
}

}  // namespace

int halcyon_transform_create(const halcyon_grid* grid, int32_t truncation,
                             const halcyon_transform_options* options, halcyon_transform** transform) {
  return guarded([&] {
    auto& into = given(transform, "transform");
    into = new halcyon_transform(
        Transform(given(grid, "grid").grid, truncation, stages_of(options_of(options))));
  });
}

int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                    const halcyon_transform_options* options, halcyon_transform** transform) {
  return guarded([&] {
    auto& into = given(transform, "transform");
    const auto& on = given(grid, "grid").grid;
    const auto over = comm::Communicator::from_fortran(comm);
    halcyon_transform_options ours{};
    over.agree([&] { ours = options_of(options); });
    const auto core = core_of(over, ours);
    const auto how = communication_of(over, core, ours);
    into = new halcyon_transform(
        Transform(over, sets_of(ours, over.size()), on, truncation, stages_of(ours), how), Ranks{over, core});
  });
}

int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held) {
  return guarded([&] {
    const auto& ours = given(transform, "transform");
    given(held, "held") = {.v = ours.transform.v(),
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
    const auto& ours = given(transform, "transform").transform;
    require<InternalError>(n_fields >= 0, "The count of fields is {}, but must be at least 0.", n_fields);
    const transform::FieldGroups fields{n_fields, ours.sets().counts().v, 1};
    given(first, "first") = fields.first(ours.v());
    given(n, "n") = fields.size(ours.v());
  });
}

int halcyon_transform_synthesis(halcyon_transform* transform, int64_t n_coefficients,
                                const double* coefficients, int64_t n_values, double* values) {
  return guarded([&] {
    given(transform, "transform")
        .transform.synthesis(coefficients_of(coefficients, n_coefficients, "coefficients"),
                             given_list(values, n_values, "values"));
  });
}

int halcyon_transform_analysis(halcyon_transform* transform, int64_t n_values, const double* values,
                               int64_t n_coefficients, double* coefficients) {
  return guarded([&] {
    given(transform, "transform")
        .transform.analysis(given_list(values, n_values, "values"),
                            coefficients_of(coefficients, n_coefficients, "coefficients"));
  });
}

int halcyon_transform_winds(halcyon_transform* transform, int64_t n_vorticity, const double* vorticity,
                            int64_t n_divergence, const double* divergence, int64_t n_u, double* u,
                            int64_t n_v, double* v) {
  return guarded([&] {
    given(transform, "transform")
        .transform.winds(coefficients_of(vorticity, n_vorticity, "vorticity"),
                         coefficients_of(divergence, n_divergence, "divergence"), given_list(u, n_u, "u"),
                         given_list(v, n_v, "v"));
  });
}

int halcyon_transform_vorticity_divergence(halcyon_transform* transform, int64_t n_u, const double* u,
                                           int64_t n_v, const double* v, int64_t n_vorticity,
                                           double* vorticity, int64_t n_divergence, double* divergence) {
  return guarded([&] {
    given(transform, "transform")
        .transform.vorticity_divergence(given_list(u, n_u, "u"), given_list(v, n_v, "v"),
                                        coefficients_of(vorticity, n_vorticity, "vorticity"),
                                        coefficients_of(divergence, n_divergence, "divergence"));
  });
}

int halcyon_transform_gradient(halcyon_transform* transform, int64_t n_coefficients,
                               const double* coefficients, int64_t n_east, double* east, int64_t n_north,
                               double* north) {
  return guarded([&] {
    given(transform, "transform")
        .transform.gradient(coefficients_of(coefficients, n_coefficients, "coefficients"),
                            given_list(east, n_east, "east"), given_list(north, n_north, "north"));
  });
}

int halcyon_transform_laplacian(const halcyon_transform* transform, int64_t n_coefficients,
                                const double* coefficients, int64_t n_laplacian, double* laplacian) {
  return guarded([&] {
    given(transform, "transform")
        .transform.laplacian(coefficients_of(coefficients, n_coefficients, "coefficients"),
                             coefficients_of(laplacian, n_laplacian, "the Laplacian"));
  });
}

int halcyon_transform_inverse_laplacian(const halcyon_transform* transform, int64_t n_laplacian,
                                        const double* laplacian, int64_t n_coefficients,
                                        double* coefficients) {
  return guarded([&] {
    given(transform, "transform")
        .transform.inverse_laplacian(coefficients_of(laplacian, n_laplacian, "the Laplacian"),
                                     coefficients_of(coefficients, n_coefficients, "coefficients"));
  });
}

int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* found) {
  return guarded([&] {
    auto& ours = given(transform, "transform");
    const auto& sets = ours.transform.sets();
    const transform::FieldGroups fields{n_fields, sets.counts().v, 1};
    tune(ours, n_fields, fields.size(ours.transform.v()) * ours.degrees.size(), repetitions, found);
  });
}

int halcyon_transform_statistics(const halcyon_transform* transform, halcyon_statistics* statistics) {
  return guarded([&] {
    given(statistics, "statistics") = statistics_of(given(transform, "transform").transform.statistics());
  });
}

void halcyon_transform_free(halcyon_transform* transform) {
  delete transform;
}
