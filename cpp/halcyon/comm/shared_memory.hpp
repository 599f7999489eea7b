#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halcyon::comm {

/// Collective on a node. MPI_Win_allocate and MPI_Win_allocate_shared fail on one rank alone, and the other
/// ranks hang, if there is no space for a window; so the ranks look first.
/// @param node the ranks that share memory   @param bytes of this rank
/// @throws ConfigError if the node has too little free shared memory
void require_free_memory(MPI_Comm node, std::int64_t bytes);

/// Occupies the pages of a window, which otherwise end the process at their first use if the folder is full.
/// Does nothing on Linux before 5.14. @throws ConfigError if the folder is full
void populate(std::span<std::byte> part);

}  // namespace halcyon::comm
