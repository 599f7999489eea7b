#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr double kCompute_s = 1e-3, kDelay_s = 1e-4;

/// Rank 0 starts to send 1 MB and computes for kCompute_s before it waits; rank 1 posts its receive after
/// kDelay_s, while rank 0 computes.
ListSchedule computing_sender() {
  const Block block{0, 0, 1'000'000};
  return schedule_of(2, [block](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {send(1, 0, block), start(0), {.seconds = kCompute_s}, wait(0)};
    return {{.seconds = kDelay_s}, receive(0, 0, block), start(0), wait(0)};
  });
}

/// Rank 1 posts its receive and computes for kCompute_s; rank 0 sends 1 MB after kDelay_s.
ListSchedule computing_receiver() {
  const Block block{0, 0, 1'000'000};
  return schedule_of(2, [block](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {{.seconds = kDelay_s}, send(1, 0, block), start(0), wait(0)};
    return {receive(0, 0, block), start(0), {.seconds = kCompute_s}, wait(0)};
  });
}

}  // namespace

TEST_CASE("engine: where only calls make progress, a message waits for who computes" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const auto routing = make_routing(*network, Method::minimal);
    const Node far = network->n_nodes() - 1;
    const Placement placement(*network, {0, far}, 1);
    const double n_links = network->distance(network->switch_of(0), network->switch_of(far));
    const double latency_s = 1e-6 + n_links * 1e-7, message_s = latency_s + 1e6 / 12.5e9;
    for (const auto fidelity : kFidelities) {
      for (const bool in_calls : {false, true}) {
        Machine machine;
        machine.eager_bytes = 1000;
        machine.progress_in_calls = in_calls;
        const auto finish = [&](const Schedule& schedule) {
          return simulate(schedule, *network, *routing, machine, placement, {.fidelity = fidelity})
              .finish_s[1];
        };
        // when rank 0 handles the answer that clears its message
        const auto cleared_s = in_calls ? kCompute_s : kDelay_s + latency_s;
        CHECK(finish(computing_sender()) == doctest::Approx(cleared_s + message_s).epsilon(1e-9));
        // when rank 1 answers the request to send
        const auto answered_s = in_calls ? kCompute_s : kDelay_s + latency_s;
        CHECK(finish(computing_receiver()) ==
              doctest::Approx(std::max(kCompute_s, answered_s + latency_s + message_s)).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("engine: a rank that computes keeps its NIC from nobody" * test::in_process()) {
  const Torus pair({2}, 1);
  const Block large{0, 0, 1'000'000}, small{0, 0, 500};
  const auto schedule = schedule_of(4, [&](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {send(2, 0, large), start(0), {.seconds = kCompute_s}, wait(0)};
    if (rank == 1) return {{.seconds = kDelay_s}, send(3, 0, small), start(0), wait(0)};
    return {receive(rank - 2, 0, rank == 2 ? large : small), start(0), wait(0)};
  });
  Machine machine;
  machine.ranks_per_node = 2;
  machine.eager_bytes = 1000;
  machine.progress_in_calls = true;
  const auto finish = Simulator{pair, Method::minimal, machine, {}}(schedule).finish_s;
  CHECK(finish[3] == doctest::Approx(kDelay_s + 1.1e-6 + 500 / 12.5e9).epsilon(1e-9));
  CHECK(finish[2] > kCompute_s);
}

TEST_CASE("engine: progress in calls has the same bits on any number of threads" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    auto machine = machine_with_overheads();
    machine.eager_bytes = 1000;
    machine.progress_in_calls = true;
    const auto schedule = shifts(network->n_nodes(), {1, 3, network->n_nodes() / 2}, 30'000, 1e-5);
    const auto one = Simulator{*network, Method::minimal, machine, {}}(schedule);
    CHECK(one.finish_s == Simulator{*network, Method::minimal, machine, {.threads = 2}}(schedule).finish_s);
  }
}
