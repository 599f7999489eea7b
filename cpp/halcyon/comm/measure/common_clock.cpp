#include "halcyon/comm/measure/common_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "halcyon/comm/node/node.hpp"

namespace halcyon::comm {

namespace {

constexpr int kFirstQuestions = 50, kQuestions = 12, kMostQuestions = 250;
constexpr double kQuick = 1.1;  // times the quickest answer

}  // namespace

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CommonClock::CommonClock(const Communicator& comm, std::function<double()> own_s)
    : comm_(comm), own_s_(std::move(own_s)), quickest_s_(std::numeric_limits<double>::infinity()) {
  set();
}

void CommonClock::set() {
  const auto tag = comm_.new_tag();
  const auto gather = [this](auto mine, MPI_Datatype type) {
    std::vector<decltype(mine)> all(comm_.size());
    check(MPI_Allgather(&mine, 1, type, all.data(), 1, type, comm_.get()), "MPI_Allgather");
    return all;
  };
  const Rank first = comm_.node()->ranks().front();
  const auto firsts = gather(first, MPI_INT32_T);
  for (Rank rank = 1; rank < comm_.size(); ++rank) {
    if (firsts[rank] != rank) continue;
    if (comm_.rank() == 0) answer(rank, tag.number());
    if (comm_.rank() == rank) ahead_s_ = ask(tag.number());
  }
  ahead_s_ = gather(ahead_s_, MPI_DOUBLE)[first];
}

void CommonClock::answer(Rank asking, int tag) const {
  for (;;) {
    int asks = 0;
    check(MPI_Recv(&asks, 1, MPI_INT, asking, tag, comm_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    if (asks == 0) return;
    const double now_s = own_s_();
    check(MPI_Send(&now_s, 1, MPI_DOUBLE, asking, tag, comm_.get()), "MPI_Send");
  }
}

/// How far this rank's clock is ahead of rank 0's [s].
double CommonClock::ask(int tag) {
  const auto send = [&](int asks) { check(MPI_Send(&asks, 1, MPI_INT, 0, tag, comm_.get()), "MPI_Send"); };
  const int least = std::isinf(quickest_s_) ? kFirstQuestions : kQuestions;
  double quickest_s = std::numeric_limits<double>::infinity(), ahead_s = 0;
  for (int i = 0; i < kMostQuestions && (i < least || quickest_s > kQuick * quickest_s_); ++i) {
    const double begin_s = own_s_();
    send(1);
    double theirs_s = 0;
    check(MPI_Recv(&theirs_s, 1, MPI_DOUBLE, 0, tag, comm_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    const double took_s = own_s_() - begin_s;
    if (took_s >= quickest_s) continue;
    quickest_s = took_s;
    ahead_s = begin_s + took_s / 2 - theirs_s;
  }
  send(0);
  quickest_s_ = std::min(quickest_s_, quickest_s);
  return ahead_s;
}

}  // namespace halcyon::comm
