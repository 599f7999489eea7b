#pragma once

#include <vector>

#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// One step of a rank of a replayed trace: a message, which starts at once as a round of its own, its wait, a
/// computation, or a collective by a schedule of its own.
struct ReplayStep {
  enum class Kind : std::uint8_t {
    compute,
    send,
    receive,
    wait,
    copy,
    collective,
    begin,  ///< of a nonblocking collective: its operations up to the first wait
    end,    ///< the remaining operations
  };

  Kind kind = Kind::compute;
  Rank peer = kNone;       ///< send, receive: other rank; collective, begin, end: position of the rank in it
  std::int32_t round = 0;  ///< number of the round; of a collective, added to its own round numbers
  std::int32_t collective = 0;  ///< index into the collectives
  std::int64_t bytes = 0;       ///< send, receive, copy
  double seconds = 0;           ///< compute
};

/// The messages, collectives and computations of a trace as a schedule. Collectives are schedules of the
/// members of a communicator. All blocks are in one buffer, since a trace has no data.
class ReplayedTrace final : public Schedule {
 public:
  struct Collective {
    SchedulePointer schedule;
    std::vector<Rank> members;  ///< ranks of the schedule's ranks
  };

  /// @param offsets (rank + 1) of the steps of each rank
  /// @throws InputError for steps that name no collective, position or rank, or for too many steps
  ReplayedTrace(std::vector<std::int64_t> offsets, std::vector<ReplayStep> steps,
                std::vector<Collective> collectives);

  Rank n_ranks() const override { return static_cast<Rank>(offsets_.size()) - 1; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t) const override { return buffer_bytes_[rank]; }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  int detail_bits() const override { return inner_bits_ + step_bits_; }

 private:
  bool next_of_collective(const ReplayStep& step, Cursor& inner, Operation& operation) const;

  std::vector<std::int64_t> offsets_;
  std::vector<ReplayStep> steps_;
  std::vector<Collective> collectives_;
  std::vector<std::int64_t> buffer_bytes_;  ///< (rank)
  int inner_bits_ = 0, step_bits_ = 0;      ///< widths of a cursor's detail: of a collective, and the step
  std::vector<Buffer> buffers_{{"data", /*scratch=*/true}};
};

}  // namespace halcyon::schedule
