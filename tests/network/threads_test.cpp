#include <thread>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

bool same_bits(const Result& a, const Result& b) {
  return a.finish_s == b.finish_s && a.link_bytes == b.link_bytes && a.link_busy_s == b.link_busy_s &&
         a.link_bin_bytes == b.link_bin_bytes && a.link_bin_wait_s == b.link_bin_wait_s &&
         a.delay_edges_s == b.delay_edges_s && a.delay_messages == b.delay_messages &&
         a.delay_mean_s == b.delay_mean_s && a.stage_s == b.stage_s && a.pair_delay_s == b.pair_delay_s &&
         a.counts.byte_hops == b.counts.byte_hops && a.stages[0].mean_s == b.stages[0].mean_s &&
         a.counts.messages == b.counts.messages;
}

}  // namespace

TEST_CASE("engine: any number of threads gives the same bits" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    for (const auto method : {Method::minimal, Method::valiant, Method::ugal, Method::adaptive}) {
      if (method == Method::adaptive && !dynamic_cast<const FatTree*>(network.get())) continue;
      for (const auto fidelity : {Fidelity::chunk, Fidelity::packet}) {
        for (const bool has_rendezvous : {false, true}) {  // and two ranks per node
          auto machine = machine_with_overheads();
          machine.links[0].bandwidth = 8.7e9;
          machine.buffer_packets = 3;
          if (has_rendezvous) machine.eager_bytes = 20'000, machine.ranks_per_node = 2;
          const Rank n = network->n_nodes() * machine.ranks_per_node;
          const auto schedule = shifts(n, {1, n / 2, 3, n - 1, n / 3}, 18'000, 1e-6);
          Options options{.fidelity = fidelity,
                          .chunk_bytes = 4096,
                          .record_links = true,
                          .record_ranks = true,
                          .link_bins = 24,
                          .pair_bins = 4};
          const auto one_thread = Simulator{*network, method, machine, options}(schedule);
          for (const int threads : {2, 3}) {
            if (threads == 3 && (method != Method::ugal || !has_rendezvous)) continue;
            options.threads = threads;
            CAPTURE(network->name());
            CAPTURE(threads);
            CHECK(same_bits(one_thread, Simulator{*network, method, machine, options}(schedule)));
          }
        }
      }
    }
  }
}

TEST_CASE("engine: threads and a transposition with stages" * test::in_process()) {
  const FatTree tree({5, 4, 3}, {5, 2});
  const auto schedule = transposition({.nx = 103, .ny = 64, .nz = 31, .cx = 6, .cy = 10}, {.k = 3});
  Options options{.record_links = true, .record_ranks = true};
  const auto one = Simulator{tree, Method::d_mod_k, {}, options}(schedule);
  REQUIRE(one.stages.size() == static_cast<std::size_t>(schedule.n_stages()));
  for (std::size_t s = 1; s < one.stages.size(); ++s) CHECK(one.stages[s].last_s >= one.stages[s - 1].last_s);
  CHECK(one.stages.back().last_s == one.time_s);
  options.threads = 2;
  CHECK(same_bits(one, Simulator{tree, Method::d_mod_k, {}, options}(schedule)));
}

namespace {

constexpr double kBusy_s = 0.05;

/// Uses kBusy_s of this thread's CPU time.
void use_cpu() {
  for (const double begin = thread_cpu_s(); thread_cpu_s() < begin + kBusy_s;) {
  }
}

/// A schedule without operations; first(rank) is called when a rank asks for its first operation.
class BusySchedule final : public Schedule {
 public:
  BusySchedule(Rank n_ranks, std::function<void(Rank)> first) : n_ranks_(n_ranks), first_(std::move(first)) {}
  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank, std::int32_t) const override { return 0; }
  bool next(Rank rank, Cursor&, Operation&) const override { return first_(rank), false; }

 private:
  Rank n_ranks_;
  std::function<void(Rank)> first_;
  std::vector<Buffer> buffers_;
};

}  // namespace

TEST_CASE("engine: CPU time is that of its own threads, and of all of them" * test::in_process()) {
  const Torus ring({4}, 1);
  const BusySchedule in_foreign_thread(4, [](Rank rank) {
    if (rank == 0) std::jthread(use_cpu).join();
  });
  CHECK(Simulator{ring, Method::minimal, {}, {}}(in_foreign_thread).cpu_s < kBusy_s);
  const BusySchedule in_own_threads(4, [](Rank rank) {
    if (rank == 0 || rank == 3) use_cpu();
  });
  CHECK(Simulator{ring, Method::minimal, {}, {.threads = 2}}(in_own_threads).cpu_s >= 2 * kBusy_s);
}

TEST_CASE("engine: an error on one thread ends all" * test::in_process()) {
  const Torus ring({8}, 1);
  const auto wrong = schedule_of(8, [](Rank rank) -> ListSchedule::Program {
    if (rank == 7) return {receive(0, 0, {0, 0, 8}), start(0), wait(0), wait(1)};
    if (rank == 0) return {send(7, 0, {0, 0, 8}), start(0), wait(0)};
    return {};
  });
  CHECK_THROWS_WITH_AS(Simulator({ring, Method::minimal, {}, {.threads = 2}})(wrong),
                       "Rank 7 waits for round 1, which it has not started.", InputError);
}
