#include "halcyon/capi/transform_options.hpp"

#include "halcyon/transform/sphere/transform.hpp"

using namespace halcyon;

namespace halcyon::capi {

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

comm::Core core_of(const comm::Communicator& comm, const halcyon_transform_options& options) {
  comm::Core core;
  comm.agree([&] { core = comm::core_named(std::string(given_text(options.core, "core"))); });
  return core;
}

transform::Communication communication_of(const comm::Communicator& comm, const comm::Core& core,
                                          const halcyon_transform_options& options) {
  transform::Communication how{.groups = options.groups, .ahead = options.ahead};
  auto by = comm::ProgressBy::none;
  comm.agree([&] {
    how.by = schedule::alltoall_named(given_text(options.algorithm, "algorithm"));
    how.method = comm::method_named(given_text(options.method, "method"));
    by = comm::progress_named(given_text(options.progress, "progress"));
  });
  how.progress = std::make_shared<comm::Progress>(comm, by, core);
  return how;
}

}  // namespace halcyon::capi

void halcyon_transform_options_default(halcyon_transform_options* options) {
  const transform::Options ours;
  *options = {.radius = ours.radius,
              .memory = static_cast<std::int64_t>(ours.memory_bytes),
              .group = ours.group,
              .v = 0,
              .w = 0,
              .groups = 1,
              .ahead = 1,
              .method = "isend_irecv",
              .algorithm = "burst",
              .progress = "none",
              .core = "auto"};
}
