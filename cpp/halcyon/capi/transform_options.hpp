#pragma once

#include <span>
#include <string_view>

#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/transform/share/section.hpp"

// What the C faces of transforms on the sphere and on planes have in common.

namespace halcyon::capi {

using transform::Complex;

/// The caller's options, or the defaults. @throws ConfigError for what no transform can have
halcyon_transform_options options_of(const halcyon_transform_options* options);

transform::SetCounts sets_of(const halcyon_transform_options& options, Rank n_ranks);

/// Collective. @throws ConfigError, on all ranks, for names that are none
transform::Communication communication_of(const comm::Communicator& comm, const comm::Core& core,
                                          const halcyon_transform_options& options);
/// Collective. Where threads run. @throws ConfigError, on all ranks, for what is no core
comm::Core core_of(const comm::Communicator& comm, const halcyon_transform_options& options);

/// `n` coefficients, of real and imaginary part, at numbers of the caller's.
inline std::span<Complex> coefficients_of(double* at, std::int64_t n, std::string_view name) {
  return given_list(reinterpret_cast<Complex*>(at), n, name);
}
inline std::span<const Complex> coefficients_of(const double* at, std::int64_t n, std::string_view name) {
  return given_list(reinterpret_cast<const Complex*>(at), n, name);
}

}  // namespace halcyon::capi
