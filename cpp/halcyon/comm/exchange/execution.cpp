#include "halcyon/comm/exchange/execution.hpp"

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
constexpr int kSleeps = 20;  // number of sleeps per compute operation

Execution::Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
                     schedule::CombineOperator combine, std::shared_ptr<const Progress> progress)
    : buffers_(schedule.buffers()) {
  schedule::Callbacks callbacks{.combine = combine ? std::move(combine) : schedule::sum_of<double>(),
                                .work = [this](std::int32_t) { compute(); }};
  exchange_ = std::make_unique<Exchange>(comm, schedule, method, std::move(callbacks),
                                         BufferPlacement::anywhere, std::move(progress));
  for (std::int32_t b = 0; b < std::ssize(buffers_); ++b)
    memory_.emplace_back(schedule.buffer_bytes(comm.rank(), b));
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(comm.rank(), cursor, operation);)
    if (operation.action == schedule::Action::compute) compute_s_.push_back(operation.seconds);
}

void Execution::compute() {
  const std::chrono::duration<double> duration(compute_s_[n_computed_++]);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= kSleeps && duration.count() > 0; ++i) {
    std::this_thread::sleep_until(begin + duration * i / kSleeps);
    if (i < kSleeps) exchange_->progress();
  }
}

void Execution::run() {
  n_computed_ = 0;
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

// Requests for the time of rank 0 in the first synchronization, and at most in a later one.
constexpr int kFirstRequests = 50, kLaterRequests = 12;
constexpr double kRoundTripTolerance = 1.1;  // relative to the shortest round trip
constexpr double kDrift = 5e-5;              // [s s-1] above that of quartz clocks

double steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SynchronizedClock::SynchronizedClock(const Communicator& comm, std::function<double()> local_clock_s)
    : comm_(comm),
      local_clock_s_(std::move(local_clock_s)),
      first_on_node_(static_cast<std::size_t>(comm.size())),
      round_trip_s_(std::numeric_limits<double>::infinity()),
      shortest_round_trip_s_(std::numeric_limits<double>::infinity()) {
  const Rank first = comm_.node()->ranks().front();
  check(MPI_Allgather(&first, 1, MPI_INT32_T, first_on_node_.data(), 1, MPI_INT32_T, comm_.get()),
        "MPI_Allgather");
  synchronize();
}

void SynchronizedClock::synchronize() {
  const auto tag = comm_.new_tag();
  for (Rank rank = 1; rank < comm_.size(); ++rank) {
    if (first_on_node_[rank] != rank) continue;
    if (comm_.rank() == 0) serve_time(rank, tag.number());
    if (comm_.rank() == rank) measure_offset(tag.number());
  }
  std::vector<double> offsets_s(first_on_node_.size());
  check(MPI_Allgather(&offset_s_, 1, MPI_DOUBLE, offsets_s.data(), 1, MPI_DOUBLE, comm_.get()),
        "MPI_Allgather");
  offset_s_ = offsets_s[first_on_node_[comm_.rank()]];
}

/// Answers the requests of `client` for the time of this rank, until the client sends 0.
void SynchronizedClock::serve_time(Rank client, int tag) const {
  for (;;) {
    int is_request = 0;
    check(MPI_Recv(&is_request, 1, MPI_INT, client, tag, comm_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    if (is_request == 0) return;
    const double now_s = local_clock_s_();
    check(MPI_Send(&now_s, 1, MPI_DOUBLE, client, tag, comm_.get()), "MPI_Send");
  }
}

/// Measures the time of this rank's clock minus the time of rank 0's clock.
void SynchronizedClock::measure_offset(int tag) {
  const auto send = [&](int is_request) {
    check(MPI_Send(&is_request, 1, MPI_INT, 0, tag, comm_.get()), "MPI_Send");
  };
  const bool is_first = std::isinf(shortest_round_trip_s_);
  for (int i = 0;
       is_first ? i < kFirstRequests
                : i < kLaterRequests && error_s() > kRoundTripTolerance * shortest_round_trip_s_ / 2;
       ++i) {
    const double begin_s = local_clock_s_();
    send(1);
    double server_s = 0;
    check(MPI_Recv(&server_s, 1, MPI_DOUBLE, 0, tag, comm_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    const double end_s = local_clock_s_(), round_trip_s = end_s - begin_s;
    shortest_round_trip_s_ = std::min(shortest_round_trip_s_, round_trip_s);
    if (round_trip_s / 2 >= error_s()) continue;
    round_trip_s_ = round_trip_s;
    measured_at_s_ = end_s;
    offset_s_ = begin_s + round_trip_s / 2 - server_s;
  }
  send(0);
}

/// Largest error of the offset now.
double SynchronizedClock::error_s() const {
  return round_trip_s_ / 2 + kDrift * (local_clock_s_() - measured_at_s_);
}

namespace {

constexpr std::chrono::duration<double> kSpinTime(200e-6);  // before a common start, since sleeps overrun
constexpr auto kBarrierSleep = std::chrono::microseconds(500);

/// Collective. A barrier at which waiting ranks sleep, so that they occupy no core.
void sleeping_barrier(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm.get(), &request), "MPI_Ibarrier");
  for (int done = 0; done == 0; std::this_thread::sleep_for(kBarrierSleep))
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
}

bool has_messages(const schedule::Schedule& schedule, Rank rank) {
  schedule::Cursor cursor;
  for (schedule::Operation operation; schedule.next(rank, cursor, operation);)
    if (operation.action == schedule::Action::start) return true;
  return false;
}

}  // namespace

TimedExecution::TimedExecution(const Communicator& comm, SynchronizedClock& clock,
                               const schedule::Schedule& schedule, Method method)
    : comm_(comm), clock_(clock), execution_(comm, schedule, method) {
  const int colour = has_messages(schedule, comm.rank()) ? 1 : MPI_UNDEFINED;
  check(MPI_Comm_split(comm.get(), colour, comm.rank(), &active_), "MPI_Comm_split");
}

TimedExecution::~TimedExecution() {
  if (active_ != MPI_COMM_NULL && is_mpi_active()) MPI_Comm_free(&active_);
}

std::vector<double> TimedExecution::times_s(int n_runs) {
  std::vector<double> times(static_cast<std::size_t>(n_runs), 0.0);
  clock_.synchronize();
  sleeping_barrier(comm_);
  if (active_ != MPI_COMM_NULL) {
    for (auto& time_s : times) {
      const double begin_s = synchronized_start();
      execution_.run();
      time_s = clock_.now_s() - begin_s;
    }
  }
  sleeping_barrier(comm_);
  return times;
}

/// Collective on the active ranks. Agrees on a start time in the future, waits for it, and returns it.
double TimedExecution::synchronized_start() {
  const double now_s = clock_.now_s();
  double begin_s = now_s + start_delay_s_;
  check(MPI_Allreduce(MPI_IN_PLACE, &begin_s, 1, MPI_DOUBLE, MPI_MAX, active_), "MPI_Allreduce");
  const double used_s = clock_.now_s() - now_s;
  if (clock_.now_s() > begin_s) start_delay_s_ = 2 * used_s;
  if (4 * used_s < start_delay_s_) start_delay_s_ = std::max(start_delay_s_ / 2, kLeastStartDelay);
  const double sleep_s = begin_s - clock_.now_s() - kSpinTime.count();
  if (sleep_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));
  while (clock_.now_s() < begin_s) std::this_thread::yield();
  return begin_s;
}

}  // namespace halcyon::comm
