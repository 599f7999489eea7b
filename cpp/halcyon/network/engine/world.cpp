#include "halcyon/network/engine/world.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

World::World(const schedule::Schedule& schedule, const Routing& routing, const Machine& machine,
             const Placement& placement, const Options& options, int n_parts)
    : schedule(schedule),
      topology(routing.topology()),
      routing(routing),
      machine(machine),
      placement(placement),
      options(options),
      places{topology.n_links(), placement.end_node() * machine.nics_per_node},
      in{Pace(machine.injection_bandwidth), to_time(machine.injection_latency + machine.switch_latency)},
      out{Pace(machine.ejection_bandwidth), to_time(machine.ejection_latency)},
      memory{Pace(machine.memory_bandwidth), to_time(machine.memory_latency)},
      send_overhead(to_time(machine.send_overhead)),
      receive_overhead(to_time(machine.receive_overhead)),
      most_sends(kEndOfTime / std::max<Time>(send_overhead, 1)),
      messages_at_once(machine.messages_at_once),
      window(kNever),
      chunk_bytes(options.chunk_bytes),
      shares(machine.ranks_per_node > 1),
      links(topology.n_links()),
      history(topology.n_links(), options.link_bins),
      nics(places.n_nics),
      ranks(schedule.n_ranks()) {
  if (shares) memory_free.resize(std::size_t(placement.end_node()) * machine.memory_channels);
  if (options.record_ranks) stage_finish.resize(ranks.size() * schedule.n_stages());
  if (options.pair_bins > 0) minimal_ = make_routing(topology, Method::minimal);
  double fastest = 0;
  for (int kind = 0; kind < std::ssize(topology.kinds()); ++kind) {
    const auto& link = machine.link(kind);
    speeds.push_back({Pace(link.bandwidth), to_time(link.latency + machine.switch_latency)});
    window = std::min(window, speeds.back().latency);
    fastest = std::max(fastest, link.bandwidth);
  }
  if (machine.crossbar_factor > 0) {
    crossbar = Pace(machine.crossbar_factor * fastest);
    crossbars.resize(topology.n_switches());
  }
  if (n_parts > 1) divide(n_parts);
  if (speeds.size() > 1) note_kinds();
}

void World::note_kinds() {
  for (Link link = 0; link < topology.n_links(); ++link) {
    links[link].kind = static_cast<std::uint8_t>(topology.kind(link));
  }
}

/// Blocks of edge switches with as many ranks each; switches without ranks in turn.
void World::divide(int n_parts) {
  part_of_switch.resize(topology.n_switches());
  for (Switch at = 0; at < topology.n_switches(); ++at)
    part_of_switch[at] = static_cast<std::uint8_t>(at % n_parts);
  std::vector<std::int64_t> ranks_at(topology.n_switches());
  for (const Node node : placement.nodes()) ++ranks_at[topology.switch_of(node)];
  std::int64_t before = 0;
  for (Switch at = 0; at < topology.n_switches(); ++at) {
    if (ranks_at[at] == 0) continue;
    part_of_switch[at] =
        static_cast<std::uint8_t>((2 * before + ranks_at[at]) * n_parts / (2 * std::ssize(ranks)));
    before += ranks_at[at];
  }
}

void World::refuse_way(const Packet& packet, Time end) const {
  refuse_time(fmt::format("A message from rank {} to rank {} is under way", packet.source, packet.target),
              end);
}

void World::refuse_load(Link link) {
  throw InputError(
      fmt::format("Link {} carries more than {} bytes, which is the most that is counted. Simulate a part of "
                  "the schedule.",
                  link, LinkState::kMostBytes));
}

/// The latencies of the way, and the bytes at the pace of its slowest part.
Time World::idle_delay(const Packet& packet) const {
  const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
  Route route{.source = placement.node(packet.source), .target = placement.node(packet.target)};
  minimal_->start(route, NoLoads{});
  Time slowest = std::max({in.pace.bounded(bytes), out.pace.bounded(bytes), crossbar.bounded(bytes)});
  Time head = in.latency;
  for (Switch at = topology.switch_of(route.source); !route.arrived(at);) {
    const Hop hop = minimal_->next(at, route);
    const auto& speed = speeds[links[hop.link].kind];
    slowest = std::max(slowest, speed.pace.bounded(bytes));
    head += speed.latency;
    at = hop.to;
  }
  return head + slowest + out.latency;
}

void refuse_time(std::string_view subject, Time time) {
  throw InputError(fmt::format(
      "{} until {:.3g} s of simulated time or longer, but it ends at {:.3g} s (53 days). Let ranks "
      "compute, copy or send less, or give the machine more bandwidth.",
      subject, to_seconds(time), to_seconds(kEndOfTime)));
}

void refuse_clock(Rank rank, const char* does, Time time) {
  refuse_time(fmt::format("Rank {} {}", rank, does), time);
}

}  // namespace halcyon::network
