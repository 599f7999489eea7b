#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

namespace halcyon::test {

/// Cases of this suite pretend their ranks: they run in the launch of one rank only.
///   TEST_CASE("..." * in_process())
inline doctest::test_suite in_process() {
  return doctest::test_suite("in process");
}

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
