#pragma once

#include "halcyon/base/error.hpp"
#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/capi/transform_handles.hpp"
#include "halcyon/transform/share/tuning.hpp"

namespace halcyon::capi {

/// Collective. Tunes what stands behind a handle.
template <class Handle>
void tune(Handle& handle, std::int32_t n_fields, std::size_t n_coefficients, std::int32_t repetitions,
          halcyon_tried* found) {
  require<ConfigError>(handle.over.has_value(), "One rank exchanges nothing. Tune what ranks share.");
  auto& [comm, core, algorithm] = *handle.over;
  const transform::Choices choices{.progress = transform::all_progress(comm, core),
                                   .repetitions = repetitions};
  const auto tried = transform::tune(handle.transform, comm, choices, n_fields, n_coefficients);
  if (found == nullptr) return;
  const auto [how, seconds] = tried.empty() ? transform::Tried{} : tried.front();
  algorithm = schedule::name_of(how.by);
  const auto by = how.progress ? how.progress->by() : comm::ProgressBy::none;
  *found = {how.groups, how.ahead, how.method->name.c_str(), algorithm.c_str(), comm::name_of(by).data(),
            seconds};
}

}  // namespace halcyon::capi
