#pragma once

#include "halcyon/base/error.hpp"
#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/capi/transform_handles.hpp"
#include "halcyon/transform/tuning.hpp"

namespace halcyon::capi {

/// Collective. Tunes what stands behind a handle.
template <class Handle>
void tune(Handle& handle, std::int32_t n_fields, std::size_t n_coefficients, std::int32_t repetitions,
          halcyon_tried* found) {
  require<ConfigError>(handle.over.has_value(), "One rank exchanges nothing. Tune what ranks share.");
  const auto best =
      transform::tune(handle.transform, *handle.over, handle.how, n_fields, n_coefficients, repetitions);
  constexpr const char* kProgress[] = {"none", "poll", "thread"};
  handle.how = best.how;
  if (found != nullptr)
    *found = {best.how.groups, comm::name_of(best.how.method).data(), kProgress[static_cast<int>(best.by)],
              best.seconds};
}

}  // namespace halcyon::capi
