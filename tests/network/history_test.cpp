#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "network/messages.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// The bins of one link, from the bins of all links in order.
template <class T>
std::vector<T> of_link(const std::vector<T>& bins, const Result& result, Link link) {
  const auto bins_per_link = bins.size() / result.link_bytes.size();
  return {bins.begin() + link * bins_per_link, bins.begin() + (link + 1) * bins_per_link};
}

Result run_with_bins(const Topology& network, Fidelity fidelity, std::int32_t max_bins) {
  const auto schedule = shifts(network.n_nodes(), {1, network.n_nodes() / 2, 3}, 50'000, 1e-6);
  const Options options{
      .fidelity = fidelity, .chunk_bytes = 8192, .record_links = true, .link_bins = max_bins};
  return Simulator{network, Method::minimal, machine_with_overheads(), options}(schedule);
}

}  // namespace

TEST_CASE("history: bins of a link hold its bytes, on every network in every fidelity" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    for (const auto fidelity : kFidelities) {
      const auto result = run_with_bins(*network, fidelity, 48);
      const auto n_bins = static_cast<std::int64_t>(result.link_bin_bytes.size()) / network->n_links();
      CHECK(n_bins > 24);
      CHECK(n_bins <= 48);
      CHECK(result.link_bin_s * static_cast<double>(n_bins) >= result.time_s);
      CHECK(result.link_bin_s * static_cast<double>(n_bins - 1) < result.time_s);
      for (Link link = 0; link < network->n_links(); ++link) {
        const auto bins = of_link(result.link_bin_bytes, result, link);
        CHECK(std::accumulate(bins.begin(), bins.end(), std::int64_t{0}) == result.link_bytes[link]);
        if (fidelity == Fidelity::analytic) continue;
        const auto max_bytes = 12.5e9 * result.link_bin_s;  // 1 byte of rounding at each end of the bin
        CHECK(static_cast<double>(*std::max_element(bins.begin(), bins.end())) <= max_bytes + 2);
      }
    }
  }
}

TEST_CASE("history: what books ahead of a slow crossbar waits from before the beginning on" *
          test::in_process()) {
  // A message waits for the seven others of its switch, at 1 % of 12.5 GB/s; the wait is in the first bin.
  const Torus ring({4}, 8);
  auto machine = machine_with_overheads();
  machine.crossbar_factor = 0.01;
  const Options options{.fidelity = Fidelity::reserve, .record_links = true, .link_bins = 16};
  const auto result = Simulator{ring, Method::minimal, machine, options}(shifts(32, {8}, 50'000));
  for (Link link = 0; link < ring.n_links(); ++link) {
    const auto bins = of_link(result.link_bin_bytes, result, link);
    const auto waits = of_link(result.link_bin_wait_s, result, link);
    CHECK(std::accumulate(bins.begin(), bins.end(), std::int64_t{0}) == result.link_bytes[link]);
    if (result.link_bytes[link] > 0)
      CHECK(waits[0] > 0.99 * 7 * 50'000 / 125e6);
    else
      CHECK(*std::max_element(waits.begin(), waits.end()) == 0);
  }
}

TEST_CASE("history: bins twice as wide hold two narrow ones" * test::in_process()) {
  for (const auto& network : one_of_each_type()) {
    const auto fine = run_with_bins(*network, Fidelity::chunk, 64);
    const auto coarse = run_with_bins(*network, Fidelity::chunk, 32);
    REQUIRE(coarse.link_bin_s == 2 * fine.link_bin_s);
    for (Link link = 0; link < network->n_links(); ++link) {
      auto bytes = of_link(fine.link_bin_bytes, fine, link);
      auto wait = of_link(fine.link_bin_wait_s, fine, link);
      bytes.resize(2 * ((bytes.size() + 1) / 2));
      wait.resize(bytes.size());
      for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
        CHECK(of_link(coarse.link_bin_bytes, coarse, link)[i] == bytes[2 * i] + bytes[2 * i + 1]);
        CHECK(of_link(coarse.link_bin_wait_s, coarse, link)[i] == std::max(wait[2 * i], wait[2 * i + 1]));
      }
    }
  }
}

TEST_CASE("history: one message fills a link from when its head comes" * test::in_process()) {
  const Torus pair({2}, 1);
  const Machine machine;  // 80 ps per byte, 1 us to the switch
  const Options options{.chunk_bytes = 1 << 21, .record_links = true, .link_bins = 1000};
  const auto result = Simulator{pair, Method::minimal, machine, options}(one_message(2, 0, 1, 1'000'000));
  const auto bytes = of_link(result.link_bin_bytes, result, result.link_bytes[0] > 0 ? 0 : 1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto bytes_until = [&](double time_s) { return std::clamp((time_s - 1e-6) * 12.5e9, 0.0, 1e6); };
    const auto begin_s = result.link_bin_s * static_cast<double>(i);
    CHECK(std::abs(static_cast<double>(bytes[i]) - bytes_until(begin_s + result.link_bin_s) +
                   bytes_until(begin_s)) <= 1.01);
  }
  CHECK(std::all_of(result.link_bin_wait_s.begin(), result.link_bin_wait_s.end(),
                    [](double wait) { return wait == 0; }));
}

TEST_CASE("history: what comes second waits as long as the first takes" * test::in_process()) {
  const Torus pair({2}, 2);
  const auto schedule = schedule_of(4, [](Rank rank) -> ListSchedule::Program {
    const Block block{0, 0, 100'000};
    if (rank < 2) return {send(rank + 2, 0, block), start(0), wait(0)};
    return {receive(rank - 2, 0, block), start(0), wait(0)};
  });
  const Options options{.chunk_bytes = 1 << 21, .link_bins = 10};
  const auto result = Simulator{pair, Method::minimal, {}, options}(schedule);
  CHECK(*std::max_element(result.link_bin_wait_s.begin(), result.link_bin_wait_s.end()) == 8e-6);
}

TEST_CASE("history: not asked for, and too much asked for" * test::in_process()) {
  const Torus ring({8}, 1);
  const auto schedule = one_message(8, 0, 1, 8);
  CHECK(Simulator{ring, Method::minimal, {}, {}}(schedule).link_bin_bytes.empty());
  CHECK_THROWS_WITH_AS(Simulator({ring, Method::minimal, {}, {.link_bins = 5000}})(schedule),
                       "link_bins = 5000 for 16 links. Give 0 to 4096.", ConfigError);
  CHECK_THROWS_AS(Simulator({ring, Method::minimal, {}, {.link_bins = -1}})(schedule), ConfigError);
}
