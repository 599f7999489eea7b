#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {
namespace {

constexpr std::size_t kMaxErrorItems = 10;  // maximum number of sentences, and of ranks in a sentence

void write_stages(const SimulationState& simulation, const Statistics& statistics, Result& result) {
  for (const auto& stage : statistics.stages) {
    result.stages.push_back({.first_s = to_seconds(stage.first),
                             .mean_s = static_cast<double>(stage.sum) / kPsPerSecond /
                                       static_cast<double>(simulation.ranks.size()),
                             .last_s = to_seconds(stage.last)});
  }
  // by rank and stage, with Options::record_ranks only
  for (const auto time : simulation.stage_finish) result.stage_s.push_back(to_seconds(time));
}

void write_delays(const Statistics& statistics, Result& result) {
  statistics.delays.write(result.delay_edges_s, result.delay_messages, to_seconds);
  statistics.slowdowns.write(result.slowdown_edges, result.slowdown_messages, [](Time edge) {
    return static_cast<double>(edge) / static_cast<double>(Statistics::kSlowdownUnit);
  });
  if (statistics.counts.messages > 0) {
    result.delay_mean_s = static_cast<double>(statistics.delay_sum) / kPsPerSecond /
                          static_cast<double>(statistics.counts.messages);
  }
  result.delay_max_s = to_seconds(statistics.delay_max);
  result.pair_messages = statistics.pair_messages;
  for (const auto delay : statistics.pair_delay)
    result.pair_delay_s.push_back(static_cast<double>(delay) / kPsPerSecond);
}

/// Returns the transfer time of the bytes across the bisection, in the slower of the two directions.
double bisection_s(const SimulationState& simulation) {
  std::array<std::int64_t, 2> bytes{};  // from the first to the second half, and in the other direction
  std::array<double, 2> bandwidth{};
  const auto& topology = simulation.topology;
  std::vector<char> is_in_second_half(topology.n_switches());
  for (Switch number = 0; number < topology.n_switches(); ++number)
    is_in_second_half[number] = topology.is_in_second_half(number);
  for (Switch from = 0; from < topology.n_switches(); ++from) {
    const auto end = topology.first_link(from + 1);
    for (Link link = topology.first_link(from); link < end; ++link) {
      const auto& state = simulation.links[link];
      const auto direction = is_in_second_half[from];
      if (direction == is_in_second_half[topology.ends(link).to]) continue;
      bytes[direction] += state.bytes;
      bandwidth[direction] += simulation.machine.link(state.kind).bandwidth;
    }
  }
  double longest = 0;
  for (const int direction : {0, 1}) {
    if (bytes[direction] > 0)
      longest = std::max(longest, static_cast<double>(bytes[direction]) / bandwidth[direction]);
  }
  return longest;
}

void write_bounds(const SimulationState& simulation, Result& result) {
  auto& bounds = result.bounds;
  const auto raise_bound = [](double& bound, const TransferTime& transfer_time, std::int64_t bytes) {
    bound = std::max(bound, transfer_time.seconds(bytes));
  };
  for (const auto& link : simulation.links)
    raise_bound(bounds.link_s, simulation.link_speeds[link.kind].transfer_time, link.bytes);
  for (const auto& crossbar : simulation.crossbars)
    raise_bound(bounds.crossbar_s, simulation.crossbar, crossbar.bytes);
  for (const auto& nic : simulation.nics) {
    raise_bound(bounds.injection_s, simulation.injection.transfer_time, nic.injected_bytes);
    raise_bound(bounds.ejection_s, simulation.ejection.transfer_time, nic.ejected_bytes);
  }
  bounds.bisection_s = bisection_s(simulation);
  result.nic_bytes.resize(simulation.nics_per_node);
  for (std::size_t nic = 0; nic < simulation.nics.size(); ++nic)
    result.nic_bytes[nic % result.nic_bytes.size()] += simulation.nics[nic].injected_bytes;
}

void write_links(const SimulationState& simulation, Result& result) {
  for (const auto& link : simulation.links) {
    result.counts.byte_hops += link.bytes;
    if (!simulation.options.record_links) continue;
    result.link_bytes.push_back(link.bytes);
    result.link_busy_s.push_back(simulation.link_speeds[link.kind].transfer_time.seconds(link.bytes));
  }
}

}  // namespace

void LinkHistory::double_bin_width(Link link) {
  auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
  for (std::int32_t i = 0; i < n_bins_; ++i) {
    const auto bin = std::exchange(bins[i], {});
    bins[i / 2].bytes += bin.bytes;
    bins[i / 2].wait = std::max(bins[i / 2].wait, bin.wait);
  }
  ++shifts_[link];
}

void LinkHistory::write(Time end, Result& result) {
  if (shifts_.empty()) return;
  auto shift = *std::max_element(shifts_.begin(), shifts_.end());
  while (Time{n_bins_} << shift < end) ++shift;
  const auto n_used = std::max<Time>(((end - 1) >> shift) + 1, 1);
  result.link_bin_s = to_seconds(Time{1} << shift);
  result.link_bin_bytes.reserve(shifts_.size() * n_used);
  result.link_bin_wait_s.reserve(shifts_.size() * n_used);
  for (Link link = 0; link < std::ssize(shifts_); ++link) {
    while (shifts_[link] < shift) double_bin_width(link);
    for (Time bin = 0; bin < n_used; ++bin) {
      const auto& state = bins_[static_cast<std::size_t>(link) * n_bins_ + bin];
      result.link_bin_bytes.push_back(state.bytes);
      result.link_bin_wait_s.push_back(to_seconds(state.wait));
    }
  }
}

void Statistics::merge(const Statistics& other) {
  counts.messages += other.counts.messages;
  counts.local_messages += other.counts.local_messages;
  counts.bytes += other.counts.bytes;
  counts.byte_hops += other.counts.byte_hops;
  counts.events += other.counts.events;
  delays.merge(other.delays);
  slowdowns.merge(other.slowdowns);
  delay_sum += other.delay_sum;
  delay_max = std::max(delay_max, other.delay_max);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i].first = std::min(stages[i].first, other.stages[i].first);
    stages[i].last = std::max(stages[i].last, other.stages[i].last);
    stages[i].sum += other.stages[i].sum;
  }
  for (std::size_t i = 0; i < pair_messages.size(); ++i) {
    pair_messages[i] += other.pair_messages[i];
    pair_delay[i] += other.pair_delay[i];
  }
}

namespace {

/// Describes a cycle of ranks that wait for each other; empty if there is none.
std::vector<std::string> deadlock_cycle(const std::vector<Executor*>& partitions, std::ptrdiff_t n_ranks) {
  std::vector<Rank> blocking(n_ranks, kNone), first_seen_from(n_ranks, kNone);
  for (const auto* partition : partitions) partition->write_blocking_ranks(blocking);
  for (Rank start = 0; start < n_ranks; ++start) {
    Rank rank = start;
    for (; rank != kNone && first_seen_from[rank] == kNone; rank = blocking[rank])
      first_seen_from[rank] = start;
    if (rank == kNone || first_seen_from[rank] != start) continue;
    std::vector<Rank> cycle{rank};
    while (blocking[cycle.back()] != rank) cycle.push_back(blocking[cycle.back()]);
    const auto n_named = std::min<std::ptrdiff_t>(std::ssize(cycle), kMaxErrorItems);
    return {fmt::format("Deadlock: ranks {}{} wait for each other in a cycle.",
                        fmt::join(cycle.begin(), cycle.begin() + n_named, ", "),
                        n_named < std::ssize(cycle) ? fmt::format(" ({} in total)", cycle.size()) : "")};
  }
  return {};
}

}  // namespace

void require_finished(const SimulationState& simulation, const std::vector<Executor*>& partitions) {
  const bool done = std::all_of(simulation.ranks.begin(), simulation.ranks.end(), [](const RankState& rank) {
    return rank.status == RankStatus::done && rank.unexpected.empty();
  });
  if (done) return;
  std::vector<std::string> sentences = deadlock_cycle(partitions, std::ssize(simulation.ranks));
  for (const auto* partition : partitions) partition->describe_unfinished(sentences, kMaxErrorItems);
  const bool is_truncated = sentences.size() > kMaxErrorItems;
  if (is_truncated) sentences.resize(kMaxErrorItems);
  throw InputError(fmt::format("The schedule does not complete: {}{}", fmt::join(sentences, " "),
                               is_truncated ? " ..." : ""));
}

void report(SimulationState& simulation, const std::vector<Executor*>& partitions, Result& result) {
  auto& statistics = partitions[0]->statistics();
  for (std::size_t p = 1; p < partitions.size(); ++p) statistics.merge(partitions[p]->statistics());
  result.counts = statistics.counts;
  result.finish_s.reserve(simulation.ranks.size());
  for (const auto& rank : simulation.ranks) {
    result.finish_s.push_back(to_seconds(rank.clock));
    result.time_s = std::max(result.time_s, to_seconds(rank.clock));
  }
  write_stages(simulation, statistics, result);
  write_delays(statistics, result);
  write_links(simulation, result);
  write_bounds(simulation, result);
  simulation.history.write(to_time(result.time_s), result);
}

void Executor::describe_unfinished(std::vector<std::string>& sentences, std::size_t limit) const {
  for (Rank rank = 0; rank < std::ssize(simulation_.ranks) && sentences.size() <= limit; ++rank) {
    const auto& state = simulation_.ranks[rank];
    if (simulation_.partition_of_rank(rank) != partition_.index) continue;
    if (state.status != RankStatus::done) {
      sentences.push_back(fmt::format("Rank {} waits for round {}.", rank, state.round));
      describe_wait(rank, state, sentences);
    }
    matching_.for_each_unexpected(state, [&](const UnexpectedMessage& message) {
      sentences.push_back(fmt::format("No receive matches the {} bytes from rank {} to rank {}.",
                                      message.bytes, message.source, rank));
    });
  }
}

void Executor::write_blocking_ranks(std::vector<Rank>& blocking) const {
  const auto is_unfinished = [&](Rank rank) { return simulation_.ranks[rank].status != RankStatus::done; };
  for (Rank rank = 0; rank < std::ssize(simulation_.ranks); ++rank) {
    if (simulation_.partition_of_rank(rank) != partition_.index || !is_unfinished(rank)) continue;
    const auto& state = simulation_.ranks[rank];
    const auto set_blocking = [&](Rank peer) {
      if (is_unfinished(peer)) blocking[rank] = peer;
    };
    nics_.for_each_rendezvous(state, [&](Rank peer, std::int64_t) { set_blocking(peer); });
    const auto record = find_round(state, state.round);
    if (record == kNoRecord) continue;
    matching_.for_each_pending(partition_.rounds[record],
                               [&](Rank source, std::int64_t) { set_blocking(source); });
  }
}

void Executor::describe_wait(Rank rank, const RankState& state, std::vector<std::string>& sentences) const {
  const auto record = find_round(state, state.round);
  if (record == kNoRecord) return;
  const auto& round = partition_.rounds[record];
  if (!round.has_started())
    sentences.push_back(fmt::format("Rank {} never starts round {}.", rank, state.round));
  matching_.for_each_pending(round, [&](Rank source, std::int64_t bytes) {
    sentences.push_back(fmt::format("Rank {} has not sent {} bytes to rank {}.", source, bytes, rank));
  });
  nics_.for_each_rendezvous(state, [&](Rank peer, std::int64_t bytes) {
    sentences.push_back(fmt::format("Rank {} has not received {} bytes from rank {}.", peer, bytes, rank));
  });
}

}  // namespace halcyon::network
