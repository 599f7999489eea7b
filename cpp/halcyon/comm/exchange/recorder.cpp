#include "halcyon/comm/exchange/recorder.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::comm {
namespace {

using schedule::Action;
using schedule::Operation;

constexpr int kChunkBytes = 1 << 24;

/// Sends a text to rank 0 in chunks; a chunk shorter than kChunkBytes is the last one.
void send_text(const Communicator& comm, int tag, const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size(); begin += kChunkBytes) {
    const auto n_bytes = static_cast<int>(std::min<std::size_t>(kChunkBytes, text.size() - begin));
    check(MPI_Send(text.data() + begin, n_bytes, MPI_CHAR, 0, tag, comm.get()), "MPI_Send");
  }
}

void receive_text(const Communicator& comm, int tag, Rank from, std::ostream& out) {
  std::vector<char> chunk(kChunkBytes);
  for (int n_bytes = kChunkBytes; n_bytes == kChunkBytes;) {
    MPI_Status status;
    check(MPI_Recv(chunk.data(), kChunkBytes, MPI_CHAR, from, tag, comm.get(), &status), "MPI_Recv");
    check(MPI_Get_count(&status, MPI_CHAR, &n_bytes), "MPI_Get_count");
    out.write(chunk.data(), n_bytes);
  }
}

}  // namespace

/// Adds the buffers of a schedule to the record, which identifies buffers by name.
/// @returns the number of each buffer in the record
std::vector<std::int32_t> Recorder::register_buffers(const schedule::Schedule& schedule, Rank rank) {
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

/// A new part begins with the schedule's first wait, and after each compute operation, which is not recorded.
std::int32_t Recorder::add(const schedule::Schedule& schedule, Rank rank) {
  const auto numbers = register_buffers(schedule, rank);
  const auto first_part = static_cast<std::int32_t>(record_.parts.size());
  record_.parts.emplace_back();
  bool has_wait = false;
  auto n_rounds = n_rounds_;
  for (auto operation : schedule::operations(schedule, rank)) {
    const bool is_first_wait = operation.action == Action::wait && !has_wait;
    has_wait |= is_first_wait;
    if (is_first_wait || operation.action == Action::compute) record_.parts.emplace_back();
    if (operation.action == Action::compute) continue;
    operation.round += n_rounds_;
    n_rounds = std::max(n_rounds, operation.round + 1);
    operation.block.buffer = numbers.empty() ? 0 : numbers[operation.block.buffer];
    operation.target.buffer = numbers.empty() ? 0 : numbers[operation.target.buffer];
    record_.parts.back().push_back(operation);
  }
  if (!has_wait) record_.parts.emplace_back();  // `Plan` always runs a part for `start` and one for `finish`
  n_rounds_ = n_rounds;
  end();
  return first_part;
}

void Recorder::begin(std::int32_t part) {
  record_.events.push_back({part, std::chrono::duration<double>(Clock::now() - last_end_).count()});
}

void Recorder::require_writable(const Communicator& comm, const std::filesystem::path& path) {
  comm.agree([&] {
    if (comm.rank() == 0) schedule::require_writable(path);
  });
}

void Recorder::write(const Communicator& comm, const std::filesystem::path& path) const {
  const auto tag = comm.new_tag();
  std::optional<schedule::RecordFile> file;
  comm.agree([&] {
    if (comm.rank() == 0) file.emplace(path);
  });
  std::ostringstream own_record;
  schedule::write_rank(own_record, record_);
  if (comm.rank() > 0) send_text(comm, tag.number(), own_record.str());
  comm.agree([&] {
    if (comm.rank() > 0) return;
    schedule::write_header(file->out(), comm.size(), buffers_);
    file->out() << own_record.str();
    for (Rank rank = 1; rank < comm.size(); ++rank) receive_text(comm, tag.number(), rank, file->out());
    file->finish();
  });
}

}  // namespace halcyon::comm
