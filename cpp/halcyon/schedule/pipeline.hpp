#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/schedule/collectives/alltoall.hpp"
#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// A grid of nx x ny x nz items on cx x cy ranks (rank x + cx y), at the four states of a spectral transform
/// (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, figure 3):
///   a: x over cx, y over cy, all z;  b: all x, y over cy, z over cx;
///   c: x over cy, all y, z over cx;  d: x over cy, y over cx, all z.
/// Parts differ by one where they do not come out even.
struct TransposedGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;
  Rank cx = 1, cy = 1;
  std::int64_t item_bytes = 8;

  Rank n_ranks() const { return cx * cy; }
};

/// @param item_s of work for each item that a rank holds
/// @throws ConfigError for an empty grid, more ranks along a dimension than it has points, and work that
/// takes
///         less than no time
void require_grid(const TransposedGrid& grid, double item_s);

/// A rank's box at one of the states.
struct Box {
  std::array<std::int64_t, 3> begin, size;  ///< x, y, z

  std::int64_t n_items() const { return size[0] * size[1] * size[2]; }
};

/// @param state 0 .. 3: a .. d
Box box_at(const TransposedGrid& grid, int state, Rank rank);

/// An all-to-all from one state to the next: within which groups, and of which blocks.
struct StateExchange {
  Groups groups;
  BlocksPointer blocks;
};
StateExchange between(const TransposedGrid& grid, int state, int next);

/// The way from state a to d: all-to-alls within rows, columns and rows of the ranks. Between them stand
/// pieces of work 0 .. 3, of each state, which bring what has come ("receive") into the order in which it is
/// to leave ("send"): `reorder`, or a transform that does so.
///
/// A block is a box of items, x fastest, then y, then z. Buffers: those of the all-to-alls.
/// @param item_s of work for each item that a rank holds, where time alone counts
/// @throws ConfigError as `require_grid` does
Sequence transposition(const TransposedGrid& grid, AlltoallBy by, double item_s = 0);

/// The way back, from d to a; the work at d has the number 0, that at a 3.
Sequence transposition_back(const TransposedGrid& grid, AlltoallBy by, double item_s = 0);

/// A rank's items at one state as one array (z, y, x) from the blocks that it has received in the all-to-all
/// from the state `before`, or into the blocks that it is to send in that to the state `after`.
void from_blocks(const TransposedGrid& grid, int state, int before, Rank rank,
                 std::span<const std::byte> blocks, std::span<std::byte> items);
void to_blocks(const TransposedGrid& grid, int state, int after, Rank rank, std::span<const std::byte> items,
               std::span<std::byte> blocks);

/// A stage of a pipeline: how groups of fields come to it, and the work on each.
struct PipelineStage {
  std::string name;                     ///< of its buffers
  Groups ranks{};                       ///< within which they come
  std::vector<BlocksPointer> blocks{};  ///< (group) of the all-to-all by which each comes; empty: none moves
  /// (group) that the work on each takes a rank [s]; empty: there is none
  std::vector<std::function<double(Rank)>> compute_s{};
};

/// One group of fields of a pipeline of two all-to-alls: it comes by one, is worked on, and leaves by the
/// other, or stays.
struct PipelineGroup {
  BlocksPointer incoming;
  BlocksPointer outgoing;                 ///< may be none
  std::function<double(Rank)> compute_s;  ///< that the work on it takes a rank
};

/// Groups of fields on their way through stages: while one is worked on, the next one comes and the one
/// before goes on to the next stage (the communication-hiding pipeline of YHGSM's Fourier transform: grouping
/// along the fields, non-blocking exchange; section 4 of that paper, whose three groups hide 40 to 75 %).
/// With one group nothing is hidden. A group sets out when the one before it has come, so that what is waited
/// for has the network to itself. Of an all-to-all of several rounds the first one is hidden. With none ahead
/// ranks block: each group is waited for as soon as it has set out, and while a rank works nothing of its own
/// is under way.
///
/// Buffers of group g at a stage of n groups to which they come: "NAME send g", "NAME receive g", and those
/// that the all-to-all has beside these. Work i n + g is that on group g at the i-th stage that has work; it
/// finds the group in "receive" of its stage, and leaves it in "send" of the next one. A last stage
/// without work is waited for at the end.
class Pipeline final : public Schedule {
 public:
  /// @param ahead how many groups come to a stage while one is worked on, 0 or more
  /// @throws ConfigError without a group, and for stages of different numbers of groups
  Pipeline(Rank n_ranks, AlltoallBy by, std::vector<PipelineStage> stages, int ahead = 1);
  /// Of two stages: "in", to which groups come and where work g is, and "out" to which they leave.
  /// @param in the groups of ranks within which fields come; out: within which they leave
  /// @throws ConfigError without a group, and where some leave and some stay
  Pipeline(Rank n_ranks, Groups in, Groups out, const std::vector<PipelineGroup>& groups, int ahead = 1);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  int detail_bits() const override;

  std::int32_t n_groups() const { return n_groups_; }
  /// The first buffer of a group's all-to-all to a stage, "send"; those of the group's others follow.
  std::int32_t first_buffer(std::int32_t stage, std::int32_t group) const {
    return (stages_[stage].first_alltoall + group) * buffers_each_;
  }
  std::int32_t buffers_each() const { return buffers_each_; }

  /// Groups that come to a stage while one is worked on: at most all.
  int ahead() const { return ahead_; }

 private:
  enum class Kind { wait, start, compute };
  static constexpr int kKinds = 3;
  /// (some ahead): the steps of a turn at each stage
  static constexpr Kind kOrders[][kKinds] = {{Kind::start, Kind::wait, Kind::compute},
                                             {Kind::wait, Kind::start, Kind::compute}};
  struct Stage {
    std::int32_t first_alltoall = -1, first_work = -1;  ///< -1: none
    std::int32_t lag = 0;  ///< turns after which a group is worked on here that set out in the first
    std::vector<std::function<double(Rank)>> compute_s;
  };
  struct Step;

  void add(PipelineStage stage, AlltoallBy by);
  bool waits_at_end() const { return ahead_ > 0 && stages_.back().first_work < 0; }
  Step step(std::uint64_t number) const;
  bool next_of(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const;
  bool next_of_alltoall(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const;

  Rank n_ranks_;
  int ahead_ = 0;
  std::int32_t n_groups_ = 0, n_works_ = 0, buffers_each_ = 0, rounds_each_ = 1;
  std::vector<Stage> stages_;
  std::vector<std::shared_ptr<const Schedule>> alltoalls_;  ///< (stage to which groups come, group)
  std::vector<Buffer> buffers_;
  int inner_bits_ = 0;  ///< of a cursor's detail: those of an all-to-all; above them stands the step
  std::uint64_t n_steps_ = 0;
};

/// The Fourier transform of a spectral model, its nz fields and levels in so many groups: state a to b of a
/// transposition, the work (`item_s` for each item that a rank holds at b), b to c.
/// @throws ConfigError as `transposition` does, and for more groups than fields
Pipeline spectral_pipeline(const TransposedGrid& grid, int n_groups, double item_s, int ahead = 1);

}  // namespace halcyon::schedule
