#include "halcyon/comm/communicator.hpp"

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
