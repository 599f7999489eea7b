#include <algorithm>

#include "halcyon/network/engine/waiting_packets.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

// Arbitration of switches, and NICs by LogGP (Alexandrov et al. 1995): overhead o, latency L, gap g per
// message, G per byte.

namespace {

constexpr double kPerByte_s = 80e-12, kLatency_s = 1e-6;  ///< G and L of the reference machine

/// All other ranks send to rank 0.
ListSchedule incast(Rank n, std::int64_t bytes) {
  return schedule_of(n, [=](Rank rank) {
    ListSchedule::Program program;
    for (Rank source = 1; rank == 0 && source < n; ++source)
      program.push_back(receive(source, 0, {0, 0, bytes}));
    if (rank > 0) program.push_back(send(0, 0, {0, 0, bytes}));
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

/// Rank 0 sends a number of messages to rank 1 in one round.
ListSchedule stream(int n_messages, std::int64_t bytes) {
  return schedule_of(2, [=](Rank rank) {
    ListSchedule::Program program;
    for (int i = 0; i < n_messages; ++i)
      program.push_back(rank == 0 ? send(1, 0, {0, 0, bytes}) : receive(0, 0, {0, 0, bytes}));
    program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

const HyperX kPair({1}, 2);

Result on_pair(const Schedule& schedule, const Machine& machine, Fidelity fidelity) {
  return Simulator{kPair, Method::minimal, machine, {.fidelity = fidelity}}(schedule);
}

}  // namespace

// A binary tree whose seven other nodes send to node 0 (Dally and Towles 2004, section 15.4: parking lot).
// Each switch merges two inputs. If they take turns, node 1 gets half of the bandwidth, nodes 2 and 3 an
// eighth each, the others a sixteenth, until the nearer nodes have sent all. By age, all get the same.
TEST_CASE("engine: turns of inputs favour near nodes, and age is fair" * test::in_process()) {
  const FatTree tree({2, 2, 2}, {1, 1});
  const std::int64_t bytes = 8 << 20;
  const auto all_to_one = incast(8, bytes);
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk}) {
    CAPTURE(name_of(fidelity));
    const auto shares = [&](Arbitration arbitration) {
      Machine machine;
      machine.arbitration = arbitration;
      auto finish = Simulator{tree, Method::minimal, machine, {.fidelity = fidelity}}(all_to_one).finish_s;
      for (auto& time : finish) time /= bytes * kPerByte_s;
      return finish;
    };
    const auto turns = shares(Arbitration::round_robin), age = shares(Arbitration::age);
    const double expected[]{7, 2, 5, 5, 7, 7, 7, 7};
    for (int rank = 0; rank < 8; ++rank) {
      CAPTURE(rank);
      CHECK(turns[rank] == doctest::Approx(expected[rank]).epsilon(0.05));
      CHECK(age[rank] == doctest::Approx(7).epsilon(0.05));
    }
  }
}

TEST_CASE("engine: order of waiting packets by arbitration" * test::in_process()) {
  const auto order = [](Arbitration arbitration) {
    WaitingPackets waiting(arbitration);
    PacketBuffer buffer(1, 0);
    std::vector<std::uint32_t> sequences;
    const auto add = [&](std::size_t input, Time sent, std::uint32_t sequence) {
      Packet packet;
      packet.source = static_cast<Rank>(input);
      packet.sent = sent;
      packet.sequence = sequence;
      waiting.add(buffer, packet, 7, input, 100);
    };
    const auto remove = [&](int n) {
      for (; n > 0; --n) {
        sequences.push_back(waiting.first(buffer).sequence);
        waiting.remove_first(buffer, 7);
      }
    };
    for (std::uint32_t i = 0; i < 4; ++i) add(3, 50 - 10 * i, i);  // the first are the youngest
    add(5, 35, 4);
    remove(2);
    add(5, 5, 5);
    remove(4);
    CHECK(buffer.queue_head == kNoRecord);
    return sequences;
  };
  using Order = std::vector<std::uint32_t>;
  CHECK(order(Arbitration::arrival) == Order{0, 1, 2, 3, 4, 5});
  CHECK(order(Arbitration::round_robin) == Order{0, 4, 1, 5, 2, 3});
  CHECK(order(Arbitration::age) == Order{3, 2, 5, 4, 1, 0});
}

TEST_CASE("engine: arbitration has the same bits on any number of threads" * test::in_process()) {
  for (const auto arbitration : {Arbitration::round_robin, Arbitration::age}) {
    for (const auto method : {Method::minimal, Method::valiant}) {
      for (const auto& network : one_of_each_type()) {
        Machine machine;
        machine.arbitration = arbitration;
        machine.buffer_packets = 4;
        const auto schedule = incast(network->n_nodes(), 100'000);
        const auto simulated = [&](int threads) {
          return Simulator{
              *network, method, machine, {.fidelity = Fidelity::packet, .threads = threads}}(schedule);
        };
        const auto one = simulated(1), two = simulated(2);
        CHECK(one.finish_s == two.finish_s);
        CHECK(one.delay_messages == two.delay_messages);
        CHECK(one.bounds.ejection_s <= one.time_s);
        CHECK(one.time_s < 2 * one.bounds.ejection_s);
      }
    }
  }
}

TEST_CASE("engine: a NIC receives a message per gap, and bytes at its own rate" * test::in_process()) {
  const Rank n = 17;
  const HyperX crossbar({1}, n);
  Machine machine;
  machine.message_gap = 3e-7;
  machine.ejection_bandwidth = 5e9;  // G of 200 ps at the receiver, 80 ps at the sender
  for (const auto fidelity : {Fidelity::packet, Fidelity::chunk, Fidelity::reserve}) {
    CAPTURE(name_of(fidelity));
    const auto time_s = [&](std::int64_t bytes) {
      return Simulator{crossbar, Method::minimal, machine, {.fidelity = fidelity}}(incast(n, bytes)).time_s;
    };
    CHECK(time_s(8) == doctest::Approx(kLatency_s + 15 * 3e-7 + 8 * 200e-12).epsilon(1e-9));
    CHECK(time_s(4000) == doctest::Approx(kLatency_s + 16 * 4000 * 200e-12).epsilon(1e-9));
    const auto sent = on_pair(stream(10, 4000), machine, fidelity);
    CHECK(sent.finish_s[0] == doctest::Approx(9 * 3.2e-7 + 4000 * kPerByte_s).epsilon(1e-9));
  }
}

TEST_CASE("engine: the CPU copies small eager messages at both ends" * test::in_process()) {
  Machine machine;
  machine.send_overhead = 3e-7;
  machine.receive_overhead = 2e-7;
  machine.memory_bandwidth = 5e9;
  machine.copied_bytes = 1000;
  machine.eager_bytes = 8000;
  const double o_s = 3e-7 + 1000 / 5e9, received_s = 2e-7 + 1000 / 5e9;
  for (const auto fidelity : kFidelities) {
    const auto time_s = [&](int n_messages, std::int64_t bytes) {
      return on_pair(stream(n_messages, bytes), machine, fidelity).finish_s[1];
    };
    CHECK(time_s(1, 1000) ==
          doctest::Approx(o_s + kLatency_s + 1000 * kPerByte_s + received_s).epsilon(1e-9));
    CHECK(time_s(7, 1000) ==
          doctest::Approx(7 * o_s + kLatency_s + 1000 * kPerByte_s + received_s).epsilon(1e-9));
    CHECK(time_s(1, 1001) == doctest::Approx(3e-7 + kLatency_s + 1001 * kPerByte_s + 2e-7).epsilon(1e-9));
    const auto sender = on_pair(stream(7, 1000), machine, fidelity).finish_s[0];
    CHECK(sender == doctest::Approx(7 * o_s + 1000 * kPerByte_s).epsilon(1e-9));
  }
}

TEST_CASE("engine: a receiver reads a message, and informs its sender" * test::in_process()) {
  const std::int64_t bytes = 1'000'000;
  const double message_s = kLatency_s + bytes * kPerByte_s, compute_s = 1e-3;
  Machine machine;
  machine.eager_bytes = 1000;
  machine.progress_in_calls = true;
  const auto computing_sender = schedule_of(2, [=](Rank rank) -> ListSchedule::Program {
    if (rank == 0) return {send(1, 0, {0, 0, bytes}), start(0), {.seconds = compute_s}, wait(0)};
    return {receive(0, 0, {0, 0, bytes}), start(0), wait(0)};
  });
  for (const auto fidelity : kFidelities) {
    for (const std::int32_t at_once : {1, 2}) {
      machine.messages_at_once = at_once;
      machine.rendezvous_get = false;
      const auto put = on_pair(stream(1, bytes), machine, fidelity).finish_s;
      CHECK(put[0] == doctest::Approx(2 * kLatency_s + bytes * kPerByte_s).epsilon(1e-9));
      CHECK(put[1] == doctest::Approx(2 * kLatency_s + message_s).epsilon(1e-9));
      CHECK(on_pair(computing_sender, machine, fidelity).finish_s[1] ==
            doctest::Approx(compute_s + message_s).epsilon(1e-9));
      machine.rendezvous_get = true;
      const auto get = on_pair(stream(1, bytes), machine, fidelity).finish_s;
      CHECK(get[0] == doctest::Approx(3 * kLatency_s + message_s).epsilon(1e-9));
      CHECK(get[1] == doctest::Approx(2 * kLatency_s + message_s).epsilon(1e-9));
      CHECK(on_pair(computing_sender, machine, fidelity).finish_s[1] ==
            doctest::Approx(2 * kLatency_s + message_s).epsilon(1e-9));
      CHECK(on_pair(stream(3, bytes), machine, fidelity).counts.messages == 3);
    }
  }
}
