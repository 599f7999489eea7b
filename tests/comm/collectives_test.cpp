#include "schedule/collectives.hpp"

#include "halcyon/comm/exchange/exchange.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("comm: every algorithm of every collective has the right result by MPI") {
  const comm::Communicator comm(world());
  int n_checked = 0;
  for_each_collective(comm.size(), [&](const CollectiveOptions& options) {
    if (options.root != 0 && options.root != comm.size() - 1) return;
    const CheckedCollective checked(options);
    Memory memory(checked.schedule(), comm.rank());
    comm::Exchange exchange(comm, checked.schedule(), comm::method_named("isend_irecv"),
                            {.combine = sum_of<std::int64_t>(), .work = {}});
    checked.fill(comm.rank(), memory);
    exchange.start(memory.spans()).wait();
    CAPTURE(options.operation);
    CAPTURE(options.algorithm);
    CHECK(checked.is_right(comm.rank(), memory));
    ++n_checked;
  });
  CHECK(n_checked > 60);
}
