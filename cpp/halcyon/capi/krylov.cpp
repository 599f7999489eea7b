#include "halcyon/capi/handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

/// A map that is an object with a function `apply` that does not fail.
template <class T>
halcyon_map* new_map(std::shared_ptr<T> object) {
  const auto size = object->size();
  return new halcyon_map{size, [object = std::move(object)](auto x, auto y) {
                           object->apply(x, y);
                           return 0;
                         }};
}

template <class T>
halcyon_map* new_map(T object) {
  return new_map(std::make_shared<T>(std::move(object)));
}

/// @throws RunError if the caller's function returns an error
void apply(const halcyon_map& map, std::string_view name, Rank rank, std::span<const double> x,
           std::span<double> y) {
  const int status = map.apply(x, y);
  require<RunError>(status == 0, "The {} returned status {} on rank {}.", name, status, rank);
}

/// @throws ConfigError for vectors or maps of another size than the solver
void require_sizes(const halcyon_gcr& gcr, const halcyon_map& a, const halcyon_map* m, std::size_t n_b,
                   std::size_t n_x) {
  const auto require_size = [&](std::string_view name, std::size_t size) {
    require<ConfigError>(size == gcr.n_owned, "The {} has {} items, but the solver has {} items on rank {}.",
                         name, size, gcr.n_owned, gcr.comm.rank());
  };
  require_size("operator", a.size);
  if (m != nullptr) require_size("preconditioner", m->size);
  require_size("right side", n_b);
  require_size("first guess", n_x);
}

halcyon_solution solution_of(const halcyon_gcr& gcr) {
  const auto& result = gcr.result;
  return {.outcome = static_cast<halcyon_outcome>(result.outcome),
          .explanation = gcr.explanation.c_str(),
          .residual = result.residual,
          .n_iterations = result.n_iterations(),
          .residuals = result.residuals.data(),
          .n_operator_calls = result.n_operator_calls,
          .n_preconditioner_calls = result.n_preconditioner_calls,
          .n_allreduces = result.n_allreduces,
          .n_exposed = result.n_exposed,
          .n_replaced = result.n_replaced,
          .waited_s = result.waited_s};
}

}  // namespace

int halcyon_map_create(int64_t n, halcyon_apply apply, void* context, halcyon_map** map) {
  return guarded([&] {
    auto& out = checked(map, "map");
    require<InternalError>(apply != nullptr, "NULL is given for apply.");
    require<InternalError>(n >= 0, "The number of items is {}, but must be at least 0.", n);
    out = new halcyon_map{static_cast<std::size_t>(n), [apply, context](auto x, auto y) {
                            return apply(context, std::ssize(x), x.data(), y.data());
                          }};
  });
}

int halcyon_map_jacobi(int64_t n, const double* diagonal, halcyon_map** map) {
  return guarded(
      [&] { checked(map, "map") = new_map(krylov::Jacobi(checked_span(diagonal, n, "diagonal"))); });
}

int halcyon_map_zonal_line(int64_t n_rows, int64_t n_items, int64_t n, const double* lower,
                           const double* diagonal, const double* upper, halcyon_map** map) {
  return guarded([&] {
    auto& out = checked(map, "map");
    require<InternalError>(n_rows >= 0 && n_items >= 0, "{} rows of {} items were given. Give 0 or more.",
                           n_rows, n_items);
    out = new_map(krylov::ZonalLine({static_cast<std::size_t>(n_rows), static_cast<std::size_t>(n_items),
                                     checked_span(lower, n, "lower"), checked_span(diagonal, n, "diagonal"),
                                     checked_span(upper, n, "upper")}));
  });
}

int halcyon_map_apply(const halcyon_map* map, int64_t n_x, const double* x, int64_t n_y, double* y) {
  return guarded([&] {
    const auto& linear_map = checked(map, "map");
    const auto from = checked_span(x, n_x, "x");
    const auto to = checked_span(y, n_y, "y");
    require<ConfigError>(from.size() == linear_map.size && to.size() == linear_map.size,
                         "Vectors of {} and {} items are given to a linear map of size {}.", from.size(),
                         to.size(), linear_map.size);
    const int status = linear_map.apply(from, to);
    require<RunError>(status == 0, "The linear map returned status {}.", status);
  });
}

int halcyon_helmholtz_create(int32_t comm, int64_t n_latitudes, int64_t n_longitudes, double length_squared,
                             halcyon_helmholtz** helmholtz) {
  return guarded([&] {
    auto& out = checked(helmholtz, "helmholtz");
    out = new halcyon_helmholtz{std::make_shared<krylov::Helmholtz>(
        comm::Communicator::from_fortran(comm), n_latitudes, n_longitudes, length_squared)};
  });
}

int halcyon_helmholtz_rows(const halcyon_helmholtz* helmholtz, int64_t* first_row, int64_t* n_rows) {
  return guarded([&] {
    const auto& equation = *checked(helmholtz, "helmholtz").helmholtz;
    checked(first_row, "first_row") = equation.first_row();
    checked(n_rows, "n_rows") = equation.n_rows();
  });
}

int halcyon_helmholtz_operator(const halcyon_helmholtz* helmholtz, halcyon_map** map) {
  return guarded([&] { checked(map, "map") = new_map(checked(helmholtz, "helmholtz").helmholtz); });
}

int halcyon_helmholtz_jacobi(const halcyon_helmholtz* helmholtz, halcyon_map** map) {
  return guarded([&] { checked(map, "map") = new_map(checked(helmholtz, "helmholtz").helmholtz->jacobi()); });
}

int halcyon_helmholtz_zonal_line(const halcyon_helmholtz* helmholtz, halcyon_map** map) {
  return guarded(
      [&] { checked(map, "map") = new_map(checked(helmholtz, "helmholtz").helmholtz->zonal_line()); });
}

void halcyon_gcr_options_default(halcyon_gcr_options* options) {
  const krylov::GcrOptions defaults;
  *options = {.variant = "fused",
              .k = defaults.k,
              .tolerance = defaults.tolerance,
              .most_iterations = defaults.most_iterations,
              .replace_every = defaults.replace_every,
              .radix = defaults.radix};
}

int halcyon_gcr_create(int32_t comm, int64_t n_owned, const halcyon_gcr_options* options, halcyon_gcr** gcr) {
  return guarded([&] {
    auto& out = checked(gcr, "gcr");
    const auto communicator = comm::Communicator::from_fortran(comm);
    halcyon_gcr_options chosen{};
    halcyon_gcr_options_default(&chosen);
    if (options != nullptr) chosen = *options;
    krylov::GcrOptions converted{.k = chosen.k,
                                 .tolerance = chosen.tolerance,
                                 .most_iterations = chosen.most_iterations,
                                 .replace_every = chosen.replace_every,
                                 .radix = chosen.radix};
    communicator.agree([&] {
      converted.variant = krylov::variant_named(checked_text(chosen.variant, "variant"));
      require<ConfigError>(n_owned >= 0, "n_owned is {}. Give 0 or more.", n_owned);
    });
    const auto size = static_cast<std::size_t>(n_owned);
    out = new halcyon_gcr{communicator, size, krylov::Gcr(communicator, size, converted)};
  });
}

int halcyon_gcr_solve(halcyon_gcr* gcr, const halcyon_map* a, const halcyon_map* m, int64_t n_b,
                      const double* b, int64_t n_x, double* x, halcyon_solution* solution) {
  return guarded([&] {
    auto& handle = checked(gcr, "gcr");
    const auto& linear_map = checked(a, "a");
    const auto right_side = checked_span(b, n_b, "b");
    const auto guess = checked_span(x, n_x, "x");
    handle.comm.agree([&] { require_sizes(handle, linear_map, m, right_side.size(), guess.size()); });
    const auto rank = handle.comm.rank();
    handle.result =
        handle.gcr.solve([&](auto from, auto to) { apply(linear_map, "operator", rank, from, to); },
                         [&](auto from, auto to) {
                           if (m == nullptr) std::ranges::copy(from, to.begin());
                           if (m != nullptr) apply(*m, "preconditioner", rank, from, to);
                         },
                         right_side, guess);
    handle.explanation = krylov::explanation(handle.result.outcome);
    if (solution != nullptr) *solution = solution_of(handle);
  });
}
