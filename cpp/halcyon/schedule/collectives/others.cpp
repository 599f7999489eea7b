#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"
#include "halcyon/schedule/collectives/collective.hpp"
#include "halcyon/schedule/collectives/tree.hpp"

namespace halcyon::schedule {
namespace {

constexpr Block kNothing{};

/// A schedule of messages without data.
SchedulePointer barrier(Rank n, std::int64_t n_rounds, RoundSchedule::WriteRound write) {
  return std::make_shared<RoundSchedule>(
      n, n_rounds, std::vector<Buffer>{{"data"}}, [](Rank, std::int32_t) { return 0; }, std::move(write));
}

/// Hensgen et al. (1988, Int. J. Parallel Program. 17, 1-17): in round i, to the rank 2^i after this one.
SchedulePointer dissemination_barrier(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  return barrier(n, rounds_of_doubling(n), [n](Rank rank, std::int64_t i, RoundWriter& out) {
    out.receive(wrapped(rank - (std::int64_t{1} << i), n), kNothing);
    out.send(wrapped(rank + (std::int64_t{1} << i), n), kNothing);
    out.exchange();
  });
}

/// In pairs of the first c ranks, c a power of two; each of the others waits for one of these.
SchedulePointer doubling_barrier(const CollectiveOptions& options) {
  Rank core = 1;
  while (core * 2 <= options.n_ranks) core *= 2;
  const auto levels = rounds_of_doubling(core);
  return barrier(options.n_ranks, levels + 2,
                 [=, n = options.n_ranks](Rank rank, std::int64_t round, RoundWriter& out) {
                   if (round == 0 || round == levels + 1) {
                     const bool arrives = round == 0;
                     if (rank >= core)
                       arrives ? out.send(rank - core, kNothing) : out.receive(rank - core, kNothing);
                     if (rank + core < n)
                       arrives ? out.receive(rank + core, kNothing) : out.send(rank + core, kNothing);
                   } else if (rank < core) {
                     const auto partner = rank ^ (1 << (round - 1));
                     out.receive(partner, kNothing);
                     out.send(partner, kNothing);
                   }
                   out.exchange();
                 });
}

/// Up and down a tree.
SchedulePointer tree_barrier(const CollectiveOptions& options) {
  const auto tree = tree_named(options.algorithm, options.n_ranks);
  return barrier(tree.n, 4, [tree](Rank rank, std::int64_t round, RoundWriter& out) {
    const auto child = [&](std::int64_t i) { return RoundWriter::Message{tree.child(rank, i), kNothing}; };
    if (round == 0) out.receives(tree.n_children(rank), child);
    if (round == 1 && rank > 0) out.send(tree.parent(rank), kNothing);
    if (round == 2 && rank > 0) out.receive(tree.parent(rank), kNothing);
    if (round == 3) out.sends(tree.n_children(rank), child);
    out.exchange();
  });
}

/// Buffers of prefix sums: of the own data, of those of the ranks so far, and received data.
enum { kData, kPartial, kArrived };

SchedulePointer scan_schedule(
    const CollectiveOptions& options, std::int64_t n_rounds,
    std::function<void(Rank, std::int64_t, Block, Block, Block, RoundWriter&)> write) {
  const auto bytes = options.bytes[0];
  return std::make_shared<RoundSchedule>(
      options.n_ranks, n_rounds,
      std::vector<Buffer>{{"data"}, {"partial", /*scratch=*/true}, {"arrived", /*scratch=*/true}},
      [bytes](Rank, std::int32_t) { return bytes; },
      [bytes, write](Rank rank, std::int64_t round, RoundWriter& out) {
        write(rank, round, {kData, 0, bytes}, {kPartial, 0, bytes}, {kArrived, 0, bytes}, out);
      });
}

/// From rank to rank.
SchedulePointer linear_scan(const CollectiveOptions& options) {
  const bool exclusive = options.operation == "exscan";
  return scan_schedule(options, 2,
                       [=, n = options.n_ranks](Rank rank, std::int64_t round, Block data, Block partial,
                                                Block arrived, RoundWriter& out) {
                         if (round == 0) {
                           out.copy(data, partial);
                           if (rank > 0) out.receive(rank - 1, arrived);
                           out.exchange();
                           if (rank > 0) out.combine(arrived, partial);
                           if (rank > 0 || !exclusive) out.copy(exclusive ? arrived : partial, data);
                         } else if (rank + 1 < n) {
                           out.send(rank + 1, partial);
                           out.exchange();
                         }
                       });
}

/// In round i with the rank at distance 2^i, if there is one.
SchedulePointer doubling_scan(const CollectiveOptions& options) {
  const bool exclusive = options.operation == "exscan";
  const auto n = options.n_ranks;
  return scan_schedule(
      options, rounds_of_doubling(n) + 1,
      [=](Rank rank, std::int64_t round, Block data, Block partial, Block arrived, RoundWriter& out) {
        const auto partner = rank ^ (1 << std::max<std::int64_t>(round - 1, 0));
        if (round == 0) out.copy(data, partial);
        if (round == 0 || partner >= n) return;
        out.receive(partner, arrived);
        out.send(partner, partial);
        out.exchange();
        out.combine(arrived, partial);
        if (partner > rank) return;
        const bool is_first = (rank & ((1 << (round - 1)) - 1)) == 0;
        if (exclusive && is_first)
          out.copy(arrived, data);
        else
          out.combine(arrived, data);
      });
}

SchedulePointer alltoall_by(const CollectiveOptions& options, AlltoallMethod method) {
  const auto n = options.n_ranks;
  BlocksPointer blocks;
  if (options.bytes.size() == 1)
    blocks = std::make_shared<UniformBlocks>(options.bytes[0]);
  else
    blocks = std::make_shared<VariableBlocks>(n, options.bytes);
  return alltoall(n, {n, 1}, std::move(blocks), method);
}

}  // namespace

std::vector<NamedAlgorithm> other_algorithms() {
  using Options = const CollectiveOptions&;
  return {
      {"barrier", "dissemination", dissemination_barrier},
      {"barrier", "recursive_doubling", doubling_barrier},
      {"barrier", "linear", tree_barrier},
      {"barrier", "binomial", tree_barrier},
      {"scan", "linear", linear_scan},
      {"scan", "recursive_doubling", doubling_scan},
      {"exscan", "linear", linear_scan},
      {"exscan", "recursive_doubling", doubling_scan},
      {"allreduce", "recursive_doubling",
       [](Options o) -> SchedulePointer { return std::make_shared<Allreduce>(o.n_ranks, o.bytes[0], 2); }},
      {"alltoall", "linear", [](Options o) { return alltoall_by(o, {AlltoallAlgorithm::burst}); }},
      {"alltoall", "bruck", [](Options o) { return alltoall_by(o, {AlltoallAlgorithm::bruck}); }},
      {"alltoall", "pairwise", [](Options o) { return alltoall_by(o, {AlltoallAlgorithm::ring, 1}); }}};
}

}  // namespace halcyon::schedule
