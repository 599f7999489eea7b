// Test cases that fail on purpose: CTest runs each separately, and checks the output of the harness.

#include <csignal>

#include "test.hpp"

using namespace halcyon::test;

TEST_CASE("harness: fails on rank 1" * doctest::skip()) {
  CHECK(world_rank() != 1);
}

TEST_CASE("harness: crashes on rank 1" * doctest::skip()) {
  if (world_rank() == 1) std::raise(SIGSEGV);
}

TEST_CASE("harness: hangs" * doctest::skip()) {
  REQUIRE(world_rank() != 1);
  MPI_Barrier(world());
}
