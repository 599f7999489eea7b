#include <algorithm>

#include "halcyon/schedule/collectives/collective.hpp"

namespace halcyon::schedule {
namespace {

/// Recursive halving of c = 2^levels pieces by c roles: in round i, pairs of roles halve the data that they
/// still share and each combines its half, so that at the end each has one piece; recursive doubling in the
/// reverse order collects them (Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19, 49-66; the
/// allreduce and reduce are due to Rabenseifner). If the number of ranks n is no power of two, either c < n,
/// and of the first 2 (n - c) ranks the even ones give their data to the odd ones first (they are folded); or
/// c > n, and the first c - n ranks have two roles each, which share the data of their rank (the allreduce of
/// J. Wilke in SST/macro 15, sumi/allreduce.cc).
struct Halving {
  enum class Core { at_most_n, at_least_n };
  /// @param nearest_first whether pairs are at distance 1 in round 0, as in MPICH's allreduce, or at c / 2
  Halving(Rank n, bool nearest_first, Core size = Core::at_most_n) : n(n), nearest_first(nearest_first) {
    while (size == Core::at_most_n ? core * 2 <= n : core < n) core *= 2, ++levels;
    folded = std::max(n - core, 0);
    doubled = std::max(core - n, 0);
  }
  struct Range {
    std::int64_t begin, end;
  };

  Rank n, core = 1, folded = 0, doubled = 0;
  int levels = 0;
  bool nearest_first;

  bool is_folded(Rank rank) const { return rank < 2 * folded && rank % 2 == 0; }
  bool has_folded(Rank rank) const { return rank < 2 * folded && rank % 2 == 1; }
  /// The first role of a rank; of a folded rank, that of its partner.
  Rank role(Rank rank) const {
    return rank < 2 * folded ? rank / 2 : rank - folded + std::min(rank, doubled);
  }
  Rank n_roles(Rank rank) const { return is_folded(rank) ? 0 : rank < doubled ? 2 : 1; }
  Rank rank_of(Rank v) const {
    return v < folded ? 2 * v + 1 : v < 2 * doubled ? v / 2 : v + folded - doubled;
  }
  Rank mask(int i) const { return nearest_first ? 1 << i : core >> (i + 1); }
  /// Pieces that role v has after i rounds.
  Range kept(Rank v, int i) const {
    Range range{0, core};
    for (int round = 0; round < i; ++round) {
      const auto half = (range.end - range.begin) / 2;
      ((v & mask(round)) != 0 ? range.begin : range.end) += (v & mask(round)) != 0 ? half : -half;
    }
    return range;
  }
  /// Calls visit(partner, own pieces, pieces of the partner) after round i for each role of a rank whose
  /// partner is another rank.
  template <class Visit>
  void for_each_pair(Rank rank, int i, Visit visit) const {
    for (Rank v = role(rank); v < role(rank) + n_roles(rank); ++v)
      if (const auto partner = v ^ mask(i); rank_of(partner) != rank)
        visit(rank_of(partner), kept(v, i + 1), kept(partner, i + 1));
  }

  /// The first round. `all`: all data of a rank.
  void fold(Rank rank, Block all, Block arrived, RoundWriter& out) const {
    if (is_folded(rank)) out.send(rank + 1, all);
    if (has_folded(rank)) out.receive(rank - 1, arrived);
    out.exchange();
    if (has_folded(rank)) out.combine(arrived, all);
  }
  template <class Range_>
  void halve(Rank rank, int i, std::int32_t arrived, Range_ range, RoundWriter& out) const {
    const auto received = [&](Range own) {
      const auto target = range(own.begin, own.end);
      return Block{arrived, target.offset_bytes, target.size_bytes};
    };
    for_each_pair(rank, i, [&](Rank partner, Range own, Range other) {
      out.receive(partner, received(own));
      out.send(partner, range(other.begin, other.end));
    });
    out.exchange();
    for_each_pair(rank, i,
                  [&](Rank, Range own, Range) { out.combine(received(own), range(own.begin, own.end)); });
  }
  template <class Range_>
  void collect(Rank rank, int i, Range_ range, RoundWriter& out) const {
    for_each_pair(rank, i, [&](Rank partner, Range own, Range other) {
      out.receive(partner, range(other.begin, other.end));
      out.send(partner, range(own.begin, own.end));
    });
    out.exchange();
  }
  /// As `collect`, towards the role `root`, where no rank has two roles.
  template <class Range_>
  void collect_at(Rank root, Rank rank, int i, Range_ range, RoundWriter& out) const {
    const auto v = role(rank);
    for (int later = i + 1; later < levels; ++later)
      if (((v ^ root) & mask(later)) != 0) return;
    const bool receives = ((v ^ root) & mask(i)) == 0;
    for_each_pair(rank, i, [&](Rank partner, Range own, Range other) {
      if (receives)
        out.receive(partner, range(other.begin, other.end));
      else
        out.send(partner, range(own.begin, own.end));
    });
    out.exchange();
  }
};

enum { kData, kArrived };
const std::vector<Buffer> kInPlace{{"data"}, {"arrived", /*scratch=*/true}};

/// Rabenseifner's allreduce and reduce, and Wilke's allreduce.
SchedulePointer by_halving(const CollectiveOptions& options) {
  const bool to_all = options.operation == "allreduce";
  const Halving halving(options.n_ranks, /*nearest_first=*/true,
                        options.algorithm == "wilke" ? Halving::Core::at_least_n : Halving::Core::at_most_n);
  const Pieces pieces(options.bytes[0], options.item_bytes, halving.core);
  return std::make_shared<RoundSchedule>(
      halving.n, 2 * halving.levels + 2, kInPlace,
      [bytes = options.bytes[0]](Rank, std::int32_t) { return bytes; },
      [=, root = options.root, all = Block{kData, 0, options.bytes[0]}](Rank rank, std::int64_t round,
                                                                        RoundWriter& out) {
        const auto range = [&](std::int64_t i, std::int64_t j) { return pieces.range(kData, i, j); };
        const auto levels = halving.levels, i = static_cast<int>(round) - 1;
        const auto needs_result = [&](Rank r) { return halving.is_folded(r) && (to_all || r == root); };
        if (round == 0) {
          halving.fold(rank, all, {kArrived, 0, all.size_bytes}, out);
        } else if (i < levels) {
          halving.halve(rank, i, kArrived, range, out);
        } else if (i < 2 * levels && to_all) {
          halving.collect(rank, 2 * levels - 1 - i, range, out);
        } else if (i < 2 * levels) {
          halving.collect_at(halving.role(root), rank, 2 * levels - 1 - i, range, out);
        } else {
          if (rank > 0 && needs_result(rank - 1)) out.send(rank - 1, all);
          if (needs_result(rank)) out.receive(rank + 1, all);
          out.exchange();
        }
      });
}

/// Round i of n - 1 of a reduction of pieces along a ring, after which rank v has piece v.
template <class Range>
void reduce_along_ring(Rank v, Rank n, std::int64_t i, Range range, std::int32_t arrived, RoundWriter& out) {
  const auto sent = wrapped(v - 1 - i, n), received = wrapped(v - 2 - i, n);
  const auto target = range(received, received + 1);
  const Block block{arrived, 0, target.size_bytes};
  out.receive(wrapped(v - 1, n), block);
  out.send(wrapped(v + 1, n), range(sent, sent + 1));
  out.exchange();
  out.combine(block, target);
}

SchedulePointer ring_allreduce(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  const Pieces pieces(options.bytes[0], options.item_bytes, n);
  return std::make_shared<RoundSchedule>(
      n, 2 * (std::int64_t{n} - 1), kInPlace,
      [bytes = options.bytes[0]](Rank, std::int32_t) { return bytes; },
      [n, pieces](Rank rank, std::int64_t i, RoundWriter& out) {
        const auto range = [&](std::int64_t j, std::int64_t k) { return pieces.range(kData, j, k); };
        if (i < n - 1)
          reduce_along_ring(rank, n, i, range, kArrived, out);
        else
          pass_along_ring(rank, n, i - (n - 1), range, [n](std::int64_t v) { return wrapped(v, n); }, out);
      });
}

enum { kSend, kReceive, kWork, kArrivedBlocks };
const std::vector<Buffer> kScattered{
    {"send"}, {"receive"}, {"work", /*scratch=*/true}, {"arrived", /*scratch=*/true}};

/// A reduce_scatter whose data are reduced in the buffer "work": `write(rank, round, range, out)` with the
/// range of blocks in it.
template <class Write>
SchedulePointer reduce_scatter(const CollectiveOptions& options, std::int64_t n_rounds, Write write) {
  const BlockList blocks(options.n_ranks, options.bytes);
  return std::make_shared<RoundSchedule>(
      options.n_ranks, n_rounds + 2, kScattered,
      [blocks, n = options.n_ranks](Rank rank, std::int32_t buffer) {
        return buffer == kReceive ? blocks.bytes(rank) : blocks.offset(n);
      },
      [=, n = options.n_ranks](Rank rank, std::int64_t round, RoundWriter& out) {
        const auto range = [&](std::int64_t i, std::int64_t j) { return blocks.range(kWork, i, j); };
        if (round == 0)
          out.copy(blocks.range(kSend, 0, n), range(0, n));
        else if (round <= n_rounds)
          write(rank, round - 1, range, out);
        else
          out.copy(range(rank, rank + 1), {kReceive, 0, blocks.bytes(rank)});
      });
}

SchedulePointer ring_reduce_scatter(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  return reduce_scatter(options, n - 1, [n](Rank rank, std::int64_t i, auto range, RoundWriter& out) {
    reduce_along_ring(rank, n, i, range, kArrivedBlocks, out);
  });
}

SchedulePointer halving_reduce_scatter(const CollectiveOptions& options) {
  const Halving halving(options.n_ranks, /*nearest_first=*/false);
  return reduce_scatter(
      options, halving.levels + 2, [halving](Rank rank, std::int64_t round, auto range, RoundWriter& out) {
        const auto first = [&](std::int64_t v) { return v <= halving.folded ? 2 * v : v + halving.folded; };
        const auto pieces = [&](std::int64_t i, std::int64_t j) { return range(first(i), first(j)); };
        const auto all = range(0, halving.n);
        if (round == 0) {
          halving.fold(rank, all, {kArrivedBlocks, 0, all.size_bytes}, out);
        } else if (round <= halving.levels) {
          halving.halve(rank, static_cast<int>(round) - 1, kArrivedBlocks, pieces, out);
        } else {
          if (halving.has_folded(rank)) out.send(rank - 1, range(rank - 1, rank));
          if (halving.is_folded(rank)) out.receive(rank + 1, range(rank, rank + 1));
          out.exchange();
        }
      });
}

/// In round i, rank r sends its block for rank r + i and receives that of rank r - i.
SchedulePointer pairwise_reduce_scatter(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  return reduce_scatter(options, n - 1, [n](Rank rank, std::int64_t i, auto range, RoundWriter& out) {
    const auto to = wrapped(rank + i + 1, n), from = wrapped(rank - i - 1, n);
    const auto own = range(rank, rank + 1);
    const Block arrived{kArrivedBlocks, 0, own.size_bytes};
    out.receive(from, arrived);
    out.send(to, range(to, to + 1));
    out.exchange();
    out.combine(arrived, own);
  });
}

}  // namespace

std::vector<NamedAlgorithm> reduction_algorithms() {
  return {{"allreduce", "rabenseifner", by_halving},
          {"allreduce", "wilke", by_halving},
          {"allreduce", "ring", ring_allreduce},
          {"reduce", "rabenseifner", by_halving},
          {"reduce_scatter", "recursive_halving", halving_reduce_scatter},
          {"reduce_scatter", "ring", ring_reduce_scatter},
          {"reduce_scatter", "pairwise", pairwise_reduce_scatter}};
}

}  // namespace halcyon::schedule
