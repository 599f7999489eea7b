#include <optional>

#include "halcyon/capi/statistics.hpp"
#include "halcyon/capi/transform_handles.hpp"
#include "halcyon/capi/transform_options.hpp"
#include "halcyon/capi/transform_tuning.hpp"

using namespace halcyon;
using namespace halcyon::capi;
using transform::Bifourier;

namespace {

transform::Plane plane_of(const halcyon_plane* plane) {
  const auto& [nx, ny, length_x, length_y] = given(plane, "plane");
  return {nx, ny, length_x, length_y};
}

transform::PlaneTruncation truncation_of(int32_t last_m, int32_t last_n, const char* shape) {
  return {last_m, last_n, transform::plane_shape_named(given_text(shape, "shape"))};
}

using Derivative = void (Bifourier::*)(std::span<const Complex>, std::span<Complex>) const;

int derive(const halcyon_bifourier* bifourier, Derivative derivative, std::int64_t n_coefficients,
           const double* coefficients, std::int64_t n_derivative, double* into) {
  return guarded([&] {
    const auto& ours = given(bifourier, "bifourier").transform;
    const auto from = coefficients_of(coefficients, n_coefficients, "coefficients");
    (ours.*derivative)(from, coefficients_of(into, n_derivative, "the derivative"));
  });
}

}  // namespace

int halcyon_bifourier_create(const halcyon_plane* plane, int32_t last_m, int32_t last_n, const char* shape,
                             const halcyon_transform_options* options, halcyon_bifourier** bifourier) {
  return guarded([&] {
    auto& into = given(bifourier, "bifourier");
    into = new halcyon_bifourier(
        Bifourier(plane_of(plane), truncation_of(last_m, last_n, shape), options_of(options).group));
  });
}

int halcyon_bifourier_create_shared(int32_t comm, const halcyon_plane* plane, int32_t last_m, int32_t last_n,
                                    const char* shape, const halcyon_transform_options* options,
                                    halcyon_bifourier** bifourier) {
  return guarded([&] {
    auto& into = given(bifourier, "bifourier");
    const auto on = plane_of(plane);
    const auto over = comm::Communicator::from_fortran(comm);
    halcyon_transform_options ours{};
    std::optional<transform::PlaneTruncation> truncation;
    over.agree([&] {
      ours = options_of(options);
      truncation = truncation_of(last_m, last_n, shape);
    });
    const auto core = core_of(over, ours);
    const auto how = communication_of(over, core, ours);
    into = new halcyon_bifourier(
        Bifourier(over, sets_of(ours, over.size()), on, *truncation, ours.group, how), Ranks{over, core});
  });
}

int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held) {
  return guarded([&] {
    const auto& ours = given(bifourier, "bifourier");
    given(held, "held") = {.v = ours.transform.v(),
                           .w = ours.transform.w(),
                           .n_points = std::ssize(ours.points),
                           .n_coefficients = std::ssize(ours.m),
                           .points = ours.points.data(),
                           .m = ours.m.data(),
                           .n = ours.n.data()};
  });
}

int halcyon_bifourier_synthesis(halcyon_bifourier* bifourier, int64_t n_coefficients,
                                const double* coefficients, int64_t n_values, double* values) {
  return guarded([&] {
    given(bifourier, "bifourier")
        .transform.synthesis(coefficients_of(coefficients, n_coefficients, "coefficients"),
                             given_list(values, n_values, "values"));
  });
}

int halcyon_bifourier_analysis(halcyon_bifourier* bifourier, int64_t n_values, const double* values,
                               int64_t n_coefficients, double* coefficients) {
  return guarded([&] {
    given(bifourier, "bifourier")
        .transform.analysis(given_list(values, n_values, "values"),
                            coefficients_of(coefficients, n_coefficients, "coefficients"));
  });
}

int halcyon_bifourier_x_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                   const double* coefficients, int64_t n_derivative, double* derivative) {
  return derive(bifourier, &Bifourier::x_derivative, n_coefficients, coefficients, n_derivative, derivative);
}

int halcyon_bifourier_y_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                   const double* coefficients, int64_t n_derivative, double* derivative) {
  return derive(bifourier, &Bifourier::y_derivative, n_coefficients, coefficients, n_derivative, derivative);
}

int halcyon_bifourier_laplacian(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                const double* coefficients, int64_t n_laplacian, double* laplacian) {
  return derive(bifourier, &Bifourier::laplacian, n_coefficients, coefficients, n_laplacian, laplacian);
}

int halcyon_bifourier_inverse_laplacian(const halcyon_bifourier* bifourier, int64_t n_laplacian,
                                        const double* laplacian, int64_t n_coefficients,
                                        double* coefficients) {
  return derive(bifourier, &Bifourier::inverse_laplacian, n_laplacian, laplacian, n_coefficients,
                coefficients);
}

int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                           halcyon_tried* found) {
  return guarded([&] {
    auto& ours = given(bifourier, "bifourier");
    tune(ours, n_fields, n_fields * ours.m.size(), repetitions, found);
  });
}

int halcyon_bifourier_statistics(const halcyon_bifourier* bifourier, halcyon_statistics* statistics) {
  return guarded([&] {
    given(statistics, "statistics") = statistics_of(given(bifourier, "bifourier").transform.statistics());
  });
}

void halcyon_bifourier_free(halcyon_bifourier* bifourier) {
  delete bifourier;
}
