#include <algorithm>

#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/schedule/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("comm: ranks read a common clock, whatever their own show") {
  // The clocks of the ranks differ by 1000 s. After the maximum over ranks, every rank reads a later time.
  const comm::Communicator comm(world(), 1);  // every rank is a node of its own
  const auto local_clock_s = [&comm] { return comm::steady_clock_s() + 1000.0 * comm.rank(); };
  const comm::SynchronizedClock clock(comm, local_clock_s);
  double latest_s = clock.now_s();
  MPI_Allreduce(MPI_IN_PLACE, &latest_s, 1, MPI_DOUBLE, MPI_MAX, comm.get());
  double earliest_s = clock.now_s();
  MPI_Allreduce(MPI_IN_PLACE, &earliest_s, 1, MPI_DOUBLE, MPI_MIN, comm.get());
  CHECK(earliest_s > latest_s - 100);  // clocks that disagree would be 1000 s apart
}

TEST_CASE("comm: ranks of a node share its clock to the bit") {
  const comm::Communicator comm(world());
  const comm::SynchronizedClock clock(comm);
  const double before_s = clock.now_s();
  double latest_s = before_s;
  MPI_Allreduce(MPI_IN_PLACE, &latest_s, 1, MPI_DOUBLE, MPI_MAX, comm.get());
  CHECK(clock.now_s() >= latest_s);
}

TEST_CASE("comm: a rehearsal times ranks that have messages, from a common start") {
  // Only ranks 0 and 1 exchange messages: they measure positive times, the other ranks 0.
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const std::vector<schedule::Message> list{{0, 0, 1, 1000}, {1, 1, 0, 1000}};
  const schedule::MessageList schedule(comm.size(), list);
  comm::SynchronizedClock clock(comm);
  comm::TimedExecution timed(comm, clock, schedule, comm::method_named("isend_irecv"));
  auto times = timed.times_s(5);
  REQUIRE(times.size() == 5);
  const auto above_0 = [](double time_s) { return time_s > 0; };
  CHECK(std::ranges::count_if(times, above_0) == (comm.rank() < 2 ? 5 : 0));
  CHECK(timed.times_s(0).empty());
}
