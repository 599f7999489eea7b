#include "halcyon/comm/methods/round.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

std::int64_t common_unit(const std::vector<Message>& messages) {
  std::int64_t unit = 0;
  for (const auto& [peer, block] : messages)
    unit = std::gcd(unit, std::gcd(block.size_bytes, block.offset_bytes));
  return std::max<std::int64_t>(unit, 1);
}

}  // namespace

Units::Units(const std::vector<Message>& messages) : unit_bytes_(common_unit(messages)) {
  require<ConfigError>(unit_bytes_ <= std::numeric_limits<int>::max(),
                       "An item of {} bytes is too large for MPI.", unit_bytes_);
  check(MPI_Type_contiguous(static_cast<int>(unit_bytes_), MPI_BYTE, &type_), "MPI_Type_contiguous");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Units::~Units() {
  if (mpi_runs()) MPI_Type_free(&type_);
}

int Units::count(std::int64_t bytes) const {
  const auto count = bytes / unit_bytes_;
  require<ConfigError>(
      count <= std::numeric_limits<int>::max(),
      "A message or its place in its buffer, {} items of {} bytes, is beyond MPI's 32-bit counts. "
      "Use more ranks.",
      count, unit_bytes_);
  return static_cast<int>(count);
}

}  // namespace halcyon::comm
