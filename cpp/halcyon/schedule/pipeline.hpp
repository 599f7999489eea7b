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

/// A grid of nx x ny x nz items on cx columns and cy rows of ranks (rank = column + cx row), in the four
/// states of a spectral transform (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, figure 3):
/// - a: x in cx parts, y in cy parts, all z;
/// - b: all x, y in cy parts, z in cx parts;
/// - c: x in cy parts, all y, z in cx parts;
/// - d: x in cy parts, y in cx parts, all z.
/// The sizes of the parts of a dimension differ by at most one.
struct TransposedGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;
  Rank cx = 1, cy = 1;
  std::int64_t item_bytes = 8;

  Rank n_ranks() const { return cx * cy; }
};

/// @param item_s time of a rank's work per item [s]
/// @throws ConfigError for an empty grid, more ranks along a dimension than points, or a negative time
void require_valid_grid(const TransposedGrid& grid, double item_s);

/// The box of items that a rank owns in a state.
struct Box {
  std::array<std::int64_t, 3> begin, size;  ///< x, y, z

  std::int64_t n_items() const { return size[0] * size[1] * size[2]; }
};

/// @param state 0 .. 3: a .. d
Box box_at(const TransposedGrid& grid, int state, Rank rank);

/// The all-to-all from one state to the next: its groups of ranks and its blocks.
struct StateExchange {
  RankGroups groups;
  BlocksPointer blocks;
};
StateExchange exchange_between(const TransposedGrid& grid, int state, int next_state);

/// The transposition from state a to d: three all-to-alls, within rows, columns and again rows of ranks. In
/// states a to d, ranks compute work number 0 to 3, which reorders the items of buffer "receive" into buffer
/// "send", possibly as part of a transform.
///
/// A block is a box of items, x fastest, then y, then z. Buffers: the buffers of the all-to-alls.
/// @param item_s time of a rank's work per item [s], for simulations
/// @throws ConfigError as `require_valid_grid`
Sequence transposition(const TransposedGrid& grid, AlltoallMethod method, double item_s = 0);

/// The reverse transposition, from d to a. The work in state d has number 0, the work in state a number 3.
Sequence reverse_transposition(const TransposedGrid& grid, AlltoallMethod method, double item_s = 0);

/// Unpacks a rank's array (z, y, x) in `state` from the blocks received in the all-to-all from state
/// `before`, or packs the array into the blocks sent in the all-to-all to state `after`.
void unpack_blocks(const TransposedGrid& grid, int state, int before, Rank rank,
                   std::span<const std::byte> blocks, std::span<std::byte> items);
void pack_blocks(const TransposedGrid& grid, int state, int after, Rank rank,
                 std::span<const std::byte> items, std::span<std::byte> blocks);

/// A stage of a pipeline: the all-to-all by which groups of fields arrive, and the work on each group.
struct PipelineStage {
  std::string name;                     ///< prefix of the buffers' names
  RankGroups ranks{};                   ///< groups of ranks that exchange
  std::vector<BlocksPointer> blocks{};  ///< (group of fields) all-to-all of each group; empty: no exchange
  /// (group of fields) returns the time of a rank's work on the group [s]; empty: no work
  std::vector<std::function<double(Rank)>> compute_s{};
};

/// A group of fields in a pipeline of two all-to-alls: it arrives by the first all-to-all, is computed on,
/// and leaves by the second, or stays.
struct FieldGroup {
  BlocksPointer incoming;
  BlocksPointer outgoing;                 ///< null: the group stays
  std::function<double(Rank)> compute_s;  ///< returns the time of a rank's work [s]
};

/// A software pipeline of groups of fields through stages: while a rank computes on one group, the next group
/// arrives and the previous group leaves for the next stage (as in YHGSM's Fourier transform, where three
/// groups of fields hide 40 to 75 % of the communication). With one group, no communication is hidden. The
/// exchange of a group starts when the exchange of the previous group has completed, so that the awaited
/// messages do not share the network. Of an all-to-all with several rounds, only the first round is hidden.
/// With prefetched_groups = 0, ranks block: each exchange completes right after its start, and no messages
/// are in flight during the computation.
///
/// Buffers of group g in the stage NAME: "NAME send g", "NAME receive g", and the all-to-all's other buffers.
/// With n groups, work number i n + g is the work on group g in the i-th stage (i = 0, 1, ...) that has work;
/// it reads "receive" of this stage and writes "send" of the next stage.
class Pipeline final : public Schedule {
 public:
  /// @param prefetched_groups number of groups that are exchanged while a rank computes on another
  /// @throws ConfigError without groups, or if stages have different numbers of groups
  Pipeline(Rank n_ranks, AlltoallMethod method, std::vector<PipelineStage> stages, int prefetched_groups = 1);
  /// A pipeline of the stages "in", in which group g arrives for work number g, and "out": group g leaves.
  /// @param in, out groups of ranks that exchange in the two stages
  /// @throws ConfigError without groups, or if some groups leave and others stay
  Pipeline(Rank n_ranks, RankGroups in, RankGroups out, const std::vector<FieldGroup>& groups,
           int prefetched_groups = 1);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  int detail_bits() const override;

  std::int32_t n_groups() const { return n_groups_; }
  /// The "send" buffer of a group's all-to-all in a stage; the all-to-all's other buffers follow.
  std::int32_t first_buffer(std::int32_t stage, std::int32_t group) const {
    return (stages_[stage].first_alltoall + group) * buffers_per_alltoall_;
  }
  std::int32_t buffers_per_alltoall() const { return buffers_per_alltoall_; }

  int prefetched_groups() const { return prefetched_groups_; }

 private:
  enum class StepKind { wait, start, compute };
  static constexpr int kStepKinds = 3;
  /// The pipeline runs in turns. Steps of a stage in a turn: [0] without prefetching, [1] with prefetching.
  static constexpr StepKind kStepOrder[][kStepKinds] = {{StepKind::start, StepKind::wait, StepKind::compute},
                                                        {StepKind::wait, StepKind::start, StepKind::compute}};
  struct Stage {
    std::int32_t first_alltoall = -1, first_work = -1;  ///< -1: none
    std::int32_t lag = 0;  ///< turn in which this stage computes on the first group
    std::vector<std::function<double(Rank)>> compute_s;
  };
  struct PipelineStep;

  void add_stage(PipelineStage stage, AlltoallMethod method);
  bool has_final_waits() const { return prefetched_groups_ > 0 && stages_.back().first_work < 0; }
  PipelineStep step(std::uint64_t number) const;
  bool next_in_step(Rank rank, const PipelineStep& step, Cursor& cursor, Operation& operation) const;
  bool next_of_alltoall(Rank rank, const PipelineStep& step, Cursor& cursor, Operation& operation) const;

  Rank n_ranks_;
  int prefetched_groups_ = 0;
  std::int32_t n_groups_ = 0, n_work_items_ = 0, buffers_per_alltoall_ = 0, rounds_per_alltoall_ = 1;
  std::vector<Stage> stages_;
  std::vector<std::shared_ptr<const Schedule>> alltoalls_;  ///< (stage with an exchange, group)
  std::vector<Buffer> buffers_;
  int inner_bits_ = 0;  ///< lowest bits of a cursor's detail, for the all-to-all; the step is above them
  std::uint64_t n_steps_ = 0;
};

/// The Fourier transform of a spectral model, with its nz fields and levels in n_groups groups: the
/// transposition from state a to b, the work (`item_s` per item that a rank holds in state b), the
/// transposition from b to c.
/// @throws ConfigError as `transposition`, and for more groups than fields
Pipeline spectral_pipeline(const TransposedGrid& grid, int n_groups, double item_s,
                           int prefetched_groups = 1);

}  // namespace halcyon::schedule
