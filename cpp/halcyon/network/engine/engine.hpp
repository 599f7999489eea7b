#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/network/machine.hpp"
#include "halcyon/network/mapping/placement.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::network {

/// How closely the network is followed.
enum class Fidelity : std::uint8_t { packet, chunk, reserve, analytic };

/// The fidelities, in their order. Those that follow messages hop by hop go with "threads".
std::vector<options::Choice> fidelity_choices();

/// @throws ConfigError where there is no such fidelity
Fidelity fidelity_named(std::string_view name);
std::string_view name_of(Fidelity fidelity);

struct Options {
  Fidelity fidelity = Fidelity::chunk;
  std::int64_t chunk_bytes = 0;  ///< of `chunk`; 0: by the rule of `chunk_bytes_by_rule`
  int threads = 1;               ///< of `chunk` and `packet`; the result does not depend on it
  bool back_pressure = true;     ///< of `packet`: a full buffer stops the link that leads to it
  bool record_links = false;     ///< Result has bytes of each link, and how long it takes for them
  bool record_ranks = false;     ///< Result has each rank's finish in each stage
  std::int32_t link_bins = 0;    ///< Result has the loads of each link in at most so many bins of time
  std::int32_t pair_bins = 0;  ///< Result has messages and their delays by blocks of source and target ranks
};

/// When the ranks have finished a stage of the schedule.
struct StageTimes {
  double first_s = 0, mean_s = 0, last_s = 0;
};

/// No schedule of these messages ends earlier on this machine, wherever they meet.
struct LowerBounds {
  double injection_s = 0;  ///< the most bytes that a NIC sends, at its bandwidth
  double ejection_s = 0;   ///< the most bytes that a NIC receives, at its bandwidth
  double link_s = 0;       ///< the largest time that a link needs for the bytes routed over it
  double bisection_s = 0;  ///< what all links across the middle need together; never above `link_s`
  double crossbar_s = 0;   ///< the same of a switch's crossbar; 0 where it has no limit
};

struct Counts {
  std::int64_t messages = 0;        ///< that left their node
  std::int64_t local_messages = 0;  ///< between ranks of a node
  std::int64_t bytes = 0;           ///< of `messages`
  std::int64_t byte_hops = 0;       ///< sum over messages of bytes times links
  std::int64_t events = 0;          ///< that the engine dealt with
};

struct Result {
  double time_s = 0;             ///< the last rank's finish
  std::vector<double> finish_s;  ///< (rank)
  std::vector<StageTimes> stages;
  std::vector<double> stage_s;  ///< (rank, stage) with record_ranks, else empty

  /// A message's delay: from its first byte's leaving the NIC to its last byte's standing in the other NIC.
  std::vector<double> delay_edges_s;         ///< (bin + 1), eight bins to each doubling
  std::vector<std::int64_t> delay_messages;  ///< (bin)
  double delay_mean_s = 0, delay_max_s = 0;

  /// With pair_bins, (bin of the source rank, bin of the target rank): messages, and the sum of what their
  /// delays exceed those on an idle network by.
  std::vector<std::int64_t> pair_messages;
  std::vector<double> pair_delay_s;

  std::vector<std::int64_t> link_bytes;  ///< (link) with record_links, else empty; none that bypass
  std::vector<double> link_busy_s;       ///< (link) with record_links, else empty

  /// With link_bins, (link, bin of time): bytes that crossed, and the longest wait of what came to the link.
  std::vector<std::int64_t> link_bin_bytes;
  std::vector<double> link_bin_wait_s;
  double link_bin_s = 0;  ///< width of a bin: 2^n ps, the least with which they reach time_s

  Counts counts;
  LowerBounds bounds;
  std::int64_t chunk_bytes = 0;  ///< that messages were cut into; 0: they were not
  double cpu_s = 0;              ///< that the simulation took, of all of its threads
};

/// The chunk that `Options::chunk_bytes` = 0 stands for: 16 KiB up to 2,000 ranks, 32 KiB below 10,000, 64
/// KiB from there on.
std::int64_t chunk_bytes_by_rule(Rank n_ranks);

/// Of `require_possible`, what is about `pair_bins` and `link_bins`.
/// @throws ConfigError for more than there can be
void require_recordable(const Topology& topology, Rank n_ranks, const Options& options);

/// What can be told before any rank runs.
/// @throws ConfigError for options and machines that make no sense
void require_possible(const Topology& topology, const Machine& machine, Rank n_ranks, const Options& options);

/// Lets the schedule's ranks run on a network.
///
/// A rank executes its operations in order: a message leaves when the NIC is free, a `wait` ends when the
/// round's sends have left and its receives have come; copies and combinations take their bytes over the
/// memory bandwidth, computations their `seconds`. A NIC sends one message at a time, ranks that share it
/// take turns. Time is counted in picoseconds; what meets at a link at the same time goes in the order of
/// sources and their messages. Simulated time ends after 2^62 ps, which are 53 days. The result has the same
/// bits whatever the threads.
///
/// @param routing of `topology`
/// @param placement as many ranks as the schedule has
/// @throws ConfigError for options and machines that make no sense
/// @throws InputError that names ranks and messages: a message without partner or of another size, one of
///         1 TiB or more, a deadlock, a peer that is not there, a node that cannot be reached, what lasts
///         beyond the end of time
Result simulate(const schedule::Schedule& schedule, const Topology& topology, const Routing& routing,
                const Machine& machine, const Placement& placement, const Options& options = {});

}  // namespace halcyon::network
