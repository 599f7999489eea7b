#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "halcyon/base/error.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

Result run_on(const Topology& network, const Schedule& schedule, const Machine& machine, Fidelity fidelity) {
  return Simulator{network, Method::minimal, machine, {.fidelity = fidelity, .pair_bins = 1}}(schedule);
}

/// Returns the text of the error that a simulation raises; empty if there is none.
std::string error_text(const Schedule& schedule, const Machine& machine, Fidelity fidelity) {
  const Torus ring({4}, schedule.n_ranks() / machine.ranks_per_node > 4 ? 2 : 1);
  try {
    run_on(ring, schedule, machine, fidelity);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Rank 0 executes a program, rank 1 does nothing.
ListSchedule on_rank_0(const ListSchedule::Program& program) {
  return schedule_of(2, [=](Rank rank) { return rank == 0 ? program : ListSchedule::Program{}; });
}

/// Every rank but 0 sends a message to rank 0.
ListSchedule all_to_one(Rank n, std::int64_t bytes) {
  return schedule_of(n, [=](Rank rank) {
    ListSchedule::Program program;
    if (rank > 0) program.push_back(send(0, 0, {0, 0, bytes}));
    for (Rank from = 1; rank == 0 && from < n; ++from) program.push_back(receive(from, 0, {0, 0, bytes}));
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

/// Ranks 0 and 1 send each other a message alternately, one per round.
ListSchedule ping_pong(std::int32_t n_rounds) {
  return schedule_of(2, [=](Rank rank) {
    ListSchedule::Program program;
    for (std::int32_t i = 0; i < n_rounds; ++i) {
      program.push_back(rank == i % 2 ? send(1 - rank, i, {0, 0, 8}) : receive(1 - rank, i, {0, 0, 8}));
      program.insert(program.end(), {start(i), wait(i)});
    }
    return program;
  });
}

/// The end of the errors about times beyond the largest simulated time.
const std::string kEnd =
    " s of simulated time or later, but simulated time ends at 4.61e+06 s (53 days). Reduce the "
    "computation or the bytes of the schedule, or raise the machine's bandwidths.";

}  // namespace

TEST_CASE("engine: computations up to the end of time, and no further" * test::in_process()) {
  for (const auto fidelity : kFidelities) {
    const Torus ring({4}, 1);
    CHECK(run_on(ring, on_rank_0({{.seconds = 4.6e6}}), {}, fidelity).time_s == 4.6e6);
    CHECK(error_text(on_rank_0({{.seconds = 4.62e6}}), {}, fidelity) ==
          "Rank 0 is busy until 4.61e+06" + kEnd);
    CHECK(contains(error_text(on_rank_0({{.seconds = 4e6}, {.seconds = 3e6}}), {}, fidelity),
                   "Rank 0 is busy until 7e+06 s"));
    CHECK(contains(error_text(on_rank_0({{.seconds = 1e30}}), {}, fidelity), "Rank 0 is busy"));
    CHECK(contains(error_text(on_rank_0({{.seconds = std::nan("")}}), {}, fidelity), "Rank 0 is busy"));
  }
}

TEST_CASE("engine: copies up to the end of time, and no further" * test::in_process()) {
  Machine machine;
  machine.memory_bandwidth = 1000;
  const auto copy = [](std::int64_t bytes) {
    return on_rank_0({{.action = Action::copy, .block = {0, 0, bytes}, .target = {0, 0, bytes}}});
  };
  for (const auto fidelity : kFidelities) {
    const Torus ring({4}, 1);
    CHECK(run_on(ring, copy(4'000'000'000), machine, fidelity).time_s == 4e6);
    for (const auto bytes : {5'000'000'000, 10'000'000'000, 1'000'000'000'000, std::int64_t{1} << 62})
      CHECK(error_text(copy(bytes), machine, fidelity) == "Rank 0 is busy until 4.61e+06" + kEnd);
  }
}

TEST_CASE("engine: messages up to the end of time, and no further" * test::in_process()) {
  for (const auto fidelity : {Fidelity::reserve, Fidelity::analytic}) {
    for (const int slow : {0, 1, 2}) {  // links, injection, ejection
      Machine machine;
      (slow == 0   ? machine.links[0].bandwidth
       : slow == 1 ? machine.injection_bandwidth
                   : machine.ejection_bandwidth) = 1000;
      CAPTURE(name_of(fidelity));
      CAPTURE(slow);
      const Torus ring({4}, 1);
      const auto result = run_on(ring, one_message(2, 0, 1, 4'000'000'000), machine, fidelity);
      CHECK(std::abs(result.time_s - 4e6) < 1e-3);
      for (const auto bytes : {5'000'000'000, 10'000'000'000, 1'000'000'000'000})
        CHECK(contains(error_text(one_message(2, 0, 1, bytes), machine, fidelity), kEnd));
    }
  }
  Machine machine;
  machine.links[0].bandwidth = 1000;
  CHECK(
      contains(error_text(all_to_one(4, 2'400'000'000), machine, Fidelity::reserve), "A message from rank "));
}

TEST_CASE("engine: messages of a node up to the end of time, and no further" * test::in_process()) {
  Machine machine;
  machine.memory_bandwidth = 1000;
  machine.ranks_per_node = 4;
  for (const auto fidelity : kFidelities) {
    CHECK(error_text(one_message(4, 2, 1, 4'000'000'000), machine, fidelity).empty());
    for (const auto bytes : {5'000'000'000, 1'000'000'000'000})
      CHECK(error_text(one_message(4, 2, 1, bytes), machine, fidelity) ==
            "Rank 2 sends within its node until 4.61e+06" + kEnd);
    CHECK(contains(error_text(all_to_one(4, 2'000'000'000), machine, fidelity),
                   " sends within its node until 6e+06 s"));
  }
}

TEST_CASE("engine: overheads and latencies up to the end of time, and no further" * test::in_process()) {
  const auto many_messages = schedule_of(2, [](Rank rank) {
    ListSchedule::Program program;
    for (int i = 0; i < 5000; ++i)
      program.push_back(rank == 0 ? send(1, 0, {0, 0, 8}) : receive(0, 0, {0, 0, 8}));
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
  for (const auto fidelity : kFidelities) {
    CAPTURE(name_of(fidelity));
    Machine slow_send, slow_receive, far;
    slow_send.send_overhead = slow_receive.receive_overhead = far.links[0].latency = 1000;
    CHECK(error_text(many_messages, slow_send, fidelity) == "Rank 0 sends until 4.61e+06" + kEnd);
    CHECK(contains(error_text(many_messages, slow_receive, fidelity), "Rank 1 receives until "));
    CHECK(error_text(ping_pong(4600), far, fidelity).empty());
    CHECK(contains(error_text(ping_pong(5000), far, fidelity), kEnd));
  }
}

TEST_CASE("engine: sums over messages have no end" * test::in_process()) {
  const Rank n = 100;
  const HyperX crossbar({1}, n);
  Machine machine;
  machine.ejection_bandwidth = 1000;
  const auto reserved = run_on(crossbar, all_to_one(n, 40'000'000), machine, Fidelity::reserve);
  CHECK(std::abs(reserved.time_s - 99 * 4e4) < 1);
  CHECK(std::abs(reserved.pair_delay_s[0] - 99 * 98 / 2 * 4e4) < 1);
  CHECK(std::abs(reserved.bounds.ejection_s - 99 * 4e4) < 1);
  const auto analytic = run_on(crossbar, all_to_one(n, 2'000'000'000), machine, Fidelity::analytic);
  CHECK(std::abs(analytic.time_s - 2e6) < 1);
  CHECK(std::abs(analytic.bounds.ejection_s / (99 * 2e6) - 1) < 1e-9);
}

TEST_CASE("engine: what would overflow before any rank runs is refused" * test::in_process()) {
  const Torus ring({4}, 1), long_ring({1000}, 1);
  const auto check_refused = [](const Topology& network, auto change, const char* text) {
    Machine machine;
    change(machine);
    for (const auto fidelity : kFidelities)
      CHECK_THROWS_WITH_AS(require_possible(network, machine, 2, {.fidelity = fidelity}), text, ConfigError);
  };
  check_refused(
      ring, [](Machine& m) { m.send_overhead = 1001; },
      "The machine's send_overhead is 1001. Give 0 to 1000 [s].");
  check_refused(
      ring, [](Machine& m) { m.links[0].latency = INFINITY; },
      "The machine's links[0].latency is inf. Give 0 to 1000 [s].");
  check_refused(
      long_ring, [](Machine& m) { m.links[0].latency = 200; },
      "The latencies of a path of 1000 links add up to 2e+05 s, more than the maximum of 100000 s. Reduce "
      "the machine's latencies.");
  check_refused(
      ring, [](Machine& m) { m.crossbar_factor = 1e-9; },
      "The machine's crossbar_factor is 1e-09, for links of 12500000000 B/s. Give 0 (unlimited), or 8e-08 or "
      "more.");
  check_refused(
      ring, [](Machine& m) { m.packet_bytes = std::int64_t{1} << 31; },
      "The machine's packet_bytes is 2147483648. Give 1 to 2^31 - 1.");
}

TEST_CASE("engine: more NICs than can be numbered are refused" * test::in_process()) {
  Machine machine;
  machine.nics_per_node = 1024;
  for (const Node nodes : {1 << 20, 4194304, 4194305, 20000000}) {
    const HyperX crossbar({1}, nodes);
    const auto text =
        "crossbar of " + std::to_string(nodes) + " nodes has 0 links and " +
        std::to_string(nodes * std::int64_t{1024}) + " NICs (" + std::to_string(nodes) +
        " nodes with nics_per_node = 1024). Links plus twice the NICs must not exceed 2147483647. "
        "Use a smaller network or fewer NICs per node.";
    CHECK_THROWS_WITH_AS(require_possible(crossbar, machine, 4, {}), text.c_str(), ConfigError);
  }
  CHECK_NOTHROW(require_possible(HyperX({1}, (1 << 20) - 1), machine, 4, {}));
  machine.nics_per_node = 1;
  CHECK_THROWS_AS(require_possible(Torus({1 << 28}, 4), machine, 4, {}), ConfigError);
}

TEST_CASE("engine: nodes behind the last with ranks cost nothing" * test::in_process()) {
  const HyperX large({1}, 1'000'000'000), small({1}, 8);
  const auto schedule = shifts(8, all_distances(8), 100'000);
  for (const auto fidelity : kFidelities) {
    const Simulator on_large{large, Method::minimal, {}, {.fidelity = fidelity}};
    const Simulator on_small{small, Method::minimal, {}, {.fidelity = fidelity}};
    CHECK(on_large(schedule).finish_s == on_small(schedule).finish_s);
  }
}
