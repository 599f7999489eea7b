#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "halcyon/network/machine.hpp"
#include "halcyon/network/mapping/placement.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::network {

/// Level of detail of the simulated network, from the highest to the lowest: see `fidelity_choices`.
enum class Fidelity : std::uint8_t { packet, chunk, reserve, analytic };

/// The fidelities, in the order of `Fidelity`; those with the trait "threads" support several threads.
std::vector<options::RegistryEntry> fidelity_choices();

Fidelity fidelity_named(std::string_view name);
std::string_view name_of(Fidelity fidelity);

struct Options {
  Fidelity fidelity = Fidelity::chunk;
  std::int64_t chunk_bytes = 0;  ///< chunk size of fidelity `chunk`; 0: `chunk_bytes_by_rule`
  int threads = 1;               ///< more than 1 for fidelity `chunk` or `packet` only
  bool back_pressure = true;     ///< fidelity `packet`: a full buffer blocks the link that leads to it
  bool record_links = false;     ///< record the bytes and the busy time of each link
  bool record_ranks = false;     ///< record the time at which each rank finishes each stage
  std::int32_t link_bins = 0;    ///< record the load of each link over time, in at most this many time bins
  std::int64_t noise_seed = 1;   ///< of the phases of the machine's noise
  bool record_slowdown = false;  ///< record the delays of messages over those on an idle network
  std::int32_t pair_bins = 0;    ///< record messages and delays between this many equal blocks of ranks
};

/// Times at which the first rank and the last rank finish a stage of the schedule, and the mean over ranks.
struct StageTimes {
  double first_s = 0, mean_s = 0, last_s = 0;
};

/// Lower bounds of the time that the messages of the schedule need on the machine, whenever they are sent.
struct LowerBounds {
  double injection_s = 0;  ///< transfer time of the bytes of the NIC that sends most
  double ejection_s = 0;   ///< transfer time of the bytes of the NIC that receives most
  double link_s = 0;       ///< longest time that one link needs for the bytes routed over it
  /// Transfer time of the bytes across the bisection, at the total bandwidth of its links; never above
  /// `link_s`, which is the time of the most loaded link.
  double bisection_s = 0;
  double crossbar_s = 0;  ///< longest time that one switch's crossbar needs; 0 for an unlimited crossbar
};

struct Counts {
  std::int64_t messages = 0;        ///< number of messages between nodes
  std::int64_t local_messages = 0;  ///< number of messages between ranks of the same node
  std::int64_t bytes = 0;           ///< bytes of `messages`
  std::int64_t byte_hops = 0;       ///< sum over messages of bytes times links
  std::int64_t events = 0;          ///< events processed by the engine
};

/// Shapes of arrays are in parentheses: `(rank)` means one value per rank, finish_s[rank].
struct Result {
  double time_s = 0;               ///< time at which the last rank finishes
  std::vector<double> finish_s;    ///< (rank)
  std::vector<StageTimes> stages;  ///< (stage)
  std::vector<double> stage_s;     ///< (rank, stage) end of the stage, with record_ranks, else empty

  /// Histogram of message delays. A delay lasts from the moment when the first byte leaves the source NIC
  /// until the last byte has arrived in the target NIC.
  std::vector<double> delay_edges_s;         ///< (n_bins + 1) edges of the bins, eight bins per factor of two
  std::vector<std::int64_t> delay_messages;  ///< (bin) number of messages
  double delay_mean_s = 0, delay_max_s = 0;

  /// With record_slowdown, a histogram of the delays of messages, over those of minimal routes of an idle
  /// network: (n_bins + 1) edges of the bins, 64 bins per factor of two; (bin) number of messages.
  std::vector<double> slowdown_edges;
  std::vector<std::int64_t> slowdown_messages;
  std::vector<std::int64_t> nic_bytes;  ///< (NIC of a node) bytes that these NICs of all nodes injected

  /// With pair_bins, (block of the source rank, block of the target rank): number of messages, and the sum of
  /// their delays in excess of those on an idle network.
  std::vector<std::int64_t> pair_messages;
  std::vector<double> pair_delay_s;

  /// With record_links, (link): bytes, without messages that bypass the network, and their transfer time.
  std::vector<std::int64_t> link_bytes;
  std::vector<double> link_busy_s;

  /// With link_bins, (link, time bin): bytes that crossed the link in the bin, and the longest queueing delay
  /// of the packets that arrived at the link in the bin.
  std::vector<std::int64_t> link_bin_bytes;
  std::vector<double> link_bin_wait_s;
  double link_bin_s = 0;  ///< width of a time bin: the smallest 2^n ps for which the bins cover time_s
  Counts counts;
  LowerBounds bounds;
  std::int64_t chunk_bytes = 0;  ///< chunk size; 0: messages were not cut into chunks
  double cpu_s = 0;              ///< CPU time of the simulation, all threads
};

/// Returns the default chunk size: 16 KiB up to 2,000 ranks, 32 KiB below 10,000 ranks, 64 KiB for more. The
/// quarter of it is used if packets of a message may take different routes (`Routing::spreads`).
std::int64_t chunk_bytes_by_rule(Rank n_ranks);

/// Checks `pair_bins` and `link_bins`; `require_possible` calls it too.
/// @throws ConfigError for more `pair_bins` than ranks, or more `link_bins` than fit into 1 GiB
void require_recordable(const Topology& topology, Rank n_ranks, const Options& options);

/// Checks the options, the machine and the network before a simulation.
/// @throws ConfigError for invalid options or an invalid machine
void require_possible(const Topology& topology, const Machine& machine, Rank n_ranks, const Options& options);

/// Simulates a schedule on a network.
///
/// A rank executes its operations in order. A message leaves when the NIC is free. A `wait` ends when the
/// sends of the round have left and its receives have arrived. A copy or combination takes its bytes divided
/// by the memory bandwidth, a computation takes its `seconds`. A NIC sends one message at a time; ranks that
/// share a NIC take turns. Time is counted in picoseconds. Packets that reach a link at the same time are
/// ordered by source rank and sequence number. Simulated time ends after 2^62 ps (53 days). The result is
/// bitwise independent of the number of threads.
///
/// @param routing routing over `topology`
/// @param placement nodes of all ranks of the schedule
/// @throws ConfigError for invalid options or an invalid machine
/// @throws InputError naming ranks and messages: unmatched messages, including a send and a receive that
/// differ only in size, messages of 1 TiB or more, a deadlock, an unknown peer rank, an unreachable node,
/// simulated time beyond its end
Result simulate(const schedule::Schedule& schedule, const Topology& topology, const Routing& routing,
                const Machine& machine, const Placement& placement, const Options& options = {});

}  // namespace halcyon::network
