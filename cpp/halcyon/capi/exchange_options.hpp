#pragma once

#include <memory>
#include <vector>

#include "halcyon/capi/handles.hpp"
#include "halcyon/transform/share/tuning.hpp"

// Conversion of exchange options and settings that transforms and advection share.

namespace halcyon::capi {

/// Collective. Cores of progress threads. @throws ConfigError, on all ranks, for an invalid core
inline comm::CoreBinding core_of(const comm::Communicator& comm, const char* core) {
  comm::CoreBinding binding;
  comm.agree([&] { binding = comm::core_binding_named(std::string(checked_text(core, "core"))); });
  return binding;
}

/// Collective. @throws ConfigError, on all ranks, for an unknown kind of progress
inline std::shared_ptr<const comm::Progress> progress_of(const comm::Communicator& comm,
                                                         const comm::CoreBinding& core,
                                                         const char* progress) {
  auto mode = comm::ProgressMode::none;
  comm.agree([&] { mode = comm::progress_mode_named(checked_text(progress, "progress")); });
  return std::make_shared<comm::Progress>(comm, mode, core);
}

/// The fastest settings of a search. @param algorithm receives the text of the result's algorithm
inline halcyon_tried found_settings(const std::vector<transform::TimedSettings>& tried,
                                    std::string& algorithm) {
  const auto [settings, seconds] = tried.empty() ? transform::TimedSettings{} : tried.front();
  algorithm = schedule::name_of(settings.algorithm);
  const auto mode = settings.progress ? settings.progress->mode() : comm::ProgressMode::none;
  return {.groups = settings.groups,
          .ahead = settings.ahead,
          .method = settings.method->name.c_str(),
          .algorithm = algorithm.c_str(),
          .progress = comm::name_of(mode).data(),
          .seconds = seconds};
}

}  // namespace halcyon::capi
