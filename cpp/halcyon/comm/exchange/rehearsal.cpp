#include "halcyon/comm/exchange/rehearsal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"

namespace halcyon::comm {

namespace {

constexpr int kPieces = 20;  // of a computation

}  // namespace

Execution::Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                     schedule::CombineOperator combine, std::shared_ptr<const Progress> progress)
    : buffers_(schedule.buffers()) {
  schedule::Actors actors{.combine = combine ? std::move(combine) : schedule::sum_of<double>(),
                          .work = [this](std::int32_t) { compute(); }};
  exchange_ = std::make_unique<Exchange>(comm, schedule, method, std::move(actors), Placement::anywhere,
                                         std::move(progress));
  for (std::int32_t b = 0; b < std::ssize(buffers_); ++b)
    memory_.emplace_back(schedule.buffer_bytes(comm.rank(), b));
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(comm.rank(), cursor, operation);) {
    if (operation.action == schedule::Action::compute) compute_s_.push_back(operation.seconds);
  }
}

void Execution::compute() {
  const std::chrono::duration<double> whole(compute_s_[computed_++]);
  const auto begin = std::chrono::steady_clock::now();
  for (int piece = 1; piece <= kPieces && whole.count() > 0; ++piece) {
    std::this_thread::sleep_until(begin + whole * piece / kPieces);
    if (piece < kPieces) exchange_->progress();
  }
}

void Execution::run() {
  computed_ = 0;
  const schedule::Buffers spans(memory_.begin(), memory_.end());
  exchange_->start(spans).wait();
}

std::span<std::byte> Execution::buffer(const std::string& name) {
  const auto found = std::ranges::find(buffers_, name, &schedule::Buffer::name);
  if (found != buffers_.end()) return memory_[found - buffers_.begin()];
  std::string names;
  for (const auto& buffer : buffers_) names += fmt::format("{}{}", names.empty() ? "" : ", ", buffer.name);
  throw ConfigError(fmt::format("The schedule has no buffer '{}'. It has {}.", name, names));
}

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
