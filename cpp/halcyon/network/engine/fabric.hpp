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
#include "halcyon/network/routing/routing_over.hpp"

namespace halcyon::network {

/// What waits for a link at a moment, as time [ps].
class LinkQueues final : public Loads {
 public:
  explicit LinkQueues(const World& world) : world_(world) {}
  void move_to(Time now) { now_ = now; }
  double queue(Link link) const override {
    const auto waiting = world_.waiting.empty() ? 0 : world_.waiting[link];
    return static_cast<double>(std::max<Time>(world_.links[link].free - now_, 0) + waiting);
  }

 private:
  const World& world_;
  Time now_ = 0;
};

/// One part of the network: its queue of events and what its fidelities share. `Self` says what becomes of a
/// packet at its first switch (`enter`) and at a link (`cross`).
template <class Self, class R>
class Fabric {
 public:
  Fabric(World& world, const R& routing, int part, int n_parts, Gate* gate = nullptr)
      : world_(world),
        routing_(routing),
        part_(part),
        outbox_(n_parts),
        posted_{outbox_, outbox_},
        events_(n_parts > 1 ? world.window : width_for(world)),
        executor_(world, events_, part, gate),
        link_queues_(world) {}

  Executor& executor() { return executor_; }

  /// Leaves packets for other parts to be collected. @returns the first window that anything here is due in
  EventQueue<Packet>::Window post(int turn) {
    auto window = events_.earliest();
    for (const auto& box : outbox_) {
      for (const auto& packet : box) window = std::min(window, events_.window(packet.time));
    }
    posted_[turn].swap(outbox_);
    return window;
  }
  std::vector<Packet>& post_box(int turn, int part) { return posted_[turn][part]; }
  void collect(std::vector<Packet>& box) {
    for (const auto& packet : box) events_.push(packet);
    box.clear();
  }

  /// Deals with all packets of a window.
  void run(EventQueue<Packet>::Window window) {
    events_.open(window, [this](const Packet& packet) { prefetch(packet); });
    const bool is_long = events_.is_long();
    auto& events = executor_.statistics().counts.events;
    while (const Packet* packet = events_.pop()) {
      if (is_long) {
        events_.prefetch(8 * kAhead);
        if (const Packet* later = events_.ahead(kAhead)) prefetch(*later);
      }
      if (const Packet* next = events_.ahead(kNext)) prefetch_unexpected(*next);
      ++events;
      self().take(*packet);
    }
  }

  void take(const Packet& packet) {
    if (packet.kind == Kind::resume) {
      executor_.resume(packet);
    } else if (world_.places.is_link(packet.place)) {
      self().cross(packet);
    } else if (world_.places.is_out(packet.place)) {
      self().deliver(packet);
    } else {
      come_in(packet);
    }
  }

 protected:
  static constexpr Time kShortestWindow = 10'000, kEasyRanks = 32768;
  static constexpr std::size_t kAhead = 12, kNext = 4;

  static constexpr bool kWhole = false;  // whether messages take their whole way at once

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

  /// A window that many ranks do not crowd: what is in it stays in the cache.
  static Time width_for(const World& world) {
    const auto n_ranks = std::max<Time>(std::ssize(world.ranks), kEasyRanks);
    const auto longest = std::numeric_limits<Time>::max() / kEasyRanks;
    return std::clamp<Time>(world.window, kShortestWindow, longest) * kEasyRanks / n_ranks;
  }

  /// Where a packet stands: at a place, with a route from there on.
  struct Stand {
    Route route;
    std::int32_t place = kNone;
    std::uint8_t channel = 0;
    Switch to = kNone;  ///< the switch at the link's end
  };

  /// A packet stands at the end of a link, its tail has left the beginning at `end`.
  struct Step {
    Stand stand;
    Time time = 0, end = 0;
  };

  /// Chooses the way, once a message, lets the NIC go on, and the packet enter.
  void come_in(const Packet& packet) {
    const Switch at = routing_.topology().switch_of(world_.placement.node(packet.source));
    if (packet.started) {
      executor_.follow(packet);
      self().enter(packet, stand(packet, world_.route(packet), at));
      return;
    }
    link_queues_.move_to(packet.time);
    auto route = world_.route(packet);
    routing_.start(route, link_queues_);
    auto started = packet;
    started.keep(route);
    started.started = true;
    const auto first = stand(packet, route, at);
    started.from = first.place;
    if (packet.kind == Kind::data) executor_.follow(started);
    self().enter(started, first);
  }

  /// Where a packet goes from a switch.
  [[gnu::always_inline]] Stand stand(const Packet& packet, Route route, Switch at) const {
    if (route.arrived(at)) return {route, world_.places.out(world_.nic(packet.target)), 0};
    const auto hop = routing_.next(at, route);
    return {route, hop.link, hop.channel, hop.to};
  }
  /// Where one stands that is due at a link.
  Stand at_link(const Packet& packet) const {
    return {world_.route(packet), packet.place, packet.channel, routing_.topology().ends(packet.place).to};
  }

  /// Lets a packet cross a link from `earliest` on. One that comes more slowly than the link is leaves time
  /// on it for others, byte between byte.
  Step pass(const Packet& packet, const Stand& at, Time earliest) {
    auto& link = world_.links[at.place];
    const auto& speed = world_.speeds[link.kind];
    const auto takes = speed.pace(packet.bytes);
    const auto turn = turn_before(packet, at.place, packet.time);
    auto start = std::max(earliest, turn.begin);
    if (!packet.bypass) start = std::max(start, link.free);
    load(at.place, packet, start + takes);
    if (!packet.bypass && world_.history.on()) {
      world_.history.add(at.place, packet.time, start, takes, packet.bytes);
    }
    return {stand(packet, at.route, at.to), start + speed.latency,
            std::max({start + takes, turn.end, packet.time + packet.span})};
  }

  /// The link has a packet, until `end`; one that bypasses the network is only counted.
  void load(Link number, const Packet& packet, Time end) {
    if (packet.bypass) {
      executor_.statistics().counts.byte_hops += packet.bytes;
      return;
    }
    auto& link = world_.links[number];
    const auto bytes = link.bytes + packet.bytes;
    if (bytes > LinkState::kMostBytes) [[unlikely]]
      world_.refuse_load(number);
    link.free = end;
    link.bytes = bytes & LinkState::kMostBytes;
  }

  /// On the crossbar, before a link or the target's NIC.
  Turn turn_before(const Packet& packet, Link link, Time now) {
    if (world_.crossbars.empty()) return {};
    return world_.turn(packet, routing_.topology().ends(link).from, now);
  }
  Turn turn_before_target(const Packet& packet, Time now) {
    if (world_.crossbars.empty()) return {};
    return world_.turn(packet, routing_.topology().switch_of(world_.placement.node(packet.target)), now);
  }

  /// Puts the packet into the queue of a part, after a step over the link `at`. `also` changes more of it.
  template <class Also>
  void dispatch(const Packet& packet, const Stand& at, const Step& step, Also also) {
    const auto& speed = world_.speeds[world_.links[at.place].kind];
    const auto part = world_.part(at.to);
    const auto move = [&](Packet& moved) {
      moved.time = step.time;
      moved.span = static_cast<std::uint32_t>(step.end - step.time + speed.latency);
      moved.place = step.stand.place;
      moved.channel = step.stand.channel;
      moved.keep(step.stand.route);
      also(moved);
    };
    if (part == part_)
      events_.push(packet, step.time, move);
    else
      move(outbox_[part].emplace_back(packet));
  }

  /// Into the target's NIC. @returns when the tail has left the switch
  Time leave(const Packet& packet, std::int32_t number, Time span, const Turn& turn) {
    auto& nic = world_.nics[number];
    const auto start = std::max({packet.time, nic.out_free, turn.begin});
    nic.out_free = start + world_.out.pace(packet.bytes);
    const auto end = std::max({nic.out_free, turn.end, packet.time + span});
    if (end >= kEndOfTime) [[unlikely]]
      world_.refuse_way(packet, end);
    if (packet.last) executor_.arrive(packet, end + world_.out.latency);
    return end;
  }
  Time leave(const Packet& packet, std::int32_t place) {
    return leave(packet, world_.places.nic(place), packet.span, turn_before_target(packet, packet.time));
  }

  /// Prefetches what a packet will need.
  void prefetch(const Packet& packet) const {
    if (world_.places.is_link(packet.place)) {
      prefetch_lines(world_.links[packet.place]);
      return;
    }
    prefetch_lines(world_.nics[world_.places.nic(packet.place)]);
    if (world_.places.is_out(packet.place)) {
      if (packet.last) prefetch_lines(world_.ranks[packet.target]);
      return;
    }
    if (packet.last) prefetch_lines(world_.ranks[packet.source]);
    if (packet.from != kNone && world_.places.is_link(packet.from)) prefetch_lines(world_.links[packet.from]);
    if (arrives_at_once(packet)) {
      prefetch_lines(world_.nics[world_.nic(packet.target)]);
      if (packet.last) prefetch_lines(world_.ranks[packet.target]);
      self().prefetch_way(packet);
    }
  }
  void prefetch_unexpected(const Packet& packet) const {
    if (!packet.last || world_.places.is_link(packet.place)) return;
    const bool comes_in = !world_.places.is_out(packet.place);
    if (comes_in) executor_.prefetch_unexpected(packet.source);
    if (!comes_in || arrives_at_once(packet)) executor_.prefetch_unexpected(packet.target);
  }
  /// Whether the packet stands in the target's NIC as soon as it has come to its first switch.
  bool arrives_at_once(const Packet& packet) const {
    const auto& topology = routing_.topology();
    return Self::kWhole || topology.switch_of(world_.placement.node(packet.source)) ==
                               topology.switch_of(world_.placement.node(packet.target));
  }
  void prefetch_way(const Packet&) const {}

  World& world_;
  const R& routing_;
  int part_;
  std::vector<std::vector<Packet>> outbox_;                 // (part)
  std::array<std::vector<std::vector<Packet>>, 2> posted_;  // (turn, part)
  EventQueue<Packet> events_;
  Executor executor_;
  LinkQueues link_queues_;
};

/// Where threads wait for each other: busily for a while, then asleep, so that others have the processor.
class Barrier {
 public:
  explicit Barrier(int n_threads) : n_threads_(n_threads) {}

  void wait() {
    const auto round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      if (n_threads_ > 1) round_.notify_all();
      return;
    }
    for (int i = 0; i < kSpins; ++i) {
      if (round_.load(std::memory_order_acquire) != round) return;
      __builtin_ia32_pause();
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  static constexpr int kSpins = 500;
  int n_threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

/// Runs parts of the network, a thread each, window by window: within one, no part can affect another
/// (conservative windows after Chandy and Misra 1979, with a global minimum as in Nicol 1993). Parts meet
/// once a window: what they leave each other then, they collect while the next packets go into other boxes.
template <class Part>
class Parts {
 public:
  using Window = EventQueue<Packet>::Window;

  explicit Parts(std::vector<std::unique_ptr<Part>>& parts)
      : parts_(parts),
        barrier_(static_cast<int>(parts.size())),
        earliest_(parts.size()),
        failures_(parts.size()) {}

  /// Part 0 runs on this thread. @returns the CPU time of the others [s]
  double run() {
    std::vector<double> cpu_s(parts_.size());
    {
      std::vector<std::jthread> helpers;
      for (std::size_t p = 1; p < parts_.size(); ++p) {
        helpers.emplace_back([this, p, &cpu_s] {
          run_part(p);
          cpu_s[p] = thread_cpu_s();
        });
      }
      run_part(0);
    }
    for (const auto& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    return std::accumulate(cpu_s.begin(), cpu_s.end(), 0.0);
  }

 private:
  void run_part(std::size_t number) {
    auto& part = *parts_[number];
    guarded(number, [&] { part.executor().begin(); });
    for (int turn = 0;; turn ^= 1) {
      earliest_[number].window[turn] = failures_[number] ? kFailed : part.post(turn);
      barrier_.wait();
      auto window = EventQueue<Packet>::kNoWindow;
      for (const auto& other : earliest_) window = std::min(window, other.window[turn]);
      if (window == EventQueue<Packet>::kNoWindow || window == kFailed) return;
      guarded(number, [&] {
        for (auto& from : parts_) part.collect(from->post_box(turn, static_cast<int>(number)));
        part.run(window);
      });
    }
  }

  template <class Body>
  void guarded(std::size_t number, Body body) {
    try {
      body();
    } catch (...) {
      failures_[number] = std::current_exception();
    }
  }

  static constexpr Window kFailed = -1;
  struct alignas(64) Earliest {
    std::array<Window, 2> window;  // (turn)
  };

  std::vector<std::unique_ptr<Part>>& parts_;
  Barrier barrier_;
  std::vector<Earliest> earliest_;
  std::vector<std::exception_ptr> failures_;
};

/// Runs all ranks on a fabric, and reports.
template <template <class Routing> class Fabric>
void run(World& world, Result& result) {
  with_concrete(world.routing, [&]<class R>(const R& routing) {
    const int n_parts = world.options.threads;
    std::vector<std::unique_ptr<Fabric<R>>> parts;
    for (int p = 0; p < n_parts; ++p)
      parts.push_back(std::make_unique<Fabric<R>>(world, routing, p, n_parts));
    result.cpu_s += Parts<Fabric<R>>(parts).run();
    std::vector<Executor*> executors;
    for (auto& part : parts) executors.push_back(&part->executor());
    require_finished(world, executors);
    report(world, executors, result);
  });
}

}  // namespace halcyon::network
