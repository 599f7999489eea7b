#include "halcyon/comm/exchange/recorder.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::comm {

namespace {

using schedule::Action;
using schedule::Operation;

constexpr int kPieceBytes = 1 << 24;

/// Sends a text to rank 0, in pieces of which the last is shorter.
void send_text(const Communicator& comm, int tag, const std::string& text) {
  for (std::size_t at = 0; at <= text.size(); at += kPieceBytes) {
    const auto n = static_cast<int>(std::min<std::size_t>(kPieceBytes, text.size() - at));
    check(MPI_Send(text.data() + at, n, MPI_CHAR, 0, tag, comm.get()), "MPI_Send");
  }
}

void receive_text(const Communicator& comm, int tag, Rank from, std::ostream& out) {
  std::vector<char> piece(kPieceBytes);
  for (int n = kPieceBytes; n == kPieceBytes;) {
    MPI_Status status;
    check(MPI_Recv(piece.data(), kPieceBytes, MPI_CHAR, from, tag, comm.get(), &status), "MPI_Recv");
    check(MPI_Get_count(&status, MPI_CHAR, &n), "MPI_Get_count");
    out.write(piece.data(), n);
  }
}

}  // namespace

/// The numbers here of a schedule's buffers; those of one name are one.
std::vector<std::int32_t> Recorder::take_buffers(const schedule::Schedule& schedule, Rank rank) {
  std::vector<std::int32_t> numbers;
  for (std::int32_t b = 0; b < std::ssize(schedule.buffers()); ++b) {
    const auto& buffer = schedule.buffers()[b];
    const auto number = std::ranges::find(buffers_, buffer.name, &schedule::Buffer::name) - buffers_.begin();
    if (number == std::ssize(buffers_)) {
      buffers_.push_back(buffer);
      record_.buffer_bytes.push_back(0);
    }
    auto& bytes = record_.buffer_bytes[number];
    bytes = std::max(bytes, schedule.buffer_bytes(rank, b));
    numbers.push_back(static_cast<std::int32_t>(number));
  }
  return numbers;
}

std::int32_t Recorder::add(const schedule::Schedule& schedule, Rank rank) {
  const auto numbers = take_buffers(schedule, rank);
  const auto first = static_cast<std::int32_t>(record_.parts.size());
  record_.parts.emplace_back();
  bool waits = false;
  auto n_rounds = n_rounds_;
  for (auto operation : schedule::operations(schedule, rank)) {
    const bool first_wait = operation.action == Action::wait && !waits;
    waits |= first_wait;
    if (first_wait || operation.action == Action::compute) record_.parts.emplace_back();
    if (operation.action == Action::compute) continue;
    operation.round += n_rounds_;
    n_rounds = std::max(n_rounds, operation.round + 1);
    operation.block.buffer = numbers.empty() ? 0 : numbers[operation.block.buffer];
    operation.target.buffer = numbers.empty() ? 0 : numbers[operation.target.buffer];
    record_.parts.back().push_back(operation);
  }
  if (!waits) record_.parts.emplace_back();
  n_rounds_ = n_rounds;
  end();
  return first;
}

void Recorder::begin(std::int32_t part) {
  record_.events.push_back({part, std::chrono::duration<double>(Clock::now() - idle_since_).count()});
}

void Recorder::require_writable(const Communicator& comm, const std::filesystem::path& path) {
  comm.agree([&] {
    if (comm.rank() == 0) schedule::require_writable(path);
  });
}

void Recorder::write(const Communicator& comm, const std::filesystem::path& path) const {
  const auto tag = comm.new_tag();
  std::ofstream out;
  comm.agree([&] {
    if (comm.rank() == 0) out = schedule::begin_file(path);
  });
  std::ostringstream mine;
  schedule::write_rank(mine, record_);
  if (comm.rank() > 0) send_text(comm, tag.number(), mine.str());
  comm.agree([&] {
    if (comm.rank() > 0) return;
    schedule::write_head(out, comm.size(), buffers_);
    out << mine.str();
    for (Rank rank = 1; rank < comm.size(); ++rank) receive_text(comm, tag.number(), rank, out);
    schedule::finish_file(out, path);
  });
}

}  // namespace halcyon::comm
