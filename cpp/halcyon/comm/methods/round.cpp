#include "halcyon/comm/methods/round.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

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
  require<ConfigError>(count <= std::numeric_limits<int>::max(),
                       "A message or its place in its buffer, {} items of {} bytes, is beyond MPI's 32-bit "
                       "counts. Use more ranks.",
                       count, unit_bytes_);
  return static_cast<int>(count);
}

namespace {

bool one_buffer(const std::vector<Message>& messages) {
  return std::ranges::all_of(messages,
                             [&](const auto& m) { return m.block.buffer == messages.front().block.buffer; });
}

bool one_message_a_peer(const std::vector<Message>& messages) {
  std::set<Rank> peers;
  return std::ranges::all_of(messages, [&](const auto& m) { return peers.insert(m.peer).second; });
}

bool fits_a_collective(const RoundMessages& round) {
  return one_buffer(round.sends) && one_buffer(round.receives) && one_message_a_peer(round.sends) &&
         one_message_a_peer(round.receives);
}

std::int64_t first_of(const std::vector<Message>& messages) {
  if (messages.empty()) return 0;
  const auto offset = [](const Message& m) { return m.block.offset_bytes; };
  return std::ranges::min(messages, {}, offset).block.offset_bytes;
}

std::vector<Message> moved_back(std::vector<Message> messages, std::int64_t bytes) {
  for (auto& message : messages) message.block.offset_bytes -= bytes;
  return messages;
}

}  // namespace

CollectiveSide::CollectiveSide(const std::vector<Message>& messages, const std::vector<Rank>& peers)
    : counts(peers.size(), 0),
      places(peers.size(), 0),
      buffer_(messages.empty() ? 0 : messages.front().block.buffer),
      begin_bytes_(first_of(messages)),
      messages_(moved_back(messages, begin_bytes_)),
      units_(messages_) {
  counts.reserve(1);  // Open MPI refuses null, also where nobody is near
  places.reserve(1);
  for (const auto& message : messages_) {
    const auto at = std::ranges::lower_bound(peers, message.peer) - peers.begin();
    counts[at] = units_.size(message);
    places[at] = units_.place(message);
  }
}

std::int64_t CollectiveSide::extent_bytes() const {
  std::int64_t end = 0;
  for (const auto& [peer, block] : messages_) end = std::max(end, block.offset_bytes + block.size_bytes);
  return end;
}

void CollectiveSide::copy(const std::byte* from, std::byte* to) const {
  for (const auto& [peer, block] : messages_) {
    if (block.size_bytes > 0) {
      std::memcpy(to + block.offset_bytes, from + block.offset_bytes, block.size_bytes);
    }
  }
}

void CollectiveRound::wait() {
  check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
}

bool CollectiveRound::test() {
  int done = 0;
  check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void require_collectives(const Communicator& comm, const Program& program) {
  const auto n_rounds = std::ssize(program.rounds);
  require<ConfigError>(comm.min(n_rounds) == comm.max(n_rounds),
                       "Ranks start different numbers of rounds, so a collective cannot carry this schedule. "
                       "Use isend_irecv.");
  require<ConfigError>(comm.min(both_ends_in_one_round(comm, program.rounds)) == 1,
                       "A collective needs both ends of a message in one round, and in this schedule they "
                       "are not. Use isend_irecv.");
  require<ConfigError>(comm.min(std::ranges::all_of(program.rounds, fits_a_collective)) == 1,
                       "A collective needs one message a pair of ranks and round, and one buffer on each "
                       "side. Use isend_irecv.");
}

}  // namespace halcyon::comm
