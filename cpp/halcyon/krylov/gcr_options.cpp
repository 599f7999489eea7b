#include "halcyon/krylov/gcr_options.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::krylov {

Variant variant_named(std::string_view name) {
  std::string all;
  for (const auto& each : kVariants) {
    if (each.name == name) return each.variant;
    all += (all.empty() ? "" : ", ") + std::string(each.name);
  }
  throw ConfigError(fmt::format("The variant of GCR is '{}', but must be one of {}.", name, all));
}

void GcrOptions::require_allowed() const {
  require<ConfigError>(k >= 1, "GCR keeps {} directions (k). Give 1 or more.", k);
  require<ConfigError>(tolerance > 0 && tolerance < 1,
                       "The tolerance of GCR is {}. Give a number above 0 and below 1, such as 1e-10.",
                       tolerance);
  require<ConfigError>(most_iterations >= 1, "GCR may make {} iterations. Give 1 or more.", most_iterations);
  require<ConfigError>(replace_every >= 0,
                       "GCR replaces its residual every {} iterations. Give 1 or more, or 0: only where it "
                       "drifted.",
                       replace_every);
}

std::string explanation(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "The tolerance is reached.";
    case Outcome::most_iterations:
      return "The tolerance is not reached after all iterations that are allowed. Allow more, keep more "
             "directions (k), or precondition better.";
    case Outcome::stagnated:
      return "The residual b - A x stays above the tolerance, however often it is computed anew: rounding "
             "allows no less. Give a larger tolerance; or the operator or preconditioner is not linear.";
    case Outcome::no_descent:
      return "Breakdown: <r, A M r> is zero, so no step makes the residual smaller. GCR needs an operator "
             "whose symmetric part is definite, as preconditioned.";
    case Outcome::dependent:
      return "Breakdown: A M r is zero or depends on the directions kept, so there is no new one. The "
             "operator or the preconditioner is singular, or the residual lies outside its range.";
    case Outcome::not_finite:
      break;
  }
  return "Breakdown: an inner product is not finite. The right side, the first guess, or what the operator "
         "or the preconditioner returned is NaN or infinite, or too large.";
}

}  // namespace halcyon::krylov
