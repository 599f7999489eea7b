#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::io {

/// Which ranks are I/O ranks, and which items each I/O rank writes.
/// - direct: every rank writes its own items;
/// - groups: the first of every `group_size` consecutive ranks writes the items of its group (Liu et al.
///   2020, section 4.2, GRIST);
/// - box: `ranks` ranks, spread over the job, each write one contiguous range of the file;
/// - gather: rank 0 writes everything (a box of one rank);
/// - automatic: a box with one rank per `piece_bytes` of a record, at most `most_ranks`.
enum class Layout { automatic, direct, groups, box, gather };
inline constexpr std::array<std::string_view, 5> kLayoutNames{"auto", "direct", "groups", "box", "gather"};

/// Returns the layout with the given name. @throws ConfigError that lists the names
Layout layout_of(const std::string& name);
std::string name_of(Layout layout);

struct Options {
  Layout layout = Layout::automatic;
  Rank ranks = 0;            ///< number of I/O ranks for `box`; 0: as many as for `automatic`
  Rank group_size = 8;       ///< ranks per group, for `groups`
  Rank most_ranks = 64;      ///< largest number of I/O ranks (with GRIST, thousands made file systems fail)
  int most_requests = 4096;  ///< largest number of outstanding PnetCDF requests per I/O rank
  std::int64_t piece_bytes = 4 << 20;  ///< size of a transfer to an I/O rank; larger ones exceed the cache
  std::int64_t background_bytes = 512 << 20;  ///< largest size of the data queued for writing on an I/O rank
  bool background = false;                    ///< whether a background thread writes
  std::vector<std::pair<std::string, std::string>> hints;  ///< for PnetCDF and MPI-IO
};

/// The I/O ranks of a job: built once, for all files that are written in the same way.
class Ranks {
 public:
  /// Collective. @param bytes size of a record, from which `automatic` determines the number of I/O ranks
  /// @throws ConfigError for numbers that are not positive, or if there are more than `most_ranks` I/O ranks
  Ranks(const comm::Communicator& comm, const Options& options, std::int64_t bytes);

  const comm::Communicator& comm() const { return comm_; }
  const Options& options() const { return options_; }
  Layout layout() const { return options_.layout; }  ///< never automatic
  Rank n_io() const { return static_cast<Rank>(io_ranks_.size()); }

  /// Returns the rank in `comm` of I/O rank `io`.
  Rank rank_of(Rank io) const { return io_ranks_[io]; }
  /// The number of this rank among the I/O ranks; kNone if it is not an I/O rank.
  Rank io_rank() const { return io_rank_; }
  /// Communicator of the I/O ranks; MPI_COMM_NULL on other ranks.
  MPI_Comm io_comm() const { return *io_comm_; }

  /// Returns the I/O rank that writes this rank's item `id`, of `n` items in the file.
  Rank io_rank_of(GlobalIndex id, GlobalIndex n) const;
  /// Returns the range [first, end) of ids, of `n` items in the file, that I/O rank `io` may receive.
  std::pair<GlobalIndex, GlobalIndex> range(Rank io, GlobalIndex n) const;
  /// Whether each I/O rank writes one contiguous range of the file.
  bool is_box() const { return options_.layout == Layout::box || options_.layout == Layout::gather; }

  std::string description() const;  ///< "box: 2 of 16 ranks write"

 private:
  void choose_io_ranks(std::int64_t bytes);

  comm::Communicator comm_;
  Options options_;
  std::vector<Rank> io_ranks_;
  Rank io_rank_ = kNone;
  std::shared_ptr<MPI_Comm> io_comm_;
};

}  // namespace halcyon::io
