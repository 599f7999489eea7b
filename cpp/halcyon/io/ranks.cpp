#include "halcyon/io/ranks.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace halcyon::io {
namespace {

void require_positive(const char* name, std::int64_t value) {
  require<ConfigError>(value > 0, "io.{} is {}, but must be at least 1.", name, value);
}

}  // namespace

Layout layout_of(const std::string& name) {
  const auto found = std::ranges::find(kLayoutNames, name);
  require<ConfigError>(found != kLayoutNames.end(), "io.layout is '{}', but must be one of {}.", name,
                       fmt::join(kLayoutNames, ", "));
  return static_cast<Layout>(found - kLayoutNames.begin());
}

std::string name_of(Layout layout) {
  return std::string(kLayoutNames[static_cast<std::size_t>(layout)]);
}

Ranks::Ranks(const comm::Communicator& comm, const Options& options, std::int64_t bytes)
    : comm_(comm), options_(options) {
  require<ConfigError>(
      options.ranks >= 0,
      "io.ranks is {}, but must be at least 1, or 0 to choose the number by the record size.", options.ranks);
  require_positive("group_size", options.group_size);
  require_positive("most_ranks", options.most_ranks);
  require_positive("most_requests", options.most_requests);
  require_positive("piece_bytes", options.piece_bytes);
  require_positive("background_bytes", options.background_bytes);
  choose_io_ranks(comm.max(bytes));
  const auto found = std::ranges::find(io_ranks_, comm.rank());
  if (found != io_ranks_.end()) io_rank_ = static_cast<Rank>(found - io_ranks_.begin());
  MPI_Comm split = MPI_COMM_NULL;
  comm::check(MPI_Comm_split(comm.get(), io_rank_ == kNone ? MPI_UNDEFINED : 0, comm.rank(), &split),
              "MPI_Comm_split");
  if (split != MPI_COMM_NULL) MPI_Comm_set_errhandler(split, MPI_ERRORS_RETURN);
  io_comm_ = std::shared_ptr<MPI_Comm>(new MPI_Comm(split), [](MPI_Comm* io_comm) {
    if (*io_comm != MPI_COMM_NULL && comm::is_mpi_active()) MPI_Comm_free(io_comm);
    delete io_comm;
  });
}

void Ranks::choose_io_ranks(std::int64_t bytes) {
  const Rank size = comm_.size(), max_ranks = std::min(size, options_.most_ranks);
  const auto n_pieces = (bytes + options_.piece_bytes - 1) / options_.piece_bytes;
  const auto by_size = static_cast<Rank>(std::clamp<std::int64_t>(n_pieces, 1, max_ranks));
  Rank n = size;
  if (options_.layout == Layout::groups) n = (size + options_.group_size - 1) / options_.group_size;
  if (options_.layout == Layout::gather) n = 1;
  if (options_.layout == Layout::box) n = options_.ranks == 0 ? by_size : std::min(size, options_.ranks);
  if (options_.layout == Layout::automatic) n = by_size;
  if (options_.layout == Layout::automatic) options_.layout = n == 1 ? Layout::gather : Layout::box;
  require<ConfigError>(n <= options_.most_ranks,
                       "With io.layout {}, {} ranks write a file, but io.most_ranks is {}. Use box, larger "
                       "groups, or a larger io.most_ranks.",
                       name_of(options_.layout), n, options_.most_ranks);
  io_ranks_.resize(n);
  for (Rank io = 0; io < n; ++io)
    io_ranks_[io] = options_.layout == Layout::groups
                        ? io * options_.group_size
                        : static_cast<Rank>(static_cast<std::int64_t>(io) * size / n);
}

Rank Ranks::io_rank_of(GlobalIndex id, GlobalIndex n) const {
  if (options_.layout == Layout::direct) return comm_.rank();
  if (options_.layout == Layout::groups) return comm_.rank() / options_.group_size;
  auto io = static_cast<Rank>(id * n_io() / std::max<GlobalIndex>(n, 1));
  while (io + 1 < n_io() && id >= range(io, n).second) ++io;  // the ranges are rounded
  while (io > 0 && id < range(io, n).first) --io;
  return io;
}

std::pair<GlobalIndex, GlobalIndex> Ranks::range(Rank io, GlobalIndex n) const {
  if (!is_box()) return {0, n};
  return {io * n / n_io(), (io + 1) * n / n_io()};
}

std::string Ranks::description() const {
  return fmt::format("{}: {} of {} {}", name_of(options_.layout), n_io(), comm_.size(),
                     comm_.size() == 1 ? "rank writes" : "ranks write");
}

}  // namespace halcyon::io
