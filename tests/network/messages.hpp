#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/topology/dragonfly.hpp"
#include "halcyon/network/topology/fat_tree.hpp"
#include "halcyon/network/topology/graph.hpp"
#include "halcyon/network/topology/hyperx.hpp"
#include "halcyon/network/topology/torus.hpp"
#include "schedule/examples.hpp"

namespace halcyon::test {

using namespace halcyon::network;

/// A small network of each type, of up to 36 nodes.
inline std::vector<std::unique_ptr<Topology>> one_of_each_type() {
  std::vector<std::unique_ptr<Topology>> all;
  all.push_back(std::make_unique<Torus>(std::vector<std::int32_t>{4, 3}, 2));
  all.push_back(std::make_unique<HyperX>(std::vector<std::int32_t>{3, 4}, 2));
  all.push_back(
      std::make_unique<FatTree>(std::vector<std::int32_t>{3, 3, 2}, std::vector<std::int32_t>{3, 2}));
  all.push_back(std::make_unique<Dragonfly>(
      DragonflyShape{.group = {3}, .n_groups = 4, .global_links = 1, .nodes_per_switch = 2}));
  all.push_back(std::make_unique<Graph>(std::vector<std::int32_t>{2, 2, 2, 2, 0},
                                        std::vector<Cable>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}));
  return all;
}

inline constexpr Fidelity kFidelities[] = {Fidelity::packet, Fidelity::chunk, Fidelity::reserve,
                                           Fidelity::analytic};

/// The default machine (80 ps per byte) with overheads, all of them multiples of a picosecond, so that closed
/// forms hold to the picosecond.
inline Machine machine_with_overheads() {
  Machine machine;
  machine.send_overhead = 3e-7;
  machine.receive_overhead = 2e-7;
  machine.ejection_latency = 4e-7;
  machine.switch_latency = 5e-8;
  return machine;
}

/// A schedule with one buffer, from the operations of each rank; all rounds must be started and waited for.
inline ListSchedule schedule_of(Rank n_ranks, std::function<ListSchedule::Program(Rank)> program) {
  ListSchedule schedule(n_ranks, {{"data"}}, {std::int64_t{1} << 40}, std::move(program));
  for (Rank rank = 0; rank < n_ranks; ++rank) operations(schedule, rank);
  return schedule;
}

/// A schedule with one message.
inline ListSchedule one_message(Rank n_ranks, Rank from, Rank to, std::int64_t bytes) {
  return schedule_of(n_ranks, [=](Rank rank) {
    ListSchedule::Program program;
    if (rank == from) program.push_back(send(to, 0, {0, 0, bytes}));
    if (rank == to) program.push_back(receive(from, 0, {0, 0, bytes}));
    if (!program.empty()) program.insert(program.end(), {start(0), wait(0)});
    return program;
  });
}

/// In round s every rank r sends `bytes` to rank (r + distances[s]) mod n. With work_s [s], ranks compute for
/// different times (0 to 4 work_s) before each round, and each round has 1000 bytes more than the previous
/// one.
inline ListSchedule shifts(Rank n, std::vector<Rank> distances, std::int64_t bytes, double work_s = 0) {
  return schedule_of(n, [=](Rank rank) {
    ListSchedule::Program program;
    for (std::int32_t s = 0; s < std::ssize(distances); ++s) {
      if (work_s > 0) program.push_back({.seconds = work_s * ((rank * 7 + s * 3) % 5)});
      const auto size = bytes + (work_s > 0 ? 1000 * s : 0);
      program.push_back(receive((rank - distances[s] % n + n) % n, s, {0, 0, size}));
      program.push_back(send((rank + distances[s]) % n, s, {0, 0, size}));
      program.push_back(start(s));
      program.push_back(wait(s));
    }
    return program;
  });
}

/// The distances 1 .. n - 1: with `shifts`, every rank sends to every other rank.
inline std::vector<Rank> all_distances(Rank n) {
  std::vector<Rank> distances;
  for (Rank distance = 1; distance < n; ++distance) distances.push_back(distance);
  return distances;
}

/// Simulates a schedule on a network whose nodes ranks fill in order.
struct Simulator {
  const Topology& network;
  Method method = Method::minimal;
  Machine machine{};
  Options options{};

  Result operator()(const Schedule& schedule) const {
    const auto routing = make_routing(network, method, 5);
    return simulate(schedule, network, *routing, machine,
                    linear_placement(network, schedule.n_ranks(), machine.ranks_per_node), options);
  }
};

}  // namespace halcyon::test
