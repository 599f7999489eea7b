#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"
#include "halcyon/network/routing/routing_over.hpp"

namespace halcyon::network {

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
