#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

namespace halcyon::test {

/// The ranks of this launch, in a communicator of the tests' own.
MPI_Comm world();

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(world(), &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(world(), &size);
  return size;
}

}  // namespace halcyon::test
