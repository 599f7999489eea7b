#include "halcyon/comm/measure/rehearsal.hpp"

#include <chrono>
#include <thread>

namespace halcyon::comm {

namespace {

constexpr std::chrono::duration<double> kAwake(200e-6);  // before a start: sleepers come late
constexpr auto kNap = std::chrono::microseconds(500);

/// Collective. A barrier at which nobody takes a core while waiting.
void meet_asleep(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm.get(), &request), "MPI_Ibarrier");
  for (int done = 0; done == 0; std::this_thread::sleep_for(kNap))
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
}

bool has_messages(const schedule::Schedule& schedule, Rank rank) {
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(rank, cursor, operation);)
    if (operation.action == schedule::Action::start) return true;
  return false;
}

}  // namespace

Rehearsal::Rehearsal(const Communicator& comm, CommonClock& clock, const schedule::Schedule& schedule,
                     Method method)
    : comm_(comm), clock_(clock), execution_(comm, schedule, method) {
  const int colour = has_messages(schedule, comm.rank()) ? 1 : MPI_UNDEFINED;
  check(MPI_Comm_split(comm.get(), colour, comm.rank(), &active_), "MPI_Comm_split");
}

Rehearsal::~Rehearsal() {
  if (active_ != MPI_COMM_NULL && mpi_runs()) MPI_Comm_free(&active_);
}

std::vector<double> Rehearsal::times_s(int runs) {
  std::vector<double> times(static_cast<std::size_t>(runs), 0.0);
  clock_.set();
  meet_asleep(comm_);
  if (active_ != MPI_COMM_NULL) {
    for (auto& time_s : times) {
      const double begin_s = start_together();
      execution_.run();
      time_s = clock_.now_s() - begin_s;
    }
  }
  meet_asleep(comm_);
  return times;
}

/// Collective on the active ranks. Agrees on a moment that no rank has passed yet, and waits for it.
double Rehearsal::start_together() {
  const double asked_s = clock_.now_s();
  double begin_s = asked_s + notice_s_;
  check(MPI_Allreduce(MPI_IN_PLACE, &begin_s, 1, MPI_DOUBLE, MPI_MAX, active_), "MPI_Allreduce");
  if (clock_.now_s() > begin_s) notice_s_ = 2 * (clock_.now_s() - asked_s);
  const double sleep_s = begin_s - clock_.now_s() - kAwake.count();
  if (sleep_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));
  while (clock_.now_s() < begin_s) std::this_thread::yield();
  return begin_s;
}

}  // namespace halcyon::comm
