#include "halcyon/comm/methods/round.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {
namespace {

std::int64_t common_divisor(const std::vector<Message>& messages) {
  std::int64_t divisor = 0;
  for (const auto& [peer, block] : messages)
    divisor = std::gcd(divisor, std::gcd(block.size_bytes, block.offset_bytes));
  return std::max<std::int64_t>(divisor, 1);
}

}  // namespace

MessageUnit::MessageUnit(const std::vector<Message>& messages) : unit_bytes_(common_divisor(messages)) {
  require<ConfigError>(unit_bytes_ <= std::numeric_limits<int>::max(),
                       "An item of {} bytes exceeds the 32-bit counts of MPI.", unit_bytes_);
  check(MPI_Type_contiguous(static_cast<int>(unit_bytes_), MPI_BYTE, &type_), "MPI_Type_contiguous");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

MessageUnit::~MessageUnit() {
  if (is_mpi_active()) MPI_Type_free(&type_);
}

int MessageUnit::count(std::int64_t bytes) const {
  const auto count = bytes / unit_bytes_;
  require<ConfigError>(count <= std::numeric_limits<int>::max(),
                       "The size or offset of a message, {} items of {} bytes, exceeds the 32-bit counts of "
                       "MPI. Use more ranks.",
                       count, unit_bytes_);
  return static_cast<int>(count);
}

namespace {

bool has_one_buffer(const std::vector<Message>& messages) {
  return std::ranges::all_of(
      messages, [&](const auto& each) { return each.block.buffer == messages.front().block.buffer; });
}

bool has_one_message_per_peer(const std::vector<Message>& messages) {
  std::set<Rank> peers;
  return std::ranges::all_of(messages, [&](const auto& each) { return peers.insert(each.peer).second; });
}

bool can_be_collective(const RoundMessages& round) {
  return has_one_buffer(round.sends) && has_one_buffer(round.receives) &&
         has_one_message_per_peer(round.sends) && has_one_message_per_peer(round.receives);
}

std::int64_t lowest_offset(const std::vector<Message>& messages) {
  if (messages.empty()) return 0;
  const auto offset = [](const Message& message) { return message.block.offset_bytes; };
  return std::ranges::min(messages, {}, offset).block.offset_bytes;
}

std::vector<Message> shifted_down(std::vector<Message> messages, std::int64_t bytes) {
  for (auto& message : messages) message.block.offset_bytes -= bytes;
  return messages;
}

}  // namespace

CollectiveSide::CollectiveSide(const std::vector<Message>& messages, const std::vector<Rank>& peers)
    : counts(peers.size(), 0),
      displacements(peers.size(), 0),
      buffer_(messages.empty() ? 0 : messages.front().block.buffer),
      begin_bytes_(lowest_offset(messages)),
      messages_(shifted_down(messages, begin_bytes_)),
      unit_(messages_) {
  counts.reserve(1);  // Open MPI rejects null pointers, even for empty arrays
  displacements.reserve(1);
  for (const auto& message : messages_) {
    const auto peer = std::ranges::lower_bound(peers, message.peer) - peers.begin();
    counts[peer] = unit_.size(message);
    displacements[peer] = unit_.offset(message);
  }
}

std::int64_t CollectiveSide::extent_bytes() const {
  std::int64_t end = 0;
  for (const auto& [peer, block] : messages_) end = std::max(end, block.offset_bytes + block.size_bytes);
  return end;
}

void CollectiveSide::copy(const std::byte* from_base, std::byte* to_base) const {
  for (const auto& [peer, block] : messages_)
    if (block.size_bytes > 0)
      std::memcpy(to_base + block.offset_bytes, from_base + block.offset_bytes, block.size_bytes);
}

void CollectiveRound::wait() {
  check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
}

bool CollectiveRound::test() {
  int done = 0;
  check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

bool is_equal_on_all_ranks(const Communicator& comm, const std::vector<std::int64_t>& list) {
  const auto length = std::ssize(list);
  if (comm.min(length) != comm.max(length)) return false;
  auto sums = list;
  comm.sum(sums);
  const auto is_equal = [&](std::int64_t sum, std::int64_t value) { return sum == comm.size() * value; };
  return comm.min(std::ranges::equal(sums, list, is_equal)) == 1;
}

void require_collective_rounds(const Communicator& comm, const Program& program) {
  const auto n_rounds = std::ssize(program.rounds);
  require<ConfigError>(
      comm.min(n_rounds) == comm.max(n_rounds),
      "A collective method needs the same number of rounds on all ranks, but this schedule has different "
      "numbers. Use isend_irecv.");
  require<ConfigError>(
      comm.min(rounds_match(comm, program.rounds)) == 1,
      "A collective method needs each message to be sent and received in the same round, but this schedule "
      "uses different rounds. Use isend_irecv.");
  require<ConfigError>(comm.min(std::ranges::all_of(program.rounds, can_be_collective)) == 1,
                       "A collective method needs at most one message per pair of ranks and round, and one "
                       "send and one receive buffer. Use isend_irecv.");
}

}  // namespace halcyon::comm
