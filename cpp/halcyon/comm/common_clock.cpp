#include "halcyon/comm/common_clock.hpp"

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "halcyon/comm/node.hpp"

namespace halcyon::comm {

namespace {

constexpr int kQuestions = 12;

}  // namespace

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CommonClock::CommonClock(const Communicator& comm, std::function<double()> own_s) : own_s_(std::move(own_s)) {
  const int tag = comm.new_tag();
  const Rank first = comm.node()->ranks().front();
  std::vector<Rank> firsts(comm.size());
  check(MPI_Allgather(&first, 1, MPI_INT32_T, firsts.data(), 1, MPI_INT32_T, comm.get()), "MPI_Allgather");
  for (Rank rank = 1; rank < comm.size(); ++rank) {
    if (firsts[rank] != rank) continue;
    if (comm.rank() == 0) answer(comm.get(), rank, tag);
    if (comm.rank() == rank) ahead_s_ = ask(comm.get(), tag);
  }
  std::vector<double> ahead_s(comm.size());
  check(MPI_Allgather(&ahead_s_, 1, MPI_DOUBLE, ahead_s.data(), 1, MPI_DOUBLE, comm.get()), "MPI_Allgather");
  ahead_s_ = ahead_s[first];
}

void CommonClock::answer(MPI_Comm comm, Rank asking, int tag) const {
  for (int i = 0; i < kQuestions; ++i) {
    check(MPI_Recv(nullptr, 0, MPI_DOUBLE, asking, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    const double now_s = own_s_();
    check(MPI_Send(&now_s, 1, MPI_DOUBLE, asking, tag, comm), "MPI_Send");
  }
}

/// How far this rank's clock is ahead of rank 0's [s].
double CommonClock::ask(MPI_Comm comm, int tag) const {
  double quickest_s = std::numeric_limits<double>::infinity(), ahead_s = 0;
  for (int i = 0; i < kQuestions; ++i) {
    const double begin_s = own_s_();
    double theirs_s = 0;
    check(MPI_Send(nullptr, 0, MPI_DOUBLE, 0, tag, comm), "MPI_Send");
    check(MPI_Recv(&theirs_s, 1, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    const double took_s = own_s_() - begin_s;
    if (took_s >= quickest_s) continue;
    quickest_s = took_s;
    ahead_s = begin_s + took_s / 2 - theirs_s;
  }
  return ahead_s;
}

}  // namespace halcyon::comm
