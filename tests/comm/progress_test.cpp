#include "halcyon/comm/progress.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/threads.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace std::chrono_literals;

namespace {

/// Every rank sends `bytes` bytes to the next rank.
ListSchedule shift(Rank n, std::int64_t bytes) {
  return {n, {{"out"}, {"in"}}, {bytes, bytes}, [=](Rank rank) {
            return ListSchedule::Program{receive((rank + n - 1) % n, 0, {1, 0, bytes}),
                                         send((rank + 1) % n, 0, {0, 0, bytes}), start(0), wait(0)};
          }};
}

/// Whether the last byte of `in`, 7, arrives while this thread calls `poll` a million times, every 100 us
/// (minutes: other programs may use the machine).
bool arrives(const std::vector<std::byte>& in, const std::function<void()>& poll) {
  const auto* last = const_cast<const volatile std::byte*>(&in.back());
  for (int n_polls = 0; n_polls < 1'000'000; ++n_polls) {
    if (*last == std::byte{7}) return true;
    poll();
    std::this_thread::sleep_for(100us);
  }
  return false;
}

/// Whether the thread soon makes no polls for 20 ms. It may complete a poll first, since a busy machine may
/// suspend it during a poll.
bool pauses(const comm::Progress& progress) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto before = progress.n_polls();
    std::this_thread::sleep_for(20ms);
    if (progress.n_polls() == before) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("comm: messages too large to be sent at once come while the rank computes, by polls or a thread") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  const auto schedule = shift(comm.size(), std::int64_t{4} << 20);
  for (const auto mode : {comm::ProgressMode::poll, comm::ProgressMode::thread}) {
    const auto progress = std::make_shared<comm::Progress>(comm, mode);
    for (const auto method : {comm::method_named("isend_irecv"), comm::method_named("persistent"),
                              comm::method_named("ineighbor"), comm::method_named("ialltoallv")}) {
      CAPTURE(method->name);
      CAPTURE(progress->description());
      comm::Exchange exchange(comm, schedule, method, {}, comm::BufferPlacement::anywhere, progress);
      Memory memory(schedule, comm.rank());
      std::ranges::fill(memory.bytes[0], std::byte{7});
      const auto spans = memory.spans();
      MPI_Barrier(comm.get());
      auto pending = exchange.start(spans);
      const bool has_arrived = arrives(memory.bytes[1], [&] { exchange.progress(); });
      MPI_Barrier(comm.get());  // also progresses messages, which the other ranks need
      pending.wait();
      CHECK(has_arrived);
      CHECK(memory.bytes[1] == memory.bytes[0]);
    }
  }
}

TEST_CASE("comm: a progress thread takes turns while messages are under way, and none else") {
  // The thread polls only between the start and the end of an exchange.
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  const auto progress = std::make_shared<comm::Progress>(comm, comm::ProgressMode::thread);
  const auto schedule = shift(comm.size(), 8);
  comm::Exchange exchange(comm, schedule, comm::method_named("isend_irecv"), {},
                          comm::BufferPlacement::anywhere, progress);
  std::this_thread::sleep_for(5ms);
  CHECK(progress->n_polls() == 0);
  Memory memory(schedule, comm.rank());
  const auto spans = memory.spans();
  auto pending = exchange.start(spans);
  for (int wait = 0; wait < 100'000 && progress->n_polls() < 5; ++wait) std::this_thread::sleep_for(1ms);
  CHECK(progress->n_polls() >= 5);
  pending.wait();
  CHECK(pauses(*progress));
}

TEST_CASE("comm: work that throws leaves no thread at work") {
  // After an error in the work of a schedule, the progress thread no longer polls.
  const comm::Communicator comm(world());
  const auto progress = std::make_shared<comm::Progress>(comm, comm::ProgressMode::thread);
  const Rank n = comm.size();
  const ListSchedule schedule(n, {{"data"}}, {8}, [](Rank) {
    return ListSchedule::Program{start(0), {.action = Action::compute}, wait(0)};
  });
  {
    comm::Exchange exchange(comm, schedule, comm::method_named("isend_irecv"),
                            {.combine = {}, .work = [](std::int32_t) { throw RunError("The work failed."); }},
                            comm::BufferPlacement::anywhere, progress);
    Memory memory(schedule, comm.rank());
    CHECK_THROWS_WITH_AS((void)exchange.start(memory.spans()), "The work failed.", RunError);
    CHECK(pauses(*progress));
  }
}

TEST_CASE("comm: progress says what it is, and where its thread runs") {
  const comm::Communicator comm(world());
  CHECK(comm::Progress(comm, comm::ProgressMode::none).description() == "none");
  CHECK(comm::Progress(comm, comm::ProgressMode::poll).description() == "poll");
  const comm::Progress given(comm, comm::ProgressMode::thread, comm::core_binding_named("0"), 1e-3);
  CHECK(given.description() == "thread on core 0, polling every 1000 us");
  const comm::Progress shared(comm, comm::ProgressMode::thread, comm::core_binding_named("shared"));
  CHECK(shared.description().starts_with("thread on core "));
  const comm::Progress chosen(comm, comm::ProgressMode::thread);
  CHECK(chosen.description().ends_with(", polling every 200 us"));
}

TEST_CASE("comm: progress that cannot be is refused") {
  const comm::Communicator comm(world());
  CHECK_THROWS_WITH_AS(comm::progress_mode_named("threads"),
                       "There is no progress 'threads'. Use none, poll or thread.", ConfigError);
  for (const auto* name : {"", "own", "1,", "-1", "2;3"})
    CHECK_THROWS_WITH_AS(comm::core_binding_named(name),
                         doctest::Contains("Use auto, shared, or numbers such as 3 or 2,3."), ConfigError);
  CHECK(comm::core_binding_named("2,3").numbers == std::vector{2, 3});
  CHECK_THROWS_WITH_AS(comm::Progress(comm, comm::ProgressMode::thread, comm::core_binding_named("99999")),
                       doctest::Contains("There is no core 99999 for progress threads"), ConfigError);
  CHECK_THROWS_WITH_AS(comm::Progress(comm, comm::ProgressMode::thread, {}, 2),
                       "The polling interval of the progress thread is 2 s. Give 0 to 1 s, such as 0.0002.",
                       ConfigError);
}

TEST_CASE("comm: an MPI's own progress is found by its own switches alone") {
  // MPICH_ASYNC_PROGRESS counts only with MPICH, and not if it is 0.
  const bool is_mpich = comm::library_version().find("MPICH") != std::string::npos;
  for (const auto* value : {"1", "yes", "0"}) {
    setenv("MPICH_ASYNC_PROGRESS", value, 1);
    const auto expected = is_mpich && value[0] != '0' ? fmt::format("MPICH_ASYNC_PROGRESS={}", value) : "";
    CHECK(comm::mpi_progress_variable() == expected);
  }
  unsetenv("MPICH_ASYNC_PROGRESS");
  CHECK(comm::thread_level() == "MPI_THREAD_MULTIPLE");
}
