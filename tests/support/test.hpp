#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdint>

namespace halcyon::test {

/// Suite of test cases that simulate several ranks in one process. They run only if one rank is launched.
///   TEST_CASE("..." * in_process())
inline doctest::test_suite in_process() {
  return doctest::test_suite("in process");
}

/// The communicator of the tests: a duplicate of MPI_COMM_WORLD.
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

/// Counts of operator new in this process.
struct Allocations {
  std::int64_t count;          ///< number of calls
  std::int64_t present_bytes;  ///< memory that is not freed yet
};
Allocations allocations();

}  // namespace halcyon::test
