#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::io {

/// Which ranks are I/O ranks, and which items each of them writes.
/// - direct: every rank writes its own items;
/// - groups: the first of every `group_size` consecutive ranks writes the items of its group (Liu et al.
///   2020, section 4.2, GRIST);
/// - box: `ranks` ranks, spread over the job, each write one contiguous range of the file;
/// - gather: rank 0 writes everything (a box of one rank);
/// - automatic: a box with one rank per `piece_bytes` of a record, at most `most_ranks`.
enum class Layout { automatic, direct, groups, box, gather };
inline constexpr std::array<std::string_view, 5> kLayoutNames{"auto", "direct", "groups", "box", "gather"};

/// "auto", "direct", ... @throws ConfigError for another name
Layout layout_of(const std::string& name);
std::string name_of(Layout layout);

struct Options {
  Layout layout = Layout::automatic;
  Rank ranks = 0;                      ///< number for `box`; 0: as `automatic`
  Rank group_size = 8;                 ///< for `groups`
  Rank most_ranks = 64;                ///< most I/O ranks; GRIST saw systems fail with thousands
  int most_requests = 4096;            ///< outstanding PnetCDF requests per rank
  std::int64_t piece_bytes = 4 << 20;  ///< transferred to an I/O rank at a time; larger ones exceed the cache
  std::int64_t background_bytes = 512 << 20;               ///< most bytes queued for writing on an I/O rank
  bool background = false;                                 ///< whether a background thread writes
  std::vector<std::pair<std::string, std::string>> hints;  ///< for PnetCDF and MPI-IO
};

/// The I/O ranks of a job: built once, for all files that are written in the same way.
class Ranks {
 public:
  /// Collective. @param bytes size of a record, by which `automatic` chooses
  /// @throws ConfigError for numbers that are not positive, or if `direct` or `groups` exceed `most_ranks`
  Ranks(const comm::Communicator& comm, const Options& options, std::int64_t bytes);

  const comm::Communicator& comm() const { return comm_; }
  const Options& options() const { return options_; }
  Layout layout() const { return options_.layout; }  ///< never automatic
  Rank n_io() const { return static_cast<Rank>(io_ranks_.size()); }

  /// Returns the rank in `comm` of I/O rank `io`.
  Rank rank_of(Rank io) const { return io_ranks_[io]; }
  /// This rank's number among the I/O ranks, or kNone.
  Rank io_rank() const { return io_rank_; }
  /// Communicator of the I/O ranks; MPI_COMM_NULL on other ranks.
  MPI_Comm io_comm() const { return *io_comm_; }

  /// Returns the I/O rank of this rank's item `id` of `n`.
  Rank io_rank_of(GlobalIndex id, GlobalIndex n) const;
  /// Returns the range [first, end) of the `n` items that an I/O rank can receive.
  std::pair<GlobalIndex, GlobalIndex> range(Rank io, GlobalIndex n) const;
  bool is_box() const { return options_.layout == Layout::box || options_.layout == Layout::gather; }

  std::string description() const;  ///< "box: 2 of 16 ranks write"

 private:
  void choose(std::int64_t bytes);

  comm::Communicator comm_;
  Options options_;
  std::vector<Rank> io_ranks_;
  Rank io_rank_ = kNone;
  std::shared_ptr<MPI_Comm> io_comm_;
};

}  // namespace halcyon::io
