#include "halcyon/comm/communicator.hpp"

#include "halcyon/comm/node_memory.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

template <class E>
void fails_on(const comm::Communicator& comm, Rank lowest) {
  const auto expected = fmt::format("rank {} of {} has no mesh", lowest, comm.size());
  const auto fail = [&] {
    comm.agree(
        [&] { require<E>(comm.rank() < lowest, "rank {} of {} has no mesh", comm.rank(), comm.size()); });
  };
  CHECK_THROWS_WITH_AS(fail(), expected.c_str(), E);
}

}  // namespace

TEST_CASE("comm: a communicator has one duplicate, which knows the memory of all that is made by it") {
  MPI_Comm theirs = MPI_COMM_NULL;
  MPI_Comm_dup(world(), &theirs);
  const auto handle = MPI_Comm_c2f(theirs);
  const auto first = comm::Communicator::from_fortran(handle);
  const auto again = comm::Communicator::from_fortran(handle);
  CHECK(first.get() == again.get());
  const comm::NodeMemory memory(first, 64);
  CHECK(again.node()->place_of(memory.bytes()).has_value());
  MPI_Comm_free(&theirs);
  CHECK(first.max(first.rank()) == first.size() - 1);
}

TEST_CASE("comm: what one rank throws, all throw, as the lowest one says it") {
  const comm::Communicator comm(world());
  for (Rank lowest = 0; lowest < comm.size(); ++lowest) {
    fails_on<ConfigError>(comm, lowest);
    fails_on<InputError>(comm, lowest);
    fails_on<RunError>(comm, lowest);
    fails_on<InternalError>(comm, lowest);
  }
  int n_made = 0;
  comm.agree([&] { ++n_made; });
  CHECK(n_made == 1);
}
