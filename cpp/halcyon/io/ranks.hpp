#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::io {

/// Which ranks touch a file, and what each of them writes.
/// - direct: every rank its own items, wherever they lie in the file;
/// - groups: the first rank of every `group_size` neighbouring ones, the items of its group (GRIST; Liu et
///   al. 2020, section 4.2);
/// - box: `ranks` of them, spread over the job, each one contiguous range of the file;
/// - gather: rank 0 everything, a box of one;
/// - automatic: a box, with a rank for every piece of what is written at once, at most `most_ranks`.
enum class Layout { automatic, direct, groups, box, gather };
inline constexpr std::array<std::string_view, 5> kLayoutNames{"auto", "direct", "groups", "box", "gather"};

/// "auto", "direct", ... @throws ConfigError for another name
Layout layout_of(const std::string& name);
std::string name_of(Layout layout);

struct Options {
  Layout layout = Layout::automatic;
  Rank ranks = 0;                             ///< of `box`; 0 chooses as `automatic` does
  Rank group_size = 8;                        ///< of `groups`
  Rank most_ranks = 64;                       ///< that touch a file; GRIST saw systems fail with thousands
  int most_requests = 4096;                   ///< outstanding ones of a rank
  std::int64_t piece_bytes = 4 << 20;         ///< that an I/O rank takes at once; larger ones leave the cache
  std::int64_t background_bytes = 512 << 20;  ///< that wait to be written on an I/O rank, at most
  bool background = false;                    ///< written by a thread, while the caller goes on
  std::vector<std::pair<std::string, std::string>> hints;  ///< for PnetCDF and MPI-IO
};

/// The ranks that touch files, in a job: made once, for all files that are written in the same way.
class Ranks {
 public:
  /// Collective. @param bytes of what is written at once, after which `automatic` chooses
  /// @throws ConfigError for numbers that are not positive, or a cap that `direct` and `groups` exceed
  Ranks(const comm::Communicator& comm, const Options& options, std::int64_t bytes);

  const comm::Communicator& comm() const { return comm_; }
  const Options& options() const { return options_; }
  Layout layout() const { return options_.layout; }  ///< never automatic
  Rank n_io() const { return static_cast<Rank>(members_.size()); }

  /// The rank in `comm` of an I/O rank.
  Rank member(Rank io) const { return members_[io]; }
  /// The I/O rank that this rank is, or kNone.
  Rank mine() const { return mine_; }
  /// Of the I/O ranks; MPI_COMM_NULL on others.
  MPI_Comm io_comm() const { return *io_comm_; }

  /// The I/O rank that gets this rank's item `id` of `n`.
  Rank keeper(GlobalIndex id, GlobalIndex n) const;
  /// The first item of `n` that an I/O rank may get; I/O rank `n_io` gives the end.
  std::pair<GlobalIndex, GlobalIndex> range(Rank io, GlobalIndex n) const;
  bool is_box() const { return options_.layout == Layout::box || options_.layout == Layout::gather; }

  std::string description() const;  ///< "box: 2 of 16 ranks write"

 private:
  void choose(std::int64_t bytes);

  comm::Communicator comm_;
  Options options_;
  std::vector<Rank> members_;
  Rank mine_ = kNone;
  std::shared_ptr<MPI_Comm> io_comm_;
};

}  // namespace halcyon::io
