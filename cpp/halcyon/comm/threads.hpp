#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// The name of the thread level that MPI provides, such as "MPI_THREAD_FUNNELED".
std::string_view thread_level();

/// @param feature name of the feature that needs MPI_THREAD_MULTIPLE, for the error text
/// @throws ConfigError unless MPI provides MPI_THREAD_MULTIPLE
void require_thread_multiple(const std::string& feature);

/// Returns the environment variable that enables the progress threads of the MPI library in use, with its
/// value: "MPICH_ASYNC_PROGRESS=1". Empty if no such variable is set, and always with Open MPI.
std::string mpi_progress_variable();

/// How the core is chosen on which the progress thread of a rank runs.
struct CoreBinding {
  enum class Policy {
    automatic,  ///< a core of the node to which no rank is bound; if all are taken, any core of the rank
    shared,     ///< the core on which the rank runs
    given,      ///< one of the cores in `numbers`
  };
  Policy policy = Policy::automatic;
  std::vector<int> numbers{};  ///< core numbers, assigned cyclically to the ranks of a node
};

/// Parses "auto", "shared", or core numbers such as "3" or "2,3".
/// @throws ConfigError for other texts
CoreBinding core_binding_named(const std::string& name);

/// Collective. Returns the number of the core for the progress thread of this rank; no value if the operating
/// system selects the core.
/// @throws ConfigError, on all ranks, for the number of a core that the node does not have
std::optional<int> select_core(const Communicator& comm, const CoreBinding& core);

}  // namespace halcyon::comm
