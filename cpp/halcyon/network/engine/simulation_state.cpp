#include "halcyon/network/engine/simulation_state.hpp"

#include <algorithm>
#include <bit>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

SimulationState::SimulationState(const schedule::Schedule& schedule, const Routing& routing,
                                 const Machine& machine, const Placement& placement, const Options& options,
                                 int n_partitions)
    : schedule(schedule),
      topology(routing.topology()),
      routing(routing),
      machine(machine),
      placement(placement),
      options(options),
      resources{topology.n_links(), placement.end_node() * machine.nics_per_node},
      injection{TransferTime(machine.injection_bandwidth),
                to_time(machine.injection_latency + machine.switch_latency)},
      ejection{TransferTime(machine.ejection_bandwidth), to_time(machine.ejection_latency)},
      memory{TransferTime(machine.memory_bandwidth), to_time(machine.memory_latency)},
      message_gap(to_time(machine.message_gap)),
      send_overhead(to_time(machine.send_overhead)),
      receive_overhead(to_time(machine.receive_overhead)),
      copied_bytes(std::min(machine.copied_bytes, machine.eager_bytes)),
      noise(to_time(machine.noise_period), to_time(machine.noise_duration),
            static_cast<std::uint64_t>(options.noise_seed)),
      max_sends(kEndOfTime / std::max<Time>(send_overhead, 1)),
      messages_at_once(machine.messages_at_once),
      window(kNever),
      chunk_bytes(options.chunk_bytes),
      has_shared_nodes(machine.ranks_per_node > 1),
      nics_per_node(machine.nics_per_node),
      has_places(topology.attached_nics() > 1),
      is_striped(machine.nic_choice == NicChoice::striped && machine.nics_per_node > 1),
      links(topology.n_links()),
      history(topology.n_links(), options.link_bins),
      nics(resources.n_nics),
      ranks(schedule.n_ranks()) {
  if (has_shared_nodes) memory_free.resize(std::size_t(placement.end_node()) * machine.memory_channels);
  if (message_gap > 0) gaps.resize(nics.size());
  if (is_striped) stripe_mask = std::bit_ceil(static_cast<std::uint32_t>(nics_per_node)) - 1;
  if (options.record_ranks) stage_finish.resize(ranks.size() * schedule.n_stages());
  if (options.pair_bins > 0 || options.record_slowdown)
    minimal_routing_ = make_routing(topology, Method::minimal);
  double fastest = 0;
  for (int kind = 0; kind < std::ssize(topology.kinds()); ++kind) {
    const auto& link = machine.link(kind);
    link_speeds.push_back({TransferTime(link.bandwidth), to_time(link.latency + machine.switch_latency)});
    window = std::min(window, link_speeds.back().latency);
    fastest = std::max(fastest, link.bandwidth);
  }
  if (machine.crossbar_factor > 0) {
    crossbar = TransferTime(machine.crossbar_factor * fastest);
    crossbars.resize(topology.n_switches());
  }
  if (n_partitions > 1) partition_switches(n_partitions);
  if (link_speeds.size() > 1) store_link_kinds();
}

void SimulationState::store_link_kinds() {
  for (Link link = 0; link < topology.n_links(); ++link)
    links[link].kind = static_cast<std::uint8_t>(topology.kind(link));
}

/// Assigns edge switches to partitions in blocks with about equal numbers of ranks: by the position of the
/// switch's middle rank among all ranks. Assigns the other switches round-robin.
void SimulationState::partition_switches(int n_partitions) {
  switch_partition.resize(topology.n_switches());
  for (Switch number = 0; number < topology.n_switches(); ++number)
    switch_partition[number] = static_cast<std::uint8_t>(number % n_partitions);
  std::vector<std::int64_t> n_ranks_on(topology.n_switches());
  for (const Node node : placement.nodes()) ++n_ranks_on[topology.switch_of(node)];
  std::int64_t n_before = 0;
  for (Switch number = 0; number < topology.n_switches(); ++number) {
    if (n_ranks_on[number] == 0) continue;
    switch_partition[number] = static_cast<std::uint8_t>((2 * n_before + n_ranks_on[number]) * n_partitions /
                                                         (2 * std::ssize(ranks)));
    n_before += n_ranks_on[number];
  }
  if (!has_places) return;
  for (const Node node : placement.nodes())
    for (std::int32_t nic = 1; nic < nics_per_node; ++nic)
      switch_partition[topology.switch_of(node + nic * topology.n_nodes())] =
          switch_partition[topology.switch_of(node)];
}

void SimulationState::throw_delivery_overflow(const Packet& packet, Time end) const {
  throw_time_overflow(
      fmt::format("A message from rank {} to rank {} is in flight", packet.source, packet.target), end);
}

void SimulationState::throw_link_overflow(Link link) {
  throw InputError(fmt::format(
      "Link {} carries more than {} bytes, the maximum that can be counted. Simulate a part of the schedule.",
      link, LinkState::kMaxBytes));
}

Time SimulationState::idle_delay(const Packet& packet) const {
  const auto bytes = stripe_bytes(packet);
  Route route{.source = source_end(packet), .target = target_end(packet)};
  minimal_routing_->start(route, NoLinkLoads{});
  Time slowest = std::max({injection.transfer_time.bounded(bytes), ejection.transfer_time.bounded(bytes),
                           crossbar.bounded(bytes)});
  Time head = injection.latency;
  for (Switch current = topology.switch_of(route.source); !route.has_arrived(current);) {
    const Hop hop = minimal_routing_->next(current, route);
    const auto& speed = link_speeds[links[hop.link].kind];
    slowest = std::max(slowest, speed.transfer_time.bounded(bytes));
    head += speed.latency;
    current = hop.to;
  }
  return head + slowest + ejection.latency;
}

void throw_time_overflow(std::string_view subject, Time time) {
  throw InputError(fmt::format(
      "{} until {:.3g} s of simulated time or later, but simulated time ends at {:.3g} s (53 days). Reduce "
      "the computation or the bytes of the schedule, or raise the machine's bandwidths.",
      subject, to_seconds(time), to_seconds(kEndOfTime)));
}

void throw_clock_overflow(Rank rank, const char* activity, Time time) {
  throw_time_overflow(fmt::format("Rank {} {}", rank, activity), time);
}

}  // namespace halcyon::network
