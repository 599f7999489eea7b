#pragma once

#include <string>
#include <string_view>

namespace halcyon::comm {

/// What MPI was started with, as MPI names it: "MPI_THREAD_FUNNELED".
std::string_view thread_level();

/// @throws ConfigError, with the remedy, unless several threads may call MPI at a time
/// @param what needs it
void require_thread_multiple(const std::string& what);

/// The environment's setting by which this MPI moves messages with threads of its own, such as
/// "MPICH_ASYNC_PROGRESS=1"; empty where there is none. Settings of other MPIs do not count. Open MPI has
/// none.
std::string mpi_own_progress();

}  // namespace halcyon::comm
