#include "halcyon/schedule/collectives/tree.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/collective.hpp"

namespace halcyon::schedule {

namespace {

/// Segments of whole items.
Pieces segments(const CollectiveOptions& options) {
  const auto bytes = options.bytes[0];
  const auto segment = options.segment_bytes / options.item_bytes * options.item_bytes;
  return {bytes, options.item_bytes, segment > 0 && bytes > 0 ? (bytes + segment - 1) / segment : 1};
}

/// In round s a rank receives segment s from its parent and sends segment s - 1 to its children.
SchedulePointer broadcast(const CollectiveOptions& options) {
  const auto tree = tree_named(options.algorithm, options.n_ranks);
  const auto pieces = segments(options);
  return std::make_shared<RoundSchedule>(
      tree.n, pieces.n + 1, std::vector<Buffer>{{"data"}},
      [bytes = options.bytes[0]](Rank, std::int32_t) { return bytes; },
      [tree, pieces, root = options.root](Rank rank, std::int64_t s, RoundWriter& out) {
        const auto v = wrapped(std::int64_t{rank} - root, tree.n);
        const auto actual = [&](Rank other) { return wrapped(std::int64_t{other} + root, tree.n); };
        if (v > 0 && s < pieces.n) out.receive(actual(tree.parent(v)), pieces.range(0, s, s + 1));
        if (s > 0)
          out.sends(tree.n_children(v), [&](std::int64_t i) {
            return RoundWriter::Message{actual(tree.child(v, i)), pieces.range(0, s - 1, s)};
          });
        out.exchange();
      });
}

/// In round s a rank receives segment s from its children, sends the combined segment s - 1 to its parent,
/// and combines.
SchedulePointer reduce(const CollectiveOptions& options) {
  const auto tree = tree_named(options.algorithm, options.n_ranks);
  const auto pieces = segments(options);
  const auto piece_bytes = pieces.n > 0 ? pieces.offset(1) : 0;  // the first is the largest
  enum { kData, kArrived };
  return std::make_shared<RoundSchedule>(
      tree.n, pieces.n + 1, std::vector<Buffer>{{"data"}, {"arrived", /*scratch=*/true}},
      [tree, piece_bytes, options](Rank rank, std::int32_t buffer) {
        if (buffer == kData) return options.bytes[0];
        return tree.n_children(wrapped(std::int64_t{rank} - options.root, tree.n)) * piece_bytes;
      },
      [tree, pieces, piece_bytes, root = options.root](Rank rank, std::int64_t s, RoundWriter& out) {
        const auto v = wrapped(std::int64_t{rank} - root, tree.n);
        const auto actual = [&](Rank other) { return wrapped(std::int64_t{other} + root, tree.n); };
        const auto arrived = [&](std::int64_t child) {
          return Block{kArrived, child * piece_bytes, pieces.range(kData, s, s + 1).size_bytes};
        };
        const auto n_children = s < pieces.n ? tree.n_children(v) : 0;
        out.receives(n_children, [&](std::int64_t i) {
          return RoundWriter::Message{actual(tree.child(v, i)), arrived(i)};
        });
        if (v > 0 && s > 0) out.send(actual(tree.parent(v)), pieces.range(kData, s - 1, s));
        out.exchange();
        if (n_children > 0) out.combine(n_children, arrived, pieces.range(kData, s, s + 1));
      });
}

/// Blocks of ranks travel in "work" in the order of the tree, that is, of ranks counted from the root: the
/// blocks of a subtree are contiguous.
struct RootedBlocks {
  explicit RootedBlocks(const CollectiveOptions& options)
      : tree(tree_named(options.algorithm, options.n_ranks)),
        root(options.root),
        blocks(options.n_ranks, options.bytes) {}

  Rank virtual_rank(Rank rank) const { return wrapped(std::int64_t{rank} - root, tree.n); }
  Rank actual(std::int64_t v) const { return wrapped(v + root, tree.n); }
  /// Bytes of the virtual ranks v to w - 1.
  std::int64_t bytes(Rank v, Rank w) const { return blocks.rotated_bytes(root, v, w); }
  /// The blocks of v to w - 1 in the work buffer of the ancestor u, which begins with its own.
  Block range(std::int32_t buffer, Rank u, Rank v, Rank w) const {
    return {buffer, bytes(u, v), bytes(v, w)};
  }
  std::int64_t work_bytes(Rank rank) const {
    const auto v = virtual_rank(rank);
    return bytes(v, tree.subtree_end(v));
  }
  /// The message between v and a child.
  RoundWriter::Message message(std::int32_t work, Rank v, Rank child) const {
    return {actual(child), range(work, v, child, tree.subtree_end(child))};
  }
  /// The two contiguous parts of the root's work buffer, and where they belong.
  template <class Visitor>
  void for_each_part(std::int32_t work, std::int32_t ordered, Visitor visit) const {
    visit(range(work, 0, 0, tree.n - root), blocks.range(ordered, root, tree.n));
    visit(range(work, 0, tree.n - root, tree.n), blocks.range(ordered, 0, root));
  }

  Tree tree;
  Rank root;
  BlockList blocks;
};

enum { kSend, kReceive, kWork };

SchedulePointer gather(const CollectiveOptions& options) {
  const RootedBlocks blocks(options);
  const auto buffers = std::vector<Buffer>{{"send"}, {"receive"}, {"work", /*scratch=*/true}};
  return std::make_shared<RoundSchedule>(
      options.n_ranks, 2, buffers,
      [blocks](Rank rank, std::int32_t buffer) {
        if (buffer == kSend) return blocks.blocks.bytes(rank);
        if (buffer == kWork) return blocks.work_bytes(rank);
        return rank == blocks.root ? blocks.blocks.offset(blocks.tree.n) : 0;
      },
      [blocks](Rank rank, std::int64_t round, RoundWriter& out) {
        const auto& tree = blocks.tree;
        const auto v = blocks.virtual_rank(rank);
        if (round == 0) {
          out.copy({kSend, 0, blocks.blocks.bytes(rank)}, blocks.range(kWork, v, v, v + 1));
          out.receives(tree.n_children(v),
                       [&](std::int64_t i) { return blocks.message(kWork, v, tree.child(v, i)); });
          out.exchange();
        } else if (v > 0) {
          out.send(blocks.actual(tree.parent(v)), blocks.range(kWork, v, v, tree.subtree_end(v)));
          out.exchange();
        } else {
          blocks.for_each_part(kWork, kReceive, [&](Block work, Block ordered) { out.copy(work, ordered); });
        }
      });
}

SchedulePointer scatter(const CollectiveOptions& options) {
  const RootedBlocks blocks(options);
  const auto buffers = std::vector<Buffer>{{"send"}, {"receive"}, {"work", /*scratch=*/true}};
  return std::make_shared<RoundSchedule>(
      options.n_ranks, 2, buffers,
      [blocks](Rank rank, std::int32_t buffer) {
        if (buffer == kReceive) return blocks.blocks.bytes(rank);
        if (buffer == kWork) return blocks.work_bytes(rank);
        return rank == blocks.root ? blocks.blocks.offset(blocks.tree.n) : 0;
      },
      [blocks](Rank rank, std::int64_t round, RoundWriter& out) {
        const auto& tree = blocks.tree;
        const auto v = blocks.virtual_rank(rank);
        if (round == 0 && v > 0) {
          out.receive(blocks.actual(tree.parent(v)), blocks.range(kWork, v, v, tree.subtree_end(v)));
          out.exchange();
        } else if (round == 0) {
          blocks.for_each_part(kWork, kSend, [&](Block work, Block ordered) { out.copy(ordered, work); });
        } else {
          out.sends(tree.n_children(v),
                    [&](std::int64_t i) { return blocks.message(kWork, v, tree.child(v, i)); });
          out.exchange();
          out.copy(blocks.range(kWork, v, v, v + 1), {kReceive, 0, blocks.blocks.bytes(rank)});
        }
      });
}

}  // namespace

std::vector<NamedAlgorithm> tree_algorithms() {
  std::vector<NamedAlgorithm> algorithms;
  for (const auto name : kTreeNames) {
    algorithms.push_back({"broadcast", name, broadcast});
    algorithms.push_back({"reduce", name, reduce});
  }
  for (const auto name : {"linear", "binomial"}) {
    algorithms.push_back({"gather", name, gather});
    algorithms.push_back({"scatter", name, scatter});
  }
  return algorithms;
}

}  // namespace halcyon::schedule
