#pragma once

#include <functional>
#include <vector>

#include "halcyon/schedule/alltoall.hpp"
#include "halcyon/schedule/transposition.hpp"

namespace halcyon::schedule {

/// One group of fields of a pipeline: it comes by an all-to-all, is worked on, and leaves by another, or
/// stays.
struct PipelineGroup {
  BlocksPointer incoming;
  BlocksPointer outgoing;                 ///< may be none
  std::function<double(Rank)> compute_s;  ///< that the work on it takes a rank
};

/// Transpositions of groups of fields with computation between them: while a group is worked on, the next one
/// comes and the one before leaves (the communication-hiding pipeline of YHGSM's Fourier transform: grouping
/// along the fields, non-blocking exchange; section 4 of that paper, whose three groups hide 40 to 75 %).
/// Each all-to-all is one round. With one group nothing is hidden. A group sets out when one has come, so
/// that those that are waited for have the network to themselves.
///
/// Buffers of group g: "in send g", "in receive g", and where groups leave "out send g", "out receive g".
/// Work g turns what has come into what leaves.
class Pipeline final : public Schedule {
 public:
  /// @param in the groups of ranks within which fields come; out: within which they leave
  /// @param ahead how many groups are under way while one is worked on, at least 1
  /// @throws ConfigError without a group, and where some leave and some stay
  Pipeline(Rank n_ranks, Groups in, Groups out, std::vector<PipelineGroup> groups, int ahead = 1);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

 private:
  enum class Kind { take, wait_in, compute, give, wait_out };
  struct Step;

  Step step(std::uint64_t number) const;
  bool next_of_ring(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const;
  std::int32_t n_groups() const { return static_cast<std::int32_t>(compute_s_.size()); }

  Rank n_ranks_;
  Groups in_, out_;
  std::vector<Ring> incoming_, outgoing_;
  std::vector<std::function<double(Rank)>> compute_s_;
  int ahead_;
  std::vector<Buffer> buffers_;
};

/// The Fourier transform of a spectral model, its nz fields and levels in so many groups: state a to b of a
/// transposition, the work (`item_s` for each item that a rank holds at b), b to c.
/// @throws ConfigError as `transposition` does, and for more groups than fields
Pipeline spectral_pipeline(const TransposedGrid& grid, int n_groups, double item_s, int ahead = 1);

}  // namespace halcyon::schedule
