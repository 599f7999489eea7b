#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/collective.hpp"
#include "halcyon/schedule/collectives/tree.hpp"

namespace halcyon::schedule {
namespace {

enum { kSend, kReceive, kWork };

/// An algorithm of an allgather of pieces in place: a rank v has piece v before.
struct Gathering {
  Rank n;
  std::function<Block(std::int64_t, std::int64_t)> range;  ///< pieces i to j - 1
  std::function<Rank(std::int64_t)> actual;                ///< rank of a piece

  /// Round i of log2 n: all pieces so far with the rank at distance 2^i.
  void recursive_doubling(Rank v, std::int64_t i, RoundWriter& out) const {
    const auto distance = std::int64_t{1} << i, first = v & ~(distance - 1), other = first ^ distance;
    out.receive(actual(v ^ distance), range(other, other + distance));
    out.send(actual(v ^ distance), range(first, first + distance));
    out.exchange();
  }
  /// Round i of n / 2, for an even number of ranks: in round 0 the pieces of ranks 2 j and 2 j + 1; then, in
  /// turn with the two neighbours, the pair of pieces that arrived last (Chen et al. 2005, Proc. HPCC).
  void neighbor_exchange(Rank v, std::int64_t i, RoundWriter& out) const {
    const auto pair = v / 2, n_pairs = n / 2;
    const auto direction = v % 2 == 0 ? 1 : -1, partner = i % 2 == 0 ? v + direction : v - direction;
    // In round i > 0, the pair that arrives has come i / 2, rounded up, pairs along the ring.
    const auto arriving = [&](std::int64_t round) {
      if (round == 0) return std::int64_t{pair};
      const auto shift = (round + 1) / 2 * (round % 2 == 0 ? direction : -direction);
      return std::int64_t{wrapped(pair + shift, n_pairs)};
    };
    if (i == 0) {
      out.receive(actual(partner), range(v ^ 1, (v ^ 1) + 1));
      out.send(actual(partner), range(v, v + 1));
    } else {
      const auto received = arriving(i), sent = arriving(i - 1);
      out.receive(actual(partner), range(2 * received, 2 * received + 2));
      out.send(actual(partner), range(2 * sent, 2 * sent + 2));
    }
    out.exchange();
  }
  /// One round: the own piece to the ranks after this one, as in libnbc of Open MPI.
  void burst(Rank v, RoundWriter& out) const {
    out.receives(n - 1, [&](std::int64_t i) {
      const auto from = wrapped(v - i - 1, n);
      return RoundWriter::Message{actual(from), range(from, from + 1)};
    });
    out.sends(n - 1, [&](std::int64_t i) {
      return RoundWriter::Message{actual(wrapped(v + i + 1, n)), range(v, v + 1)};
    });
    out.exchange();
  }
  std::int64_t rounds(std::string_view name) const {
    if (name == "burst") return 1;
    return name == "recursive_doubling" ? rounds_of_doubling(n) : name == "neighbor_exchange" ? n / 2 : n - 1;
  }
  void write(std::string_view name, Rank v, std::int64_t i, RoundWriter& out) const {
    if (name == "recursive_doubling")
      recursive_doubling(v, i, out);
    else if (name == "neighbor_exchange")
      neighbor_exchange(v, i, out);
    else if (name == "burst")
      burst(v, out);
    else
      pass_along_ring(v, n, i, range, actual, out);
  }
};

SchedulePointer allgather(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  const auto name = options.algorithm;
  if (name == "recursive_doubling") require_power_of_two(options);
  require<ConfigError>(name != "neighbor_exchange" || n % 2 == 0,
                       "The allgather neighbor_exchange needs an even number of ranks, not {}. Use ring.", n);
  const BlockList blocks(n, options.bytes);
  const Gathering gathering{n,
                            [blocks](std::int64_t i, std::int64_t j) { return blocks.range(kReceive, i, j); },
                            [n](std::int64_t piece) { return wrapped(piece, n); }};
  return std::make_shared<RoundSchedule>(
      n, gathering.rounds(name) + 1, std::vector<Buffer>{{"send"}, {"receive"}},
      [blocks, n](Rank rank, std::int32_t buffer) {
        return buffer == kSend ? blocks.bytes(rank) : blocks.offset(n);
      },
      [blocks, gathering, name](Rank rank, std::int64_t round, RoundWriter& out) {
        if (round == 0)
          out.copy({kSend, 0, blocks.bytes(rank)}, blocks.block(kReceive, rank));
        else
          gathering.write(name, rank, round - 1, out);
      });
}

/// The algorithm of Bruck et al. (1997, IEEE Trans. Parallel Distrib. Syst. 8, 1143-1156): in round i a rank
/// sends its first 2^i blocks, counted from its own, to the rank 2^i before it.
SchedulePointer bruck(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  const BlockList blocks(n, options.bytes);
  const auto n_rounds = rounds_of_doubling(n);
  return std::make_shared<RoundSchedule>(
      n, n_rounds + 2, std::vector<Buffer>{{"send"}, {"receive"}, {"work", /*scratch=*/true}},
      [blocks, n](Rank rank, std::int32_t buffer) {
        return buffer == kSend ? blocks.bytes(rank) : blocks.offset(n);
      },
      [blocks, n, n_rounds](Rank rank, std::int64_t round, RoundWriter& out) {
        const auto work = [&](std::int64_t i, std::int64_t j) {
          return Block{kWork, blocks.rotated_bytes(rank, 0, i), blocks.rotated_bytes(rank, i, j)};
        };
        if (round == 0) {
          out.copy({kSend, 0, blocks.bytes(rank)}, work(0, 1));
        } else if (round <= n_rounds) {
          const auto distance = std::int64_t{1} << (round - 1), count = std::min(distance, n - distance);
          out.receive(wrapped(rank + distance, n), work(distance, distance + count));
          out.send(wrapped(rank - distance, n), work(0, count));
          out.exchange();
        } else {
          out.copy(work(0, n - rank), blocks.range(kReceive, rank, n));
          out.copy(work(n - rank, n), blocks.range(kReceive, 0, rank));
        }
      });
}

/// A broadcast of large data: a scatter of pieces along a binomial tree and an allgather (Barnett et al.
/// 1994, Proc. SHPCC; Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19, 49-66).
SchedulePointer scatter_allgather(const CollectiveOptions& options) {
  const auto n = options.n_ranks;
  const std::string name = options.algorithm.substr(std::string_view("scatter_").size());
  if (name == "recursive_doubling") require_power_of_two(options);
  const Pieces pieces(options.bytes[0], options.item_bytes, n);
  const auto tree = tree_named("binomial", n);
  const auto range = [pieces](std::int64_t i, std::int64_t j) { return pieces.range(0, i, j); };
  const auto actual = [n, root = options.root](std::int64_t v) { return wrapped(v + root, n); };
  const Gathering gathering{n, range, actual};
  return std::make_shared<RoundSchedule>(
      n, 2 + gathering.rounds(name), std::vector<Buffer>{{"data"}},
      [bytes = options.bytes[0]](Rank, std::int32_t) { return bytes; },
      [=, root = options.root](Rank rank, std::int64_t round, RoundWriter& out) {
        const auto v = wrapped(std::int64_t{rank} - root, n);
        if (round == 0 && v > 0) out.receive(actual(tree.parent(v)), range(v, tree.subtree_end(v)));
        if (round == 1)
          out.sends(tree.n_children(v), [&](std::int64_t i) {
            const auto child = tree.child(v, i);
            return RoundWriter::Message{actual(child), range(child, tree.subtree_end(child))};
          });
        out.exchange();
        if (round > 1) gathering.write(name, v, round - 2, out);
      });
}

}  // namespace

std::vector<NamedAlgorithm> allgather_algorithms() {
  return {{"allgather", "recursive_doubling", allgather},
          {"allgather", "neighbor_exchange", allgather},
          {"allgather", "ring", allgather},
          {"allgather", "burst", allgather},
          {"allgather", "bruck", bruck},
          {"broadcast", "scatter_recursive_doubling", scatter_allgather},
          {"broadcast", "scatter_ring", scatter_allgather}};
}

}  // namespace halcyon::schedule
