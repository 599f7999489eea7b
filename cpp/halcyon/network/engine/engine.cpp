#include "halcyon/network/engine/engine.hpp"

#include <algorithm>
#include <limits>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/simulation_state.hpp"

namespace halcyon::network {
namespace {

constexpr Time kMinParallelWindow = 1000;  // [ps] minimum lookahead with several threads
// [B] Chunk size of fidelities without chunks: does not cut messages. Any other chunk or packet is smaller.
constexpr std::int64_t kUncutBytes = std::int64_t{1} << 31;

/// Returns the maximum number of bins per link: 2 to 4096, as many as fit into 1 GiB for all links.
std::int64_t max_link_bins(Link n_links) {
  return std::clamp<std::int64_t>((std::int64_t{1} << 26) / std::max<Link>(n_links, 1), 2, 4096);
}

std::int64_t chunk_bytes(const Options& options, const Machine& machine, Rank n_ranks, bool spreads) {
  if (options.fidelity == Fidelity::packet) return machine.packet_bytes;
  if (options.fidelity != Fidelity::chunk) return kUncutBytes;
  return options.chunk_bytes > 0 ? options.chunk_bytes : chunk_bytes_by_rule(n_ranks) / (spreads ? 4 : 1);
}

const std::vector<FidelityEntry>& fidelities() {
  static const std::vector<FidelityEntry> all{packet_fidelity(), chunk_fidelity(), reserve_fidelity(),
                                              analytic_fidelity()};
  return all;
}

const FidelityEntry& entry(Fidelity fidelity) {
  return fidelities()[static_cast<std::size_t>(fidelity)];
}

/// Whether messages cross one link per event, which several threads need.
bool is_hop_by_hop(Fidelity fidelity) {
  return !entry(fidelity).traits.empty();
}

void require_consistent(const schedule::Schedule& schedule, const Topology& topology, const Routing& routing,
                        const Machine& machine, const Placement& placement) {
  require<ConfigError>(&routing.topology() == &topology,
                       "The routing is for another network ({}). Create it for the simulated network.",
                       routing.topology().name());
  require<ConfigError>(placement.n_ranks() == schedule.n_ranks(),
                       "The schedule has {} ranks, but the placement has {}. Make them equal.",
                       schedule.n_ranks(), placement.n_ranks());
  require<ConfigError>(placement.ranks_per_node() <= machine.ranks_per_node,
                       "The placement puts up to {} ranks on a node, but the machine has ranks_per_node = "
                       "{}. Use fewer ranks per node, or raise ranks_per_node.",
                       placement.ranks_per_node(), machine.ranks_per_node);
}

/// Checks that the NICs of a node have places in the network, and messages a NIC.
void require_consistent_nics(const Topology& topology, const Machine& machine) {
  const auto nics = machine.nics_per_node, attached = topology.attached_nics();
  require<ConfigError>(attached == 1 || attached == nics,
                       "The network attaches {} NICs of a node, but the machine has nics_per_node = {}. Make "
                       "them equal.",
                       attached, nics);
  require<ConfigError>(machine.nic_choice != NicChoice::striped || machine.messages_at_once == 1,
                       "messages_at_once is {}, but with nic_choice = striped a NIC sends one stripe at a "
                       "time. Set it to 1.",
                       machine.messages_at_once);
  const auto sockets = machine.sockets_per_node;
  require<ConfigError>(
      machine.nic_choice != NicChoice::per_socket || nics % sockets == 0 || sockets % nics == 0,
      "sockets_per_node = {} and nics_per_node = {}: with nic_choice = per_socket, one must be a multiple of "
      "the other.",
      sockets, nics);
}

/// Checks that no switch reads queues of another thread.
void require_local_queues(const Routing& routing, const Options& options) {
  require<ConfigError>(
      options.threads == 1 || !routing.reads_remote_queues(),
      "threads is {}, but routing {} reads the queues of all switches, which needs one thread. "
      "Set threads to 1, or routing to ugal.",
      options.threads, name_of(routing.method()));
}

/// Checks that 32 bits suffice to number each link, and each NIC twice, for ejection and injection.
void require_numberable_resources(const Topology& topology, const Machine& machine) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const auto n_nics = std::int64_t{topology.n_nodes()} * machine.nics_per_node;
  require<ConfigError>(2 * n_nics + topology.n_links() <= kMax,
                       "{} has {} links and {} NICs ({} nodes with nics_per_node = {}). Links plus twice the "
                       "NICs must not exceed {}. Use a smaller network or fewer NICs per node.",
                       topology.name(), topology.n_links(), n_nics, topology.n_nodes(), machine.nics_per_node,
                       kMax);
}

/// Limits the latency of the longest path, which has a detour, so that times do not overflow.
void require_bounded_latency(const Topology& topology, const Machine& machine) {
  constexpr double kMaxPathLatency = 1e5;  // [s]
  double slowest = 0;
  for (const auto& link : machine.links) slowest = std::max(slowest, link.latency);
  const auto n_links = 2.0 * topology.diameter();
  const auto path_latency = machine.injection_latency + n_links * (slowest + machine.switch_latency) +
                            machine.switch_latency + machine.ejection_latency;
  require<ConfigError>(path_latency <= kMaxPathLatency,
                       "The latencies of a path of {} links add up to {:.3g} s, more than the maximum of {} "
                       "s. Reduce the machine's latencies.",
                       n_links, path_latency, kMaxPathLatency);
}

/// Checks that the transfer time of a chunk fits into 32 bits, and that the lookahead suffices for threads.
void require_valid_transfer_times(const Topology& topology, const Machine& machine, std::int64_t bytes,
                                  int threads) {
  double slowest = std::min(machine.injection_bandwidth, machine.ejection_bandwidth), fastest = 0;
  Time shortest_latency = kNever;
  for (int kind = 0; kind < std::ssize(topology.kinds()); ++kind) {
    slowest = std::min(slowest, machine.link(kind).bandwidth);
    fastest = std::max(fastest, machine.link(kind).bandwidth);
    shortest_latency =
        std::min(shortest_latency, to_time(machine.link(kind).latency + machine.switch_latency));
  }
  if (machine.crossbar_factor > 0) slowest = std::min(slowest, machine.crossbar_factor * fastest);
  const auto span = TransferTime(slowest).bounded(bytes);
  require<ConfigError>(span < Time{1} << 32,
                       "A chunk of {} bytes takes {} s on the slowest link or crossbar, more than the "
                       "maximum of 4e-3 s. Make chunks or packets smaller.",
                       bytes, to_seconds(span));
  require<ConfigError>(
      threads == 1 || shortest_latency >= kMinParallelWindow,
      "Several threads need link latencies of at least 1 ns, but the smallest is {} s. Use one thread.",
      to_seconds(shortest_latency));
}

}  // namespace

std::vector<options::RegistryEntry> fidelity_choices() {
  return options::entries_of(fidelities());
}

Fidelity fidelity_named(std::string_view name) {
  return static_cast<Fidelity>(&options::find("fidelity", fidelities(), name) - fidelities().data());
}

std::string_view name_of(Fidelity fidelity) {
  return entry(fidelity).name;
}

std::int64_t chunk_bytes_by_rule(Rank n_ranks) {
  if (n_ranks <= 2000) return 16 * 1024;
  return n_ranks < 10'000 ? 32 * 1024 : 64 * 1024;
}

void require_recordable(const Topology& topology, Rank n_ranks, const Options& options) {
  require<ConfigError>(options.pair_bins >= 0 && options.pair_bins <= n_ranks,
                       "pair_bins = {} for {} ranks. Give 0 to {}.", options.pair_bins, n_ranks, n_ranks);
  const auto max_bins = max_link_bins(topology.n_links());
  require<ConfigError>(options.link_bins >= 0 && options.link_bins <= max_bins,
                       "link_bins = {} for {} links. Give 0 to {}.", options.link_bins, topology.n_links(),
                       max_bins);
}

void require_possible(const Topology& topology, const Machine& machine, Rank n_ranks,
                      const Options& options) {
  require_valid(machine, topology);
  require_consistent_nics(topology, machine);
  require<ConfigError>(options.chunk_bytes >= 0 && options.chunk_bytes < kUncutBytes,
                       "chunk_bytes is {}. Give 0 (automatic) or 1 to 2^31 - 1.", options.chunk_bytes);
  require<ConfigError>(machine.packet_bytes < kUncutBytes,
                       "The machine's packet_bytes is {}. Give 1 to 2^31 - 1.", machine.packet_bytes);
  require_numberable_resources(topology, machine);
  require_bounded_latency(topology, machine);
  require_recordable(topology, n_ranks, options);
  require<ConfigError>(options.threads >= 1 && options.threads <= 64, "threads is {}. Give 1 to 64.",
                       options.threads);
  require<ConfigError>(options.threads == 1 || is_hop_by_hop(options.fidelity),
                       "threads is {}, but fidelity '{}' supports one thread only. Set threads to 1, or "
                       "fidelity to chunk or packet.",
                       options.threads, name_of(options.fidelity));
  if (!is_hop_by_hop(options.fidelity)) return;
  require_valid_transfer_times(topology, machine, chunk_bytes(options, machine, n_ranks, false),
                               options.threads);
}

Result simulate(const schedule::Schedule& schedule, const Topology& topology, const Routing& routing,
                const Machine& machine, const Placement& placement, const Options& options) {
  const double begin_cpu_s = thread_cpu_s();
  require_consistent(schedule, topology, routing, machine, placement);
  require_local_queues(routing, options);
  require_possible(topology, machine, schedule.n_ranks(), options);
  SimulationState simulation(schedule, routing, machine, placement, options, options.threads);
  simulation.chunk_bytes = chunk_bytes(options, machine, schedule.n_ranks(), routing.spreads());
  Result result;
  result.chunk_bytes = is_hop_by_hop(options.fidelity) ? simulation.chunk_bytes : 0;
  entry(options.fidelity).run(simulation, result);
  result.cpu_s += thread_cpu_s() - begin_cpu_s;
  return result;
}

}  // namespace halcyon::network
