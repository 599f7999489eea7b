#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {
namespace {

constexpr std::size_t kTroubles = 10;  // lines that an error shows

void write_stages(const World& world, const Statistics& statistics, Result& result) {
  for (const auto& stage : statistics.stages) {
    result.stages.push_back(
        {.first_s = to_seconds(stage.first),
         .mean_s = static_cast<double>(stage.sum) / kPicoseconds / static_cast<double>(world.ranks.size()),
         .last_s = to_seconds(stage.last)});
  }
  for (const auto time : world.stage_finish) result.stage_s.push_back(to_seconds(time));
}

void write_delays(const Statistics& statistics, Result& result) {
  statistics.delays.write(result.delay_edges_s, result.delay_messages);
  if (statistics.counts.messages > 0) {
    result.delay_mean_s = static_cast<double>(statistics.delay_sum) / kPicoseconds /
                          static_cast<double>(statistics.counts.messages);
  }
  result.delay_max_s = to_seconds(statistics.delay_max);
  result.pair_messages = statistics.pair_messages;
  for (const auto delay : statistics.pair_delay) {
    result.pair_delay_s.push_back(static_cast<double>(delay) / kPicoseconds);
  }
}

/// Of the bytes from one half of the network to the other, at the bandwidth of all links that lead there.
double bisection_s(const World& world) {
  std::array<std::int64_t, 2> bytes{};  // onwards and back
  std::array<double, 2> bandwidth{};
  const auto& topology = world.topology;
  std::vector<char> beyond(topology.n_switches());
  for (Switch at = 0; at < topology.n_switches(); ++at) beyond[at] = topology.beyond_middle(at);
  for (Switch from = 0; from < topology.n_switches(); ++from) {
    const auto end = topology.first_link(from + 1);
    for (Link link = topology.first_link(from); link < end; ++link) {
      const auto& state = world.links[link];
      const auto back = beyond[from];
      if (back == beyond[topology.ends(link).to]) continue;
      bytes[back] += state.bytes;
      bandwidth[back] += world.machine.link(state.kind).bandwidth;
    }
  }
  double most = 0;
  for (const int way : {0, 1}) {
    if (bytes[way] > 0) most = std::max(most, static_cast<double>(bytes[way]) / bandwidth[way]);
  }
  return most;
}

void write_bounds(const World& world, Result& result) {
  auto& bounds = result.bounds;
  const auto raise = [](double& bound, const Pace& pace, std::int64_t bytes) {
    bound = std::max(bound, pace.seconds(bytes));
  };
  for (const auto& link : world.links) raise(bounds.link_s, world.speeds[link.kind].pace, link.bytes);
  for (const auto& crossbar : world.crossbars) raise(bounds.crossbar_s, world.crossbar, crossbar.bytes);
  for (const auto& nic : world.nics) {
    raise(bounds.injection_s, world.in.pace, nic.in_bytes);
    raise(bounds.ejection_s, world.out.pace, nic.out_bytes);
  }
  bounds.bisection_s = bisection_s(world);
}

void write_links(const World& world, Result& result) {
  for (const auto& link : world.links) {
    result.counts.byte_hops += link.bytes;
    if (!world.options.record_links) continue;
    result.link_bytes.push_back(link.bytes);
    result.link_busy_s.push_back(world.speeds[link.kind].pace.seconds(link.bytes));
  }
}

}  // namespace

void Histogram::write(std::vector<double>& edges_s, std::vector<std::int64_t>& counts) const {
  const auto used = [](std::int64_t n) { return n > 0; };
  const auto first = std::find_if(counts_.begin(), counts_.end(), used);
  if (first == counts_.end()) return;
  const auto end = std::find_if(counts_.rbegin(), counts_.rend(), used).base();
  counts.assign(first, end);
  for (auto i = first - counts_.begin(); i <= end - counts_.begin(); ++i) {
    edges_s.push_back(to_seconds(edge(static_cast<int>(i))));
  }
}

void History::widen(Link link) {
  auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
  for (std::int32_t i = 0; i < n_bins_; ++i) {
    const auto bin = std::exchange(bins[i], {});
    bins[i / 2].bytes += bin.bytes;
    bins[i / 2].wait = std::max(bins[i / 2].wait, bin.wait);
  }
  ++shifts_[link];
}

void History::write(Time end, Result& result) {
  if (shifts_.empty()) return;
  auto shift = *std::max_element(shifts_.begin(), shifts_.end());
  while (Time{n_bins_} << shift < end) ++shift;
  const auto n_used = std::max<Time>(((end - 1) >> shift) + 1, 1);
  result.link_bin_s = to_seconds(Time{1} << shift);
  result.link_bin_bytes.reserve(shifts_.size() * n_used);
  result.link_bin_wait_s.reserve(shifts_.size() * n_used);
  for (Link link = 0; link < std::ssize(shifts_); ++link) {
    while (shifts_[link] < shift) widen(link);
    for (Time bin = 0; bin < n_used; ++bin) {
      const auto& one = bins_[static_cast<std::size_t>(link) * n_bins_ + bin];
      result.link_bin_bytes.push_back(one.bytes);
      result.link_bin_wait_s.push_back(to_seconds(one.wait));
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

/// A line with the ranks that wait for each other in a circle, where there are such.
std::vector<std::string> circle(const std::vector<Executor*>& parts, std::ptrdiff_t n_ranks) {
  std::vector<Rank> awaited(n_ranks, kNone), first_seen_from(n_ranks, kNone);
  for (const auto* part : parts) part->write_awaited(awaited);
  for (Rank from = 0; from < n_ranks; ++from) {
    Rank rank = from;
    for (; rank != kNone && first_seen_from[rank] == kNone; rank = awaited[rank])
      first_seen_from[rank] = from;
    if (rank == kNone || first_seen_from[rank] != from) continue;
    std::vector<Rank> on_it{rank};
    while (awaited[on_it.back()] != rank) on_it.push_back(awaited[on_it.back()]);
    const auto named = std::min<std::ptrdiff_t>(std::ssize(on_it), kTroubles);
    return {fmt::format("A deadlock: ranks {}{} wait for each other in a circle.",
                        fmt::join(on_it.begin(), on_it.begin() + named, ", "),
                        named < std::ssize(on_it) ? fmt::format(" ({} in all)", on_it.size()) : "")};
  }
  return {};
}

}  // namespace

void require_finished(const World& world, const std::vector<Executor*>& parts) {
  const bool done = std::all_of(world.ranks.begin(), world.ranks.end(), [](const RankState& rank) {
    return rank.doing == Doing::done && rank.unexpected.empty();
  });
  if (done) return;
  std::vector<std::string> lines = circle(parts, std::ssize(world.ranks));
  for (const auto* part : parts) part->add_troubles(lines, kTroubles);
  const bool more = lines.size() > kTroubles;
  if (more) lines.resize(kTroubles);
  throw InputError(
      fmt::format("The schedule does not end well: {}{}", fmt::join(lines, " "), more ? " ..." : ""));
}

void report(World& world, const std::vector<Executor*>& parts, Result& result) {
  auto& statistics = parts[0]->statistics();
  for (std::size_t p = 1; p < parts.size(); ++p) statistics.merge(parts[p]->statistics());
  result.counts = statistics.counts;
  result.finish_s.reserve(world.ranks.size());
  for (const auto& rank : world.ranks) {
    result.finish_s.push_back(to_seconds(rank.clock));
    result.time_s = std::max(result.time_s, to_seconds(rank.clock));
  }
  write_stages(world, statistics, result);
  write_delays(statistics, result);
  write_links(world, result);
  write_bounds(world, result);
  world.history.write(to_time(result.time_s), result);
}

void Executor::add_troubles(std::vector<std::string>& lines, std::size_t limit) const {
  for (Rank rank = 0; rank < std::ssize(world_.ranks) && lines.size() <= limit; ++rank) {
    const auto& state = world_.ranks[rank];
    if (world_.part_of_rank(rank) != part_.part) continue;
    if (state.doing != Doing::done) {
      lines.push_back(fmt::format("Rank {} waits for round {}.", rank, state.round));
      add_awaited(rank, state, lines);
    }
    matching_.each_unexpected(state, [&](const Unexpected& message) {
      lines.push_back(fmt::format("No receive takes the {} bytes from rank {} to rank {}.", message.bytes,
                                  message.source, rank));
    });
  }
}

/// For each rank of this part that waits, one that it waits for and that waits, too.
void Executor::write_awaited(std::vector<Rank>& awaited) const {
  const auto stands = [&](Rank rank) { return world_.ranks[rank].doing != Doing::done; };
  for (Rank rank = 0; rank < std::ssize(world_.ranks); ++rank) {
    if (world_.part_of_rank(rank) != part_.part || !stands(rank)) continue;
    const auto& state = world_.ranks[rank];
    const auto note = [&](Rank peer) {
      if (stands(peer)) awaited[rank] = peer;
    };
    nics_.each_rendezvous(state, [&](Rank peer, std::int64_t) { note(peer); });
    const auto number = find(state, state.round);
    if (number == kNobody) continue;
    matching_.each_open(part_.rounds[number], [&](Rank source, std::int64_t) { note(source); });
  }
}

/// What the rank's round still waits for.
void Executor::add_awaited(Rank rank, const RankState& state, std::vector<std::string>& lines) const {
  const auto number = find(state, state.round);
  if (number == kNobody) return;
  const auto& round = part_.rounds[number];
  if (!round.started()) lines.push_back(fmt::format("Rank {} never starts round {}.", rank, state.round));
  matching_.each_open(round, [&](Rank source, std::int64_t bytes) {
    lines.push_back(fmt::format("Rank {} has not sent it {} bytes.", source, bytes));
  });
  nics_.each_rendezvous(state, [&](Rank peer, std::int64_t bytes) {
    lines.push_back(fmt::format("Rank {} has not taken its {} bytes.", peer, bytes));
  });
}

}  // namespace halcyon::network
