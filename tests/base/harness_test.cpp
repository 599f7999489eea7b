// Cases that fail on purpose: CTest starts them one by one, and checks what the harness says.

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
