#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "halcyon/network/engine/executor.hpp"
#include "halcyon/network/routing/topology_routing.hpp"

namespace halcyon::network {

/// Queue of each link with unlimited buffers: the time [ps] until the link is free.
class LinkQueues final : public LinkLoads {
 public:
  explicit LinkQueues(const SimulationState& simulation) : simulation_(simulation) {}
  void set_time(Time now) { now_ = now; }
  double queue(Link link) const override {
    return static_cast<double>(std::max<Time>(simulation_.links[link].free_at - now_, 0));
  }

 private:
  const SimulationState& simulation_;
  Time now_ = 0;
};

/// One partition of the network: its event queue, and the code common to all fidelities. `Self`, the derived
/// class, handles a packet at its first switch (`enter_network`), at a link (`cross_link`) and at the NIC of
/// its target (`deliver_to_nic`). `R` is the concrete class of the routing. A window is an interval of
/// simulated time in which partitions do not affect each other (see `PartitionRunner`).
template <class Self, class R>
class Fabric {
 public:
  Fabric(SimulationState& simulation, const R& routing, int partition, int n_partitions,
         InjectionControl* injection_control = nullptr)
      : simulation_(simulation),
        routing_(routing),
        partition_(partition),
        outgoing_(n_partitions),
        published_{outgoing_, outgoing_},
        events_(n_partitions > 1 ? simulation.window : window_width(simulation)),
        executor_(simulation, events_, partition, injection_control),
        link_queues_(simulation),
        spreads_(routing.spreads()),
        collects_(spreads_ || simulation.is_striped || simulation.has_arbitration_by_age()),
        adapts_(routing.adapts()) {}

  Executor& executor() { return executor_; }

  /// Publishes the packets for other partitions in buffer 0 or 1. @returns the first window that contains an
  /// event of this partition or a published packet
  EventQueue<Packet>::Window publish_packets(int buffer) {
    auto window = events_.earliest();
    for (const auto& packets : outgoing_) {
      for (const auto& packet : packets) window = std::min(window, events_.window(packet.time));
    }
    published_[buffer].swap(outgoing_);
    return window;
  }
  std::vector<Packet>& published_packets(int buffer, int partition) { return published_[buffer][partition]; }
  void collect_packets(std::vector<Packet>& packets) {
    for (const auto& packet : packets) events_.push(packet);
    packets.clear();
  }

  void run(EventQueue<Packet>::Window window) {
    events_.open(window, [this](const Packet& packet) { prefetch(packet); });
    const bool needs_prefetch = events_.needs_prefetch();
    auto& n_events = executor_.statistics().counts.events;
    while (const Packet* packet = events_.pop()) {
      if (needs_prefetch) {
        events_.prefetch(8 * kPrefetchDistance);
        if (const Packet* later = events_.peek(kPrefetchDistance)) prefetch(*later);
      }
      if (const Packet* next = events_.peek(kUnexpectedPrefetchDistance)) prefetch_unexpected(*next);
      ++n_events;
      self().process(*packet);
    }
  }

  void process(const Packet& packet) {
    if (packet.kind == PacketKind::resume) {
      executor_.resume(packet);
    } else if (simulation_.resources.is_link(packet.resource)) {
      self().cross_link(packet);
    } else if (simulation_.resources.is_ejection(packet.resource)) {
      self().deliver_to_nic(packet);
    } else {
      process_at_first_switch(packet);
    }
  }

 protected:
  static constexpr Time kMinWindow = 10'000, kCachedRanks = 32768;  // [ps]; ranks whose packets fit a cache
  static constexpr std::size_t kPrefetchDistance = 12, kUnexpectedPrefetchDistance = 4;  // events ahead
  static constexpr bool kEndToEnd = false;  // whether a message traverses its whole path in one event

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

  /// Returns the window width [ps]: narrower beyond kCachedRanks ranks, so that its packets stay cached.
  static Time window_width(const SimulationState& simulation) {
    const auto n_ranks = std::max<Time>(std::ssize(simulation.ranks), kCachedRanks);
    const auto max_width = std::numeric_limits<Time>::max() / kCachedRanks;
    return std::clamp<Time>(simulation.window, kMinWindow, max_width) * kCachedRanks / n_ranks;
  }

  /// The resource at which a packet queues next, and its remaining route.
  struct NextHop {
    Route route;
    std::int32_t resource = kNone;
    std::uint8_t channel = 0;
    Switch to = kNone;  ///< switch at the end of the link
  };

  /// Times at which the head of a packet arrives at the end of a link, and its tail leaves the beginning.
  struct LinkCrossing {
    NextHop next;
    Time head_arrival = 0, tail_departure = 0;
  };

  /// Chooses the route of a packet, lets the NIC inject the next one, and forwards the packet. If the routing
  /// spreads packets, each has its own route, else that of the message's first packet.
  void process_at_first_switch(const Packet& packet) {
    const Switch current = routing_.topology().switch_of(simulation_.source_end(packet));
    if (packet.is_routed) {
      executor_.inject_next_chunk(packet);
      self().enter_network(packet, next_hop(packet, simulation_.route(packet), current));
      return;
    }
    auto route = simulation_.route(packet);
    routing_.start(route, self().loads(packet.time));
    auto routed = packet;
    routed.store_route(route);
    routed.is_routed = true;
    auto first_hop = next_hop(packet, route, current);
    if (adapts_) adapt(first_hop, current, packet.time);
    routed.previous_resource = first_hop.resource;
    if (packet.kind == PacketKind::data) {
      auto first = routed;
      first.is_routed = !spreads_;
      executor_.inject_next_chunk(first);
    }
    self().enter_network(routed, first_hop);
  }

  /// Chooses again among equivalent links, when the packet has reached the switch before the link of `hop`.
  void adapt(NextHop& hop, Switch current, Time now) {
    if (!simulation_.resources.is_link(hop.resource)) return;
    const auto chosen =
        routing_.adapt(current, hop.route, {hop.resource, hop.channel, hop.to}, self().loads(now));
    hop.resource = chosen.link;
    hop.channel = chosen.channel;
    hop.to = chosen.to;
  }
  /// The hop of a packet that has reached the switch before its link.
  NextHop chosen_hop(const Packet& packet) {
    auto hop = hop_over_link(packet);
    if (adapts_) adapt(hop, routing_.topology().ends(packet.resource).from, packet.time);
    return hop;
  }
  /// The queues at time `now`.
  const LinkLoads& loads(Time now) {
    link_queues_.set_time(now);
    return link_queues_;
  }

  [[gnu::always_inline]] NextHop next_hop(const Packet& packet, Route route, Switch current) const {
    if (route.has_arrived(current))
      return {.route = route, .resource = simulation_.resources.ejection(simulation_.target_nic(packet))};
    const auto hop = routing_.next(current, route);
    return {.route = route, .resource = hop.link, .channel = hop.channel, .to = hop.to};
  }
  NextHop hop_over_link(const Packet& packet) const {
    return {.route = simulation_.route(packet),
            .resource = packet.resource,
            .channel = packet.channel,
            .to = routing_.topology().ends(packet.resource).to};
  }

  /// Transmits a packet over a link, from `earliest` on. If the packet arrives more slowly than the link's
  /// bandwidth, other packets may use the remaining bandwidth (interleaved byte by byte).
  [[gnu::always_inline]] LinkCrossing transmit(const Packet& packet, const NextHop& hop, Time earliest) {
    auto& link = simulation_.links[hop.resource];
    const auto& speed = simulation_.link_speeds[link.kind];
    const auto duration = speed.transfer_time(packet.bytes);
    const auto slot = reserve_crossbar_before(packet, hop.resource, packet.time);
    auto start = std::max(earliest, slot.begin);
    if (!packet.bypass) start = std::max(start, link.free_at);
    occupy(hop.resource, packet, start + duration);
    if (!packet.bypass && simulation_.history.is_enabled())
      simulation_.history.add(hop.resource, packet.time, start, duration, packet.bytes);
    return {.next = next_hop(packet, hop.route, hop.to),
            .head_arrival = start + speed.latency,
            .tail_departure = std::max({start + duration, slot.end, packet.time + packet.span})};
  }

  /// Occupies a link with a packet until `end`. A packet that bypasses the network is only counted.
  void occupy(Link link, const Packet& packet, Time end) {
    if (packet.bypass) {
      executor_.statistics().counts.byte_hops += packet.bytes;
      return;
    }
    auto& state = simulation_.links[link];
    const auto bytes = state.bytes + packet.bytes;
    if (bytes > LinkState::kMaxBytes) [[unlikely]]
      simulation_.throw_link_overflow(link);
    state.free_at = end;
    state.bytes = bytes & LinkState::kMaxBytes;
  }

  /// Reserves the crossbar of the switch at the beginning of a link.
  CrossbarSlot reserve_crossbar_before(const Packet& packet, Link link, Time now) {
    if (simulation_.crossbars.empty()) return {};
    return simulation_.reserve_crossbar(packet, routing_.topology().ends(link).from, now);
  }
  CrossbarSlot reserve_target_crossbar(const Packet& packet, Time now) {
    if (simulation_.crossbars.empty()) return {};
    return simulation_.reserve_crossbar(packet, routing_.topology().switch_of(simulation_.target_end(packet)),
                                        now);
  }

  /// Pushes a packet that has crossed the link of `hop`, after modify(copy), into its partition's event
  /// queue.
  template <class Modify>
  [[gnu::always_inline]] void dispatch(const Packet& packet, const NextHop& hop, const LinkCrossing& crossing,
                                       Modify modify) {
    const auto& speed = simulation_.link_speeds[simulation_.links[hop.resource].kind];
    const auto partition = simulation_.partition_of_switch(hop.to);
    const auto advance = [&](Packet& moved) {
      moved.time = crossing.head_arrival;
      moved.span =
          static_cast<std::uint32_t>(crossing.tail_departure - crossing.head_arrival + speed.latency);
      moved.resource = crossing.next.resource;
      moved.channel = crossing.next.channel;
      moved.store_route(crossing.next.route);
      modify(moved);
    };
    if (partition == partition_)
      events_.push(packet, crossing.head_arrival, advance);
    else
      advance(outgoing_[partition].emplace_back(packet));
  }

  /// Ejects a packet into the target's NIC. @returns the time at which its tail has left the switch
  Time eject_into_nic(const Packet& packet, std::int32_t nic_number, Time span, const CrossbarSlot& slot) {
    auto& nic = simulation_.nics[nic_number];
    auto start = std::max({packet.time, nic.ejection_free, slot.begin});
    if (!simulation_.gaps.empty() && packet.is_last && packet.kind == PacketKind::data) {
      auto& gap_end = simulation_.gaps[nic_number].ejection;
      start = std::max(start, gap_end);
      gap_end = start + simulation_.message_gap;
    }
    nic.ejection_free = start + simulation_.ejection.transfer_time(packet.bytes);
    const auto end = std::max({nic.ejection_free, slot.end, packet.time + span});
    if (end >= kEndOfTime) [[unlikely]]
      simulation_.throw_delivery_overflow(packet, end);
    const auto arrival = end + simulation_.ejection.latency;
    if (collects_ && packet.kind == PacketKind::data && packet.bytes < packet.message_bytes)
      executor_.collect(packet, arrival);
    else if (packet.is_last)
      executor_.receive_from_network(packet, arrival);
    return end;
  }
  Time eject(const Packet& packet, std::int32_t resource) {
    return eject_into_nic(packet, simulation_.resources.nic(resource), packet.span,
                          reserve_target_crossbar(packet, packet.time));
  }

  /// Prefetches the states that `process` will access.
  void prefetch(const Packet& packet) const {
    self().prefetch_buffers(packet);
    if (simulation_.resources.is_link(packet.resource)) {
      prefetch_for_write(simulation_.links[packet.resource]);
      return;
    }
    prefetch_for_write(simulation_.nics[simulation_.resources.nic(packet.resource)]);
    if (simulation_.resources.is_ejection(packet.resource)) {
      if (packet.is_last) prefetch_for_write(simulation_.ranks[packet.target]);
      return;
    }
    if (packet.is_last) prefetch_for_write(simulation_.ranks[packet.source]);
    if (packet.previous_resource != kNone && simulation_.resources.is_link(packet.previous_resource))
      prefetch_for_write(simulation_.links[packet.previous_resource]);
    if (arrives_in_same_event(packet)) {
      prefetch_for_write(simulation_.nics[simulation_.target_nic(packet)]);
      if (packet.is_last) prefetch_for_write(simulation_.ranks[packet.target]);
      self().prefetch_route(packet);
    }
  }
  void prefetch_unexpected(const Packet& packet) const {
    self().prefetch_waiting(packet);
    if (!packet.is_last || simulation_.resources.is_link(packet.resource)) return;
    const bool is_injected = !simulation_.resources.is_ejection(packet.resource);
    if (is_injected) executor_.prefetch_unexpected(packet.source);
    if (!is_injected || arrives_in_same_event(packet)) executor_.prefetch_unexpected(packet.target);
  }
  /// Whether the packet reaches the target's NIC in the event of its first switch.
  bool arrives_in_same_event(const Packet& packet) const {
    const auto& topology = routing_.topology();
    return Self::kEndToEnd || topology.switch_of(simulation_.source_end(packet)) ==
                                  topology.switch_of(simulation_.target_end(packet));
  }
  void prefetch_route(const Packet&) const {}
  void prefetch_buffers(const Packet&) const {}
  void prefetch_waiting(const Packet&) const {}

  SimulationState& simulation_;
  const R& routing_;
  int partition_;
  std::vector<std::vector<Packet>> outgoing_;                  // (partition)
  std::array<std::vector<std::vector<Packet>>, 2> published_;  // (buffer, partition)
  EventQueue<Packet> events_;
  Executor executor_;
  LinkQueues link_queues_;
  bool spreads_;
  bool collects_;  // whether a message is complete with its last byte, not with its last packet
  bool adapts_;
};

/// Barrier of threads: spins first, then sleeps, so that oversubscribed threads can run.
class Barrier {
 public:
  explicit Barrier(int n_threads) : n_threads_(n_threads) {}

  void wait() {
    const auto generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      if (n_threads_ > 1) generation_.notify_all();
      return;
    }
    for (int i = 0; i < kSpins; ++i) {
      if (generation_.load(std::memory_order_acquire) != generation) return;
      __builtin_ia32_pause();
    }
    generation_.wait(generation, std::memory_order_acquire);
  }

 private:
  static constexpr int kSpins = 500;
  int n_threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> generation_ = 0;
};

/// Runs each partition of the network on a thread, window by window: within a window, no partition can affect
/// another (conservative windows after Chandy and Misra 1979, with a global minimum as in Nicol 1993). The
/// threads synchronize once per window. The packets exchanged between partitions are double-buffered: packets
/// published before the barrier are collected while new packets are written into the other buffer.
template <class Partition>
class PartitionRunner {
 public:
  using Window = EventQueue<Packet>::Window;

  explicit PartitionRunner(std::vector<std::unique_ptr<Partition>>& partitions)
      : partitions_(partitions),
        barrier_(static_cast<int>(partitions.size())),
        earliest_(partitions.size()),
        failures_(partitions.size()) {}

  /// Runs partition 0 on the calling thread. @returns the CPU time of the other threads [s]
  double run() {
    std::vector<double> cpu_s(partitions_.size());
    {
      std::vector<std::jthread> helpers;
      for (std::size_t p = 1; p < partitions_.size(); ++p) {
        helpers.emplace_back([this, p, &cpu_s] {
          run_partition(p);
          cpu_s[p] = thread_cpu_s();
        });
      }
      run_partition(0);
    }
    for (const auto& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    return std::accumulate(cpu_s.begin(), cpu_s.end(), 0.0);
  }

 private:
  void run_partition(std::size_t index) {
    auto& partition = *partitions_[index];
    run_and_catch(index, [&] { partition.executor().begin(); });
    for (int buffer = 0;; buffer ^= 1) {
      earliest_[index].window[buffer] = failures_[index] ? kFailed : partition.publish_packets(buffer);
      barrier_.wait();
      auto window = EventQueue<Packet>::kNoWindow;
      for (const auto& other : earliest_) window = std::min(window, other.window[buffer]);
      if (window == EventQueue<Packet>::kNoWindow || window == kFailed) return;
      run_and_catch(index, [&] {
        for (auto& sender : partitions_)
          partition.collect_packets(sender->published_packets(buffer, static_cast<int>(index)));
        partition.run(window);
      });
    }
  }

  template <class Body>
  void run_and_catch(std::size_t index, Body body) {
    try {
      body();
    } catch (...) {
      failures_[index] = std::current_exception();
    }
  }

  static constexpr Window kFailed = -1;
  /// First window with an event of one partition.
  struct alignas(64) Earliest {
    std::array<Window, 2> window;  // (buffer)
  };

  std::vector<std::unique_ptr<Partition>>& partitions_;
  Barrier barrier_;
  std::vector<Earliest> earliest_;
  std::vector<std::exception_ptr> failures_;
};

/// Simulates all ranks, with one partition of the network per thread, and writes the result.
template <template <class Routing> class ConcreteFabric>
void run(SimulationState& simulation, Result& result) {
  with_concrete_routing(simulation.routing, [&]<class R>(const R& routing) {
    const int n_partitions = simulation.options.threads;
    std::vector<std::unique_ptr<ConcreteFabric<R>>> partitions;
    for (int p = 0; p < n_partitions; ++p)
      partitions.push_back(std::make_unique<ConcreteFabric<R>>(simulation, routing, p, n_partitions));
    result.cpu_s += PartitionRunner<ConcreteFabric<R>>(partitions).run();
    std::vector<Executor*> executors;
    for (auto& partition : partitions) executors.push_back(&partition->executor());
    require_finished(simulation, executors);
    report(simulation, executors, result);
  });
}

}  // namespace halcyon::network
