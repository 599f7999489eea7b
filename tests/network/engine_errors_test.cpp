#include <string>

#include "halcyon/base/error.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Returns the text of the error of type E that a simulation raises; empty if there is none.
template <class E>
std::string error_text(const Schedule& schedule, const Options& options = {}, const Machine& machine = {}) {
  try {
    Simulator{Torus({4}, 1), Method::minimal, machine, options}(schedule);
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

ListSchedule two_ranks(ListSchedule::Program first, ListSchedule::Program second) {
  return schedule_of(2, [=](Rank rank) { return rank == 0 ? first : second; });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("engine: a message of another size names both ranks and sizes" * test::in_process()) {
  for (const auto fidelity : kFidelities) {
    const auto text = error_text<InputError>(two_ranks({send(1, 7, {0, 0, 800}), start(7), wait(7)},
                                                       {receive(0, 3, {0, 0, 900}), start(3), wait(3)}),
                                             {.fidelity = fidelity});
    CHECK(contains(text, "Rank 1 waits for round 3."));
    CHECK(contains(text, "Rank 0 has not sent 900 bytes to rank 1."));
    CHECK(contains(text, "No receive matches the 800 bytes from rank 0 to rank 1."));
  }
}

TEST_CASE("engine: messages without partner are named" * test::in_process()) {
  CHECK(contains(error_text<InputError>(two_ranks({send(1, 0, {0, 0, 8}), start(0), wait(0)}, {})),
                 "No receive matches the 8 bytes from rank 0 to rank 1."));
  CHECK(contains(error_text<InputError>(two_ranks({receive(1, 5, {0, 0, 8}), start(5), wait(5)}, {})),
                 "Rank 0 waits for round 5. Rank 1 has not sent 8 bytes to rank 0."));
  CHECK(contains(error_text<InputError>(two_ranks({send(2, 0, {0, 0, 8}), start(0), wait(0)}, {})),
                 "Rank 0 exchanges a message with rank 2 in round 0, but the schedule has 2 ranks."));
}

TEST_CASE("engine: a message that is too large names ranks and bytes" * test::in_process()) {
  const auto message = [](std::int64_t bytes) {
    const auto program = [bytes](Operation operation) -> ListSchedule::Program {
      operation.block.size_bytes = bytes;
      return {operation, start(0), wait(0)};
    };
    return two_ranks(program(send(1, 0, {})), program(receive(0, 0, {})));
  };
  const auto max_bytes = (std::int64_t{1} << 40) - 1;  // of one message
  Machine fast;
  fast.links[0].bandwidth = fast.injection_bandwidth = fast.ejection_bandwidth = 1e15;
  for (const auto fidelity : kFidelities) {
    const Options options{.fidelity = fidelity, .chunk_bytes = 1 << 30};
    fast.packet_bytes = 1 << 30;
    CHECK(contains(error_text<InputError>(message(max_bytes + 1), options, fast),
                   "Rank 0 sends 1099511627776 bytes to rank 1 in one message, but 0 to 1099511627775 are"));
    CHECK(error_text<InputError>(message(max_bytes), options, fast).empty());
  }
}

TEST_CASE("engine: a deadlock names who waits for what" * test::in_process()) {
  const auto receive_first = [](Rank peer) -> ListSchedule::Program {
    return {receive(peer, 0, {0, 0, 8}), start(0), wait(0), send(peer, 1, {0, 0, 8}), start(1), wait(1)};
  };
  for (const auto fidelity : kFidelities) {
    const auto text =
        error_text<InputError>(two_ranks(receive_first(1), receive_first(0)), {.fidelity = fidelity});
    CHECK(contains(text, "Deadlock: ranks 0, 1 wait for each other in a cycle."));
    CHECK(contains(text, "Rank 0 waits for round 0. Rank 1 has not sent 8 bytes to rank 0."));
    CHECK(contains(text, "Rank 1 waits for round 0. Rank 0 has not sent 8 bytes to rank 1."));
  }
  Machine machine;
  machine.eager_bytes = 0;
  const auto send_first = [](Rank peer) -> ListSchedule::Program {
    return {send(peer, 0, {0, 0, 8}), start(0), wait(0), receive(peer, 1, {0, 0, 8}), start(1), wait(1)};
  };
  CHECK(error_text<InputError>(two_ranks(send_first(1), send_first(0))).empty());
  CHECK(contains(error_text<InputError>(two_ranks(send_first(1), send_first(0)), {}, machine),
                 "Rank 1 has not received 8 bytes from rank 0."));
}

TEST_CASE("engine: a circle of ranks is told from those who wait for it" * test::in_process()) {
  const auto text = error_text<InputError>(schedule_of(4, [](Rank rank) -> ListSchedule::Program {
    const Rank from = rank == 3 ? 0 : (rank + 1) % 3;
    return {receive(from, 0, {0, 0, 8}), start(0), wait(0)};
  }));
  CHECK(contains(text, "Deadlock: ranks 0, 1, 2 wait for each other in a cycle."));
  CHECK(contains(text, "Rank 3 waits for round 0. Rank 0 has not sent 8 bytes to rank 3."));
}

TEST_CASE("engine: what a link carries is counted up to 2^56 bytes, and no further" * test::in_process()) {
  const auto max_bytes = (std::int64_t{1} << 40) - 1;  // of one message
  const auto messages = [&](int n) {
    return schedule_of(2, [=](Rank rank) {
      ListSchedule::Program program;
      constexpr int kPerRound = 1024;
      for (int i = 0, round = 0; i < n; ++round) {
        for (const int end = std::min(n, i + kPerRound); i < end; ++i)
          program.push_back(rank == 0 ? send(1, round, {0, 0, max_bytes})
                                      : receive(0, round, {0, 0, max_bytes}));
        program.push_back(start(round));
        program.push_back(wait(round));
      }
      return program;
    });
  };
  Machine fast;
  fast.links[0].bandwidth = fast.injection_bandwidth = fast.ejection_bandwidth = 1e15;
  const Options options{.fidelity = Fidelity::analytic};
  CHECK(error_text<InputError>(messages(1 << 10), options, fast).empty());
  CHECK(contains(error_text<InputError>(messages((1 << 16) + 1), options, fast),
                 "Link 0 carries more than 72057594037927935 bytes"));
}

TEST_CASE("engine: rounds out of order are named" * test::in_process()) {
  CHECK(contains(error_text<InputError>(two_ranks({wait(3)}, {})),
                 "Rank 0 waits for round 3, which it has not started."));
  CHECK(contains(error_text<InputError>(two_ranks({receive(1, 3, {0, 0, 8}), wait(3)}, {})),
                 "Rank 0 never starts round 3."));
  CHECK(contains(error_text<InputError>(two_ranks({start(3), send(1, 3, {0, 0, 8})}, {})),
                 "Rank 0 adds a message with rank 1 to round 3, which has already started."));
}

TEST_CASE("engine: options that make no sense are refused" * test::in_process()) {
  const auto schedule = two_ranks({}, {});
  CHECK(error_text<ConfigError>(schedule).empty());
  CHECK(contains(error_text<ConfigError>(schedule, {.chunk_bytes = -1}), "chunk_bytes is -1"));
  CHECK(contains(error_text<ConfigError>(schedule, {.threads = 0}), "threads is 0"));
  CHECK(contains(error_text<ConfigError>(schedule, {.fidelity = Fidelity::reserve, .threads = 2}),
                 "fidelity 'reserve' supports one thread"));
  CHECK(contains(error_text<ConfigError>(schedule, {.pair_bins = 3}), "pair_bins = 3"));
  CHECK(contains(error_text<ConfigError>(schedule, {.chunk_bytes = 1 << 30}),
                 "A chunk of 1073741824 bytes takes"));
  Machine machine;
  machine.links[0].latency = 0;
  CHECK(contains(error_text<ConfigError>(schedule, {.threads = 2}, machine), "latencies of at least 1 ns"));
  CHECK(error_text<ConfigError>(schedule, {}, machine).empty());
  CHECK_THROWS_WITH_AS(require_possible(Torus({4}, 1), {}, 2, {.pair_bins = 3}),
                       "pair_bins = 3 for 2 ranks. Give 0 to 2.", ConfigError);
  machine = {};
  machine.links[0].bandwidth = 1e6;
  CHECK_THROWS_AS(require_possible(Torus({4}, 1), machine, 2, {}), ConfigError);
  CHECK_NOTHROW(require_possible(Torus({4}, 1), machine, 2, {.chunk_bytes = 4096}));
  CHECK_THROWS_AS(fidelity_named("flit"), ConfigError);

  const Torus ring({4}, 1), other({4}, 1);
  const auto routing = make_routing(other, Method::minimal);
  CHECK_THROWS_AS(simulate(schedule, ring, *routing, {}, linear_placement(ring, 2)), ConfigError);
  CHECK_THROWS_AS(simulate(schedule, other, *routing, {}, linear_placement(other, 3)), ConfigError);
}
